"""What the page says of its error is true at points that it was not measured at."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.explorer.export.axes import LENGTHS, LINES
from needlescope.explorer.export.grids import FILE
from needlescope.explorer.export.measured import (
    POINTS,
    differences,
    interpolated,
    interpolation,
    points,
    truth,
)
from needlescope.explorer.export.values import TOL

FRESH = 24


@pytest.mark.parametrize("line", LINES)
def test_the_stored_truth_is_computed_again(line: str) -> None:
    with np.load(FILE) as file:
        true = file[f"{line}_truth"]
    assert len(true) == POINTS
    for k in (3, 77, 311):
        assert truth(line, points()[k]) == pytest.approx(true[k], abs=TOL)


@pytest.mark.parametrize("line", LINES)
def test_at_fresh_points_the_error_is_what_is_said(line: str) -> None:
    fresh = points(FRESH, seed=99)
    size = np.abs([interpolated(line, point) - truth(line, point) for point in fresh])
    said = interpolation(line)
    beyond, slack = int((size > said.median + TOL).sum()), 4.0 * np.sqrt(FRESH / 4.0)
    assert beyond <= FRESH / 2 + slack
    assert int((size > said.most + TOL).sum()) <= 2  # at 1 % each: more once in 500 tests


def test_points_are_anywhere_that_the_controls_reach() -> None:
    made = points()
    assert {point.L for point in made} >= set(range(2, 6)) and max(p.L for p in made) > 90
    assert all(1 <= point.R <= point.L <= max(LENGTHS) for point in made)
    assert min(p.pi for p in made) < 0.06 and max(p.share for p in made) > 0.95


def test_quantiles_are_those_of_the_differences() -> None:
    size = np.abs(differences("pooled"))
    said = interpolation("pooled")
    assert said.points == POINTS and (size <= said.median).mean() == pytest.approx(0.5, abs=0.01)
    assert (size <= said.most).mean() == pytest.approx(0.99, abs=0.01)
