"""The ridge with the least test error: scanned by decades, then enclosed by slopes in log λ.

Ridges are in units of a natural one, 2 min(π, 1 − π) E‖a‖²: the mean slope of the rarer class
relative to the size of a feature. Where a class is rare, every ridge above some value gives the
constant answer, with an error of min(π, 1 − π) and a slope of zero: a search that follows slopes
ends there. So decades are scanned first, including all those below a constant answer. Next to a
problem that is solved, slopes are followed by Newton steps with the neighbour's second derivative,
unless they lead to a constant answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from ...theory.saddle.problem import OrderParameters

RIDGE_RANGE = (1e-6, 1e5)  # of ridges, in natural units
FIRST_RIDGE = 0.1  # where a scan begins
DECADE = float(np.log(10.0))
WIDE_STRIDE = 1.5 * DECADE  # of a scan where a neighbour gives the constant answer
HIGHER_ERROR = 1.02  # times the least error: a scan ends after two ridges above that
STRIDE = float(np.log(4.0))  # between ridges, where slopes are followed
MOST_EVALUATIONS = 16  # where slopes are followed, or between two ridges
ERROR_TOL = 2e-3  # relative
LARGE_RIDGE = 30.0  # beyond it the error hardly changes
GAIN_TOL = 3e-4  # of the error, relative: where a Newton step promises less, a search ends
STEEP_SLOPE = 0.03  # in log λ, relative; larger ones do not end it, whatever a neighbour's bend is
FLAT_SLOPE = 5e-3  # smaller slopes end a search where no bend is known
LOG_RIDGE_TOL = 0.05
AUC_WEIGHT = 1e-3  # of 1 − AUC in the criterion: the error decides unless it ties
CONSTANT_SHARE = 0.99  # of the constant answer's error: a readout above it counts as constant


class TunedReadout(NamedTuple):
    """A readout's test error, its slopes in log λ and log α1, and its order parameters.

    The slope in log α1 leaves out that more data improve the bias. ``shift`` is added to the bias
    after training, where the balance of classes changes.
    """

    error: float
    ridge: float
    in_ridge: float = 0.0
    in_data: float = 0.0
    shift: float = 0.0
    warm: OrderParameters | None = None
    prior: float = 0.5  # the error of the constant answer
    misranked: float = 0.0  # 1 − AUC, where the error is about that of the constant answer
    bend: float = np.nan  # second derivative of the error in log λ, relative to it, where known

    @property
    def constant(self) -> bool:
        """Whether the readout is hardly better than the constant answer."""
        return self.error > CONSTANT_SHARE * self.prior

    @property
    def criterion(self) -> float:
        """What the search minimises: the error, and 1 − AUC where errors tie."""
        return self.error + AUC_WEIGHT * self.prior * self.misranked


WORST = TunedReadout(1.0, np.nan)
Evaluate: TypeAlias = "Callable[[float, TunedReadout | None], TunedReadout]"
Ends: TypeAlias = "tuple[float, float]"


def best(evaluate: Evaluate, unit: float, near: TunedReadout | None = None) -> TunedReadout:
    """Return the readout with the least criterion over ridges.

    ``evaluate`` takes log λ and a neighbour to start from, or None; ``unit`` is the natural ridge,
    and ``near`` the best readout of a problem nearby.

    Examples
    --------
    An error with its minimum at λ = 0.01, and a constant answer above λ = 0.03:

    >>> def evaluate(x, near):
    ...     off = x - np.log(0.01)
    ...     if off > 1.0:
    ...         return TunedReadout(0.1, float(np.exp(x)), prior=0.1)
    ...     return TunedReadout(0.05 + 0.01 * off**2, float(np.exp(x)), 0.02 * off, prior=0.1)
    >>> round(best(evaluate, 5.0).ridge, 3)
    0.01
    """
    ends = float(np.log(unit * RIDGE_RANGE[0])), float(np.log(unit * RIDGE_RANGE[1]))
    if near is None or not np.isfinite(near.ridge):
        return _scan(evaluate, float(np.log(FIRST_RIDGE * unit)), None, ends, DECADE)
    start = float(np.clip(np.log(near.ridge), *ends))
    if near.constant:
        return _scan(evaluate, start, near, ends, WIDE_STRIDE)
    if near.ridge <= LARGE_RIDGE * unit:
        result = _follow_slope(evaluate, start, near, ends)
        if not result.constant:
            return result
    return _scan(evaluate, float(np.log(FIRST_RIDGE * unit)), near, ends, DECADE)


def _scan(
    evaluate: Evaluate, start: float, near: TunedReadout | None, ends: Ends, stride: float
) -> TunedReadout:
    """Evaluate ridges below and above, a stride apart, then between those around the least."""
    evaluated = [evaluate(start, near)]
    for direction, end in zip((-1.0, 1.0), ends, strict=True):
        at, last, higher = start, evaluated[0], 0
        while higher < 2 and at != end:
            at = min(at + stride, end) if direction > 0.0 else max(at - stride, end)
            last = evaluate(at, last if last.warm is not None else None)
            if not np.isfinite(last.ridge):
                break
            evaluated.append(last)
            least = min(evaluated, key=lambda item: item.criterion)
            higher = higher + 1 if last.error > HIGHER_ERROR * least.error else 0
            if direction > 0.0 and abs(last.in_ridge) < ERROR_TOL * last.error:
                break  # the constant answer, or scores so small that only their signs count
    evaluated = sorted(
        (item for item in evaluated if np.isfinite(item.ridge)), key=lambda item: item.ridge
    )
    if not evaluated:
        return WORST
    k = min(range(len(evaluated)), key=lambda k: evaluated[k].criterion)
    low = k if evaluated[k].in_ridge < 0.0 else k - 1
    if not 0 <= low < len(evaluated) - 1:
        return evaluated[k]
    return _interpolate(evaluate, evaluated[low], evaluated[low + 1], evaluated[k])


def _follow_slope(evaluate: Evaluate, start: float, near: TunedReadout, ends: Ends) -> TunedReadout:
    """Follow the slope from a neighbour's ridge until the least error is enclosed, or is near."""
    here = evaluate(start, near)
    if not np.isfinite(here.ridge) or here.constant or here.warm is None:
        return WORST._replace(prior=here.prior)
    here = here._replace(bend=near.bend)
    least = here
    for _ in range(MOST_EVALUATIONS):
        if _is_least(here):
            return min(least, here, key=lambda item: item.error)
        direction = -1.0 if here.in_ridge > 0.0 else 1.0
        at = float(np.clip(np.log(here.ridge) + direction * _stride(here), *ends))
        there = evaluate(at, here)
        if not np.isfinite(there.ridge) or there.warm is None:
            return least
        there = there._replace(bend=_bend(here, there))
        least = min(least, there, key=lambda item: item.error)
        if there.constant or (there.in_ridge * direction > 0.0 and not _is_least(there)):
            low, high = (here, there) if direction > 0.0 else (there, here)
            return _interpolate(evaluate, low, high, least)
        if abs(there.in_ridge) * STRIDE < 0.1 * ERROR_TOL * there.error or at in ends:
            return least
        here = there
    return least


def _is_least(here: TunedReadout) -> bool:
    """Whether the slope is so small that a step along it gains hardly anything."""
    if here.error == 0.0:
        return True
    slope = abs(here.in_ridge) / here.error
    if not here.bend > 0.0:
        return slope < FLAT_SLOPE
    return slope < STEEP_SLOPE and 0.5 * slope**2 < GAIN_TOL * here.bend


def _stride(here: TunedReadout) -> float:
    """Return the length of a Newton step in log λ; where the bend is not known, a long one."""
    if not here.bend > 0.0:
        return STRIDE
    return min(abs(here.in_ridge) / (here.error * here.bend), STRIDE)


def _bend(here: TunedReadout, there: TunedReadout) -> float:
    """Return the second derivative between two ridges, relative to the error; or the known one."""
    apart = float(np.log(there.ridge / here.ridge))
    if abs(apart) < LOG_RIDGE_TOL or min(here.error, there.error) == 0.0:
        return here.bend
    bend = (there.in_ridge - here.in_ridge) / (apart * min(here.error, there.error))
    return bend if bend > 0.0 else np.nan


def _interpolate(
    evaluate: Evaluate, low: TunedReadout, high: TunedReadout, least: TunedReadout
) -> TunedReadout:
    """Interpolate between a ridge where the error falls and a larger one where it rises.

    Where the larger one gives the constant answer, there is no slope to interpolate.
    """
    for _ in range(MOST_EVALUATIONS):
        x, z = np.log(low.ridge), np.log(high.ridge)
        if not high.constant:
            least = least._replace(bend=_bend(low, high))
        rises, bend = high.in_ridge > 0.0 or high.constant, high.in_ridge - low.in_ridge
        if not (low.in_ridge < 0.0 and rises) or z - x < LOG_RIDGE_TOL:
            break
        if bend * (z - x) < ERROR_TOL * least.error:
            break
        share = 0.5 if high.constant else low.in_ridge / (low.in_ridge - high.in_ridge)
        mid = evaluate(float(x + np.clip(share, 0.1, 0.9) * (z - x)), low)
        if not np.isfinite(mid.ridge):
            break
        least = min(least, mid, key=lambda item: item.error)
        if abs(mid.in_ridge) * (z - x) < ERROR_TOL * mid.error and not mid.constant:
            break
        low, high = (mid, high) if mid.in_ridge < 0.0 else (low, mid)
    return least
