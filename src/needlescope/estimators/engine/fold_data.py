"""Bags as one fold sees them: the weight of each, and how instances are mapped."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...models.blocks import Block, Data
from ...running.progress import Progress
from .affine import AffineMap
from .bag_statistics import covariances, mean_instances, summaries
from .shared_table import FoldStatistics
from .threads import ONE_THREAD


class FoldData:
    """The bags of one fold, training bags and held-out ones.

    ``data`` has all bags; the ``weight`` of held-out bags is zero. ``view`` maps instances to what
    the fold sees. Means of the bags, and other ``statistics``, may be known without a pass.
    ``fold_id`` is given where passes leave out held-out bags, which are scored at the end: requests
    with the same id are for the same bags. ``streamed`` says that bags are read again in each pass.
    """

    def __init__(
        self,
        data: Data,
        weight: FloatArray,
        view: AffineMap | None = None,
        means: FloatArray | None = None,
        statistics: FoldStatistics | None = None,
        fold_id: Any = None,
        streamed: bool = False,
        progress: Progress = False,
    ) -> None:
        self.data, self.y, self.weight, self.view = data, data.y, weight, view
        self.fold_id, self.in_training, self.streamed = fold_id, weight > 0.0, streamed
        self.order: IndexArray | None = None  # of the bags, if it is another than theirs
        self.groups: IndexArray | None = None  # of the bags, if some belong together
        self.threads, self.progress = ONE_THREAD, progress  # for fits that take no passes
        self.cache: dict[Any, Any] = {}  # initial queries, and fits that can be continued
        self._means, self._statistics = means, statistics

    @property
    def d(self) -> int:
        """The number of features."""
        return self.data.tokens[1]

    @property
    def single(self) -> bool:
        """Whether instances, and products with them, are in single precision."""
        return getattr(self.data, "dtype", None) == np.float32

    def blocks(self) -> Iterator[Block]:
        """Yield all bags in order, their instances as the fold sees them."""
        for block in self.data.blocks():
            if self.view is None:
                yield block
            else:
                bags = block.segments.ragged(len(block.table))
                yield Block(self.view.apply(block.table), block.y, block.rows, bags)

    @cached_property
    def means(self) -> FloatArray:
        """The mean instance of each bag."""
        if self._means is not None:
            return self._means
        return self._statistics.means() if self._statistics else mean_instances(self.data)

    @cached_property
    def summaries(self) -> FloatArray:
        """Mean, maximum, minimum and standard deviation of all features of each bag."""
        return self._statistics.summaries() if self._statistics else summaries(self.data)

    def within(self, share: FloatArray) -> FloatArray:
        """Return the sum of covariances within bags, each times its share."""
        result = self._statistics.within(share) if self._statistics else None
        if result is not None:
            return result
        result = covariances(self.data, share, mean_instances(self.data))
        return result if self.view is None else self.view.covariance(result)

    def in_order(self, scores: FloatArray) -> FloatArray:
        """Return scores of the bags of ``data`` in the order in which bags were given."""
        if self.order is None:
            return scores
        return np.asarray(scores[np.argsort(self.order)])

    def part(self, places: Any) -> FoldData:
        """Return the same bags, of which only some are trained on."""
        weight = np.zeros(len(self.y))
        weight[places] = self.weight[places]
        weight /= weight.sum()
        more: Any = {"fold_id": self.fold_id, "streamed": self.streamed}
        return FoldData(self.data, weight, self.view, self.means, **more)
