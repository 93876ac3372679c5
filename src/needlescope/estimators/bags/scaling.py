"""Standardising and whitening of instances, fitted to the training bags only.

An instance x becomes (x − μ) S. With the correlation matrix C of the features and their standard
deviations σ, S = diag(1/σ) ((1 − s) C + s I)^{−1/2}: at shrinkage s = 1 each feature has unit
variance, towards s = 0 their correlations are removed as well. The theory's noise is white.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, IndexArray
from .bags import Bags
from .moments import Moments, moments

MOST_WHITENED = 10_000  # features whose correlations are removed: a matrix of 800 MB
# Rounding steps that a feature must deviate by, not to be taken for constant.
CONSTANT_ROUNDING = 4.0


class Scaling(NamedTuple):
    """The centre μ and the scale S: a number for each feature, or a matrix."""

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
    """Fit a scaling to weighted bags in one pass; constant features are centred only."""
    check_whitened(bags.d, shrinkage)
    result = moments(bags, used, weight, np.zeros(len(used), int), deep=shrinkage < 1.0)
    return scaling_of(result, [0], shrinkage)


def scaling_of(result: Moments, groups: Any, shrinkage: float) -> Scaling:
    """Return the scaling of some groups of bags from their moments."""
    shift, (first, second) = result.shift, result.of(groups)
    deep, whiten = second.ndim == 2, shrinkage < 1.0
    variance = (np.diag(second) if deep else second) - first * first
    rounding = CONSTANT_ROUNDING * float(np.finfo(shift.dtype).eps) * np.abs(shift)
    changes = variance > rounding**2
    deviation = np.sqrt(np.where(changes, variance, 1.0))
    centre = shift.astype(float) + first
    if not whiten:
        return Scaling(centre, 1.0 / deviation)
    second = second - np.outer(first, first)
    correlation = (1.0 - shrinkage) * second / np.outer(deviation, deviation)
    correlation[~changes] = correlation[:, ~changes] = 0.0
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    root = (vectors / np.sqrt(np.maximum(values, 1e-10))) @ vectors.T
    return Scaling(centre, root / deviation[:, None])


def check_whitened(d: int, shrinkage: float) -> None:
    """Refuse to remove the correlations of too many features."""
    if shrinkage < 1.0 and d > MOST_WHITENED:
        raise ValueError(
            f"shrinkage={shrinkage:g} removes the correlations of at most {MOST_WHITENED} "
            f"features, got {d}; pass shrinkage=1, or reduce them first, as with PCA"
        )
