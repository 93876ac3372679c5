"""Losses with kinks: the equations with kinks of several widths, extrapolated to none.

A kink that is rounded to a width changes the loss by at most its jump times width/8, and the
solution in proportion to the width, as far as we see: halving the width halves what changes. So the
solutions of two widths, on the same points, are extrapolated linearly; a third width says by how
much that may be off.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ....losses import Loss, PiecewiseQuadratic
from ..equations.moments import Problem
from .solver import Solved, refine

WIDTHS = (0.2, 0.1, 0.05)  # of the kinks in units of the margin, each half the one before


def rounded(loss: Loss, width: float) -> Loss:
    """Return the loss without its kinks, itself if it has none.

    >>> from needlescope.losses import HINGE, LOGISTIC
    >>> rounded(HINGE, 0.1).kinked, rounded(LOGISTIC, 0.1) is LOGISTIC
    (False, True)
    """
    return loss.rounded(width) if isinstance(loss, PiecewiseQuadratic) and loss.kinked else loss


def at_width(problem: Problem, width: float) -> Problem:
    """Return the problem with the kinks of its loss rounded."""
    return problem._replace(loss=rounded(problem.loss, width))


def sharpen(problem: Problem, widest: Solved, points: int) -> Solved:
    """Return the solution without a width, from that of the widest kinks on the same points."""
    if not problem.loss.kinked:
        return widest
    all_widths = [widest]
    for width in WIDTHS[1:]:
        last = all_widths[-1]
        all_widths.append(refine(at_width(problem, width), last.x, points, last.slopes))
    rough, fine = (_extrapolate(wide, narrow) for wide, narrow in pairwise(all_widths))
    off = fine.each.mean(axis=0) - rough.each.mean(axis=0)
    return fine._replace(
        left=np.copysign(np.abs(off) + np.abs(fine.left), off),
        loss_left=abs(float(fine.loss.mean() - rough.loss.mean())),
        wrong_left=abs(float(fine.wrong.mean() - rough.wrong.mean())),
    )


def _extrapolate(wide: Solved, narrow: Solved) -> Solved:
    """Return what two widths say of none, the second half the first."""
    return narrow._replace(
        x=2.0 * narrow.x - wide.x,
        each=2.0 * narrow.each - wide.each,
        loss=2.0 * narrow.loss - wide.loss,
        wrong=2.0 * narrow.wrong - wide.wrong,
        left=2.0 * np.abs(narrow.left) + np.abs(wide.left),
    )
