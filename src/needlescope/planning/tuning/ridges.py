"""The ridge with the least test error: scanned by decades, then enclosed by slopes in log λ.

Ridges count in units of a natural one, 2 min(π, 1 − π) E‖a‖²: so large is the mean slope of the
rarer class beside the size of a feature. Where a class is rare, every ridge above some value gives
the constant answer, with an error of min(π, 1 − π) and a slope of zero: a search that follows
slopes ends there. So the decades are scanned first, all those below a constant answer included;
from a neighbour on, slopes are followed, unless they lead to a constant answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from ...theory.saddle.problem import OrderParameters

RANGE = (1e-6, 1e5)  # of ridges, in natural units
START = 0.1  # where a scan begins
DECADE = float(np.log(10.0))
WIDE = 1.5 * DECADE  # where a neighbour gives the constant answer, and this one may, too
HIGHER = 1.02  # times the least error: a scan ends after two ridges above that
STRIDE = float(np.log(4.0))  # from one ridge to the next, from a neighbour on
LOOKS = 16  # at ridges, from a neighbour on or between two
FLAT = 2e-3  # of the error, that the ridge found may cost
LARGE = 30.0  # a ridge beyond which the error hardly changes
GENTLE = 5e-3  # of the error: a slope in log λ at which nothing more is to be had
CLOSE = 0.05  # in log λ: the error is flat there
TIE = 1e-3  # the share of 1 − AUC in the criterion: the error decides unless settings tie in it
SILENT = 0.99  # of the constant answer's error: a readout above it says nothing, or less


class Trained(NamedTuple):
    """A readout's test error, its slopes in log λ and log α1, and where it was found.

    The slope in log α1 leaves out that more data know the bias better, the other keeps it.
    ``shift`` is what the bias moves by after training, where the balance of classes changes.
    """

    error: float
    ridge: float
    in_ridge: float = 0.0
    in_data: float = 0.0
    shift: float = 0.0
    warm: OrderParameters | None = None
    prior: float = 0.5  # the error of the constant answer
    misranked: float = 0.0  # 1 − AUC, where the error is about that of the constant answer

    @property
    def silent(self) -> bool:
        """Whether the readout is hardly better than the constant answer."""
        return self.error > SILENT * self.prior

    @property
    def criterion(self) -> float:
        """What the search minimises: the error, and 1 − AUC where errors tie."""
        return self.error + TIE * self.prior * self.misranked


WORST = Trained(1.0, np.nan)
Look: TypeAlias = "Callable[[float, Trained | None], Trained]"
Ends: TypeAlias = "tuple[float, float]"


def best(look: Look, unit: float, near: Trained | None = None) -> Trained:
    """Return the readout with the least criterion over ridges.

    Parameters
    ----------
    look : (log λ, a neighbour to start from or None) → Trained
    unit : float
        The natural ridge.
    near : Trained, optional
        The best for a problem nearby.

    Examples
    --------
    An error with its minimum at λ = 0.01, and a constant answer above λ = 0.03:

    >>> def look(x, near):
    ...     off = x - np.log(0.01)
    ...     if off > 1.0:
    ...         return Trained(0.1, float(np.exp(x)), prior=0.1)
    ...     return Trained(0.05 + 0.01 * off**2, float(np.exp(x)), 0.02 * off, prior=0.1)
    >>> round(best(look, 5.0).ridge, 3)
    0.01
    """
    ends = float(np.log(unit * RANGE[0])), float(np.log(unit * RANGE[1]))
    if near is None or not np.isfinite(near.ridge):
        return _scanned(look, float(np.log(START * unit)), None, ends, DECADE)
    start = float(np.clip(np.log(near.ridge), *ends))
    if near.silent:
        return _scanned(look, start, near, ends, WIDE)
    if near.ridge <= LARGE * unit:
        result = _followed(look, start, near, ends)
        if not result.silent:
            return result
    return _scanned(look, float(np.log(START * unit)), near, ends, DECADE)


def _scanned(look: Look, start: float, near: Trained | None, ends: Ends, stride: float) -> Trained:
    """Look at ridges below and above, a stride apart, then between those about the least."""
    seen = [look(start, near)]
    for way, end in zip((-1.0, 1.0), ends, strict=True):
        at, last, higher = start, seen[0], 0
        while higher < 2 and at != end:
            at = min(at + stride, end) if way > 0.0 else max(at - stride, end)
            last = look(at, last if last.warm is not None else None)
            if not np.isfinite(last.ridge):
                break
            seen.append(last)
            least = min(seen, key=lambda item: item.criterion)
            higher = higher + 1 if last.error > HIGHER * least.error else 0
            if way > 0.0 and abs(last.in_ridge) < FLAT * last.error:
                break  # the constant answer, or scores so small that only their signs count
    seen = sorted((item for item in seen if np.isfinite(item.ridge)), key=lambda item: item.ridge)
    if not seen:
        return WORST
    k = min(range(len(seen)), key=lambda k: seen[k].criterion)
    low = k if seen[k].in_ridge < 0.0 else k - 1
    if not 0 <= low < len(seen) - 1:
        return seen[k]
    return _between(look, seen[low], seen[low + 1], seen[k])


def _followed(look: Look, start: float, near: Trained, ends: Ends) -> Trained:
    """Follow the slope from a neighbour's ridge on, until the least error is enclosed."""
    here = look(start, near)
    if not np.isfinite(here.ridge) or here.silent or here.warm is None:
        return WORST._replace(prior=here.prior)
    if abs(here.in_ridge) < GENTLE * here.error:
        return here
    way = -1.0 if here.in_ridge > 0.0 else 1.0
    least = here
    for _ in range(LOOKS):
        at = float(np.clip(np.log(here.ridge) + way * STRIDE, *ends))
        there = look(at, here)
        if not np.isfinite(there.ridge) or there.warm is None:
            return least
        least = min(least, there, key=lambda item: item.error)
        if there.in_ridge * way > 0.0 or there.silent:
            low, high = (here, there) if way > 0.0 else (there, here)
            return _between(look, low, high, least)
        if abs(there.in_ridge) * STRIDE < 0.1 * FLAT * there.error or at in ends:
            return least
        here = there
    return least


def _between(look: Look, low: Trained, high: Trained, least: Trained) -> Trained:
    """Interpolate between a ridge where the error falls and a larger one where it rises.

    Where the larger one gives the constant answer, there is no slope to interpolate.
    """
    for _ in range(LOOKS):
        x, z = np.log(low.ridge), np.log(high.ridge)
        rises, bend = high.in_ridge > 0.0 or high.silent, high.in_ridge - low.in_ridge
        if not (low.in_ridge < 0.0 and rises) or z - x < CLOSE:
            break
        if bend * (z - x) < FLAT * least.error:
            break
        share = 0.5 if high.silent else low.in_ridge / (low.in_ridge - high.in_ridge)
        mid = look(float(x + np.clip(share, 0.1, 0.9) * (z - x)), low)
        if not np.isfinite(mid.ridge):
            break
        least = min(least, mid, key=lambda item: item.error)
        if abs(mid.in_ridge) * (z - x) < FLAT * mid.error and not mid.silent:
            break
        low, high = (mid, high) if mid.in_ridge < 0.0 else (low, mid)
    return least
