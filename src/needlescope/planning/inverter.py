"""One inverter: from a function of one argument that falls or rises, where it meets a target.

The forward function is supplied, as in the power classes of statsmodels; whichever argument is
missing is found by Newton steps on the probit of the error against the log of the argument, where
learning curves are nearly straight, kept within what is known to lie on either side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.special import ndtri

STRIDE = np.log(6.0)  # the longest step in the log of the argument
CLOSE = 0.02  # of the error: near enough for a rough search
LOOKS = 14


class Found(Protocol):
    """What a forward function returns: settings with their error."""

    @property
    def error(self) -> float:
        """The error."""
        ...


class Met(NamedTuple):
    """Where a target is met, the settings there, and the slope of the error in the log of it."""

    at: float
    setting: Any
    slope: float
    enough: bool  # False if no argument within the limits meets the target


def probit(error: float) -> float:
    """Return Φ⁻¹ of an error that is not quite 0 or 1."""
    return float(ndtri(min(max(error, 1e-300), 1.0 - 1e-16)))


def meet(
    forward: Callable[[float, Any], Any],
    again: Callable[[float, Any], float],
    target: float,
    start: float,
    limits: tuple[float, float],
    rising: bool = False,
    grain: float = 0.0,
) -> Met:
    """Return the argument at which a tuned error meets a target, roughly.

    Parameters
    ----------
    forward : (argument, settings nearby or None) → settings with their error
    again : (argument, settings) → the error of the same settings
    target, start, limits
        The error to meet, where to begin, and the range of the argument.
    rising : bool
        Whether the error grows with the argument.
    grain : float
        Differences of the argument that do not matter.

    Examples
    --------
    An error of 1/x, whose settings are itself:

    >>> class One(NamedTuple):
    ...     error: float
    >>> met = meet(lambda x, near: One(1.0 / x), lambda x, one: 1.0 / x, 0.1, 2.0, (1.0, 100.0))
    >>> bool(9.7 < met.at < 10.3), met.enough
    (True, True)
    """
    level, x = probit(target), float(np.log(np.clip(start, *limits)))
    low, high = np.log(limits)
    way = 1.0 if rising else -1.0  # the sign of the slope
    setting = None
    for _ in range(LOOKS):
        setting = forward(float(np.exp(x)), setting)
        gap = probit(setting.error) - level
        slope = slope_at(again, x, setting, (low, high))
        if abs(setting.error - target) <= CLOSE * target:
            return Met(float(np.exp(x)), setting, slope, True)
        if gap * way > 0.0:
            high = min(high, x)
        else:
            low = max(low, x)
        ends = np.log(limits)
        if gap > 0.0 and x == (ends[0] if rising else ends[1]):
            return Met(float(np.exp(x)), setting, slope, False)
        if gap <= 0.0 and x == (ends[1] if rising else ends[0]):
            return Met(float(np.exp(x)), setting, slope, True)
        if high - low < 1e-4 or np.exp(high) - np.exp(low) < grain:
            return Met(float(np.exp(low if rising else high)), setting, slope, True)
        step = -gap / slope if slope * way > 1e-3 else -gap * way * STRIDE
        ahead = x + float(np.clip(step, -STRIDE, STRIDE))
        x = ahead if low < ahead < high else _between(low, high, ends, ahead)
    return Met(float(np.exp(x)), setting, slope, abs(gap) < 0.05)


def _between(low: float, high: float, ends: Any, ahead: float) -> float:
    """Return a point between what is known: the middle, or an end that was not looked at."""
    if ahead >= high and high == ends[1]:
        return float(high)
    if ahead <= low and low == ends[0]:
        return float(low)
    return float(0.5 * (low + high))


def slope_at(
    again: Callable[[float, Any], float], x: float, setting: Found, ends: tuple[float, float]
) -> float:
    """Return the slope of the error's probit in the log of the argument, settings kept."""
    by = 0.1 if x + 0.1 <= ends[1] or x - 0.1 < ends[0] else -0.1
    there = again(float(np.exp(x + by)), setting)
    here = again(float(np.exp(x)), setting)
    return (probit(there) - probit(here)) / by
