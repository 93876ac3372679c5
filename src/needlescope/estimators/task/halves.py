"""What random halves of the bags show of a signal, beside all of them.

Where the model holds, a half says the same with a larger error. Estimates from random halves lie
about that from all as far as that from all lies about the truth (the jackknife that leaves out
half): their root mean square distance is a standard error, with a drift from halves to all in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ..bags.bags import Bags
from ..bags.scaling import Scaling
from ..fitting.folds import rarer, stratified
from . import signal
from .view import doubt, protocol, task_of, view_of

HALVINGS = 3  # of the bags, at random
LEAST_IN_HALF = 5  # bags of each class
REPEATS = 2  # of the folds in a half
TOL = 1e-3  # of θ in a half
OFF = 1.5  # of the model's error in a half: about 0.7 is expected, as halves share bags with all


class Half(NamedTuple):
    """θ and R of half of the bags, the model's error of θ, and by what the signal is seen."""

    theta: float
    theta_se: float
    R: float
    surprise: float


class Halves(NamedTuple):
    """Mean θ and R of halves, the deviation of θ, in how many a signal is found; NaN if unknown.

    ``trade`` is by which power of θ R changes between halves: a signal that is stronger, in fewer
    instances, may look the same. ``stretch`` is how far θ is from that of all in units of the
    model's error in a half, ``off`` whether that is more than chance, and ``one_sided`` whether θ
    is larger in each half, or smaller in each. How far halves are away, root mean square, is an
    error of θ and of R where they are off.
    """

    theta: float = np.nan
    deviation: float = np.nan
    R: float = np.nan
    found: float = np.nan
    trade: float = 0.0
    stretch: float = 0.0
    off: bool = False
    one_sided: bool = False
    theta_away: float = 0.0
    R_away: float = 0.0


def count(y: FloatArray) -> int:
    """Return how many halves of the bags are looked at; none where they would be too small."""
    return 2 * HALVINGS if rarer(y) >= 2 * LEAST_IN_HALF else 0


def look_at_halves(
    bags: Bags,
    y: FloatArray,
    scaling: Scaling,
    dimension: float,
    random: Any,
    done: Callable[[], None],
) -> list[Half]:
    """Estimate θ and R from random halves of the bags."""
    result = []
    for _ in range(count(y) // 2):
        for part, _ in stratified(y, 2, random):
            result.append(_half(bags[part], y[part], scaling, dimension, random))
            done()
    return result


def _half(bags: Bags, y: FloatArray, scaling: Scaling, dimension: float, random: Any) -> Half:
    looked = signal.look(bags, scaling, y, random, lambda: None, repeats=REPEATS, splits=0)
    if not looked:  # what differs between instances is in the other half
        return Half(0.0, np.inf, 0.0, 0.0)
    view = max((view_of(bags, y, seen) for seen in looked), key=lambda item: item.mixture.gain)
    by = protocol(bags, y, dimension, TOL)
    task, mixture = task_of(view, by)
    return Half(
        task.theta,
        doubt(view, by, task, mixture),
        view.mixture.share * by.size,
        signal.surprise(bags, y, looked),
    )


def compare(each: list[Half], theta: float, R: float, sure: float) -> Halves:
    """Lay what halves show beside what all show.

    Halves that see a signal by less than ``sure`` say little of its strength: they count only if
    most are such. Where the model holds, few halves know less of its error than it does itself:
    ``off`` wants more than chance.

    Examples
    --------
    >>> compare([Half(4.0, 0.4, 1.0, 9.0), Half(4.4, 0.4, 1.2, 9.0)], 2.4, 2.1, 4.0).off
    True
    >>> compare([Half(2.1, 0.4, 2.0, 9.0), Half(2.7, 0.4, 2.2, 9.0)], 2.4, 2.1, 4.0).off
    False
    """
    if not each:
        return Halves()
    seen = [item for item in each if item.surprise >= sure]
    shown = np.array(seen if 2 * len(seen) >= len(each) else each)
    away, counts = shown[:, 0] - theta, shown[:, 2]
    stretch = _size(away / np.maximum(shown[:, 1], TOL))  # θ is known to so much at best
    return Halves(
        theta=float(shown[:, 0].mean()),
        deviation=float(shown[:, 0].std(ddof=1)),
        R=float(counts.mean()),
        found=len(seen) / len(each),
        trade=_trade(shown[:, 0], counts),
        stretch=stretch,
        off=stretch > OFF,
        one_sided=bool((away > 0.0).all() or (away < 0.0).all()),
        theta_away=_size(away),
        R_away=_size(counts - R),
    )


def _trade(theta: FloatArray, R: FloatArray) -> float:
    """Return the slope of log R in log θ, between −1 and 0."""
    here = (theta > 0.0) & (R > 0.0)
    x, z = np.log(theta[here]), np.log(R[here])
    x, z = x - x.mean(), z - z.mean()
    return float(np.clip(x @ z / max(float(x @ x), 1e-12), -1.0, 0.0))


def _size(x: FloatArray) -> float:
    return float(np.sqrt((x**2).mean()))
