"""The logistic loss: known numbers, and all digits where the loss or its slope all but vanishes."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.losses import LOGISTIC


def test_known_numbers():
    zero = np.zeros(1)
    for y in (1, -1):
        assert LOGISTIC.value(zero, y) == pytest.approx(np.log(2.0))
        assert LOGISTIC.derivative(zero, y) == pytest.approx(-0.5 * y)
        assert LOGISTIC.second(zero, y) == pytest.approx(0.25)


@pytest.mark.parametrize("u", [40.0, 300.0, 700.0])
def test_tails_keep_their_digits(u):
    """Where e^(−u) is below rounding, 1 + e^(−u) is one, and the loss is e^(−u) all the same."""
    for y in (1, -1):
        z = np.array([y * u])
        assert LOGISTIC.value(z, y) == pytest.approx(np.exp(-u), rel=1e-12, abs=0.0)
        assert LOGISTIC.derivative(z, y) == pytest.approx(-y * np.exp(-u), rel=1e-12, abs=0.0)
        assert LOGISTIC.second(z, y) == pytest.approx(np.exp(-u), rel=1e-12, abs=0.0)
        assert LOGISTIC.value(-z, y) == pytest.approx(u, rel=1e-15)
        assert LOGISTIC.derivative(-z, y) == pytest.approx(-y, rel=1e-15)


def test_its_prox_starts_close_to_the_answer(monkeypatch):
    """A few Newton steps are enough from there, at any strength; from the score they are not."""
    monkeypatch.setattr("needlescope.losses.base.PROX_ITERATIONS", 6)
    c = np.linspace(-300.0, 300.0, 61)
    for g in (1e-3, 1.0, 1e3):
        for y in (1, -1):
            r = LOGISTIC.prox(c, np.full_like(c, g), y)
            assert r + g * LOGISTIC.derivative(r, y) == pytest.approx(c, abs=1e-9 * (1.0 + g))
