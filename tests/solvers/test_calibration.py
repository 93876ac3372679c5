"""Scores put on the scale of probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.solvers.calibration import platt


def labels(n):
    return np.where(np.random.default_rng(0).random(n) < 0.4, 1.0, -1.0)


def test_calibration_recovers_the_odds():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(20_000)
    y = np.where(rng.random(20_000) < 1.0 / (1.0 + np.exp(-(1.5 * x - 0.7))), 1.0, -1.0)
    result = platt(10.0 * x + 3.0, y, np.full(len(y), 1.0 / len(y)))
    odds = result.log_odds(10.0 * np.array([-1.0, 0.0, 1.0]) + 3.0)
    np.testing.assert_allclose(odds, [-2.2, -0.7, 0.8], atol=0.15)


def test_a_few_absurd_scores_do_not_decide():
    rng = np.random.default_rng(0)
    y = labels(300)
    scores = 2.0 * y + rng.standard_normal(300)
    weight = np.full(300, 1.0 / 300)
    plain = platt(scores, y, weight)
    spoilt = scores.copy()
    spoilt[np.flatnonzero(y > 0)[:4]] = -1e6
    result = platt(spoilt, y, weight)
    assert result.slope == pytest.approx(plain.slope, rel=0.4)
    assert abs(result.log_odds(np.array([-1e6]))[0]) < 50.0


def test_scores_never_change_their_order():
    rng = np.random.default_rng(0)
    y = labels(200)
    against = platt(-3.0 * y + rng.standard_normal(200), y, np.full(200, 1.0 / 200))
    assert against.slope > 0.0
    points = np.linspace(-1e3, 1e3, 1001)
    assert (np.diff(against.log_odds(points)) > 0.0).all()


def test_separated_scores_have_a_finite_slope():
    y = labels(100)
    assert np.isfinite(platt(y, y, np.full(100, 0.01)).slope)
