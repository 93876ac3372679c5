"""Duality for piecewise-quadratic losses: ℓ*(t) = max over u of t u − ℓ(u), in the margin u = y z.

For any margin u and any slope t in the domain of ℓ* the Fenchel–Young excess
ℓ(u) + ℓ*(t) − t u = ℓ(u) − ℓ(x) − t (u − x) is non-negative, where x is a margin with t ∈ ∂ℓ(x).
It is computed in the second form, which does not cancel. Slopes t with Σ cᵢ yᵢ tᵢ = 0 are dual
feasible, and with αᵢ = cᵢ yᵢ tᵢ the objective J exceeds its dual value by

    J(w, b) − D(α) = Σ cᵢ (ℓ(uᵢ) + ℓ*(tᵢ) − tᵢ uᵢ) + ‖λ w + Fᵀα‖²/(2λ).
"""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray
from ...losses import PiecewiseQuadratic

FLAT_BIAS = 1e-13  # a smaller slope of the objective along the bias is rounding


def slopes_at_knots(loss: PiecewiseQuadratic) -> tuple[FloatArray, FloatArray]:
    """Return the slope on the left and on the right of every knot."""
    k, p = loss.knots, loss.pieces
    return p[:-1, 0] * k + p[:-1, 1], p[1:, 0] * k + p[1:, 1]


def domain(loss: PiecewiseQuadratic) -> tuple[float, float]:
    """Return the least and the greatest slope, infinite where the loss ends in a parabola.

    Examples
    --------
    >>> from needlescope.losses import HINGE
    >>> domain(HINGE)
    (-1.0, 0.0)
    """
    (a, b, _), (a_end, b_end, _) = loss.pieces[0], loss.pieces[-1]
    return (-np.inf if a > 0.0 else float(b)), (np.inf if a_end > 0.0 else float(b_end))


def touching(loss: PiecewiseQuadratic, t: FloatArray) -> FloatArray:
    """Return a margin x at which t is a slope of the loss, for t in the domain.

    Examples
    --------
    >>> from needlescope.losses import SQUARED_HINGE
    >>> touching(SQUARED_HINGE, np.array([-3.0, -0.5])).tolist()
    [-2.0, 0.5]
    """
    k, p = loss.knots, loss.pieces
    place = np.searchsorted(np.stack(slopes_at_knots(loss), axis=1).ravel(), t)
    piece = place // 2
    a, b = p[piece, 0], p[piece, 1]
    # On a straight piece every margin has the same slope: take the knot where it ends.
    end = k[np.clip(np.where(piece == 0, 0, piece - 1), 0, len(k) - 1)]
    inside = np.divide(t - b, a, out=end.copy(), where=a > 0.0)
    return np.where(place % 2 == 1, k[np.minimum(piece, len(k) - 1)], inside)


def excess(loss: PiecewiseQuadratic, u: FloatArray, t: FloatArray) -> FloatArray:
    """Return ℓ(u) + ℓ*(t) − t u ≥ 0.

    Examples
    --------
    >>> from needlescope.losses import HINGE
    >>> excess(HINGE, np.array([0.0, 1.0, 3.0]), np.array([-1.0, -0.3, -0.5])).tolist()
    [0.0, 0.0, 1.0]
    """
    x = touching(loss, t)
    result = loss.value(u, 1) - loss.value(x, 1) - t * (u - x)
    return np.maximum(result, 0.0)


def floor(loss: PiecewiseQuadratic) -> float:
    """Return the least value of the loss; zero if it has none, for want of a natural origin."""
    low, high = domain(loss)
    if not low <= 0.0 <= high:
        return 0.0
    x = touching(loss, np.zeros(1))
    return float(loss.value(x, 1)[0])


def balanced(
    loss: PiecewiseQuadratic, t: FloatArray, y: FloatArray, c: FloatArray
) -> FloatArray | None:
    """Move the slopes inside their domain until Σ cᵢ yᵢ tᵢ = 0; None if that cannot be."""
    low, high = domain(loss)
    t = np.clip(t, low, high)
    for _ in range(3):  # once suffices but for rounding
        off = float(np.sum(c * y * t))
        if off == 0.0:
            break
        target = np.where(y * off > 0.0, max(low, -1e3), min(high, 1e3))
        room = np.where(y * off > 0.0, t - target, target - t)
        room = np.maximum(room, 0.0)
        total = float(c @ room)
        if total < abs(off) * (1.0 - 1e-12):
            return None
        t = np.clip(t - np.sign(y * off) * room * min(abs(off) / total, 1.0), low, high)
    return t


def best_bias(loss: PiecewiseQuadratic, h: FloatArray, y: FloatArray, c: FloatArray) -> float:
    """Return the minimiser over b of Σ cᵢ ℓ(yᵢ(hᵢ + b)): the middle one, if there is an interval.

    An interval that never ends, as with one class only, gives its finite end.

    Examples
    --------
    >>> from needlescope.losses import HINGE
    >>> half = np.array([0.5, 0.5])
    >>> best_bias(HINGE, np.array([3.0, -2.0]), np.array([1.0, -1.0]), half)
    -0.5
    >>> best_bias(HINGE, np.zeros(2), np.ones(2), half)
    1.0
    """
    ends = np.unique(y[:, None] * loss.knots - h[:, None])

    def line(j: int) -> tuple[float, float, float]:
        """Return the objective's slope at both ends of the j-th interval, and its bend."""
        left = ends[j - 1] if j > 0 else ends[0] - 1.0
        right = ends[j] if j < len(ends) else ends[-1] + 1.0
        b = 0.5 * (left + right)
        u = y * (h + b)
        slope, bend = float(np.sum(c * loss.derivative(u, 1) * y)), float(c @ loss.second(u, 1))
        return slope + bend * (left - b), slope + bend * (right - b), bend

    scale = FLAT_BIAS * float(np.max(np.abs(loss.derivative(y * h, 1)), initial=1.0))
    low, high = 0, len(ends)
    while low < high:  # the first interval whose slope gets as high as zero
        j = (low + high) // 2
        low, high = (low, j) if line(j)[1] >= -scale else (j + 1, high)
    first = low
    low, high = 0, len(ends)
    while low < high:  # the last interval whose slope starts no higher than zero
        j = (low + high + 1) // 2
        low, high = (j, high) if line(j)[0] <= scale else (low, j - 1)
    return _middle(ends, line(first), first, line(low), low, scale)


def _middle(
    ends: FloatArray,
    at_first: tuple[float, float, float],
    first: int,
    at_last: tuple[float, float, float],
    last: int,
    scale: float,
) -> float:
    def left_of(j: int) -> float:
        return float(ends[j - 1]) if j > 0 else -np.inf

    def right_of(j: int) -> float:
        return float(ends[j]) if j < len(ends) else np.inf

    start, stop = left_of(first), right_of(last)
    if at_first[0] < -scale and at_first[2] > 0.0:  # the slope crosses zero inside
        anchor = start if np.isfinite(start) else float(ends[0]) - 1.0
        start = anchor - at_first[0] / at_first[2]
    if at_last[1] > scale and at_last[2] > 0.0:
        anchor = stop if np.isfinite(stop) else float(ends[-1]) + 1.0
        stop = anchor - at_last[1] / at_last[2]
    if first > last:  # the slope jumps over zero at one kink
        return float(ends[last])
    if not np.isfinite(start):
        return stop
    return start if not np.isfinite(stop) else 0.5 * (start + stop)
