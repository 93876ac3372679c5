"""What a training may ask of a pass: projections of instances, a reaction, and sums of instances.

Everything that is trained on bags goes round the same loop. Instances x are projected on a few
directions; within each bag something is made of the projections, such as attention and the slope
of the loss; and instances are added up with coefficients that came of it. An *ask* is one round of
one training, as a record. Asks of one kind are answered together by a `Reaction`, whose arrays have
a row for each direction of each ask: softmax over forty columns costs little more than over one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ....arrays import FloatArray
from .runs import Runs
from .sight import Sight


@dataclass(frozen=True, eq=False)
class Ask:
    """One round of one training."""

    sight: Sight

    reaction: ClassVar[type[Reaction]]

    @property
    def kind(self) -> tuple[Any, ...]:
        """What asks that are answered together have in common."""
        return self.reaction, self.sight.training


class Reaction(ABC):
    """The answers to asks of one kind, for a number of bags."""

    by_bag: ClassVar[bool] = False  # whether sums are of each bag, and not of all

    def __init__(self, asks: Sequence[Any], count: int) -> None:
        self.asks, self.count = asks, count

    def wants(self, place: slice) -> bool:
        """Whether bags at this place are looked at: if some count, or if none are left out."""
        first = self.asks[0].sight  # all have the same training
        return first.training is None or any(ask.sight.counts[place].any() for ask in self.asks)

    @property
    @abstractmethod
    def directions(self) -> list[tuple[Sight, FloatArray]]:
        """The directions (k, d) to project on, each piece as someone sees instances."""

    @property
    def sums(self) -> list[tuple[Sight, int]]:
        """How many columns of coefficients there are, and who sees their sums."""
        return []

    @abstractmethod
    def react(self, seen: FloatArray, runs: Runs, place: slice, number: int) -> Any:
        """Return coefficients (columns, instances), or None; keep what is of bags.

        ``seen`` are projections (directions, instances) of the block ``number``, whose bags are at
        ``place``. Several blocks may be reacted to at the same time.
        """

    @abstractmethod
    def answers(self, sums: list[FloatArray]) -> list[Any]:
        """Return the answer to each ask, of the sums in their pieces."""


@dataclass(frozen=True, eq=False)
class Covary(Ask):
    """Σ c_i Cov_i w over bags with coefficients c, Cov_i that of the instances of bag i."""

    direction: FloatArray
    share: FloatArray


class _Covary(Reaction):
    @property
    def directions(self) -> list[tuple[Sight, FloatArray]]:
        return [(ask.sight, ask.direction[None]) for ask in self.asks]

    @property
    def sums(self) -> list[tuple[Sight, int]]:
        return [(ask.sight, 1) for ask in self.asks]

    def react(self, seen: FloatArray, runs: Runs, place: slice, number: int) -> Any:
        each = np.stack([ask.share[place] for ask in self.asks]) / runs.lengths
        return runs.spread(each) * (seen - runs.spread(runs.mean(seen)))

    def answers(self, sums: list[FloatArray]) -> list[Any]:
        return [item[0] for item in sums]


@dataclass(frozen=True, eq=False)
class Along(Ask):
    """Of each bag, three numbers of the projections on a direction: mean, square and extremes.

    The answer is (4, bags): the mean, the mean square, the largest and the least.
    """

    direction: FloatArray


class _Along(Reaction):
    def __init__(self, asks: Sequence[Any], count: int) -> None:
        super().__init__(asks, count)
        self.found = np.zeros((4, len(asks), count))

    @property
    def directions(self) -> list[tuple[Sight, FloatArray]]:
        return [(ask.sight, ask.direction[None]) for ask in self.asks]

    def react(self, seen: FloatArray, runs: Runs, place: slice, number: int) -> Any:
        parts = (runs.mean(seen), runs.mean(seen * seen), runs.max(seen), -runs.max(-seen))
        for k, part in enumerate(parts):
            self.found[k, :, place] = part

    def answers(self, sums: list[FloatArray]) -> list[Any]:
        return [self.found[:, k] for k in range(len(self.asks))]


@dataclass(frozen=True, eq=False)
class Features(Ask):
    """Xᵀ softmax(X q) of every bag, for each of some queries: an array (bags, queries, d)."""

    queries: FloatArray


class _Features(Reaction):
    by_bag = True

    def wants(self, place: slice) -> bool:
        return True

    @property
    def directions(self) -> list[tuple[Sight, FloatArray]]:
        return [(ask.sight, ask.queries) for ask in self.asks]

    @property
    def sums(self) -> list[tuple[Sight, int]]:
        return [(ask.sight, len(ask.queries)) for ask in self.asks]

    def react(self, seen: FloatArray, runs: Runs, place: slice, number: int) -> Any:
        return runs.softmax(seen)

    def answers(self, sums: list[FloatArray]) -> list[Any]:
        return sums


Covary.reaction, Along.reaction, Features.reaction = _Covary, _Along, _Features
