"""Platt calibration: log odds = slope · score + intercept, and the logarithmic loss after it.

Scores beyond the middle 90 % of both classes are clipped first, so that a few outliers do not
decide.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from ..arrays import FloatArray

OUTSIDE = 0.05  # of the scores of a class, at either end
FLATTEST_CALIBRATION = 1e-3  # the least slope of a calibration: scores never change their order
PRIOR = 1e-4  # a ridge on both numbers, for scores that separate the classes


class Platt(NamedTuple):
    """A calibration: log odds = slope · score + intercept, fitted to scores of held-out samples.

    Beyond ``low`` and ``high``, the range of those scores, log odds grow like a logarithm only. Of
    several classifiers, each number is a column with a row for each.
    """

    slope: Any
    intercept: Any
    low: Any
    high: Any

    def log_odds(self, scores: FloatArray) -> FloatArray:
        """Return calibrated scores, in the same order."""
        inside = np.clip(scores, self.low, self.high)
        beyond = self.slope * (scores - inside)
        beyond = np.sign(beyond) * np.log1p(np.abs(beyond))
        return np.asarray(self.slope * inside + self.intercept + beyond)

    def counted_from(self, centre: float) -> Platt:
        """Return the same calibration for scores that are shifted by ``centre``."""
        intercept = self.intercept - self.slope * centre
        return Platt(self.slope, intercept, self.low + centre, self.high + centre)

    def shrunk(self, slope: float, shift: float) -> Platt:
        """Return a calibration whose log odds are ``slope`` times these, and ``shift``."""
        return self._replace(slope=slope * self.slope, intercept=slope * self.intercept + shift)

    def of(self, row: int) -> Platt:
        """Return the calibration of one of several classifiers."""
        return Platt(*(float(column[row, 0]) for column in self))


AS_IS = Platt(1.0, 0.0, -np.inf, np.inf)


def losses_of(scores: FloatArray, y: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the logarithmic loss of each sample after calibration."""
    result: FloatArray = losses_of_each(scores[None], y, weight)[0]
    return result


def losses_of_each(scores: FloatArray, y: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the same for several classifiers at once: a row of scores, and of losses, for each."""
    fitted = platt_of_each(scores, y, weight)
    inside = fitted.log_odds(np.clip(scores, fitted.low, fitted.high))
    return np.asarray(np.logaddexp(0.0, -y * inside))


def platt(scores: FloatArray, y: FloatArray, weight: FloatArray) -> Platt:
    """Fit slope and intercept; the slope is positive."""
    return platt_of_each(scores[None], y, weight).of(0)


def platt_of_each(scores: FloatArray, y: FloatArray, weight: FloatArray) -> Platt:
    """Fit the calibrations of several classifiers at once, a row of scores for each."""
    low, high = ends(scores, y, weight)
    lower, upper = _middle(scores, weight, 0.5)
    middle, size = 0.5 * (lower + upper)[:, None], np.where(high > low, high - low, 1.0)
    x = (np.clip(scores, low, high) - middle) / size
    share = float(weight[y > 0.0].sum() / weight.sum())
    prior = 4.0 * share * (1.0 - share) * PRIOR  # less, where there is less to be lost
    a = b = np.zeros((len(scores), 1))  # log odds a x + b
    for _ in range(50):
        p = expit(-y * (a * x + b))  # of the wrong label
        pull, bend = weight * y * p, weight * p * (1.0 - p)
        to_a, to_b = _total(x * pull) - prior * a, _total(pull) - prior * b
        aa, ab, bb = _total(bend * x * x) + prior, _total(bend * x), _total(bend) + prior
        volume = aa * bb - ab * ab
        step_a, step_b = (bb * to_a - ab * to_b) / volume, (aa * to_b - ab * to_a) / volume
        longest = np.maximum(np.abs(step_a), np.abs(step_b))
        damped = np.minimum(1.0, 4.0 / np.maximum(longest, 1e-300))
        a, b = a + damped * step_a, b + damped * step_b
        if longest.max() < 1e-8:
            break
    a = np.maximum(a, FLATTEST_CALIBRATION)
    return Platt(a / size, b - a * middle / size, low, high)


def _total(each: FloatArray) -> FloatArray:
    return np.asarray(each.sum(axis=1, keepdims=True))


def ends(scores: FloatArray, y: FloatArray, weight: FloatArray) -> tuple[Any, Any]:
    """Return the least and the largest score that the middle of either class has.

    Of several classifiers, a row of scores each, both are columns.
    """
    keep = scores.ndim > 1
    sides = [_middle(scores[..., y == sign], weight[y == sign], OUTSIDE) for sign in (-1.0, 1.0)]
    low = np.minimum(sides[0][0], sides[1][0])
    high = np.maximum(sides[0][1], sides[1][1])
    return (low[:, None], high[:, None]) if keep else (float(low), float(high))


def _middle(values: FloatArray, weight: FloatArray, level: float) -> tuple[Any, Any]:
    """Return the values of each row with about this share of the weight below, and above."""
    order = np.argsort(values, axis=-1)
    values, share = np.take_along_axis(values, order, axis=-1), weight[order]
    total, below = share.sum(axis=-1, keepdims=True), np.cumsum(share, axis=-1) - 0.5 * share
    last = values.shape[-1] - 1
    low = np.minimum((below < level * total).sum(axis=-1), last)
    high = np.minimum((total - below < level * total).sum(axis=-1), last)
    at = np.stack([low, last - high], axis=-1)
    result = np.take_along_axis(values, at, axis=-1)
    return result[..., 0], result[..., 1]


def quantile(values: FloatArray, weight: FloatArray, level: float) -> Any:
    """Return the value with about this share of the weight below; of several rows, one for each."""
    return _middle(values, weight, level)[0]
