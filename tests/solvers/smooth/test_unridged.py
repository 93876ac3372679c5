"""Other smooth losses without a ridge: the one minimiser, or a sentence on why there is none."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.errors import NoMinimiser
from needlescope.losses import LOGISTIC, SQUARED_HINGE, PiecewiseQuadratic
from needlescope.solvers.minimise import minimise
from tests.solvers.problems import relative, sample


def test_without_ridge(pseudo_huber):
    F, y = sample(300, 4, seed=20, shift=0.5)
    F = np.column_stack([F, F[:, 0] + F[:, 1]])
    for loss in (LOGISTIC, SQUARED_HINGE, pseudo_huber):
        fit = minimise(F, y, loss, 0.0)
        assert relative(F, y, loss, 0.0, fit) <= 1.01e-9
        near = minimise(F, y, loss, 1e-9, tolerance=1e-11)
        np.testing.assert_allclose(fit.w, near.w, atol=1e-6)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_separable_without_ridge(loss):
    F, y = sample(20, 30, seed=21)
    with pytest.raises(NoMinimiser, match="hyperplane separates the classes"):
        minimise(F, y, loss, 0.0)


def test_flat_without_ridge():
    """Any readout will do whose scores stay in the valley of the loss: there is no single one."""
    valley = PiecewiseQuadratic(
        [-1.0, 1.0], [(1.0, 1.0, 0.5), (0.0, 0.0, 0.0), (1.0, -1.0, 0.5)], name="valley"
    )
    F, y = sample(300, 4, seed=20, shift=0.5)
    with pytest.raises(NoMinimiser, match="the valley loss is flat along a direction"):
        minimise(F, y, valley, 0.0)
