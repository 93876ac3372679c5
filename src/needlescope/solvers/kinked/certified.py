"""Minimisers of losses with kinks: min over (w, b) of Σ cᵢ ℓ(yᵢ(⟨w, Fᵢ⟩ + b)) + (λ/2)‖w‖².

An interior-point method finds it (if rounding stops it too early, the kinks that it found occupied
are made exact), and slopes tᵢ ∈ ∂ℓ with Σ cᵢ yᵢ tᵢ = 0 prove how good it is: no objective is below

    D = −Σ cᵢ ℓ*(tᵢ) − ‖Σ cᵢ yᵢ tᵢ Fᵢ‖²/(2λ).

For the hinge loss −t are the support-vector weights. The minimiser w is unique because λ > 0; of an
interval of equally good biases the middle is returned.
"""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray
from ...errors import NoMinimiser, NotConverged
from ...losses import PiecewiseQuadratic
from ..algebra.coordinates import Coordinates, InFeatures, InSamples, pulled, scored
from ..algebra.problem import Features, Fit, Problem
from .fenchel import balanced, best_bias, excess, floor
from .interior import Goal, State, interior, judge

ROUNDING_GAP = 1e-13  # the relative gap that is rounding
TINY = 1e-6  # of the objective at w = 0: a gap of 1e-9 of it is the rounding error of one score
# Of the envelope that makes the occupied kinks exact, in spreads of the scores.
WIDTHS = (0.03, 0.003, 0.3)
POLISHES = 4


def minimise_kinked(problem: Problem, tolerance: float = 1e-9) -> Fit:
    """Return the minimiser of a piecewise-quadratic loss with kinks, with a certified duality gap.

    Parameters
    ----------
    problem : Problem
        Its loss is a `PiecewiseQuadratic` with at least one kink, its ridge is positive.
    tolerance : float
        Greatest gap between the objective and its dual value, relative to the objective (counted
        from the least value of the loss, which is 0 for the hinge) or to 1e-6 of what w = 0
        achieves, if that is more.

    Returns
    -------
    Fit
        Its ``residual`` is the relative gap, computed afresh from F, w, b and the slopes.

    Raises
    ------
    NoMinimiser
        If the ridge is zero (the objective is then not strictly convex, and its minimisers need
        not be unique) or the objective decreases without bound as the bias
        grows.
    NotConverged
        If the gap stays above the tolerance.

    Examples
    --------
    Two points at ±2 with the hinge: half the distance would do, so ‖w‖ = 1/2.

    >>> import numpy as np
    >>> from needlescope.losses import HINGE
    >>> y = np.array([1.0, -1.0])
    >>> fit = minimise_kinked(Problem(2.0 * y[:, None], y, HINGE, 0.1, np.array([0.5, 0.5])))
    >>> fit.w.round(9).tolist(), abs(round(fit.b, 9)), fit.residual < 1e-9
    ([0.5], 0.0, True)
    """
    F, loss = problem.F, problem.loss
    if not isinstance(loss, PiecewiseQuadratic) or not loss.kinked:
        raise ValueError(
            f"minimise_kinked is for piecewise-quadratic losses with kinks, not {loss}"
        )
    if not problem.ridge > 0.0:
        raise NoMinimiser(
            f"the {loss.name} loss needs ridge > 0, got {problem.ridge:g}: without it the "
            "objective is not strictly convex and its minimiser need not be unique"
        )
    y, c = np.asarray(problem.y, float), np.asarray(problem.weight, float)
    counted = c > 0.0
    if not counted.all():
        F, y, c = F[counted], y[counted], c[counted]
    goal = Goal(loss, y, c, float(problem.ridge), 0.0)
    if balanced(loss, np.zeros(len(y)), y, c) is None:
        raise NoMinimiser(
            f"the {loss.name} objective decreases without bound as the bias grows: its slope "
            "cannot vanish"
        )
    w, b, residual, iterations = _solve(goal, F, tolerance)
    scores = scored(problem.F, w) + b
    return Fit(w, b, scores, residual, iterations)


def _solve(goal: Goal, F: Features, tolerance: float) -> tuple[FloatArray, float, float, int]:
    n, p = F.shape
    null = np.zeros(p), best_bias(goal.loss, np.zeros(n), goal.y, goal.c)
    at_null, gap = _certify(goal, F, *null, np.zeros(n))
    # No sample loses anything already, as with one class only: the gap has no scale to relate to.
    if gap <= 1e-15 * (1.0 + abs(floor(goal.loss))):
        return *null, gap, 0
    goal = goal._replace(tiny=TINY * at_null)
    space: Coordinates = InSamples(F) if p > n else InFeatures(F)
    state = interior(goal, space, tolerance)
    for width in WIDTHS:
        if state.gap <= tolerance * state.scale:
            break
        state = polished(goal, space, state, width)
    w = space.vector(state.x)
    b = best_bias(goal.loss, scored(F, w), goal.y, goal.c)
    value, gap = _certify(goal, F, w, b, state.t)
    scale = max(value, goal.tiny)
    collapsed = _certify(goal, F, *null, state.t)[1]
    if at_null <= value + ROUNDING_GAP * scale and collapsed <= max(tolerance * scale, gap):
        (w, b), gap = null, collapsed  # w = 0 is exact
    if not gap <= tolerance * scale:
        raise NotConverged(
            f"the {goal.loss.name} minimiser has a relative duality gap of {gap / scale:.1e} after "
            f"{state.iterations} iterations, more than {tolerance:.1e}; use a larger ridge or "
            "tolerance, or features of more even scale"
        )
    return w, float(b), gap / scale, state.iterations


def _certify(
    goal: Goal, F: Features, w: FloatArray, b: float, t: FloatArray
) -> tuple[float, float]:
    """Return the objective above its floor, and how much of it the slopes t do not explain."""
    loss, y, c, ridge, _ = goal
    feasible = balanced(loss, t, y, c)
    if feasible is None:
        return np.inf, np.inf
    z = scored(F, w) + b
    alpha = c * y * feasible
    off = ridge * w + pulled(F, alpha)
    value = c @ (loss.value(y * z, 1) - floor(loss)) + 0.5 * ridge * (w @ w)
    gap = c @ excess(loss, y * z, feasible) + off @ off / (2.0 * ridge)
    return float(value), float(gap + abs(b * alpha.sum()))


def polished(goal: Goal, space: Coordinates, state: State, spread: float) -> State:
    """Make the occupied kinks exact: Newton steps on the augmented Lagrangian, while they help.

    With the multipliers t and the width g the loss is replaced by its Moreau envelope at u + g t,
    whose slope is the next t. It bends only where its prox rests on a kink or in a parabola.
    """
    loss, y, c, ridge, _ = goal
    width = spread * max(float(np.std(state.h)), 1e-9)
    best = state
    for _ in range(POLISHES):
        if best.gap <= ROUNDING_GAP * best.scale:
            break
        slope, bend = _envelope(loss, width, y * (state.h + state.b) + width * best.t)
        alpha = c * y * slope
        if not (c * bend).any():
            break
        try:
            solve = space.factor(c * bend, ridge)
        except np.linalg.LinAlgError:
            break
        dx, db, _ = solve(ridge * state.x + space.pull(alpha), float(alpha.sum()))
        x, b = state.x + dx, state.b + db
        h = space.scores(x)
        slope, _ = _envelope(loss, width, y * (h + b) + width * best.t)
        state = judge(goal, space, x, b, h, slope, state.iterations + 1)
        best = state if state.gap < best.gap else best
    return best


def _envelope(
    loss: PiecewiseQuadratic, width: float, v: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the first two derivatives of the Moreau envelope of this width at v."""
    parts = loss.segments(np.array(width))
    place = np.searchsorted([float(part.high) for part in parts[:-1]], v)
    anchor, slope, bend = np.array(
        [[part.anchor, float(part.slope), float(part.bend)] for part in parts]
    ).T[:, place]
    return slope + bend * (v - anchor), bend
