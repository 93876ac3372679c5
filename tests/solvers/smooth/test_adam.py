"""Adam: the first steps by hand, the size of steps, and where they end."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.solvers.smooth import adam as module
from needlescope.solvers.smooth.adam import AVERAGED, SMALL, SQUARED, WARM_UP, Adam


def rate_of(k, steps, rate):
    """Return the rate of step k: up over the first tenth, then down along a cosine."""
    share = k / steps
    return rate * min(1.0, share / WARM_UP) * 0.5 * (1.0 + np.cos(np.pi * share))


def test_steps_are_those_of_the_paper():
    rng = np.random.default_rng(0)
    at, steps, rate = rng.standard_normal(3), 30, 0.1
    slopes = rng.standard_normal((steps, 3))
    wanted, mean, square = at.copy(), np.zeros(3), np.zeros(3)
    adam = Adam([at], rate, steps)
    for k, g in enumerate(slopes):
        adam.step([g])
        mean = AVERAGED * mean + (1.0 - AVERAGED) * g
        square = SQUARED * square + (1.0 - SQUARED) * g**2
        unbiased = mean / (1.0 - AVERAGED ** (k + 1)), square / (1.0 - SQUARED ** (k + 1))
        wanted -= rate_of(k, steps, rate) * unbiased[0] / (np.sqrt(unbiased[1]) + SMALL)
        np.testing.assert_allclose(at, wanted, rtol=1e-10)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_steps_do_not_depend_on_the_size_of_gradients(size):
    at = np.array([2.0, -1.0])
    adam = Adam([at], 0.05, 200)
    for _ in range(200):
        adam.step([size * at])
    assert abs(at).max() < 0.05


def test_parameters_are_changed_in_place_and_keep_their_precision():
    first, second = np.ones(2, np.float32), np.ones((2, 2), np.float32)
    adam = Adam([first, second], 0.1, 10)
    for _ in range(10):
        adam.step([np.ones(2, np.float32), np.zeros((2, 2), np.float32)])
    assert first.dtype == second.dtype == np.float32
    assert (first < 0.7).all() and (second == 1.0).all()


def test_no_gradient_is_no_step(monkeypatch):
    monkeypatch.setattr(module, "WARM_UP", 1.0)
    at = np.array([0.5])
    adam = Adam([at], 1.0, 5)
    adam.step([np.zeros(1)])
    assert at[0] == 0.5
