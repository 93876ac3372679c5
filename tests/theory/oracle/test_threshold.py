"""The strength that reaches an error: the inverse of the oracle, or a sentence."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_ndtr

import needlescope as ns
from needlescope.theory.oracle.least_error import ORACLES, oracle
from needlescope.theory.oracle.threshold import oracle_threshold


@pytest.mark.sampled(5)
@pytest.mark.parametrize("model", ORACLES)
@pytest.mark.parametrize(
    ("L", "R", "pi", "error"),
    [
        (10, 1, 0.5, 0.2),
        (8, 2, 0.05, 0.045),
        pytest.param(1000, 4, 0.1, 0.05, marks=pytest.mark.slow),
    ],
)
def test_threshold_inverts_the_oracle(L: int, R: int, pi: float, error: float, model: str) -> None:
    task = ns.Task(L=L, R=R, theta=1.0, pi=pi)
    theta = oracle_threshold(task, model, error).theta
    assert isinstance(theta, float)
    result = oracle(task.replace(theta=theta), model)
    assert result.error == pytest.approx(error, abs=2e-5 + 3.0 * result.error_se)


def test_threshold_of_pooling_is_the_snr() -> None:
    # π = ½: error Φ(−SNR/2) = 0.1 at SNR = 2·1.2815515655446004
    task = ns.Task(L=[100, 400], R=2, theta=1.0, pi=0.5)
    theta = oracle_threshold(task, "pooled", 0.1).theta
    assert theta == pytest.approx(2.0 * 1.2815515655446004 * np.sqrt([100, 400]) / 2, rel=1e-9)


def test_threshold_broadcasts_task_and_error() -> None:
    task = ns.Task(L=[[10], [100]], R=1, theta=[1.0, 2.0, 3.0, 4.0], pi=0.5)
    theta = oracle_threshold(task, "pooled", [0.3, 0.2, 0.1]).theta
    assert theta.shape == (2, 3)
    assert (np.diff(theta, axis=1) > 0).all()


TASK = ns.Task(L=1000, R=20, theta=1.5, pi=0.2)


@pytest.mark.parametrize("error", [0.2, 0.5])
def test_an_error_that_needs_no_signal_is_refused(error: float) -> None:
    words = r"error must be below min\(pi, 1 - pi\) = 0.2, which needs .*, got 0\.[25]"
    with pytest.raises(ValueError, match=words):
        oracle_threshold(TASK, "attention", error)


@pytest.mark.parametrize("error", [0.0, -0.1, 1.0])
def test_an_error_outside_its_range_is_refused(error: float) -> None:
    with pytest.raises(ValueError, match=r"error must be a number in \(0, 1\)"):
        oracle_threshold(TASK, "pooled", error)


@pytest.mark.parametrize("error", [1e-290, 1.1e-290, 1e-200])
def test_the_smallest_targets_of_pooling_are_met(error: float) -> None:
    """Φ(−θ/2√10) at the threshold, in logarithms, where π is ½."""
    theta = oracle_threshold(ns.Task(L=10, R=1, theta=1.0, pi=0.5), "pooled", error).theta
    assert log_ndtr(-0.5 * theta / np.sqrt(10.0)) == pytest.approx(np.log(error), rel=1e-9)


def test_targets_near_what_needs_no_signal_are_met() -> None:
    task = ns.Task(L=10, R=1, theta=1.0, pi=0.5)
    theta = oracle_threshold(task, "pooled", 0.5 - 3e-8).theta
    slope = 0.5 / np.sqrt(2.0 * np.pi * 10.0)  # of the error in θ, for π = ½ and a weak signal
    assert theta == pytest.approx(3e-8 / slope, rel=1e-6)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("L", "R", "pi", "error", "kappa"),
    [(30, 2, 0.5, 0.2, "finite"), (50, 1, 0.05, 0.01, "infinite"), (6, 6, 0.5, 0.1, "zero")],
)
def test_attention_meets_its_target_closely(
    L: int, R: int, pi: float, error: float, kappa: str
) -> None:
    """Newton's last step is shorter than 3e-4 of θ, whose square is left."""
    task = ns.Task(L=L, R=R, theta=1.0, pi=pi)
    result = oracle(task.replace(theta=oracle_threshold(task, "attention", error).theta))
    assert result.error == pytest.approx(error, abs=2e-7)
    kinds = {"finite": 0.0 < result.kappa < np.inf, "infinite": np.isinf(result.kappa)}
    assert kinds.get(kappa, result.kappa == 0.0)
