"""How query and readout share the training bags.

| split | the queries are trained on | the readout on |
| --- | --- | --- |
| reuse | all bags | the same bags again |
| split | one half | the other half |
| crossfit | all bags | all, each with the features of a query that was trained without it |

The theory splits. Reuse is as good as the others or better: where few instances carry the signal it
clearly beats the split (docs/bags.md). It is the default.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from scipy.optimize import linear_sum_assignment

from ....arrays import FloatArray, IndexArray
from ....losses import Loss
from ...engine.computation import Computation, Fit, Scored
from ...engine.fold_data import FoldData
from ...engine.folds import rarer, stratified
from ...engine.requests import Features, Request
from .candidate import Configuration
from .readout import readouts

SPLITS = ("reuse", "split", "crossfit")
CROSS = 5

Parts: TypeAlias = "list[tuple[IndexArray, IndexArray]]"  # bags of a query, bags of its readout


def cut(fold: FoldData, split: str, random: Any) -> Parts:
    """Return which bags queries are trained on, and which their readouts; nothing for "reuse"."""
    if split == "reuse":
        return []
    trained = np.flatnonzero(fold.weight > 0.0)
    y = fold.y[trained]
    fewest = rarer(y)
    count = 2 if split == "split" else min(CROSS, fewest)
    if fewest < 2:
        raise ValueError(
            f'split="{split}" needs at least two bags of each class wherever it trains, in every '
            f'fold of cv too, got {fewest}; pass split="reuse"'
        )
    result = [(trained[known], trained[rest]) for known, rest in stratified(y, count, random)]
    return result[:1] if split == "split" else result


class SplitFit(Fit):
    """Queries of several parts of the bags, then one readout of the features of bags left out.

    ``whole`` are the queries that are kept.
    """

    def __init__(
        self,
        fold: FoldData,
        configurations: list[Configuration],
        loss: Loss,
        parts: Parts,
        fits: Sequence[Fit],
        whole: Fit,
    ) -> None:
        super().__init__()
        self.fold, self.configurations, self.loss = fold, configurations, loss
        self.parts, self.fits, self.whole = parts, fits, whole
        self.required = [item for part in (whole, *fits) for item in part.required]
        self._readouts: list[_SplitReadout] = []

    def stage(self, number: int) -> Sequence[Computation] | None:
        """Return the fits of the queries, then the readouts of each configuration."""
        if number == 0:
            return [self.whole, *(item for item in self.fits if item is not self.whole)]
        if number == 1:
            self._readouts = [_SplitReadout(self, k) for k in range(len(self.configurations))]
            return self._readouts
        self.results = [item.result for item in self._readouts]
        return None


class _SplitReadout(Computation):
    """The readout of one configuration."""

    result: Scored

    def __init__(self, split: SplitFit, place: int) -> None:
        self.split, self.ridge = split, split.configurations[place].ridge
        self.q = split.whole.results[place].model.q
        self.others = [_matched(item.results[place].model.q, self.q) for item in split.fits]

    def ask(self) -> list[Request] | None:
        if hasattr(self, "result"):
            return None
        return [Features(self.split.fold, q) for q in (self.q, *self.others)]

    def tell(self, answers: list[FloatArray]) -> None:
        whole, *tables = answers
        fold, F = self.split.fold, whole.copy()
        for (_, bags), table in zip(self.split.parts, tables, strict=True):
            F[bags] = table[bags]
        n = len(F)
        readable = fold.part(np.concatenate([bags for _, bags in self.split.parts]))
        (read,) = readouts(
            F.reshape(n, -1), fold.y, self.q, self.split.loss, [self.ridge], readable.weight
        )
        scores = whole.reshape(n, -1) @ read.model.w.ravel() + read.model.b
        self.result = Scored(read.model, scores)


def _matched(queries: FloatArray, final: FloatArray) -> FloatArray:
    """Return queries in the order of those of ``final`` that they are most like."""
    sizes = np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(final, axis=1)
    like = np.divide(queries @ final.T, sizes, out=np.zeros(sizes.shape), where=sizes > 0.0)
    own, place = linear_sum_assignment(-like)
    ordered: FloatArray = queries[own[np.argsort(place)]]
    return ordered
