"""What a pass over the bags can compute: projections of instances, and weighted sums of them.

Every training of a query takes the same three operations. Instances x are projected on a few
directions; within each bag something is computed from the projections, such as attention weights
and the derivative of the loss; and instances are added up with the resulting coefficients. A
`Request` is one such computation for one fold, as a record. A `Batch` computes all requests of one
kind together: its arrays have a row for each direction of each request, and a softmax of forty rows
costs little more than one of a single row.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import FloatArray
from ...models.segments import Ragged
from .fold_data import FoldData


@dataclass(frozen=True, eq=False)
class Request:
    """One computation for one fold."""

    fold: FoldData

    batch: ClassVar[type[Batch]]

    @property
    def kind(self) -> tuple[Any, ...]:
        """What requests of one batch have in common."""
        return self.batch, self.fold.fold_id


class Batch(ABC):
    """Requests of one kind, for a number of bags."""

    by_bag: ClassVar[bool] = False  # whether instances are added up within each bag

    def __init__(self, requests: Sequence[Any], count: int) -> None:
        self.requests, self.count = requests, count

    def wants(self, place: slice) -> bool:
        """Whether the bags at this place are needed: training bags, or all if none is left out."""
        first = self.requests[0].fold  # all have the same fold_id
        return first.fold_id is None or any(
            request.fold.in_training[place].any() for request in self.requests
        )

    @property
    @abstractmethod
    def directions(self) -> list[tuple[FoldData, FloatArray]]:
        """The directions (k, d) of each piece, as its fold sees instances."""

    @property
    def sums(self) -> list[tuple[FoldData, int]]:
        """The number of coefficients of an instance in each piece, and the fold they are for."""
        return []

    @abstractmethod
    def coefficients(self, projections: FloatArray, bags: Ragged, place: slice, number: int) -> Any:
        """Return coefficients (rows, instances), or None; keep what is of bags.

        ``projections`` (directions, instances) are those of the block ``number``, whose bags are at
        ``place``. Several blocks may be processed at the same time.
        """

    @abstractmethod
    def answers(self, sums: list[FloatArray]) -> list[Any]:
        """Return the answer to each request, from the sums in their pieces."""


@dataclass(frozen=True, eq=False)
class CovarianceProduct(Request):
    """Σ c_i Cov_i w over bags with coefficients c, Cov_i that of the instances of bag i."""

    direction: FloatArray
    share: FloatArray


class _CovarianceProducts(Batch):
    @property
    def directions(self) -> list[tuple[FoldData, FloatArray]]:
        return [(request.fold, request.direction[None]) for request in self.requests]

    @property
    def sums(self) -> list[tuple[FoldData, int]]:
        return [(request.fold, 1) for request in self.requests]

    def coefficients(self, projections: FloatArray, bags: Ragged, place: slice, number: int) -> Any:
        each = np.stack([request.share[place] for request in self.requests]) / bags.lengths
        return bags.spread(each) * (projections - bags.spread(bags.average(projections)))

    def answers(self, sums: list[FloatArray]) -> list[Any]:
        return [item[0] for item in sums]


@dataclass(frozen=True, eq=False)
class ProjectionStatistics(Request):
    """Of each bag, the mean, mean square, maximum and minimum of the projections: (4, bags)."""

    direction: FloatArray


class _ProjectionStatistics(Batch):
    def __init__(self, requests: Sequence[Any], count: int) -> None:
        super().__init__(requests, count)
        self.statistics = np.zeros((4, len(requests), count))

    @property
    def directions(self) -> list[tuple[FoldData, FloatArray]]:
        return [(request.fold, request.direction[None]) for request in self.requests]

    def coefficients(self, projections: FloatArray, bags: Ragged, place: slice, number: int) -> Any:
        mean, square = bags.average(projections), bags.average(projections * projections)
        for k, part in enumerate((mean, square, bags.max(projections), -bags.max(-projections))):
            self.statistics[k, :, place] = part

    def answers(self, sums: list[FloatArray]) -> list[Any]:
        return [self.statistics[:, k] for k in range(len(self.requests))]


@dataclass(frozen=True, eq=False)
class Features(Request):
    """Xᵀ softmax(X q) of every bag, for each of some queries: an array (bags, queries, d)."""

    queries: FloatArray


class _Features(Batch):
    by_bag = True

    def wants(self, place: slice) -> bool:
        return True

    @property
    def directions(self) -> list[tuple[FoldData, FloatArray]]:
        return [(request.fold, request.queries) for request in self.requests]

    @property
    def sums(self) -> list[tuple[FoldData, int]]:
        return [(request.fold, len(request.queries)) for request in self.requests]

    def coefficients(self, projections: FloatArray, bags: Ragged, place: slice, number: int) -> Any:
        return bags.softmax(projections)

    def answers(self, sums: list[FloatArray]) -> list[Any]:
        return sums


CovarianceProduct.batch = _CovarianceProducts
ProjectionStatistics.batch = _ProjectionStatistics
Features.batch = _Features
