"""Moments of the loss derivative at Gaussian scores: E[ℓ'(f) Gᵏ], E[ℓ'(f)² Gᵏ], f = m + sG, k ≤ 2.

Piecewise-quadratic losses have them in closed form. For smooth ones it is the trapezoid rule in G,
whose error falls faster than exponentially once its step is short on the scale of the loss. The
step is accepted when it agrees with half the step on some of the scores.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from ...arrays import FloatArray
from ...errors import NotConverged
from ...losses import Loss, PiecewiseQuadratic
from ..saddle.envelope import density

STEP_TOLERANCE = 2e-8  # between sums with a step and with half of it
SCORE_STEPS = (1.2, 0.6, 0.3, 0.15, 0.1)  # steps in the score, until one is short enough
MAX_STEP = 0.85  # in G, where scores hardly vary: its error is 2e-10 of E[G²]
NODE_RANGE = 7.0  # of the nodes, in standard deviations: mass outside 3e-12
PROBED_SCORES = 32  # on which a step is tested
BLOCK = 1 << 13  # scores at a time: they and their sums stay in the cache
UNDERFLOW = 40.0  # standard deviations beyond which the normal density underflows


class Slopes(NamedTuple):
    """E[ℓ' G^k] and E[ℓ'² G^k], rows k = 0, 1, 2 and a column for each score."""

    first: FloatArray
    square: FloatArray


def slopes(loss: Loss, y: int, m: FloatArray, s: FloatArray) -> Slopes:
    """Return the moments of the slope at scores m + sG of samples with one label.

    Of the square loss ℓ' = f − y:

    >>> from needlescope.losses import SQUARE
    >>> result = slopes(SQUARE, 1, np.array([3.0]), np.array([0.5]))
    >>> result.first[:, 0].tolist(), result.square[:, 0].tolist()
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
    a, b = np.clip(a, -UNDERFLOW, UNDERFLOW), np.clip(b, -UNDERFLOW, UNDERFLOW)
    da, db = density(a), density(b)
    result = [np.asarray(ndtr(b) - ndtr(a)), da - db]
    for k in range(2, 5):
        da, db = a * da, b * db
        result.append((k - 1) * result[k - 2] + da - db)
    return result


def _smooth(loss: Loss, y: int, m: FloatArray, s: FloatArray) -> Slopes:
    widest, count = float(s.max()), len(m)
    some = np.append(np.linspace(0, count - 1, min(PROBED_SCORES, count)).astype(int), s.argmax())
    for scale in SCORE_STEPS:
        step = min(MAX_STEP, scale / max(widest, 1e-12))
        once, twice = (_trapezoid(loss, y, m[some], s[some], item) for item in (step, 0.5 * step))
        gap = float(np.abs(once - twice).max() / (1.0 + np.abs(twice).max()))
        if gap <= STEP_TOLERANCE:
            return Slopes(*_trapezoid(loss, y, m, s, step))
    raise NotConverged(
        f"the slopes of the {loss.name} loss, integrated with half the step, are off by "
        f"{gap:.1e}; check that it is smooth on a scale of 0.1 or more"
    )


def _trapezoid(loss: Loss, y: int, m: FloatArray, s: FloatArray, step: float) -> FloatArray:
    """Return the moments by the trapezoid rule: of ℓ', then of ℓ'², k = 0, 1, 2."""
    count = int(np.ceil(NODE_RANGE / step))
    G: FloatArray = step * np.arange(-count, count + 1.0)
    weights = step * density(G)
    result = np.zeros((2, 3, len(m)))
    for first in range(0, len(m), BLOCK):
        part = slice(first, first + BLOCK)
        sums = result[:, :, part]
        for node, weight in zip(G.tolist(), weights.tolist(), strict=True):
            slope = loss.derivative(m[part] + node * s[part], y)
            for power, term in enumerate((weight * slope, weight * slope * slope)):
                sums[power, 0] += term
                sums[power, 1] += node * term
                sums[power, 2] += node * node * term
    return result
