"""Random questions of `tools/plan_check.py`, with pinned seeds; `make plan-check` asks many."""

from __future__ import annotations

import pytest

import needlescope as ns
from tools.plan_check import check_question, check_settings, least_of_grid, random_question


@pytest.mark.parametrize("seed", [0, 3, 4, 11])
def test_a_random_question_is_answered_or_refused_in_a_sentence(seed):
    found = check_question(seed, trials=8, others=False)
    assert found.well, found.line


def test_questions_have_all_unknowns_and_learners():
    spec = [random_question(seed) for seed in range(60)]
    left_out = {name for one in spec for name in ("L", "theta", "error") if name not in one}
    assert left_out == {"L", "theta", "error"}
    assert any("n" not in one and "spend" not in one for one in spec)
    assert len({one["learner"] for one in spec}) == 5
    assert max(one.get("L", 0) for one in spec) > 10_000 and min(one["d"] for one in spec) == 1
    assert any("costs" in one for one in spec)


@pytest.mark.parametrize("seed", [4, 7, 8, 9])
def test_tuned_settings_do_not_lose_to_a_grid(seed):
    found = check_settings(seed, compared=False)
    assert found.well, found.line


@pytest.mark.parametrize(
    ("task", "budget", "model"),
    [
        (ns.Task(4, 4, 3.0, 0.01), 5.0, "pooled"),
        (ns.Task(27, 7, 1.717, 0.0391), 27.6, "pooled"),
        (ns.Task(99, 30, 0.595, 0.8185), 15.0, "pooled"),
        (ns.Task(42, 9, 0.661, 0.6196), 7.746, "vectorized"),
    ],
)
def test_a_rare_class_is_not_left_to_the_constant_answer(task, budget, model):
    found = ns.tune(task, budget, model=model, losses=["logistic"])
    assert found.test_error <= 1.005 * least_of_grid(task, budget, model, 1e-3)
    assert found.test_error <= min(found.untuned, task.pi, 1.0 - task.pi) * (1.0 + 1e-6)


def test_attention_learns_where_all_but_one_in_a_hundred_are_positive():
    found = ns.tune(ns.Task(10, 1, 5.0, 0.99), 200.0, losses=["logistic"])
    assert found.test_error < 0.0045 < found.untuned
