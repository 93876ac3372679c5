"""The law of attention's score against simulation, and finer quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from needlescope.theory.law.attention import draw
from needlescope.theory.oracle import score


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("L", "R", "theta", "kappa", "tau"),
    [
        (2, 1, 2.0, 0.3, 0.9),
        (2, 1, 2.0, 5.0, 1.4),
        (3, 2, 1.0, 1.0, 0.8),
        (10, 1, 3.0, 2.0, 1.9),
        (50, 20, 0.5, 0.7, 0.9),
        (100, 1, 3.0, 8.0, 2.8),
    ],
)
def test_law_of_the_score_against_simulation(
    L: int, R: int, theta: float, kappa: float, tau: float
) -> None:
    chances = score.below(L, R, theta, kappa, tau)
    rng = np.random.default_rng(7)
    for label, chance in (("negative", chances.negative), ("positive", chances.positive)):
        x = rng.normal(size=(100_000, L))
        if label == "positive":
            x[:, :R] += theta
        weight = np.exp(kappa * (x - x.max(axis=1, keepdims=True)))
        below = ((weight * x).sum(axis=1) < tau * weight.sum(axis=1)).mean()
        assert chance == pytest.approx(below, abs=4.0 * np.sqrt(0.25 / 100_000)), label


@pytest.mark.parametrize(
    ("L", "R", "theta", "kappa", "tau"),
    [(1000, 1, 3.72, 2.5, 2.6), (1000, 100, 0.8, 0.8, 0.88), (100_000, 1000, 1.0, 1.0, 1.015)],
)
def test_law_of_the_score_against_quasi_monte_carlo(
    L: int, R: int, theta: float, kappa: float, tau: float
) -> None:
    chances = score.below(L, R, theta, kappa, tau)
    positive, negative = draw(L, R, kappa, theta, 2**11)
    samples = (
        (chances.negative, ndtr(np.sqrt(L) * (tau - negative.score))),
        (chances.positive, ndtr(np.sqrt(L) * (tau - theta * positive.mass - positive.score))),
    )
    for chance, smooth in samples:
        values = smooth.mean(axis=1)
        se = values.std(ddof=1) / np.sqrt(len(values))
        assert chance == pytest.approx(values.mean(), abs=4.0 * se + 2e-4)


@pytest.mark.parametrize("L", [2, 33, 100_000])
def test_finer_quadrature_changes_nothing(L: int) -> None:
    tau = 0.5 + np.sqrt(np.log(L))
    finer = score.FINE._replace(step=0.05)
    coarse, fine = (score.below(L, 1, 2.0, 2.0, tau, item) for item in (score.FINE, finer))
    assert coarse.negative == pytest.approx(fine.negative, abs=1e-9)
    assert coarse.positive == pytest.approx(fine.positive, abs=1e-9)
    assert coarse.error < 1e-8


@pytest.mark.parametrize(("L", "R", "kappa"), [(2, 1, 0.3), (30, 3, 2.0), (50_000, 1, 4.0)])
def test_a_rough_resolution_is_right_to_five_digits(L, R, kappa):
    tau = float(np.sqrt(2.0 * np.log(L))) if kappa > 1.0 else 0.5
    fine, rough = (score.below(L, R, 3.0, kappa, tau, item) for item in (score.FINE, score.ROUGH))
    assert rough[:2] == pytest.approx(fine[:2], abs=1e-5)
    assert rough.error < 1e-3
