"""The Bayes-optimal learner: known values, closed forms, and a bound for every training."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.special import ndtr

import needlescope as ns
from needlescope.theory.oracle import bayes

COVERS = ("alpha_grid", "effective_error")

KNOWN = [  # L, R, θ, π, α, error: derived and checked apart from this code
    (10, 1, 5.0, 0.5, (1, 4, 16), (0.0230, 0.0191, 0.0181)),
    (10, 1, 3.5, 0.5, (1, 4, 16), (0.131, 0.109, 0.104)),
    (30, 1, 4.0, 0.1, (1, 4, 16), (0.077, 0.047, 0.039)),
    (100, 1, 4.0, 0.5, (1, 4, 16), (0.164, 0.138, 0.131)),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("L", "R", "theta", "pi", "alpha", "error"), KNOWN)
def test_known_errors(L, R, theta, pi, alpha, error):
    result = ns.bayes_optimal(ns.Task(L, R, theta, pi), np.array(alpha, float))
    assert result.test_error == pytest.approx(error, abs=1.2e-3)
    assert (2.0 * result.test_error_se <= 1e-3).all()
    assert result.provenance == "formula: replica-symmetric (not a theorem)"


def test_known_overlaps():
    """From nothing, and what is possible, at απ = 0.1, 0.5 and 1."""
    result = ns.bayes_optimal(ns.Task(1000, 1, 5.0, 0.5), [0.2, 1.0, 2.0])
    assert result.overlap == pytest.approx([0.62, 0.92, 0.96], abs=0.01)
    assert result.amp_overlap[:2] == pytest.approx([0.0, 0.02], abs=0.005)
    assert result.phase.tolist() == ["hard", "hard", "easy"]


@pytest.mark.parametrize("L", [1, 7, 5000])
@pytest.mark.parametrize("pi", [0.2, 0.5])
def test_a_signal_in_all_tokens_is_a_gaussian_mixture(L, pi):
    """q/(1 − q) = απθ²L, and an error of two normal laws √L θ √q apart."""
    theta, alpha = 1.3, 2.0
    result = ns.bayes_optimal(ns.Task(L, L, theta, pi), alpha)
    field = alpha * pi * theta**2 * L
    assert result.overlap == pytest.approx(field / (1.0 + field), rel=1e-9)
    gap = theta * np.sqrt(L * result.overlap)
    cut = 0.5 * gap + np.log((1.0 - pi) / pi) / gap
    error = pi * ndtr(cut - gap) + (1.0 - pi) * ndtr(-cut)
    assert result.test_error == pytest.approx(error, abs=1e-9)
    assert result.phase == "easy"


def test_no_signal_teaches_nothing():
    result = ns.bayes_optimal(ns.Task(10, 2, 0.0, 0.3), 5.0)
    assert (result.overlap, result.test_error, result.phase) == (0.0, 0.3, "easy")


def test_much_data_know_the_signal():
    task = ns.Task(20, 1, 4.0, 0.5)
    result = ns.bayes_optimal(task, 1e5)
    assert result.test_error == pytest.approx(ns.oracle(task, "bayes").error, abs=1e-3)


def test_a_grid_is_its_points():
    task = ns.Task(50, 1, np.array([3.0, 4.5])[:, None], np.array([0.2, 0.5]))
    result = ns.bayes_optimal(task, 1.5)
    assert result.shape == (2, 2) and result.phase.shape == (2, 2)
    item = ns.bayes_optimal(ns.Task(50, 1, 4.5, 0.2), 1.5)
    assert result.overlap[1, 0] == pytest.approx(item.overlap, rel=1e-9)
    assert result.test_error[1, 0] == pytest.approx(item.test_error, abs=1e-9)


def test_many_points_read_their_errors_off_a_table():
    task, alpha = ns.Task(60, 1, 4.0, 0.5), np.geomspace(0.05, 50.0, 40)
    many = ns.bayes_optimal(task, alpha)
    few = ns.bayes_optimal(task, alpha[[3, 20, 36]])
    assert many.overlap[[3, 20, 36]] == pytest.approx(few.overlap, rel=1e-9)
    assert many.test_error[[3, 20, 36]] == pytest.approx(few.test_error, abs=1e-3)


def test_it_improves_with_everything_that_helps():
    base = {"L": 40, "R": 2, "theta": 3.0, "pi": 0.3}
    for name, values in {"theta": [2.0, 2.5, 3.0, 4.0], "pi": [0.05, 0.1, 0.3, 0.5]}.items():
        result = ns.bayes_optimal(ns.Task(**base | {name: np.array(values)}), 2.0)
        assert (np.diff(result.overlap) > 0.0).all()
    result = ns.bayes_optimal(ns.Task(**base), np.geomspace(0.1, 30.0, 12))
    assert (np.diff(result.overlap) > 0.0).all()
    assert (np.diff(result.test_error) < 1e-3).all()
    assert (result.amp_test_error >= result.test_error - 1e-3).all()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(6))
def test_no_trained_model_beats_it(seed):
    """At the same data in all; a few of the random problems that the fuzz has thousands of."""
    rng = np.random.default_rng(seed)
    L = int(rng.integers(2, 30))
    task = ns.Task(
        L, int(rng.integers(1, min(L, 4) + 1)), rng.uniform(1.0, 6.0), rng.uniform(0.1, 0.6)
    )
    training = ns.Training(rng.uniform(0.5, 4.0), rng.uniform(0.5, 4.0), ridge=0.05)
    limit = ns.bayes_optimal(task, training.alpha0 + training.alpha1)
    for model in ("attention", "pooled", "vectorized"):
        trained = ns.predict(task, training, model, data="all", tol=1e-3)
        slack = 2.0 * (limit.test_error_se + trained.test_error_se)
        assert limit.test_error <= trained.test_error + slack


def test_the_largest_and_the_smallest_of_tasks():
    for L, R in ((1, 1), (2, 1), (100_000, 1), (100_000, 99_999)):
        result = ns.bayes_optimal(ns.Task(L, R, 3.0, 0.5), 1.0)
        assert 0.0 <= result.overlap <= 1.0 and 0.0 <= result.test_error <= 0.5


def test_one_signal_token_has_a_test_error_of_any_accuracy():
    """The Bayes error of one token is an integral of nine digits, not a sample."""
    task = ns.Task(10, 1, 4.0, 0.5)
    result = ns.bayes_optimal(task, 1.0, tol=1e-5)
    effective = task.replace(theta=4.0 * np.sqrt(result.overlap))
    assert result.test_error == pytest.approx(ns.oracle(effective, "bayes").error, abs=1e-8)
    assert 2.0 * result.test_error_se <= 1e-5


def test_a_test_error_that_is_not_known_is_that_of_the_task_asked(monkeypatch):
    monkeypatch.setattr(bayes, "LAST_POINTS", 2**9)
    with pytest.raises(ns.NotConverged) as failed:
        ns.bayes_optimal(ns.Task(10, 3, 2.5, 0.5), 1.0, tol=1e-5)
    said = str(failed.value)
    assert "the Bayes error of Task(L=10, R=3, theta=2.5," in said and "ask for tol=" in said
    assert said.count("Task(") == 1
    reachable = float(re.search(r"tol=(\S+) or more", said)[1])
    assert reachable > 1e-5
    ns.bayes_optimal(ns.Task(10, 3, 2.5, 0.5), 1.0, tol=reachable)
