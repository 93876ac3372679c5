"""What classifiers of summaries by trees share: one configuration, grown once in every fold."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from ....arrays import FloatArray
from ....losses import Loss
from ...engine.bag_statistics import N_STATISTICS
from ...engine.computation import DirectFit, Fit, Scored
from ...engine.fold_data import FoldData
from .candidate import Candidate, Configuration
from .search_space import SearchSpace


@dataclass(frozen=True)
class Trees(Candidate):
    """Summaries with trees, which have neither a ridge nor a loss."""

    tuned = ()
    linear = False

    @classmethod
    def offered(cls, space: SearchSpace) -> Iterator[Candidate]:
        """Offer trees where summaries are offered; they take their time."""
        if space.offers_summaries and not (space.quick and space.any_pooling):
            yield cls()

    @staticmethod
    @abstractmethod
    def grow(table: FloatArray, y: FloatArray, weight: FloatArray, seed: int) -> Any:
        """Return a model of summaries, of the bags of a weight above 0."""

    def configurations(self, space: SearchSpace, unit: float) -> list[Configuration]:
        """There is one."""
        return [Configuration(self)]

    def width(self, d: int) -> int:
        """Return the number of summaries."""
        return N_STATISTICS * super().width(d)

    def fit(
        self, fold: FoldData, configurations: list[Configuration], loss: Loss, random: Any
    ) -> Fit:
        """Grow the trees, unless they were grown before."""
        seed = int(random.randint(2**31 - 1))

        def compute() -> list[Scored]:
            table = fold.summaries
            if self not in fold.cache:
                fold.cache[self] = self.grow(table, fold.y, fold.weight, seed)
            model = fold.cache[self]
            return [Scored(model, model.scores_of(table))]

        return DirectFit(compute)


def path_changes(tree: Any, values: FloatArray, width: int) -> csr_array:
    """Return by how much each node's value differs from that of the one before: node × summary.

    Of a bag on its way from the root to a leaf these add up to the leaf's value, less the root's.
    """
    inner = np.flatnonzero(tree.children_left >= 0)
    nodes = np.concatenate([tree.children_left[inner], tree.children_right[inner]])
    before = np.concatenate([inner, inner])
    change = values[nodes] - values[before]
    return csr_array((change, (nodes, tree.feature[before])), shape=(len(values), width))
