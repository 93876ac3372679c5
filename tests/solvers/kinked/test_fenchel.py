"""Conjugates of kinked losses, and the best bias, by brute force."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.losses import SQUARED_HINGE
from needlescope.solvers.kinked.fenchel import best_bias, domain, excess, touching
from tests.solvers.kinked.losses import KINKED


class TestDuality:
    @pytest.mark.sampled(6)
    @pytest.mark.parametrize("loss", [*KINKED, SQUARED_HINGE], ids=lambda loss: loss.name)
    def test_conjugate_by_brute_force(self, loss):
        u = np.linspace(-30.0, 30.0, 600_001)
        low, high = domain(loss)
        t = np.linspace(max(low, -5.0), min(high, 5.0), 41)
        conjugate = np.array([np.max(item * u - loss.value(u, 1)) for item in t])
        at = np.linspace(-4.0, 4.0, 41)
        expected = loss.value(at, 1) + conjugate - t * at
        np.testing.assert_allclose(excess(loss, at, t), expected, rtol=0, atol=1e-7)
        x = touching(loss, t)
        slopes = (loss.derivative(x - 1e-9, 1) - 1e-7, loss.derivative(x + 1e-9, 1) + 1e-7)
        assert ((slopes[0] <= t) & (t <= slopes[1])).all()

    @pytest.mark.sampled(2)
    @pytest.mark.parametrize("loss", [*KINKED, SQUARED_HINGE], ids=lambda loss: loss.name)
    def test_best_bias_by_brute_force(self, loss):
        rng = np.random.default_rng(2)
        grid = np.linspace(-8.0, 8.0, 4001)
        for n in (2, 5, 40):
            y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
            h, c = rng.standard_normal(n), rng.dirichlet(np.ones(n))
            value = np.array([c @ loss.value(h + b, y) for b in grid])
            result = best_bias(loss, h, y, c)
            assert c @ loss.value(h + result, y) <= value.min() + 1e-12
            assert abs(result - grid[np.argmin(value)]) < 4.0
