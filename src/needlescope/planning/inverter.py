"""One inverter: from a function of one argument that falls or rises, where it meets a target.

The forward function is supplied, as in the power classes of statsmodels; whichever argument is
missing is found by Newton steps on the probit of the error against the log of the argument, where
learning curves are nearly straight, kept within what is known to lie on either side. A whole
number has no tolerance: `largest` encloses the last one that meets the target.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.special import ndtri

LONGEST_STEP = np.log(6.0)  # the longest step in the log of the argument
SHORTEST_SECANT, LONGEST_SECANT = 0.05, 1.2  # in that log: between, a secant is the slope
ROUGH_TOL = 0.02  # of the error, relative, in a rough search
MOST_EVALUATIONS = 14
MOST_INTEGER_EVALUATIONS = 60  # at whole numbers: bisection alone needs 17 of them up to 100,000
LEAST_SHARE = 0.1  # of a bracket, in the log, that the next point keeps from its ends


class HasError(Protocol):
    """What a forward function returns: settings with their error."""

    @property
    def error(self) -> float:
        """The error."""
        ...


class Root(NamedTuple):
    """Where a target is met, the settings there, and the slope of the error in the log of it."""

    at: float
    setting: Any
    slope: float
    reached: bool  # False if no argument within the limits meets the target


def probit(error: float) -> float:
    """Return Φ⁻¹ of an error that is not quite 0 or 1."""
    return float(ndtri(min(max(error, 1e-300), 1.0 - 1e-16)))


def find_root(
    forward: Callable[[float, Any], Any],
    error_with: Callable[[float, Any], float],
    target: float,
    start: float,
    limits: tuple[float, float],
) -> Root:
    """Return the argument at which a tuned error that falls meets a target, roughly.

    ``forward`` takes an argument and settings nearby, or None, and returns settings with their
    error; ``error_with`` returns the error of the same settings at another argument.

    Examples
    --------
    >>> class Setting(NamedTuple):
    ...     error: float
    >>> forward, error_with = lambda x, near: Setting(1.0 / x), lambda x, setting: 1.0 / x
    >>> root = find_root(forward, error_with, 0.1, 2.0, (1.0, 100.0))
    >>> bool(9.7 < root.at < 10.3), root.reached
    (True, True)
    """
    level, x = probit(target), float(np.log(np.clip(start, *limits)))
    low, high = np.log(limits)
    ends = float(low), float(high)
    setting, root, last = None, None, None
    for _ in range(MOST_EVALUATIONS):
        setting = forward(float(np.exp(x)), setting)
        gap = probit(setting.error) - level
        slope = _secant(last, (x, gap)) or slope_at(error_with, x, setting, ends)
        last = x, gap
        if abs(setting.error - target) <= ROUGH_TOL * target:
            return Root(float(np.exp(x)), setting, slope, True)
        if gap > 0.0:
            low = max(low, x)
        else:
            high, root = min(high, x), Root(float(np.exp(x)), setting, slope, True)
        if gap > 0.0 and x == ends[1]:
            return Root(float(np.exp(x)), setting, slope, False)
        if gap <= 0.0 and x == ends[0]:
            return Root(float(np.exp(x)), setting, slope, True)
        if high - low < 1e-4 and root is not None:
            return root  # the error jumps there
        step = -gap / slope if slope < -1e-3 else gap * LONGEST_STEP
        ahead = x + float(np.clip(step, -LONGEST_STEP, LONGEST_STEP))
        x = ahead if low < ahead < high else _bisect(low, high, ends, ahead)
    return Root(float(np.exp(x)), setting, slope, abs(gap) < 0.05) if root is None else root


def _secant(last: tuple[float, float] | None, here: tuple[float, float]) -> float | None:
    """Return the slope between two points that are near each other, if it falls; else None.

    Examples
    --------
    >>> _secant((0.0, 0.5), (1.0, 0.25)), _secant((0.0, 0.5), (1.0, 0.6)), _secant(None, (1.0, 0.6))
    (-0.25, None, None)
    """
    if last is None or not SHORTEST_SECANT <= abs(here[0] - last[0]) <= LONGEST_SECANT:
        return None
    slope = (here[1] - last[1]) / (here[0] - last[0])
    return slope if slope < 0.0 else None


def largest(
    gap: Callable[[int], float], start: int, limits: tuple[int, int], ratio: float = 1.0
) -> int | None:
    """Return the largest whole number at which a gap that grows is at most zero, or None.

    The result may be too small by the factor ``ratio``.

    Examples
    --------
    >>> largest(lambda x: x / 37.5 - 1.0, 4, (1, 1000))
    37
    >>> largest(lambda x: x / 0.5 - 1.0, 4, (1, 1000)) is None
    True
    """
    x, stride = min(max(start, limits[0]), limits[1]), 0.1
    low: tuple[int, float] | None = None
    high: tuple[int, float] | None = None
    for _ in range(MOST_INTEGER_EVALUATIONS):
        here = gap(x)
        if here <= 0.0:
            low = x, here
        else:
            high = x, here
        if low is not None and low[0] == limits[1]:
            return low[0]
        if high is not None and high[0] == limits[0]:
            return None
        if low is not None and high is not None:
            if high[0] - low[0] == 1 or high[0] <= ratio * low[0]:
                return low[0]
            x = _interpolate_integer(low, high)
            continue
        stride = float(np.clip(max(2.0 * stride, abs(here)), 0.0, LONGEST_STEP))
        ahead = max(x + 1, round(x * np.exp(stride))) if high is None else min(
            x - 1, round(x * np.exp(-stride))
        )  # fmt: skip
        x = min(max(ahead, limits[0]), limits[1])
    raise AssertionError("a bracket of whole numbers did not close")  # pragma: no cover


def _interpolate_integer(low: tuple[int, float], high: tuple[int, float]) -> int:
    """Return a whole number between two, where a straight line in the log has no gap."""
    share = low[1] / (low[1] - high[1]) if np.isfinite(high[1]) else 0.5
    share = float(np.clip(share, LEAST_SHARE, 1.0 - LEAST_SHARE))
    there: int = round(low[0] * (high[0] / low[0]) ** share)
    return min(max(there, low[0] + 1), high[0] - 1)


def _bisect(low: float, high: float, ends: tuple[float, float], ahead: float) -> float:
    """Return the middle of the bracket, or an end that was not evaluated yet."""
    if ahead >= high and high == ends[1]:
        return float(high)
    if ahead <= low and low == ends[0]:
        return float(low)
    return float(0.5 * (low + high))


def slope_at(
    error_with: Callable[[float, Any], float],
    x: float,
    setting: HasError,
    ends: tuple[float, float],
) -> float:
    """Return the slope of the error's probit in the log of the argument, settings kept."""
    by = 0.1 if x + 0.1 <= ends[1] or x - 0.1 < ends[0] else -0.1
    there = error_with(float(np.exp(x + by)), setting)
    return (probit(there) - probit(setting.error)) / by
