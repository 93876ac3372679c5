"""How steep a loss is at Gaussian scores: E[ℓ'(f) G^k] and E[ℓ'(f)² G^k], f = m + sG, k = 0, 1, 2.

Piecewise-quadratic losses have them in closed form. For smooth ones the trapezoid rule in G is
exact to rounding as soon as its step is short on the loss's own scale; the sum over every other
node, which costs nothing, is its error check.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from ...arrays import FloatArray
from ...errors import NotConverged
from ...losses import Loss, PiecewiseQuadratic
from ..saddle.envelope import ENVELOPE_REACH, density

# how far the sums over all nodes and over every other may be apart: what all leave is its square
UNEVEN = 1e-5
SCALES = (0.8, 0.4, 0.2, 0.1)  # steps in the score, until one is short enough
WIDEST = 0.5  # step in G, where scores hardly vary
BLOCK = 1 << 17  # scores at a time
TAIL = 40.0  # standard deviations beyond which the normal density underflows


class Slopes(NamedTuple):
    """E[ℓ' G^k] and E[ℓ'² G^k], rows k = 0, 1, 2 and a column for each score."""

    first: FloatArray
    square: FloatArray


def slopes(loss: Loss, y: int, m: FloatArray, s: FloatArray) -> Slopes:
    """Return the moments of the slope at scores m + sG of samples with one label.

    Examples
    --------
    Of the square loss ℓ' = f − y:

    >>> from needlescope.losses import SQUARE
    >>> found = slopes(SQUARE, 1, np.array([3.0]), np.array([0.5]))
    >>> found.first[:, 0].tolist(), found.square[:, 0].tolist()
    ([2.0, 0.5, 2.0], [4.25, 2.0, 4.75])
    """
    if isinstance(loss, PiecewiseQuadratic):
        return _piecewise(loss, y, m, s)
    return _smooth(loss, y, m, s)


def _piecewise(loss: PiecewiseQuadratic, y: int, m: FloatArray, s: FloatArray) -> Slopes:
    """The margin u = yf is ym + sG', with G' = yG another normal, and ℓ' = y(au + b)."""
    centre, s = y * m, np.maximum(s, 1e-150)
    first, square = np.zeros((2, 3, len(m)))
    edges = [-np.inf, *loss.knots.tolist(), np.inf]
    for low, high, (a, b, _) in zip(edges[:-1], edges[1:], loss.pieces, strict=True):
        i = _truncated((low - centre) / s, (high - centre) / s)
        p, q = a * centre + b, a * s  # au + b = p + qG'
        for k in range(3):
            first[k] += y ** (k + 1) * (p * i[k] + q * i[k + 1])
            square[k] += y**k * (p * p * i[k] + 2.0 * p * q * i[k + 1] + q * q * i[k + 2])
    return Slopes(first, square)


def _truncated(a: FloatArray, b: FloatArray) -> list[FloatArray]:
    """Return ∫_a^b x^k φ(x) dx for k = 0 to 4."""
    a, b = np.clip(a, -TAIL, TAIL), np.clip(b, -TAIL, TAIL)
    da, db = density(a), density(b)
    found = [np.asarray(ndtr(b) - ndtr(a)), da - db]
    for k in range(2, 5):
        da, db = a * da, b * db
        found.append((k - 1) * found[k - 2] + da - db)
    return found


def _smooth(loss: Loss, y: int, m: FloatArray, s: FloatArray) -> Slopes:
    for scale in SCALES:
        found, gap = _trapezoid(loss, y, m, s, min(WIDEST, scale / max(float(s.max()), 1e-12)))
        if gap <= UNEVEN:
            return found
    raise NotConverged(
        f"the slopes of the {loss.name} loss, integrated on every other node, are off by "
        f"{gap:.1e}; check that it is smooth on a scale of 0.1 or more"
    )


def _trapezoid(
    loss: Loss, y: int, m: FloatArray, s: FloatArray, step: float
) -> tuple[Slopes, float]:
    """Return the moments by nodes so far apart, and how far every other node alone is off."""
    count = int(np.ceil(ENVELOPE_REACH / step))
    G: FloatArray = step * np.arange(-count, count + 1.0)
    whole = step * density(G) * G ** np.arange(3)[:, None]
    half = np.where(np.arange(len(G)) % 2 == 0, 2.0 * whole, 0.0)
    weights = np.concatenate([whole, half]).T
    found = np.empty((2, len(m), 6))
    rows = max(1, BLOCK // len(G))
    for first in range(0, len(m), rows):
        part = slice(first, first + rows)
        slope = loss.derivative(m[part, None] + s[part, None] * G, y)
        found[0, part], found[1, part] = slope @ weights, slope**2 @ weights
    apart = np.abs(np.diff(found.mean(axis=1).reshape(2, 2, 3), axis=1)).max()
    gap = float(apart / (1.0 + np.abs(found).max()))
    return Slopes(found[0, :, :3].T, found[1, :, :3].T), gap
