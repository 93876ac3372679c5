"""What an answer is said not to depend on, against the calls themselves."""

from __future__ import annotations

from inspect import signature

import pytest

import needlescope as ns
from needlescope.deep.simulate import simulate_deep
from needlescope.figures.reading.dependence import QUERY_ONLY, SYMBOLS, UNUSED, USUAL_START, depends

TASK = ns.Task(L=4, R=1, theta=3.0, pi=0.4)
TRAINING = ns.Training(alpha0=2.0, alpha1=2.0)
SMALL = {"d": 10, "trials": 2, "seed": 0, "n_jobs": 1}
OTHER = {"alpha1": 3.0, "ridge": 0.5, "loss": "square", "theta": 1.0, "alpha0": 3.0}
CALLS = {
    "align": lambda task, training: ns.align(task, training).cosine_q,
    "simulate_alignment": lambda *given: ns.simulate_alignment(*given, **SMALL).cosine_q,
    "focus": lambda *given: ns.focus(*given).signal,
    "simulate_focus": lambda *given: ns.simulate_focus(*given, **SMALL).signal,
    "simulate_separability": lambda *given: ns.simulate_separability(
        *given, "pooled", **SMALL
    ).trials["separable"],
    "oracle_threshold": lambda task, _: ns.oracle_threshold(task, "pooled", 0.1).theta,
}


@pytest.mark.parametrize(
    ("call", "column"), [(call, column) for call, names in UNUSED.items() for column in names]
)
def test_what_a_call_is_said_not_to_use_does_not_change_its_answer(call, column):
    part, _, field = column.partition(".")
    change = {field: OTHER[field]}
    task = TASK.replace(**change) if part == "task" else TASK
    training = TRAINING.replace(**change) if part == "training" else TRAINING
    assert (task, training) != (TASK, TRAINING)
    assert pytest.approx(CALLS[call](TASK, TRAINING), abs=0) == CALLS[call](task, training)


@pytest.mark.parametrize("column", [*QUERY_ONLY, "training.alpha0"])
def test_without_a_query_its_training_does_not_matter(column):
    field = column.removeprefix("training.")
    other = {"query_steps": 1, "alpha0": 3.0, "balanced": True}.get(field, 0.7)
    given = {"model": "pooled", "training.alpha1": 2.0, column: other}
    assert column not in depends("predict", given)
    assert column not in depends("predict", {**given, "model": "attention", "query.kappa": 1.0})
    assert column in depends("predict", {**given, "model": "attention"})
    if field.startswith("schedule"):
        field, other = "schedule", ns.Schedule.even(3)
    item, two = TRAINING, TRAINING.replace(**{field: other})
    assert ns.predict(TASK, item, "pooled").test_error == ns.predict(TASK, two, "pooled").test_error


def test_joint_training_has_a_start_and_no_steps():
    given = {"training.alpha1": 2.0, "training.eta_q": 3.0, "start": "small", "minimum": "field"}
    assert {"training.eta_q"} == set(given) & set(depends("predict", given)) - {"training.alpha1"}
    joint = depends("predict", {**given, "training.ridge_q": 0.1})
    assert joint["start"] == "small" and "training.eta_q" not in joint
    for call, usual in USUAL_START.items():
        assert signature(getattr(ns, call)).parameters["start"].default == usual


def test_baselines_that_get_all_data_depend_on_those_of_the_query():
    given = {"model": "pooled", "training.alpha0": 2.0, "training.alpha1": 2.0, "data": "all"}
    assert depends("predict", given)["training.alpha0"] == 2.0
    errors = [
        ns.predict(TASK, TRAINING.replace(alpha0=alpha0), "pooled", data="all").test_error
        for alpha0 in (2.0, 3.0)
    ]
    assert errors[0] != errors[1]


def test_a_test_that_is_like_the_training_is_not_said():
    given = {"task.theta": 3.0, "test_task.theta": 3.0, "task.pi": 0.4, "test_task.pi": 0.1}
    assert set(depends("predict", given)) == {"task.theta", "task.pi", "test_task.pi"}


def test_the_strength_that_crossover_is_given_is_that_of_a_query():
    assert depends("crossover", {"kappa": 2.0}) == {"query.kappa": 2.0}


def test_all_that_may_be_unused_has_a_symbol():
    assert {column for names in UNUSED.values() for column in names} | set(QUERY_ONLY) <= set(
        SYMBOLS
    )


def test_a_training_of_fuller_attention_has_its_defaults():
    usual = signature(simulate_deep).parameters
    result = depends("simulate_deep", {"model": "multihead", "architecture": "multihead"})
    assert result == {
        "architecture": "multihead",
        "heads": 4,
        "width": usual["width"].default,
        "epochs": usual["epochs"].default,
        "rates": str(list(usual["rates"].default)),
        "decays": str(list(usual["decays"].default)),
    }
    assert "heads" not in depends("simulate_deep", {"architecture": "gru"})
    assert depends("simulate_deep", {"architecture": "block", "heads": 8})["heads"] == 8
