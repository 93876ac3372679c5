"""What the tests of all solvers share."""

from __future__ import annotations

import pytest

from needlescope.losses import LOGISTIC, SQUARE, SQUARED_HINGE
from tests.solvers.problems import HUBER


@pytest.fixture(params=["square", "logistic", "squared_hinge", "pseudo_huber", "flat_huber"])
def smooth_loss(request, pseudo_huber):
    losses = (SQUARE, LOGISTIC, SQUARED_HINGE, pseudo_huber, HUBER)
    return {loss.name: loss for loss in losses}[request.param]
