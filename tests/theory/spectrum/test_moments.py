"""Moments of a spectrum: those of a matrix are its traces and quadratic forms."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.theory.spectrum.moments import WHITE, moments_of
from tests.covariances import spread


def test_those_of_a_matrix() -> None:
    sigma, xi = spread(6), np.random.default_rng(1).standard_normal(6)
    task = ns.Task(4, 1, 3.0, 0.5, noise=ns.Noise(covariance=sigma), signal=xi)
    result, unit = moments_of(task), xi / np.linalg.norm(xi)
    for order, value in enumerate(result.mean):
        assert value == pytest.approx(np.trace(np.linalg.matrix_power(sigma, order)) / 6)
    for order, value in enumerate(result.signal):
        assert value == pytest.approx(unit @ np.linalg.matrix_power(sigma, order) @ unit)
    assert result.gain == pytest.approx(np.sqrt(unit @ np.linalg.inv(sigma) @ unit))


def test_white_noise_has_ones() -> None:
    assert moments_of(ns.Task(4, 1, 3.0, 0.5)) is WHITE
    assert moments_of(ns.Task(4, 1, 3.0, 0.5, noise=ns.Noise(spectrum=[1.0, 1.0]))) == WHITE
