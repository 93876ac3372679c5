"""The saddle point of symmetric polynomials against their recurrence."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.theory.oracle.saddle_point import SaddlePointFormula
from needlescope.theory.oracle.symmetric import Series, TokenGroup, draw


@pytest.mark.parametrize("r", [13, 25, 50])
@pytest.mark.parametrize("theta", [0.3, 1.0, 2.0])
def test_saddle_point_against_the_recurrence(r: int, theta: float) -> None:
    groups = (TokenGroup(100, 0.0, 100),)
    drawn = draw(groups, 2**11, 0)
    exact, _ = Series(theta, r, groups)(drawn)
    saddle, _ = SaddlePointFormula(theta, r, groups)(drawn)
    assert np.abs(saddle - exact).max() < 3e-4
    assert abs((saddle - exact).mean()) < 3e-5


@pytest.mark.parametrize("theta", [0.5, 1.5])
def test_likelihood_ratio_has_mean_one_with_a_bulk(theta: float) -> None:
    L = 500
    groups = (TokenGroup(L, 0.0, 32),)
    for formula in (Series(theta, 4, groups), SaddlePointFormula(0.3 * theta, 40, groups)):
        value, _ = formula(draw(groups, 2**13, 0))
        ratio = np.exp(value - 0.5 * formula.r * formula.theta**2)
        assert ratio.mean() == pytest.approx(1.0, abs=5.0 * ratio.std() / np.sqrt(2**13) + 1e-3)
