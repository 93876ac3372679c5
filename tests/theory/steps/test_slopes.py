"""Slopes at Gaussian scores, against adaptive quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import needlescope as ns
from needlescope.errors import NotConverged
from needlescope.theory.steps.slopes import slopes

MEANS, SPREADS = np.array([0.0, 1.3, -4.0, 0.9]), np.array([0.2, 1.0, 3.0, 1e-3])


def integral(loss, y, m, s, k, power) -> float:
    def integrand(G: float) -> float:
        slope = float(loss.derivative(np.array([m + s * G]), y)[0])
        return slope**power * G**k * np.exp(-0.5 * G * G) / np.sqrt(2.0 * np.pi)

    kinks = [(item - m) / s for item in (-1.0, 0.0, 1.0) if abs(item - m) < 9.0 * s]
    return quad(integrand, -9.0, 9.0, points=kinks or None, limit=200)[0]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("y", [1, -1])
def test_moments_are_integrals(loss, y) -> None:
    result = slopes(loss, y, MEANS, SPREADS)
    for k in range(3):
        for power, values in ((1, result.first), (2, result.square)):
            exact = [integral(loss, y, m, s, k, power) for m, s in zip(MEANS, SPREADS, strict=True)]
            assert values[k] == pytest.approx(exact, abs=1e-7)


def test_scores_that_do_not_vary(loss) -> None:
    result = slopes(loss, 1, MEANS, np.zeros(4))
    slope = loss.derivative(MEANS, 1)
    assert result.first == pytest.approx(np.outer([1.0, 0.0, 1.0], slope), abs=1e-9)
    assert result.square == pytest.approx(np.outer([1.0, 0.0, 1.0], slope**2), abs=1e-9)


def test_a_loss_with_hidden_kinks_is_not_integrated() -> None:
    class Rough(ns.Loss):
        name = "rough"

        def value(self, z, y):
            return np.abs(y * z - 0.03)

        def derivative(self, z, y):
            return y * np.sign(y * z - 0.03)

        def second(self, z, y):
            return 0.0 * z

    with pytest.raises(NotConverged, match="check that it is smooth"):
        slopes(Rough(), 1, np.zeros(1), np.ones(1))
