"""Units: their key changes with all that their answer rests on, and with nothing else."""

from __future__ import annotations

import math

import numpy as np
import pytest

from needlescope.experiments.comparison import trials
from needlescope.experiments.units.calls import code_of
from needlescope.experiments.units.unit import Unit
from tests.experiments.some_units import TASK, TRIAL, cheap

CHANGES = [
    ("task", TASK | {"theta": 5.0000000000000009}),
    ("task", TASK | {"L": 11}),
    ("task", TASK | {"positions": "first"}),
    ("training", {"alpha0": 2.0, "alpha1": 2.0, "loss": "square"}),
    ("training", {"alpha0": 2.0, "alpha1": 2.0, "balanced": True}),
    ("model", "pooled"),
    ("d", 61),
    ("trials", 2),
    ("seed", [0, 4]),
    ("seed", [1, 3]),
    ("reuse", False),
]


@pytest.mark.parametrize(("name", "value"), CHANGES)
def test_the_key_changes_with_any_argument(name: str, value: object) -> None:
    assert Unit(TRIAL.call, {**TRIAL.arguments, name: value}).key != TRIAL.key


@pytest.mark.parametrize("name", sorted(TRIAL.arguments))
def test_the_key_changes_when_an_argument_is_left_out(name: str) -> None:
    rest = {key: value for key, value in TRIAL.arguments.items() if key != name}
    assert Unit(TRIAL.call, rest).key != TRIAL.key


def test_the_key_changes_with_the_call() -> None:
    rest = {key: value for key, value in TRIAL.arguments.items() if key != "model"}
    assert Unit("simulate_alignment", rest).key != Unit("simulate", rest).key


def test_the_key_changes_with_the_code_that_answers_and_seeds_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    oracle, trial = cheap(1)[0].key, TRIAL.key
    seeds = [unit.arguments["seed"] for unit in trials("simulate", TRIAL.arguments, 2)]
    monkeypatch.setattr(
        "needlescope.experiments.units.unit.code_of",
        lambda call: "changed" if call == "oracle" else code_of(call),
    )
    assert cheap(1)[0].key != oracle
    assert TRIAL.key == trial
    monkeypatch.setattr("needlescope.experiments.units.unit.code_of", lambda call: "changed")
    assert TRIAL.key != trial
    assert [unit.arguments["seed"] for unit in trials("simulate", TRIAL.arguments, 2)] == seeds


def test_the_key_does_not_depend_on_order_or_containers() -> None:
    turned = {key: TRIAL.arguments[key] for key in reversed(list(TRIAL.arguments))}
    turned |= {"task": dict(reversed(TASK.items())), "seed": (0, 3)}
    assert Unit("simulate", turned).key == TRIAL.key


def test_a_unit_does_not_follow_later_changes_of_its_arguments() -> None:
    task = dict(TASK)
    unit = Unit("oracle", {"task": task, "model": "pooled"})
    key = unit.key
    task["L"] = 99
    assert (unit.key, unit.arguments["task"]["L"]) == (key, 10)


@pytest.mark.parametrize("value", [math.nan, 1j, np.array([1j]), object(), {1, 2}])
def test_arguments_that_are_not_plain_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="arguments must be numbers, words, lists and dicts"):
        Unit("oracle", {"task": TASK, "model": value})


def test_a_call_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match=r"call must be one of 'align', 'asymptote.*got 'eval'"):
        Unit("eval", {})
