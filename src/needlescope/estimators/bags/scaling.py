"""Standardising and whitening of instances, fitted on the training part only.

An instance x becomes (x − μ) S. With the correlation matrix C of the features and their standard
deviations σ, S = diag(1/σ) ((1 − s) C + s I)^{−1/2}: at shrinkage s = 1 each feature is put to unit
variance, towards s = 0 their correlations are removed as well. The theory's noise is white.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, IndexArray
from .bags import CHUNK, Bags

MOST_WHITENED = 10_000  # features whose correlations are removed: a matrix of 800 MB
# Rounding steps that a feature must deviate by, not to be taken for constant.
CONSTANT_ROUNDING = 4.0


class Scaling(NamedTuple):
    """A centre and a map: one number for each feature, or a matrix."""

    centre: FloatArray
    scale: FloatArray

    def apply(self, rows: Any) -> Any:
        """Return scaled instances, in their own precision."""
        moved = rows - self.centre.astype(rows.dtype)
        scale = self.scale.astype(rows.dtype)
        return moved @ scale if scale.ndim == 2 else np.multiply(moved, scale, out=moved)


def no_scaling(d: int) -> Scaling:
    """Return the scaling that leaves instances as they are."""
    return Scaling(np.zeros(d), np.ones(d))


def fit_scaling(bags: Bags, used: IndexArray, weight: FloatArray, shrinkage: float) -> Scaling:
    """Fit a scaling to some of the bags in one pass; every bag counts by its weight.

    Features that never change, but for rounding, are centred and otherwise left alone.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> bags = Bags.from_array(rng.standard_normal((200, 5, 2)) * [1.0, 10.0] + 7.0)
    >>> found = fit_scaling(bags, np.arange(200), np.full(200, 1 / 200), shrinkage=1.0)
    >>> (1.0 / found.scale).round(0)
    array([ 1., 10.])
    """
    d, whiten = bags.d, shrinkage < 1.0
    if whiten and d > MOST_WHITENED:
        raise ValueError(
            f"shrinkage={shrinkage:g} removes the correlations of at most {MOST_WHITENED} "
            f"features, got {d}; pass shrinkage=1, or reduce them first, as with PCA"
        )
    total, first, second = 0.0, np.zeros(d), np.zeros((d, d) if whiten else d)
    shift: Any = None
    for members in chunks(bags, used):
        rows = bags.rows(members)
        if shift is None:  # near the mean, so that squares do not cancel
            shift = rows.mean(axis=0, dtype=float).astype(rows.dtype)
        share = weight[np.searchsorted(used, members)] / bags.lengths[members]
        share = np.repeat(share, bags.lengths[members])
        # Small differences and their squares are lost in sums of single precision.
        wide = (rows - shift).astype(float, copy=False)
        total += float(share.sum())
        first += share @ wide
        second += (wide * share[:, None]).T @ wide if whiten else share @ np.square(wide, out=wide)
    first /= total
    second = second / total - (np.outer(first, first) if whiten else first * first)
    variance = np.diag(second) if whiten else second
    rounding = CONSTANT_ROUNDING * float(np.finfo(bags.dtype).eps) * np.abs(shift)
    changes = variance > rounding**2
    deviation = np.sqrt(np.where(changes, variance, 1.0))
    centre = shift.astype(float) + first
    if not whiten:
        return Scaling(centre, 1.0 / deviation)
    correlation = (1.0 - shrinkage) * second / np.outer(deviation, deviation)
    correlation[~changes] = correlation[:, ~changes] = 0.0
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    root = (vectors / np.sqrt(np.maximum(values, 1e-10))) @ vectors.T
    return Scaling(centre, root / deviation[:, None])


def chunks(bags: Bags, used: IndexArray, size: int = CHUNK) -> list[IndexArray]:
    """Cut the bags ``used`` (in increasing order) into parts of about ``size`` numbers.

    Examples
    --------
    >>> [len(part) for part in chunks(Bags.from_array(np.zeros((5, 2, 3))), np.arange(5), 12)]
    [2, 2, 1]
    """
    numbers = np.cumsum(bags.lengths[used]) * bags.d
    part = np.maximum(numbers - 1, 0) // size
    return np.split(used, np.flatnonzero(np.diff(part)) + 1)
