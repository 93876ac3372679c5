"""The bias at which the slopes of a loss balance: their mean over all samples is zero.

The mean slope never falls with the bias, so its zero is a bracketed root. It may be a whole
interval, for losses that are straight somewhere; every sample's slope is then the same all over it,
and any of its points will do. Where a loss has a kink the mean may jump over zero: the root is at
the jump, on the side that is nearer to zero, and what is left is less than the slopes of the
samples that sit on the kink. Where the mean slope is of one sign everywhere, as with labels of one
kind, there is nothing to balance.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from ..arrays import FloatArray
from .base import Loss

FARTHEST_BALANCE = 1e12  # scores beyond this are no place to look for a bias
ROUNDING = 4.0 * np.finfo(float).eps  # relative: the finest that Brent's method allows


def balance(slope: Callable[[float], float], start: float) -> float | None:
    """Return a bias at which a mean slope that never falls is zero; None where it is nowhere.

    Examples
    --------
    >>> balance(lambda b: b - 3.0, 0.0)
    3.0
    >>> balance(lambda b: -1.0, 0.0) is None
    True
    """
    first = slope(start)
    if first == 0.0:
        return start
    away = -1.0 if first > 0.0 else 1.0
    near, reach = start, 1.0
    while away * slope(start + away * reach) < 0.0:
        near, reach = start + away * reach, 4.0 * reach
        if reach > FARTHEST_BALANCE:
            return None
    far = start + away * reach
    return float(brentq(slope, near, far, xtol=1e-300, rtol=ROUNDING, maxiter=1000))


def balancing_shift(
    scores: FloatArray, y: FloatArray, loss: Loss, weight: FloatArray | None = None
) -> float:
    """Return the constant that, added to all scores, balances the slopes of the loss.

    ``weight`` gives each sample its share in the mean. Where nothing balances it is zero.

    Examples
    --------
    >>> from needlescope.losses import LOGISTIC
    >>> round(balancing_shift(np.zeros(4), np.array([1, -1, -1, -1]), LOGISTIC), 4)  # log 1/3
    -1.0986
    """
    share = np.full(len(y), 1.0 / len(y)) if weight is None else weight
    if len(np.unique(y[share > 0.0])) < 2:
        return 0.0
    result = balance(lambda shift: float(share @ loss.derivative(scores + shift, y)), 0.0)
    return 0.0 if result is None else result
