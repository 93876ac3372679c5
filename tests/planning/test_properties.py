"""Random questions of `tools/plan_check.py`, with pinned seeds; `make plan-check` asks many."""

from __future__ import annotations

import pytest

import needlescope as ns
from tools.plan_check import check_question, check_settings, least_of_grid, random_question


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", [0, 3, pytest.param(4, marks=pytest.mark.slow), 11])
def test_a_random_question_is_answered_or_refused_in_a_sentence(seed):
    result = check_question(seed, trials=8, others=False)
    assert result.well, result.line


def test_questions_have_all_unknowns_and_learners():
    spec = [random_question(seed) for seed in range(60)]
    left_out = {name for item in spec for name in ("L", "theta", "error") if name not in item}
    assert left_out == {"L", "theta", "error"}
    assert any("n" not in item and "spend" not in item for item in spec)
    assert len({item["learner"] for item in spec}) == 5
    assert max(item.get("L", 0) for item in spec) > 10_000 and min(item["d"] for item in spec) == 1
    assert any("costs" in item for item in spec)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", [4, 7, 8, 9])
def test_tuned_settings_do_not_lose_to_a_grid(seed):
    result = check_settings(seed, compared=False)
    assert result.well, result.line


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
    result = ns.tune(task, budget, model=model, losses=["logistic"])
    assert result.test_error <= 1.005 * least_of_grid(task, budget, model, 1e-3)
    assert result.test_error <= min(result.untuned, task.pi, 1.0 - task.pi) * (1.0 + 1e-6)


@pytest.mark.slow
def test_attention_learns_where_all_but_one_in_a_hundred_are_positive():
    result = ns.tune(ns.Task(10, 1, 5.0, 0.99), 200.0, losses=["logistic"])
    assert result.test_error < 0.0045 < result.untuned
