"""Where the nine unknowns agree with what they imply: Newton's method.

Plain iteration does not converge: its linear part has complex eigenvalues beyond 1. So `newton`
solves the equations on a coarse lattice, with differences for a Jacobian, from a solution nearby
(`branches` finds one), and `refine` those on a fine lattice of several replicates, by a few steps
with one Jacobian.

The minimum of a sample may jump as the unknowns move, so the equations on n points have steps of
size 1/n. No residual gets below them: `newton` takes what is left where no step shortens it, if it
is small, and `refine` ends when its step is small against the standard error, and what is left of
it counts as one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ....arrays import FloatArray
from ....errors import NotConverged
from ..equations.moments import Problem, moments, residual
from ..equations.order import SIZE, from_vector
from ..equations.samples import Samples, draw

COARSE = 512  # points, of one replicate
REPLICATES = 8
JACOBIAN_REPLICATES = 4  # of the coarse lattice, for the Jacobian of the last stage
DIFFERENCE = 0.02  # of an unknown: wide, as the equations on few points have steps
COARSE_TOL = 1e-2  # largest residual on the coarse lattice, and
COARSE_CAUGHT = 0.1  # the same where the steps of the equations leave no smaller one
NEWTON_STEPS = 25
LARGEST_STEP = 1.0
FAR = 0.2  # residual of unknowns that are no start for a fine lattice
STALE = 0.3  # change of an unknown after which slopes are taken anew
SETTLED = 0.2  # of the standard error, that a last step may have
FINE_STEPS = 8
CAUGHT = 1.0  # the same where the steps of the equations leave no smaller one
NEGLIGIBLE = 1e-4  # a step that is small whatever the standard error, and ten times that if caught


class Start(NamedTuple):
    """A solution on the coarse lattice, with its Jacobian if it is known."""

    x: FloatArray
    jacobian: FloatArray | None
    branch: str = ""  # that it was followed on; none from a solution nearby


class Slopes(NamedTuple):
    """Derivatives by the unknowns, and the unknowns at which they were taken."""

    x: FloatArray
    jacobian: FloatArray  # of the residual
    observed: FloatArray  # of the training loss and the training error


class Solved(NamedTuple):
    """A solution: the unknowns of each replicate, the means there, and what is left."""

    x: FloatArray
    each: FloatArray  # replicates × 9
    loss: FloatArray  # of each replicate at its own unknowns
    wrong: FloatArray
    left: FloatArray  # the step that was not taken any more
    residual: float
    slopes: Slopes
    loss_left: float = 0.0  # by which the loss may be off besides, and the share of wrong samples
    wrong_left: float = 0.0


@lru_cache(maxsize=8)
def lattice(L: int, points: int, replicates: int) -> Samples:
    """Return the points, those that were used last without drawing them again."""
    return draw(L, points, replicates)


def newton(problem: Problem, start: Start, samples: Samples) -> Start:
    """Solve the equations on the coarse lattice, by differences and Broyden's updates."""
    x, J, _ = start
    r = _residual(problem, x, samples)
    fresh = False
    for _ in range(NEWTON_STEPS):
        if np.abs(r).max() < COARSE_TOL:
            return Start(x, J)
        if J is None:
            J, fresh = differences(lambda at: _residual(problem, at, samples), x, r), True
        step = _newton_step(J, r)
        taken, t = None, 1.0
        while taken is None and t > 0.05:
            taken = _shorter(problem, x + t * step, samples, (1.0 - 0.1 * t) * float(norm(r)))
            t /= 2.5
        if taken is None:
            if fresh:
                if np.abs(r).max() < COARSE_CAUGHT:
                    return Start(x, J)
                break
            J = None
            continue
        at, new = taken
        moved = at - x
        slow = norm(new) > 0.5 * norm(r)
        J = J + np.outer(new - r - J @ moved, moved) / (moved @ moved)
        x, r = at, new
        if slow and not fresh:
            J = None
        fresh = False
    raise NotConverged(f"a residual of {np.abs(r).max():.1e} is left on the coarse lattice")


norm = np.linalg.norm


def _newton_step(J: FloatArray, r: FloatArray) -> FloatArray:
    try:
        step = -np.linalg.solve(J, r)
    except np.linalg.LinAlgError:
        raise NotConverged("the Jacobian is singular") from None
    return np.asarray(step * min(1.0, LARGEST_STEP / float(np.abs(step).max())))


def _shorter(
    problem: Problem, x: FloatArray, samples: Samples, least: float
) -> tuple[FloatArray, FloatArray] | None:
    """Return a point with its residual if that is below ``least``."""
    try:
        r = _residual(problem, x, samples)
    except NotConverged:
        return None
    return (x, r) if norm(r) < least else None


def _residual(problem: Problem, x: FloatArray, samples: Samples) -> FloatArray:
    return residual(problem, x, moments(problem, from_vector(x), samples).pooled())


def differences(
    function: Callable[[FloatArray], FloatArray], x: FloatArray, at_x: FloatArray
) -> FloatArray:
    """Return the derivatives of a function of the unknowns, a column each."""
    steps = DIFFERENCE * np.eye(SIZE)
    return np.stack([(function(x + step) - at_x) / DIFFERENCE for step in steps], axis=-1)


def slopes_at(problem: Problem, x: FloatArray) -> tuple[Slopes, FloatArray]:
    """Return the slopes there by differences on a rough lattice, and the step they suggest."""
    rough = lattice(problem.task.L, COARSE, JACOBIAN_REPLICATES)

    def looked_at(x: FloatArray) -> FloatArray:
        means = moments(problem, from_vector(x), rough).pooled()
        return np.array([*residual(problem, x, means), means.loss[0], means.wrong[0]])

    here = looked_at(x)
    both = differences(looked_at, x, here)
    return Slopes(x, both[:SIZE], both[SIZE:]), _newton_step(both[:SIZE], here[:SIZE])


def follow(problem: Problem, x: FloatArray, points: int, slopes: Slopes) -> Solved | None:
    """Return the solution that `refine` finds from a neighbour's, None where that leads nowhere."""
    try:
        first = _residual(problem, x, lattice(problem.task.L, COARSE, 1))
        return refine(problem, x, points, slopes) if np.abs(first).max() < FAR else None
    except NotConverged:
        return None


def refine(problem: Problem, x: FloatArray, points: int, slopes: Slopes | None = None) -> Solved:
    """Return the solution on replicates of this many points, from one that is near.

    Slopes of a solution nearby are taken over, unless it is too far away or they lead nowhere.
    """
    if slopes is not None and np.abs(x - slopes.x).max() <= STALE:
        try:
            return _fine(problem, x, points, slopes)
        except NotConverged:
            pass
    slopes, step = slopes_at(problem, x)
    return _fine(problem, x + step, points, slopes)


def _fine(problem: Problem, x: FloatArray, points: int, slopes: Slopes) -> Solved:
    """Return the solution on replicates of this many points, by Newton's method with Broyden's."""
    where, J, observed = slopes
    samples = lattice(problem.task.L, points, REPLICATES)
    step, r = np.zeros(SIZE), np.zeros(SIZE)
    for count in range(FINE_STEPS):
        means, before = moments(problem, from_vector(x), samples), r
        r = residual(problem, x, means.pooled())
        if np.abs(step).max() > DIFFERENCE:  # far enough to learn from
            J = J + np.outer(r - before - J @ step, step) / (step @ step)
        each = np.array([residual(problem, x, means.of(k)) for k in range(REPLICATES)])
        step = _newton_step(J, r)
        own = -np.linalg.solve(J, each.T).T
        error = own.std(axis=0, ddof=1) / np.sqrt(REPLICATES)
        last = count == FINE_STEPS - 1
        enough = np.maximum((CAUGHT if last else SETTLED) * error, NEGLIGIBLE * 10.0**last)
        if (np.abs(step) <= enough).all():
            loss, wrong = means.loss + own @ observed[0], means.wrong + own @ observed[1]
            left, kept = float(np.abs(r).max()), Slopes(where, J, observed)
            return Solved(x, x + own, loss, wrong, step, left, kept)
        x = x + step
    raise NotConverged(
        f"the equations of joint training end at a residual of {np.abs(r).max():.1e} on {points} "
        f"points of {REPLICATES} lattices, whose own uncertainty is {np.abs(error).max():.1e}; a "
        "larger ridge or ridge_q makes them easier"
    )
