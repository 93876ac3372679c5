"""The Fourier integral, on laws whose distribution function is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaincc, ndtr

from needlescope.theory.common.fourier import ComplexArray, fourier_cdf

MEANS = np.array([-1.5, 0.0, 0.7])


@pytest.mark.parametrize("turn", [0.0, 0.1, 0.3])
def test_normal_laws_on_any_ray(turn: float) -> None:
    def log_phi(q: ComplexArray) -> ComplexArray:
        return 1j * q * MEANS[:, None] - 0.5 * q * q

    fine, coarse = fourier_cdf(log_phi, turn, -30.0, 0.1, 1e-12)
    assert fine == pytest.approx(ndtr(-MEANS), abs=1e-10)
    assert coarse == pytest.approx(ndtr(-MEANS), abs=1e-4)


def test_a_sum_of_exponentials() -> None:
    """T less a gamma variable of shape 3: P(T − X < 0) = P(X > T)."""

    def log_phi(q: ComplexArray) -> ComplexArray:
        return (2j * q - 3.0 * np.log1p(1j * q))[None]

    fine, _ = fourier_cdf(log_phi, -0.3, -30.0, 0.05, 1e-12)
    assert fine[0] == pytest.approx(gammaincc(3, 2.0), abs=1e-9)


def test_a_law_beyond_the_bound_has_no_answer() -> None:
    fine, coarse = fourier_cdf(lambda q: (20.0 + 0.0 * q)[None], 0.0, -3.0, 0.1, 1e-12, 10.0)
    assert np.isnan(fine).all()
    assert np.isnan(coarse).all()
