"""A signal placed in a spectrum, tokens with it, and whitened coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.simulation.samples.noise import fill_noise
from needlescope.simulation.samples.placed import from_whitened, placed, whitened_signal
from tests.covariances import spread

SPECTRUM = ns.Spectrum([5.0, 1.0, 0.2], [1, 2, 3])
WEIGHTS = (0.5, 0.2, 0.3)
TASK = ns.Task(6, 1, 4.0, 0.4, noise=ns.Noise(spectrum=SPECTRUM), signal=WEIGHTS)


def test_a_spectrum_gets_the_weights_of_its_levels() -> None:
    xi = placed(TASK, 120, np.random.default_rng(0))
    place = SPECTRUM.at_dimension(120)
    assert np.bincount(place, xi**2) == pytest.approx(WEIGHTS)
    assert len(np.unique(np.abs(xi))) == 120


def test_a_matrix_gets_them_along_its_eigenvectors() -> None:
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((6, 6)))[0]
    sigma = basis @ np.diag([5.0, 1.0, 1.0, 0.2, 0.2, 0.2]) @ basis.T
    noise = ns.Noise(covariance=sigma)
    loud = placed(TASK.replace(noise=noise, signal="loud"), 6, np.random.default_rng(0))
    assert abs(loud @ basis[:, 0]) == pytest.approx(1.0)
    flat = placed(TASK.replace(noise=noise, signal="flat"), 6, np.random.default_rng(0))
    assert flat @ flat == pytest.approx(1.0)
    assert np.sum((basis[:, 3:].T @ flat) ** 2) == pytest.approx(0.5)


def test_a_vector_is_itself() -> None:
    xi = np.arange(1.0, 5.0)
    task = TASK.replace(noise=ns.Noise(covariance=spread(4)), signal=xi)
    assert placed(task, 4, np.random.default_rng(0)) == pytest.approx(xi / np.linalg.norm(xi))


def test_tokens_have_the_variances_of_their_dimensions() -> None:
    noise = ns.Noise(spectrum=SPECTRUM).at_dimension(12)
    out = np.empty((40_000, 1, 12), np.float32)
    seen = fill_noise(noise, out, np.random.default_rng(0)).var(axis=(0, 1))
    assert seen == pytest.approx(SPECTRUM.s[SPECTRUM.at_dimension(12)], rel=0.05)


@pytest.mark.parametrize(
    "noise", [ns.Noise(), ns.Noise(covariance=spread(5)), ns.Noise(spectrum=SPECTRUM)]
)
def test_inner_products_are_those_in_whitened_coordinates(noise: ns.Noise) -> None:
    d = 5 if noise.spectrum is None else 12
    noise = noise.at_dimension(d)
    w, xi = np.random.default_rng(1).standard_normal((2, d))
    assert noise.transform(w) @ whitened_signal(noise, xi) == pytest.approx(w @ xi)
    assert noise.transform(from_whitened(noise, w)) == pytest.approx(w)
