"""Computations that share passes over the bags: each asks for what it needs, and is told.

A `Computation` asks for requests and is told their answers, until it is finished. All that are not
finished are asked in turn, and one pass answers all of them. The number of passes is that of the
longest computation, not the sum of all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...arrays import FloatArray
from ...errors import NotConverged
from ...models.blocks import Data
from .batched_pass import answer_all
from .requests import Request
from .threads import ONE_THREAD, Threads


class Computation(ABC):
    """Something that takes several passes over the bags.

    ``required`` are computations that come before, and which several may share: they go beside
    this one, which asks for nothing until they are finished. What is made of several computations
    requires what these require.
    """

    required: Sequence[Computation] = ()
    finished = False
    error: NotConverged | None = None

    @abstractmethod
    def ask(self) -> list[Request] | None:
        """Return what the next pass should compute; nothing to wait, and None at the end."""

    @abstractmethod
    def tell(self, answers: list[Any]) -> None:
        """Receive the answers, in the order of the requests."""


class Group(Computation):
    """Computations side by side, and before each the ones that it requires.

    One that does not converge leaves the others to their ends.
    """

    def __init__(self, parts: Sequence[Computation]) -> None:
        self.parts: list[Computation] = []
        for part in parts:
            self._add(part)
        self._asked: list[tuple[Computation, int]] = []

    def _add(self, part: Computation) -> None:
        for item in part.required:
            self._add(item)
        if not part.finished and part not in self.parts:
            self.parts.append(part)

    def ask(self) -> list[Request] | None:
        """Return the requests of all parts."""
        requests: list[Request] = []
        self._asked = []
        for part in self.parts:
            own = None if part.finished else self._ask(part)
            if own is not None:
                self._asked.append((part, len(own)))
                requests += own
        return requests if self._asked else None

    def _ask(self, part: Computation) -> list[Request] | None:
        if not all(item.finished for item in part.required):
            return []
        try:
            for item in part.required:
                if item.error is not None:
                    raise item.error
            own = part.ask()
        except NotConverged as error:
            part.error, own = error, None
        part.finished = own is None
        return own

    def tell(self, answers: list[Any]) -> None:
        """Tell each part its own answers."""
        first = 0
        for part, count in self._asked:
            if count:
                try:
                    part.tell(answers[first : first + count])
                except NotConverged as error:
                    part.error, part.finished = error, True
            first += count

    def check(self) -> None:
        """Raise the error of the first part that has one."""
        for part in self.parts:
            if part.error is not None:
                raise part.error


class Scored(NamedTuple):
    """A model, and the scores that it gives to all bags: training bags and held-out ones."""

    model: Any
    scores: FloatArray


class Fit(Computation):
    """The fit of one candidate in several configurations: stages one after another."""

    results: list[Scored]

    def __init__(self) -> None:
        self._stage = 0
        self._group: Group | None = None

    @abstractmethod
    def stage(self, number: int) -> Sequence[Computation] | None:
        """Return what goes side by side in a stage; None at the end, with ``results`` set."""

    def ask(self) -> list[Request] | None:
        """Return the requests of this stage, or of the next."""
        while True:
            requests = None if self._group is None else self._group.ask()
            if requests is not None:
                return requests
            if self._group is not None:
                self._group.check()
            parts = self.stage(self._stage)
            if parts is None:
                return None
            self._stage, self._group = self._stage + 1, Group(parts)

    def tell(self, answers: list[Any]) -> None:
        """Pass the answers on."""
        assert self._group is not None
        self._group.tell(answers)


class DirectFit(Fit):
    """A fit by one function, when its turn comes: it needs no pass over the instances."""

    def __init__(self, compute: Callable[[], list[Scored]]) -> None:
        super().__init__()
        self._compute = compute

    def stage(self, number: int) -> None:
        """Compute the results; there is nothing to go side by side."""
        self.results = self._compute()


def run(data: Data, computations: Sequence[Computation], threads: Threads = ONE_THREAD) -> None:
    """Run computations on the same bags to their ends; one that fails keeps its ``error``."""
    group = Group(computations)
    while (requests := group.ask()) is not None:
        group.tell(answer_all(data, requests, threads) if requests else [])


def compute(data: Data, computation: Computation) -> None:
    """Run one computation to its end, and raise its error."""
    run(data, [computation])
    if computation.error is not None:
        raise computation.error
