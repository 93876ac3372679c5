"""Integrals that rare points carry, against tails of the normal."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_ndtr

from needlescope.errors import NotConverged
from needlescope.theory.law.importance import Proposal, draw_mixture, fit_proposals, standard_normal


def replicates(f, tilts):
    """Independent estimates of E f."""
    result = []
    for index in range(8):
        z, log_weight = draw_mixture([standard_normal(len(tilts[0].mean)), *tilts], 2**10, index)
        result.append(np.mean(np.exp(log_weight) * (f(z) > 0.0)))
    return np.array(result)


def within(values, known):
    error = values.std(ddof=1) / np.sqrt(len(values))
    assert error < 0.05 * known
    assert abs(values.mean() - known) < 4.5 * error


def steep(f):
    """A path to where f is positive: the closer, the likelier."""
    return lambda z: np.minimum(50.0 * f(z), 0.0)


@pytest.mark.parametrize("dims", [1, 3, 40])
@pytest.mark.parametrize("far", [3.0, 8.0, 20.0])
def test_tails_of_a_sum(far, dims):
    def f(z):
        return z.sum(axis=1) / np.sqrt(dims) - far

    tilts = fit_proposals(np.zeros(dims), steep(f), 20)
    within(replicates(f, tilts), np.exp(log_ndtr(-far)))


def test_both_of_two_peaks_are_found():
    def f(z):
        return np.abs(z[:, 0]) - 6.0

    tilts = fit_proposals(np.zeros(2), steep(f), 20)
    assert {float(np.sign(tilt.mean[0])) for tilt in tilts} == {-1.0, 1.0}
    within(replicates(f, tilts), 2.0 * np.exp(log_ndtr(-6.0)))


def test_a_gaussian_s_density_is_that_of_its_draws():
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(rng.normal(size=(4, 2)))[0]
    tilt = Proposal(np.array([1.0, 0.0, -2.0, 0.3]), np.array([0.2, 3.0]), axes)
    covariance = np.eye(4) + (axes * (tilt.values - 1.0)) @ axes.T
    z = tilt.place(rng.normal(size=(50, 4)))
    centred = z - tilt.mean
    direct = -0.5 * np.einsum("ij,ij->i", centred @ np.linalg.inv(covariance), centred)
    direct += -0.5 * np.linalg.slogdet(covariance)[1] + 0.5 * (z * z).sum(axis=1)
    assert tilt.log_ratio(z) == pytest.approx(direct)


def test_what_cannot_be_found_is_said():
    def cliff(z):
        return -1e9 * np.arange(len(z))  # one draw is all, wherever it is

    with pytest.raises(NotConverged, match="did not reach the rare samples"):
        fit_proposals(np.zeros(2), cliff, 20)
