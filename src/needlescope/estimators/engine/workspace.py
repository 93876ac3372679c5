"""The folds that are fitted to at a time: one table of instances, and one pass, serve them all.

The last fit, to all bags, is one of the folds. Random Fourier features are not affine in the
instances, and have a table for each fold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...arrays import FloatArray, IndexArray
from ..bags.preprocessing import Preprocessing, Preprocessor
from .fold_data import FoldData
from .prepared import MAX_HELD, PreparedBags
from .shared_table import FitData, SharedTable

Fold: TypeAlias = "tuple[IndexArray, IndexArray]"  # training bags, held-out bags

KEPT = MAX_HELD // 8  # numbers with random features that are kept from one round to the next
MAX_MATRICES = 1 << 25  # numbers in the matrices of all folds, 256 MB
MAX_FOLDS = 12  # that share a table


class Workspace:
    """Bags that some folds share; ``trained`` are the training bags of each, among those used."""

    def __init__(self, data: FitData, trained: Sequence[IndexArray]) -> None:
        self.data, self.trained = data, trained
        self.table = SharedTable(data, trained)
        self._folds: dict[tuple[int, Preprocessing], FoldData] = {}
        self._preprocessors: dict[tuple[int, Preprocessing], Preprocessor] = {}

    @property
    def everything(self) -> int:
        """The number of the fold that trains on all bags."""
        return len(self.trained) - 1

    def preprocessor(self, fold: int, preprocessing: Preprocessing) -> Preprocessor:
        """Return a preprocessing that is fitted to the training bags of a fold."""
        key = fold, preprocessing
        if key not in self._preprocessors:
            self._preprocessors[key] = self.table.preprocessor(fold, preprocessing)
        return self._preprocessors[key]

    def fold(self, number: int, preprocessing: Preprocessing) -> FoldData:
        """Return the data of a fold in a preprocessing."""
        key = number, preprocessing
        if key in self._folds:
            return self._folds[key]
        known, preprocessor = self.trained[number], self.preprocessor(number, preprocessing)
        share = np.zeros(len(self.data.used))
        share[known] = self.data.weight[known] / self.data.weight[known].sum()
        if preprocessor.random_features is not None:
            return self._with_features(key, share, preprocessor)
        data = self.table.prepared
        statistics = self.table.statistics(preprocessor.scaling)
        streamed = data.size > MAX_HELD
        result = FoldData(
            data,
            share,
            statistics.view,
            statistics=statistics,
            fold_id=number if streamed else None,
            streamed=streamed,
            progress=self.data.progress,
        )
        result.groups = self.data.groups
        self._folds[key] = result
        return result

    def _with_features(self, key: Any, share: FloatArray, preprocessor: Preprocessor) -> FoldData:
        """Return a fold with random features: a table of its own, held-out bags at its end."""
        data, order = self.data, np.argsort(share == 0.0, kind="stable")
        border = int((share > 0.0).sum())
        prepared = PreparedBags(
            data.bags, data.used[order], data.y[order], preprocessor, data.progress, border
        )
        streamed = prepared.size > MAX_HELD
        result = FoldData(prepared, share[order], fold_id=key, streamed=streamed)
        result.order = order
        if prepared.size <= KEPT:
            self._folds[key] = result
        return result

    def tables(self, wanted: Sequence[tuple[int, Preprocessing]]) -> list[list[int]]:
        """Group the places of folds in preprocessings by the table that they are of."""
        result: dict[Any, list[int]] = {}
        for place, (fold, preprocessing) in enumerate(wanted):
            own = (preprocessing, fold) if preprocessing.random_features else None
            result.setdefault(own, []).append(place)
        return list(result.values())

    def large(self, preprocessing: Preprocessing) -> bool:
        """Whether instances are read again in each pass."""
        instances = int(self.data.bags.lengths[self.data.used].sum())
        return instances * preprocessing.width(self.data.bags.d) > MAX_HELD


class Workspaces:
    """A workspace for all folds and the fit to all bags; or, of many folds, one after another.

    Each fold has matrices of its own, so that of many features there is room for some only.
    """

    def __init__(self, data: FitData, folds: Sequence[Fold]) -> None:
        self.data = data
        self.every = np.arange(len(data.used))
        self.trained = [known for known, _ in folds]
        deep = data.whitens or data.contrasts
        size = data.bags.d ** (2 if deep else 1) * (2 if data.contrasts else 1)
        self.most = max(1, min(MAX_FOLDS, MAX_MATRICES // size) - 2)
        self._whole: Workspace | None = None

    @property
    def large(self) -> bool:
        """Whether instances are read again in every pass, and one workspace serves all."""
        numbers = int(self.data.bags.lengths[self.data.used].sum()) * self.data.bags.d
        return numbers > MAX_HELD and len(self.trained) <= self.most

    @property
    def whole(self) -> Workspace:
        """The workspace of the fit to all bags; with all folds if there is room."""
        if self._whole is None:
            folds = self.trained if len(self.trained) <= self.most else []
            self._whole = Workspace(self.data, [*folds, self.every])
        return self._whole

    def of(self, folds: Sequence[Fold]) -> Iterator[tuple[Workspace, list[tuple[int, Fold]]]]:
        """Go through workspaces of some folds, each with the numbers of these folds there."""
        if len(self.trained) <= self.most:
            at = {id(known): k for k, known in enumerate(self.trained)}
            yield self.whole, [(at[id(fold[0])], fold) for fold in folds]
            return
        for first in range(0, len(folds), self.most):
            some = folds[first : first + self.most]
            workspace = Workspace(self.data, [known for known, _ in some])
            yield workspace, list(enumerate(some))
