"""Sums over the instances of each bag, for many columns at once.

The columns of a block are rows of an array (columns, instances); a result is (columns, bags). What
`models.segments` does for one column, this does for all that are trained together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....arrays import FloatArray, IndexArray
from ....models.blocks import Block


class Runs(NamedTuple):
    """Bags of a block: where each begins, and how many instances it has."""

    starts: IndexArray
    lengths: IndexArray

    @classmethod
    def of(cls, block: Block) -> Runs:
        """Return the bags of a block."""
        if block.ragged is not None:
            return cls(block.ragged.starts[:-1], block.ragged.lengths)
        m, L = block.X.shape[:2]
        return cls(L * np.arange(m), np.full(m, L))

    def sum(self, values: FloatArray) -> FloatArray:
        """Add up the values of each bag's instances."""
        return np.add.reduceat(values, self.starts, axis=-1)

    def max(self, values: FloatArray) -> FloatArray:
        """Return the largest value of each bag."""
        return np.maximum.reduceat(values, self.starts, axis=-1)

    def mean(self, values: FloatArray) -> FloatArray:
        """Return the mean value of each bag's instances."""
        return np.asarray(self.sum(values) / self.lengths)

    def spread(self, values: FloatArray) -> FloatArray:
        """Give each instance the value of its bag."""
        return np.repeat(values, self.lengths, axis=-1)

    def softmax(self, logits: FloatArray) -> FloatArray:
        """Return exp(logits), normalised within each bag."""
        a = logits - self.spread(self.max(logits))
        np.exp(a, out=a)
        a *= self.spread(1.0 / self.sum(a))
        return a
