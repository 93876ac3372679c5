"""Instances of extreme size that a fit refuses.

Standardising divides by standard deviations, which are roots of squares: features with a range
below ``LEAST_SPREAD`` would be taken for constant. `Bags` refuse what is too large for squares.
"""

from __future__ import annotations

import numpy as np

from ...arrays import IndexArray
from .bags import Bags
from .conversion.numeric import LARGEST_NUMBER
from .moments import chunks
from .scaling import Scaling

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
LEAST_SPREAD = {SINGLE: 1e-35, DOUBLE: 1e-150}  # a smaller spread is lost in squares
FARTHEST_INSTANCE = {SINGLE: 1e30, DOUBLE: 1e300}  # a larger scaled number overflows
LEAST_UNSCALED_SPREAD = 0.03  # below it a ridge of 0.01 or more leaves scores constant


def check_fit(bags: Bags, used: IndexArray, scaled: bool, chosen: bool) -> None:
    """Refuse to fit bags whose instances are too small, or without scaling too large.

    ``scaled`` says whether instances will be standardised, ``chosen`` whether the ridge is "auto",
    whose values suit instances of about unit size.
    """
    dtype, low, high = bags.dtype, np.full(bags.d, np.inf), np.full(bags.d, -np.inf)
    for members in chunks(bags, used):
        rows = bags.rows(members)
        low, high = np.minimum(low, rows.min(axis=0)), np.maximum(high, rows.max(axis=0))
    spread = high - low
    thin = np.flatnonzero((spread > 0.0) & (spread < LEAST_SPREAD[dtype]))
    if len(thin):
        name = f"x{thin[0]}" if bags.names is None else repr(bags.names[thin[0]])
        raise ValueError(
            f"feature {name} spreads over {spread[thin[0]]:.0e} only, less than "
            f"{LEAST_SPREAD[dtype]:.0e}, from where squares are lost; multiply it by a constant, "
            "or drop it"
        )
    if not scaled:
        size, largest = float(np.linalg.norm(spread)), float(max(high.max(), -low.min()))
        _check_unscaled(size, largest, np.sqrt(LARGEST_NUMBER[dtype]), chosen)


def _check_unscaled(size: float, largest: float, limit: float, chosen: bool) -> None:
    remedy = "bring them to about unit size, or pass shrinkage=1"
    if largest > limit:
        raise ValueError(
            f"shrinkage=None takes instances as they are, and theirs are of size {largest:.0e}, "
            f"more than {limit:.0e}; {remedy}"
        )
    if chosen and 0.0 < size < LEAST_UNSCALED_SPREAD:
        raise ValueError(
            f"shrinkage=None takes instances as they are, and theirs spread over {size:.0e} only, "
            f'too little for the ridges that ridge="auto" compares; {remedy}, or give a ridge'
        )


def check_range(bags: Bags, scaling: Scaling) -> None:
    """Refuse bags so far from the training bags that they overflow once scaled."""
    dtype = bags.dtype
    if (
        bags.d * LARGEST_NUMBER[dtype] * float(np.abs(scaling.scale).max())
        <= FARTHEST_INSTANCE[dtype]
    ):
        return  # no instance can be
    for members in chunks(bags, np.arange(len(bags))):
        with np.errstate(over="ignore", invalid="ignore"):
            far = np.abs(scaling.apply(bags.rows(members).astype(float))).max(axis=1)
        odd = np.flatnonzero(~(far <= FARTHEST_INSTANCE[dtype]))
        if len(odd):
            row = bags.starts[members[0]] + odd[0]
            bag = int(np.searchsorted(bags.starts, row, side="right")) - 1
            raise ValueError(
                f"bag {bag} is {far[odd[0]]:.0e} deviations of the bags of the fit away from them, "
                f"more than {dtype} holds; has it the same units?"
            )
