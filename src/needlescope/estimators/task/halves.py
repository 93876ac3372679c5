"""Estimates from random halves of the bags, compared with that from all bags.

Where the model holds, a half gives the same estimate with a larger error. Estimates from random
halves scatter around that from all bags as that does around the truth (the delete-half jackknife):
their root mean square distance is a standard error that includes a drift from halves to all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ..bags.bags import Bags
from ..bags.scaling import Scaling
from ..engine.folds import rarer, stratified
from . import signal
from .direction_fit import fit_direction, protocol, task_of, theta_error

HALVINGS = 3  # of the bags, at random
LEAST_IN_HALF = 5  # bags of each class
REPEATS = 2  # of the folds in a half
TOL = 1e-3  # of θ in a half, and its least standard error
OFF_DISTANCE = 1.5  # of θ, in standard errors of a half: about 0.7 is expected, as bags are shared


class Half(NamedTuple):
    """θ and R of half of the bags, the model's standard error of θ, and the signal's z-score."""

    theta: float
    theta_se: float
    R: float
    surprise: float


class Halves(NamedTuple):
    """Mean θ and R of halves, the deviation of θ, the share with a signal; NaN if unknown.

    Between halves R changes as θ to the power ``R_exponent``: a stronger signal in fewer instances
    may look the same. ``relative_distance`` is how far θ is from that of all bags in units of the
    model's standard error in a half, ``off`` whether that is more than chance, and ``one_sided``
    whether θ is larger in each half, or smaller in each. ``theta_rms`` and ``R_rms`` are root mean
    square distances.
    """

    theta: float = np.nan
    deviation: float = np.nan
    R: float = np.nan
    found: float = np.nan
    R_exponent: float = 0.0
    relative_distance: float = 0.0
    off: bool = False
    one_sided: bool = False
    theta_rms: float = 0.0
    R_rms: float = 0.0

    def in_units(self, unit: float) -> Halves:
        """Return the same with θ in another unit, of this size."""
        return self._replace(
            theta=unit * self.theta,
            deviation=unit * self.deviation,
            theta_rms=unit * self.theta_rms,
        )


def count(y: FloatArray) -> int:
    """Return how many halves of the bags are used; none where they would be too small."""
    return 2 * HALVINGS if rarer(y) >= 2 * LEAST_IN_HALF else 0


def fit_halves(
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
    projections = signal.project_bags(
        bags, scaling, y, random, lambda: None, repeats=REPEATS, splits=0
    )
    if not projections:  # instances differ only in the other half
        return Half(0.0, np.inf, 0.0, 0.0)
    fits = [fit_direction(bags, y, item) for item in projections]
    best = max(fits, key=lambda fit: fit.mixture.gain)
    by = protocol(bags, y, dimension, TOL)
    task, mixture = task_of(best, by)
    return Half(
        task.theta,
        theta_error(best, by, task, mixture),
        best.mixture.share * by.size,
        signal.surprise(bags, y, projections),
    )


def compare(each: list[Half], theta: float, R: float, sure: float) -> Halves:
    """Compare estimates from halves with that from all bags.

    Halves whose z-score is below ``sure`` say little about the strength of a signal: they count
    only if most are such.

    Examples
    --------
    >>> compare([Half(4.0, 0.4, 1.0, 9.0), Half(4.4, 0.4, 1.2, 9.0)], 2.4, 2.1, 4.0).off
    True
    >>> compare([Half(2.1, 0.4, 2.0, 9.0), Half(2.7, 0.4, 2.2, 9.0)], 2.4, 2.1, 4.0).off
    False
    """
    if not each:
        return Halves()
    with_signal = [item for item in each if item.surprise >= sure]
    table = np.array(with_signal if 2 * len(with_signal) >= len(each) else each)
    away, counts = table[:, 0] - theta, table[:, 2]
    relative_distance = _rms(away / np.maximum(table[:, 1], TOL))
    return Halves(
        theta=float(table[:, 0].mean()),
        deviation=float(table[:, 0].std(ddof=1)),
        R=float(counts.mean()),
        found=len(with_signal) / len(each),
        R_exponent=_R_exponent(table[:, 0], counts),
        relative_distance=relative_distance,
        off=relative_distance > OFF_DISTANCE,
        one_sided=bool((away > 0.0).all() or (away < 0.0).all()),
        theta_rms=_rms(away),
        R_rms=_rms(counts - R),
    )


def _R_exponent(theta: FloatArray, R: FloatArray) -> float:
    """Return the slope of log R in log θ, between −1 and 0."""
    here = (theta > 0.0) & (R > 0.0)
    x, z = np.log(theta[here]), np.log(R[here])
    x, z = x - x.mean(), z - z.mean()
    return float(np.clip(x @ z / max(float(x @ x), 1e-12), -1.0, 0.0))


def _rms(x: FloatArray) -> float:
    return float(np.sqrt((x**2).mean()))
