"""An affine map of instances: how one fold sees a table that all folds share.

Folds scale instances by their own training bags. If the shared table holds x, a fold that sees
(x − c) S projects it on the directions S v instead of v, and corrects sums of instances for c and
S. One table serves all folds, and the result is that of a table of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ..bags.scaling import Scaling
from .bag_statistics import N_STATISTICS


class AffineMap(NamedTuple):
    """The map x ↦ (x − centre) · scale."""

    centre: FloatArray
    scale: FloatArray  # a number for each feature, or a matrix

    @classmethod
    def between(cls, table: Scaling, view: Scaling) -> AffineMap:
        """Return the map from instances in one scaling to the same instances in another.

        ``table`` has a number for each feature.
        """
        scale = view.scale.T / table.scale
        return cls((view.centre - table.centre) * table.scale, scale.T)

    def _scaled(self, rows: FloatArray) -> FloatArray:
        return rows @ self.scale if self.scale.ndim == 2 else rows * self.scale

    def apply(self, rows: FloatArray) -> FloatArray:
        """Return mapped instances, or means of them."""
        return self._scaled(rows - self.centre)

    def summaries(self, result: FloatArray) -> FloatArray:
        """Return mean, maximum, minimum and deviation of mapped instances, from those before.

        Only if the scale is a number for each feature: these are above 0.
        """
        *places, spread = np.split(result, N_STATISTICS, axis=1)
        return np.hstack([*(self.apply(place) for place in places), spread * self.scale])

    def directions(self, vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the directions on which to project x, and the offsets of the projections."""
        result = vectors @ self.scale.T if self.scale.ndim == 2 else vectors * self.scale
        return result, -(result @ self.centre)

    def sums(self, sums: FloatArray, totals: FloatArray) -> FloatArray:
        """Return weighted sums of mapped instances, from those of x and the sums of weights."""
        return self._scaled(sums - totals[:, None] * self.centre)

    def covariance(self, matrix: FloatArray) -> FloatArray:
        """Return the covariance of mapped instances, from that of x."""
        if self.scale.ndim == 2:
            return np.asarray(self.scale.T @ matrix @ self.scale)
        return np.asarray(matrix * self.scale[:, None] * self.scale)
