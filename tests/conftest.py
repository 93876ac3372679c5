"""Losses of a user's own, beside the built-in ones, for every test that goes over all losses."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.losses import HINGE, LOGISTIC, SQUARE, SQUARED_HINGE, Loss, PiecewiseQuadratic


class CostlyPseudoHuber(Loss):
    """A smooth loss that is not a function of the margin: positives cost four times as much."""

    name = "pseudo_huber"

    def weight(self, y):
        return np.where(np.asarray(y) > 0, 2.0, 0.5)

    def value(self, z, y):
        return self.weight(y) * (np.hypot(1.0, z - y) - 1.0)

    def derivative(self, z, y):
        return self.weight(y) * (z - y) / np.hypot(1.0, z - y)

    def second(self, z, y):
        return self.weight(y) / np.hypot(1.0, z - y) ** 3


# Linear, joined smoothly to a parabola, then two kinks: slopes −2 | u − 1 | 0 | u/2 − 3/4.
TWO_KINKS = PiecewiseQuadratic(
    [-1.0, 0.5, 2.0],
    [(0.0, -2.0, -0.5), (1.0, -1.0, 0.0), (0.0, 0.0, -0.375), (0.5, -0.75, 0.125)],
    name="two_kinks",
)
ALL = (SQUARE, LOGISTIC, HINGE, SQUARED_HINGE, CostlyPseudoHuber(), TWO_KINKS)
PIECEWISE = tuple(loss for loss in ALL if isinstance(loss, PiecewiseQuadratic))


@pytest.fixture(params=ALL, ids=lambda loss: loss.name)
def loss(request: pytest.FixtureRequest) -> Loss:
    """Every built-in loss, a smooth one and a piecewise one of a user's own."""
    return request.param


@pytest.fixture(params=PIECEWISE, ids=lambda loss: loss.name)
def piecewise(request: pytest.FixtureRequest) -> PiecewiseQuadratic:
    """Every piecewise-quadratic loss."""
    return request.param


@pytest.fixture
def pseudo_huber() -> Loss:
    """A smooth loss of a user's own."""
    return CostlyPseudoHuber()


@pytest.fixture
def two_kinks() -> PiecewiseQuadratic:
    """A piecewise loss of a user's own, with two kinks."""
    return TWO_KINKS
