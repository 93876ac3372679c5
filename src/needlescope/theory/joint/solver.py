"""Where the nine unknowns agree with what they imply: Newton's method, along falling ridges.

Plain iteration does not converge: its linear part has complex eigenvalues beyond 1. So

1. on a coarse lattice, damped iteration comes near the solution with larger ridges, and Newton's
   method with differences for a Jacobian reaches it;
2. both ridges fall to their values, Newton's method following the solution;
3. on a fine lattice of several replicates, a few steps with one Jacobian remove what is left.

The minimum of a sample may jump as the unknowns move, so the equations on n points have steps of
size 1/n. No residual gets below them: step 3 ends when its step is small against the standard
error, and what is left of it counts as one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...errors import NotConverged
from .equations import FLATTEST, Problem, moments, precision, residual
from .order import SIZE, Order, from_vector, to_vector
from .samples import Samples, draw

COARSE = 512  # points, of one replicate
REPLICATES = 8
JACOBIAN_REPLICATES = 4  # of the coarse lattice, for the Jacobian of the last stage
DIFFERENCE = 0.02  # of an unknown: wide, as the equations on few points have steps
DAMPING = 0.3
DAMPED_STEPS = 25
TOPS = (4.0, 16.0, 1.0, 64.0)  # factors of both ridges to start from, in turn
FALL = 0.35  # of the factor from one solution to the next
SLOWEST_FALL = 0.85
COARSE_TOL = 1e-2  # largest residual on the coarse lattice
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


def coarse(problem: Problem, near: FloatArray | None = None) -> Start:
    """Return the solution on the coarse lattice, or raise `NotConverged`."""
    samples = lattice(problem.task.L, COARSE, 1)
    attempts: list[Callable[[], Start]] = []
    if near is not None:
        attempts.append(lambda: newton(problem, Start(near, None), samples))
    attempts += [lambda top=top: descend(problem, top, samples) for top in TOPS]  # type: ignore[misc]
    for attempt in attempts:
        try:
            return attempt()
        except NotConverged as problem_met:
            last = problem_met
    raise NotConverged(
        "the replica-symmetric equations of joint training were not solved from any start "
        f"({last}); a larger ridge or ridge_q makes them easier"
    )


def descend(problem: Problem, top: float, samples: Samples) -> Start:
    """Return the solution that is reached from ridges ``top`` times as large."""
    first = problem.with_ridges(top)
    at = newton(first, Start(damped(first, _guess(first), samples), None), samples)
    trail, factor, fall = [(np.log(top), at.x)], top, FALL
    while factor > 1.0:
        lower = factor * fall
        lower = lower if lower > 1.3 else 1.0
        try:
            guess = _extrapolate(trail, np.log(lower))
            at = newton(problem.with_ridges(lower), Start(guess, at.jacobian), samples)
            factor = lower
            trail.append((np.log(lower), at.x))
        except NotConverged:
            fall = np.sqrt(fall)
            if fall > SLOWEST_FALL:
                raise
    return at


def _guess(problem: Problem) -> FloatArray:
    """Return unknowns to start from: a classifier that knows a little."""
    pi = problem.task.pi
    V = np.diag(0.6 / problem.penalty)
    return to_vector(Order(np.ones(2), np.diag([2.0, 3.0]), V, float(np.log(pi / (1.0 - pi)))))


def _extrapolate(trail: list[tuple[float, FloatArray]], at: float) -> FloatArray:
    """Extrapolate the unknowns linearly in the logarithm of the ridges."""
    x, end = trail[-1][1].copy(), trail[-1][0]
    if len(trail) > 1:
        before, start = trail[-2][1], trail[-2][0]
        return x + (x - before) * (at - end) / (end - start)
    x[[5, 7]] -= 0.5 * (at - end)  # the variance goes as one over the ridge
    return x


def damped(problem: Problem, x: FloatArray, samples: Samples) -> FloatArray:
    """Return the unknowns after some damped iterations, all of them damped alike."""
    for _ in range(DAMPED_STEPS):
        order = from_vector(x)
        means = moments(problem, order, samples).pooled()
        scale = np.sqrt(problem.penalty)
        values, vectors = np.linalg.eigh(precision(problem, order, means) / np.outer(scale, scale))
        new_precision = (vectors * np.maximum(values, 0.5)) @ vectors.T * np.outer(scale, scale)
        V = np.linalg.inv(new_precision)
        M_hat = problem.alpha * problem.task.theta * means.gv[0]
        Q = V @ (np.outer(M_hat, M_hat) + problem.alpha * means.gg[0]) @ V
        shift = -float(means.slope[0] / max(means.bend[0], FLATTEST))
        kept = 1.0 - DAMPING
        x = to_vector(
            Order(
                kept * order.M + DAMPING * V @ M_hat,
                kept * order.Q + DAMPING * Q,
                np.linalg.inv(kept * np.linalg.inv(order.V) + DAMPING * new_precision),
                order.b + float(np.clip(DAMPING * shift, -1.0, 1.0)),
            )
        )
    return x


def newton(problem: Problem, start: Start, samples: Samples) -> Start:
    """Solve the equations on the coarse lattice, by differences and Broyden's updates."""
    x, J = start
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
