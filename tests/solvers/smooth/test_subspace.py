"""The span of a few directions: as good as the factorised method, and enough where it is easy."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.solvers.minimise import minimise
from needlescope.solvers.smooth import ridged as smooth
from tests.solvers.problems import LARGE, sample

COVERS = ("newton",)


@pytest.mark.parametrize("shape", LARGE[:2], ids=str)
def test_span_and_factorised_newton_agree(smooth_loss, shape, monkeypatch):
    F, y = sample(*shape, seed=18)
    expected = minimise(F, y, smooth_loss, 0.1, tolerance=1e-12).w
    monkeypatch.setattr(smooth, "SMALL", 10**9)
    alone = minimise(F, y, smooth_loss, 0.1, tolerance=1e-12)
    np.testing.assert_allclose(alone.w, expected, atol=1e-10)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "square"])
@pytest.mark.parametrize("shape", [(900, 180), (200, 500)], ids=str)
def test_span_suffices_where_problems_are_easy(loss, shape, monkeypatch):
    """Without the factorised method to fall back on; that of p > n sees jumps of D ahead."""
    F, y = sample(*shape, seed=22)

    def refuse(*_):
        raise AssertionError("the span should have been enough")

    monkeypatch.setattr(smooth, "newton", refuse)
    monkeypatch.setattr(smooth, "SMALL_SQUARE", 0)
    for dtype in (np.float32, np.float64):
        fit = minimise(F.astype(dtype), y, loss, 0.3)
        assert fit.residual <= 1e-9
