"""The least errors found by drawing: they are those of theory, and the same for any workers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import needlescope as ns
from needlescope.simulation.oracle import attend, best_threshold, log_ratio

TASK = ns.Task(L=10, R=1, theta=2.5, pi=0.5)
TASKS = (
    TASK,
    ns.Task(L=60, R=1, theta=4.0, pi=0.5),
    ns.Task(L=12, R=3, theta=1.5, pi=0.3),
    ns.Task(L=6, R=5, theta=1.0, pi=0.6),
    ns.Task(L=4, R=4, theta=0.6, pi=0.5),
)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("task", "model"), [*itertools.product(TASKS, ["attention", "pooled", "bayes"])]
)
def test_agrees_with_theory(task, model):
    result = ns.simulate_oracle(task, model, samples=8000, trials=16, seed=3, n_jobs=1)
    known = ns.oracle(task, model)
    assert abs(result.error - known.error) < 4.5 * np.hypot(result.error_se, known.error_se)
    assert result.error_se < 0.04 * known.error
    assert result.provenance == "simulation"


def test_the_rules_are_those_of_theory():
    result = {
        model: ns.simulate_oracle(TASK, model, samples=20_000, trials=3, n_jobs=1)
        for model in ("attention", "pooled", "bayes")
    }
    for model, value in result.items():
        assert value.threshold == pytest.approx(ns.oracle(TASK, model).threshold, abs=0.15)
    assert result["attention"].kappa == pytest.approx(ns.oracle(TASK).kappa, rel=0.5)
    assert result["attention"].sign == 1.0
    assert result["bayes"].kappa is None


def test_given_positions_help_bayes():
    pairs = ns.Positions([(0, 1), (2, 3)], [0.8, 0.2])
    task = ns.Task(L=6, R=2, theta=1.2, pi=0.4, positions=pairs)
    options = {"samples": 8000, "trials": 16, "seed": 1, "n_jobs": 1}
    result = ns.simulate_oracle(task, "bayes", **options)
    known = ns.oracle(task, "bayes")
    assert abs(result.error - known.error) < 4.5 * np.hypot(result.error_se, known.error_se)
    anywhere = ns.simulate_oracle(task.replace(positions="uniform"), "bayes", **options)
    assert result.error < anywhere.error - 10.0 * result.error_se


def test_likelihood_ratio_is_the_mean_over_all_sets():
    task = ns.Task(L=5, R=2, theta=1.7, pi=0.5)
    x = np.random.default_rng(0).normal(size=(7, 5)).astype(np.float32)
    sets = list(itertools.combinations(range(5), 2))
    direct = np.mean([np.exp(1.7 * x[:, item].sum(axis=1) - 1.7**2) for item in sets], axis=0)
    assert np.exp(log_ratio(task, x)) == pytest.approx(direct, rel=1e-5)
    given = task.replace(positions=ns.Positions(sets))
    assert log_ratio(given, x) == pytest.approx(log_ratio(task, x), abs=1e-5)


def test_sharp_attention_is_the_largest_token():
    x = np.random.default_rng(0).normal(size=(50, 30)).astype(np.float32)
    assert attend(x, 300.0) == pytest.approx(attend(x, np.inf), abs=0.01)
    assert attend(x, 1e-4) == pytest.approx(attend(x, 0.0), abs=0.001)


def test_scores_apart_are_told_apart_and_scores_alike_are_given_up():
    scores = np.random.default_rng(0).normal(size=1000)
    assert best_threshold(scores, scores + 20.0, 0.5)[0] == 0.0
    assert best_threshold(scores, scores, 0.2) == (0.2, np.inf)
    assert best_threshold(scores, scores, 0.8) == (pytest.approx(0.2), -np.inf)


def test_a_signal_that_is_not_there_leaves_the_rarer_label():
    for model in ("attention", "pooled", "bayes"):
        result = ns.simulate_oracle(TASK.replace(theta=0.0, pi=0.1), model, samples=4000, trials=2)
        assert result.error == pytest.approx(0.1, abs=0.001)


@pytest.mark.slow
def test_results_depend_on_the_seed_and_not_on_workers():
    few = {"samples": 400, "trials": 3}
    here = ns.simulate_oracle(TASK, seed=7, n_jobs=1, **few)
    there = ns.simulate_oracle(TASK, seed=7, n_jobs=2, **few)
    other = ns.simulate_oracle(TASK, seed=8, n_jobs=1, **few)
    assert here.trials["error"].tolist() == there.trials["error"].tolist()
    assert here.error != other.error


def test_grids_have_a_stream_for_each_point():
    result = ns.simulate_oracle(TASK.replace(theta=[2.0, 4.0]), "pooled", 400, 3, n_jobs=1)
    assert result.error.shape == (2,) and result.trials["error"].shape == (2, 3)
    assert result.error[1] < result.error[0]
    alone = ns.simulate_oracle(TASK.replace(theta=2.0), "pooled", 400, 3, n_jobs=1)
    assert alone.trials["error"].tolist() == result.trials["error"][0].tolist()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"task": "needle"}, "task must be a needlescope.Task, got 'needle'"),
        ({"model": "vectorized"}, "model must be .*attention.*pooled.*bayes.*got 'vectorized'"),
        ({"samples": 10}, r"samples must be an integer in 100..*got 10"),
        ({"samples": 1e4}, "samples must be a single integer"),
        ({"trials": 0}, "trials must be an integer in 1..*got 0"),
        ({"seed": -1}, "seed must be an integer of at least 0"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"samples": 10**8}, "samples times L must be at most .* got 100000000 times 10"),
    ],
)
def test_bad_input_is_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        ns.simulate_oracle(**{"task": TASK, **change})
