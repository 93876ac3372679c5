"""The posterior of the scatter and of a curve."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.planning.studies.posterior import PRIOR_SDS, design_of, posterior

PRIOR = np.array([0.0, -0.35, 0.0])


def studies(count, trend=0.0, sigma=0.1, seed=0):
    rng = np.random.default_rng(seed)
    u = rng.uniform(-1.5, 1.5, count)
    return design_of(u), sigma * np.exp(trend * u) * rng.standard_normal(count)


@pytest.mark.parametrize("trend", [0.0, -0.9])
@pytest.mark.parametrize("count", [100, 4000])
def test_the_scatter_and_its_trend_are_found(trend, count):
    grid = posterior(*studies(count, trend), PRIOR, 0.0)
    for k, truth in enumerate((np.log(0.1), trend)):
        mean, deviation = grid.moments(k)
        assert abs(mean - truth) < 4.0 * deviation and deviation < 2.5 / np.sqrt(count)


def test_heavy_tails_leave_the_scatter_less_certain():
    """A study counts half: the variance of l is that of as many halves with normal scatter."""
    _, deviation = posterior(*studies(200), PRIOR, 0.0).moments(0)
    assert deviation == pytest.approx(1.0 / np.sqrt(0.5 * 2.0 * 200), rel=0.15)


def test_the_noise_of_fresh_bags_is_no_scatter():
    design, t = studies(4000, sigma=np.hypot(0.1, 0.05))
    assert np.exp(posterior(design, t, PRIOR, 0.05).moments(0)[0]) == pytest.approx(0.1, rel=0.05)


def test_coefficients_without_studies_that_tell_are_those_of_the_prior():
    design = design_of(np.zeros(8))
    grid = posterior(design, np.linspace(-0.1, 0.1, 8), PRIOR, 0.0)
    mean = grid.chance @ grid.mean
    spread = np.sqrt(np.linalg.inv(grid.precision[0])[1, 1])
    assert mean[1] == pytest.approx(-0.35) and spread == pytest.approx(PRIOR_SDS[1])
