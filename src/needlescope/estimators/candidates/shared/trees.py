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
from ...engine.computation import Scored
from ...engine.fold_data import FoldData
from .candidate import Candidate
from .search_space import SearchSpace
from .trained import TrainedCandidate


@dataclass(frozen=True)
class Trees(TrainedCandidate):
    """Summaries with trees."""

    @classmethod
    def offered(cls, space: SearchSpace) -> Iterator[Candidate]:
        """Offer trees where summaries are offered; they take their time."""
        if space.offers_summaries and not (space.quick and space.any_pooling):
            yield cls()

    @staticmethod
    @abstractmethod
    def grow(table: FloatArray, y: FloatArray, weight: FloatArray, random: Any) -> Any:
        """Return a model of summaries, of the bags of a weight above 0."""

    def width(self, d: int) -> int:
        """Return the number of summaries."""
        return N_STATISTICS * super().width(d)

    def train(self, fold: FoldData, loss: Loss, random: np.random.RandomState) -> Scored:
        """Grow the trees."""
        table = fold.summaries
        model = self.grow(table, fold.y, fold.weight, random)
        return Scored(model, model.scores_of(table))


def single(table: Any) -> Any:
    """Return a table in single precision, as trees have it; what is beyond is moved to its ends.

    Examples
    --------
    >>> bool(np.isfinite(single(np.array([1e45, -1e45]))).all())
    True
    """
    largest = np.finfo(np.float32).max
    return np.clip(table, -largest, largest).astype(np.float32)


def path_changes(tree: Any, values: FloatArray, width: int) -> csr_array:
    """Return by how much each node's value differs from that of the one before: node × summary.

    Of a bag on its way from the root to a leaf these add up to the leaf's value, less the root's.
    """
    inner = np.flatnonzero(tree.children_left >= 0)
    nodes = np.concatenate([tree.children_left[inner], tree.children_right[inner]])
    before = np.concatenate([inner, inner])
    change = values[nodes] - values[before]
    return csr_array((change, (nodes, tree.feature[before])), shape=(len(values), width))
