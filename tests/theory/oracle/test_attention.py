"""The law of attention's score, and the oracle built on it, against simulation and limits."""

import numpy as np
import pytest
from scipy.special import ndtr

from needlescope.theory.oracle import score
from needlescope.theory.oracle.attention import best_attention


@pytest.mark.slow
def test_soft_attention_tends_to_pooling_and_to_the_largest_token() -> None:
    L, R, theta, tau = 20, 4, 1.0, 0.3
    chances = score.below(L, R, theta, 1e-4, tau)
    assert chances.negative == pytest.approx(ndtr(tau * np.sqrt(L)), abs=1e-3)
    assert chances.positive == pytest.approx(ndtr((tau - theta * R / L) * np.sqrt(L)), abs=1e-3)
    false_alarm, miss = score.hard(L, R, theta, np.array(2.0))
    chances = score.below(L, R, theta, 40.0, 2.0)
    assert 1.0 - chances.negative == pytest.approx(float(false_alarm), abs=2e-3)
    assert chances.positive == pytest.approx(float(miss), abs=2e-3)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("L", "R", "theta", "pi"),
    [(10, 1, 3.0, 0.5), (1000, 20, 1.5, 0.3), (100_000, 1000, 0.6, 0.5), (10, 5, 1.0, 0.9)],
)
def test_no_other_temperature_or_threshold_does_better(
    L: int, R: int, theta: float, pi: float
) -> None:
    best = best_attention(L, R, theta, pi)
    spread = abs(best.threshold) * 0.02 + 0.3 / np.sqrt(L)
    for kappa in best.kappa * np.array([0.25, 0.7, 0.95, 1.0, 1.05, 1.4, 4.0]):
        # near the best κ the score moves by about its change
        centre = best.threshold + (kappa - best.kappa) * (abs(kappa / best.kappa - 1.0) < 0.1)
        for tau in centre + spread * np.array([-3.0, -1.0, 0.0, 1.0, 3.0]):
            chances = score.below(L, R, theta, float(kappa), float(tau))
            error = pi * chances.positive + (1.0 - pi) * (1.0 - chances.negative)
            assert error > best.error - 1e-6 or chances.error > 1e-3  # τ far off, and said so
