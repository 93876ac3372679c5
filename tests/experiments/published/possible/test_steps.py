"""The experiment "steps": its units, and what it claims, checked without its own table."""

from __future__ import annotations

import pytest

import needlescope as ns
from needlescope.experiments.published.possible.steps import (
    CHOSEN,
    EXPERIMENT,
    READOUT,
    TOGETHER,
    units,
)


def error(L: int, alpha: float, length: float, ridge: float, number: int | None) -> float:
    task = ns.Task(L, 1, {10: 3.5, 100: 4.0}[L], 0.5)
    cut, schedule = (1, None) if number is None else (number, ns.Schedule.even(number))
    sizes = {"eta_w": READOUT / cut, "eta_b": 4.0, "eta_q": length / cut}
    training = ns.Training(alpha / 2, alpha / 2, ridge=ridge, schedule=schedule, **sizes)
    return float(ns.predict(task, training, tol=2e-3).test_error)


@pytest.mark.parametrize("full", [False, True])
def test_every_dot_has_its_line_and_whole_batches(full: bool) -> None:
    found = units(full)
    assert len({unit.key for unit in found}) == len(found)
    told = [unit.arguments["training"] for unit in found if unit.call == "predict"]
    for unit in found:
        if unit.call == "simulate":
            training = unit.arguments["training"]
            assert training in told
            batch = training["alpha0"] * unit.arguments["d"] / training["schedule"]["steps"]
            assert batch == round(batch)


def test_eight_fresh_batches_beat_two_steps_at_a_hundred_tokens() -> None:
    """0.150 against 0.203; the limit of learning is 0.131."""
    two = error(100, 16.0, *TOGETHER[100, 16.0], None)
    eight = error(100, 16.0, *CHOSEN[100, 16.0][8], 8)
    assert two == pytest.approx(0.203, abs=2e-3) and eight == pytest.approx(0.150, abs=2e-3)
    assert "0.203 to 0.150" in EXPERIMENT.caption


@pytest.mark.slow
@pytest.mark.parametrize("place", CHOSEN, ids=str)
@pytest.mark.parametrize("number", [2, 4, 8, None])
def test_other_lengths_err_more(place: tuple[int, float], number: int | None) -> None:
    """A quarter decade aside is worse, if only within what the errors are known to."""
    length, ridge = TOGETHER[place] if number is None else CHOSEN[place][number]
    best = error(*place, length, ridge, number)
    for factor in (10**-0.25, 10**0.25):
        assert error(*place, factor * length, ridge, number) > best - 1e-3
