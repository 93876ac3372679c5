"""Levels of resolution: they double, and a smaller tolerance starts higher."""

from __future__ import annotations

import itertools

from needlescope.theory.law.ladder import LADDER, ladder


class TestLadder:
    def test_levels_double(self) -> None:
        points = [level.points for level in LADDER]
        assert all(b == 2 * a for a, b in itertools.pairwise(points))
        assert all(a.cells <= b.cells for a, b in itertools.pairwise(LADDER))

    def test_more_accuracy_never_starts_lower(self) -> None:
        starts = [ladder(a)[0].points for a in (0.5, 1e-2, 1e-3, 1e-4, 1e-5, 1e-8, 1e-30)]
        assert starts == sorted(starts)
        assert all(ladder(a)[-1] == LADDER[-1] for a in (0.5, 1e-4, 1e-30))
        assert all(len(ladder(a)) >= 3 for a in (0.5, 1e-4, 1e-30))

    def test_fine_levels_have_more_cells(self) -> None:
        for item, other in zip(ladder(1e-3), ladder(1e-3, fine=True), strict=True):
            assert other == (item.points, 8 * item.cells)
