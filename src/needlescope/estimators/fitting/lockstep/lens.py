"""What a training sees of instances that are kept in another view: an affine map, undone exactly.

Folds scale instances by their own training bags. If a block holds x, a fold that sees (x − c) S
asks for directions S v instead of v, and takes c and S into account in what it is told: one block
serves all folds, and none knows more than it would by itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....arrays import FloatArray
from ...bags.scaling import Scaling
from ..settings import KINDS


class Lens(NamedTuple):
    """Instances x of a block are seen as (x − centre) · scale."""

    centre: FloatArray
    scale: FloatArray  # a number for each feature, or a matrix

    @classmethod
    def between(cls, kept: Scaling, seen: Scaling) -> Lens:
        """Return the lens through which what is kept in one scaling is seen in another.

        ``kept`` has a number for each feature.
        """
        scale = seen.scale.T / kept.scale
        return cls((seen.centre - kept.centre) * kept.scale, scale.T)

    def _through(self, rows: FloatArray) -> FloatArray:
        return rows @ self.scale if self.scale.ndim == 2 else rows * self.scale

    def show(self, rows: FloatArray) -> FloatArray:
        """Return kept instances, or means of them, as they are seen."""
        return self._through(rows - self.centre)

    def summaries(self, result: FloatArray) -> FloatArray:
        """Return mean, largest, least and deviation of what is seen, of those of what is kept.

        Only if the scale is a number for each feature: these are above 0.
        """
        *places, spread = np.split(result, KINDS, axis=1)
        return np.hstack([*(self.show(place) for place in places), spread * self.scale])

    def ask(self, vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return directions in which to project what is kept, and what to add to projections."""
        result = vectors @ self.scale.T if self.scale.ndim == 2 else vectors * self.scale
        return result, -(result @ self.centre)

    def told(self, sums: FloatArray, totals: FloatArray) -> FloatArray:
        """Return sums of instances as they are seen, of those kept and of their coefficients."""
        return self._through(sums - totals[:, None] * self.centre)

    def square(self, matrix: FloatArray) -> FloatArray:
        """Return covariances of what is seen, of those of what is kept."""
        if self.scale.ndim == 2:
            return np.asarray(self.scale.T @ matrix @ self.scale)
        return np.asarray(matrix * self.scale[:, None] * self.scale)
