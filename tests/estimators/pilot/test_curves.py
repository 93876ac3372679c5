"""Learning curves of a pilot: posterior, monotone curves, crossings."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from needlescope.estimators.pilot.curves import PRIORS, Curves, posterior
from needlescope.planning.studies.measures import get_measure

MEASURE = get_measure("error", 0.4)


def test_the_posterior_is_that_of_a_normal_model():
    # Two coefficients in closed form: one observation of each, with priors of mean m and sd s.
    design, t, variance = np.eye(3), np.array([-1.0, -0.9, 0.1]), np.array([0.04, 0.01, 0.02])
    mean, sd = np.array([0.0, -0.5, 0.0]), np.array([1.0, 0.2, 0.1])
    draws = posterior(design, t, np.diag(variance), mean, sd, np.random.default_rng(0))
    weight = sd**2 / (sd**2 + variance)
    assert draws.mean(axis=0) == pytest.approx(weight * t + (1.0 - weight) * mean, abs=0.02)
    assert draws.std(axis=0) == pytest.approx(np.sqrt(weight * variance), rel=0.06)


def test_curves_fall_even_where_errors_grow():
    u = np.linspace(-1.0, 0.0, 4)
    design = np.stack([np.ones(4), u, u**2], axis=1)
    for slope in (0.3, 3.0):  # the second beyond anything that a prior would draw
        draws = posterior(
            design, -1.0 + slope * u, 1e-4 * np.eye(4), *PRIORS, np.random.default_rng(0)
        )
        assert len(draws) > 50 and (draws[:, 1] < 0.0).all()


@pytest.mark.parametrize("bend", [0.3, -0.3, 0.0])
def test_a_curve_never_grows(bend):
    n = np.geomspace(5, 5000, 50)
    t = Curves(100.0, np.array([[-0.8, -0.2, bend]])).t(n)
    assert (np.diff(t[0]) <= 1e-12).all()


def test_errors_and_bags_are_inverse_to_each_other():
    curves = Curves(80.0, np.array([[-0.8, -0.25, 0.02]]))
    error = curves.error(240.0, MEASURE).value
    u = np.log(3.0)
    assert error == pytest.approx(0.8 * ndtr(-0.8 - 0.25 * u + 0.02 * u**2))
    assert curves.bags(error, MEASURE).value == pytest.approx(240.0, rel=1e-3)


def test_ends_hold_nine_of_ten_draws():
    rng = np.random.default_rng(1)
    draws = np.array([-1.0, -0.2, 0.0]) + np.array([0.1, 0.0, 0.0]) * rng.standard_normal((4000, 1))
    found = Curves(100.0, draws).error(100.0, MEASURE)
    for end, z in ((found.low, -1.645), (found.value, 0.0), (found.high, 1.645)):
        assert ndtri(end / 0.8) == pytest.approx(-1.0 + 0.1 * z, abs=0.008)


def test_a_target_out_of_reach_is_infinitely_far():
    curves = Curves(100.0, np.array([[-1.0, -0.05, 0.02]]))
    assert curves.bags(0.01, MEASURE).value == np.inf
    assert curves.bags(0.3, MEASURE).value == pytest.approx(12.5)  # the fewest that are told
