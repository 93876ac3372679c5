"""Losses with kinks, of one's own beside the hinge."""

from __future__ import annotations

from needlescope.losses import HINGE, PiecewiseQuadratic

ABSOLUTE = PiecewiseQuadratic([1.0], [(0, -0.5, 0.5), (0, 0.5, -0.5)], name="absolute")
TWO_KINKS = PiecewiseQuadratic(
    [-1.0, 0.5, 2.0],
    [(0.0, -2.0, -0.5), (1.0, -1.0, 0.0), (0.0, 0.0, -0.375), (0.5, -0.75, 0.125)],
    name="two_kinks",
)
LEANING = PiecewiseQuadratic([0.0, 3.0], [(0, -2, 0), (0, -0.5, 0), (2, -6, 7.5)], name="leaning")
KINKED = (HINGE, ABSOLUTE, TWO_KINKS, LEANING)
