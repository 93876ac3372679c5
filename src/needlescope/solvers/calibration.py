"""Scores put on the scale of probabilities by two numbers (Platt), and the losses they then have.

Scores beyond the middle 90 % of both classes are moved to its ends first: a few samples out of all
proportion would else decide.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from ..arrays import FloatArray

OUTSIDE = 0.05  # of the scores of a class, at either end
FLATTEST_CALIBRATION = 1e-3  # the least slope of a calibration: scores never change their order
PRIOR = 1e-4  # a ridge on both numbers, for scores that separate the classes


class Platt(NamedTuple):
    """A calibration: log odds = slope · score + intercept, for scores that bags held out had.

    Beyond ``low`` and ``high``, where nothing was seen, log odds grow like a logarithm only.
    """

    slope: float
    intercept: float
    low: float
    high: float

    def log_odds(self, scores: FloatArray) -> FloatArray:
        """Return calibrated scores, in the same order."""
        inside = np.clip(scores, self.low, self.high)
        beyond = self.slope * (scores - inside)
        beyond = np.sign(beyond) * np.log1p(np.abs(beyond))
        return np.asarray(self.slope * inside + self.intercept + beyond)

    def counted_from(self, centre: float) -> Platt:
        """Return the same for scores that are not counted from their centre."""
        intercept = self.intercept - self.slope * centre
        return Platt(self.slope, intercept, self.low + centre, self.high + centre)


AS_IS = Platt(1.0, 0.0, -np.inf, np.inf)


def losses_of(scores: FloatArray, y: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the logarithmic loss of each bag once its score is calibrated."""
    fitted = platt(scores, y, weight)
    inside = fitted.log_odds(np.clip(scores, fitted.low, fitted.high))
    return np.asarray(np.logaddexp(0.0, -y * inside))


def platt(scores: FloatArray, y: FloatArray, weight: FloatArray) -> Platt:
    """Fit two numbers that make probabilities of scores; the slope is positive.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.where(rng.random(4000) < 0.5, 1.0, -1.0)
    >>> found = platt(10.0 * (y + rng.standard_normal(4000)), y, np.full(4000, 1 / 4000))
    >>> bool(abs(found.slope - 0.2) < 0.02), bool(abs(found.intercept) < 0.1)
    (True, True)
    """
    low, high = ends(scores, y, weight)
    middle, size = quantile(scores, weight, 0.5), high - low if high > low else 1.0
    x = (np.clip(scores, low, high) - middle) / size
    share = float(weight[y > 0.0].sum() / weight.sum())
    prior = 4.0 * share * (1.0 - share) * PRIOR  # less, where there is less to be lost
    a = b = 0.0  # log odds a x + b
    for _ in range(50):
        p = expit(-y * (a * x + b))  # of the wrong label
        pull, bend = weight * y * p, weight * p * (1.0 - p)
        to_a, to_b = float(x @ pull) - prior * a, float(pull.sum()) - prior * b
        aa, ab, bb = float(bend @ (x * x)) + prior, float(bend @ x), float(bend.sum()) + prior
        volume = aa * bb - ab * ab
        step_a, step_b = (bb * to_a - ab * to_b) / volume, (aa * to_b - ab * to_a) / volume
        longest = max(abs(step_a), abs(step_b))
        damped = min(1.0, 4.0 / max(longest, 1e-300))
        a, b = a + damped * step_a, b + damped * step_b
        if longest < 1e-8:
            break
    a = max(a, FLATTEST_CALIBRATION)
    return Platt(a / size, b - a * middle / size, low, high)


def ends(scores: FloatArray, y: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """Return the least and the largest score that the middle of either class has."""
    sides = [_middle(scores[y == sign], weight[y == sign], OUTSIDE) for sign in (-1.0, 1.0)]
    return min(low for low, _ in sides), max(high for _, high in sides)


def _middle(values: FloatArray, weight: FloatArray, level: float) -> tuple[float, float]:
    """Return the values with about this share of the weight below, and above."""
    order = np.argsort(values)
    values, share = values[order], weight[order]
    total, below = share.sum(), np.cumsum(share) - 0.5 * share
    last = len(values) - 1
    low = min(int(np.searchsorted(below, level * total)), last)
    high = min(int(np.searchsorted((total - below)[::-1], level * total)), last)
    return float(values[low]), float(values[last - high])


def quantile(values: FloatArray, weight: FloatArray, level: float) -> float:
    """Return the value with about this share of the weight below."""
    return _middle(values, weight, level)[0]
