"""One pass over the bags answers all that is asked at the time: trainings go in lockstep.

A training is a generator that yields lists of `Ask`s, is sent their answers, and returns what it
has trained; an empty list waits for what another finds. Each round takes the asks of all that have
not ended. Each block of instances X is multiplied once by the directions of all of them, X D, and
once by all their coefficients, Wᵀ X. The number of passes is that of the longest training, not the
sum of all; and a product with twenty columns takes hardly longer than with two, as it is the
instances that have to be fetched.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ....arrays import FloatArray, project
from ....errors import NotConverged
from ....models.blocks import Block, Data
from ..prepared import Prepared
from .asks import Ask, Reaction
from .runs import Runs
from .sight import Sight

Found = TypeVar("Found")
Job: TypeAlias = "Generator[list[Ask], list[Any], Found]"

AS_VECTORS = (
    3  # up to so many columns are multiplied one by one: BLAS would copy the block for them
)
LONG = 64  # instances of a bag from which its mixtures are products of their own


def together(
    data: Data, jobs: Sequence[Job[Found]], pool: Executor | None = None, threads: int = 1
) -> list[Found | NotConverged]:
    """Run trainings on the same bags to their ends; one that does not converge returns its error.

    With a pool, blocks are reacted to by several threads, and added up in their order.
    """
    everything, answers = _each(jobs), None
    while True:
        try:
            asks = everything.send(answers)  # type: ignore[arg-type]
        except StopIteration as end:
            return list(end.value)
        answers = answer_all(data, asks, pool, threads) if asks else []


def side_by_side(jobs: Sequence[Job[Found]]) -> Job[list[Found]]:
    """Make one training of several; one that does not converge is raised when all have ended."""
    result = yield from _each(jobs)
    for item in result:
        if isinstance(item, NotConverged):
            raise item
    return result


def _each(jobs: Sequence[Job[Found]]) -> Job[list[Any]]:
    """Go through the rounds of all trainings; an error in place of what did not converge."""
    result: list[Any] = [None] * len(jobs)
    waiting: dict[int, list[Ask]] = {}

    def go_on(place: int, answer: Any) -> None:
        try:
            waiting[place] = jobs[place].send(answer)
        except StopIteration as end:
            result[place] = end.value
        except NotConverged as problem:
            result[place] = problem

    for place in range(len(jobs)):
        go_on(place, None)
    while waiting:
        asked, waiting = waiting, {}
        answers = yield [ask for asks in asked.values() for ask in asks]
        first = 0
        for place, asks in asked.items():
            go_on(place, answers[first : first + len(asks)])
            first += len(asks)
    return result


def alone(data: Data, job: Job[Found]) -> Found:
    """Run one training to its end."""
    (result,) = together(data, [job])
    if isinstance(result, NotConverged):
        raise result
    return result


def answer_all(
    data: Data, asks: list[Ask], pool: Executor | None = None, threads: int = 1
) -> list[Any]:
    """Answer all asks by one pass."""
    kinds: dict[Any, list[int]] = {}
    for place, ask in enumerate(asks):
        kinds.setdefault(ask.kind, []).append(place)
    groups = [[asks[place] for place in places] for places in kinds.values()]
    score = Score(data, [group[0].reaction(group, len(data.y)) for group in groups])
    blocks = data.blocks(score.wants) if isinstance(data, Prepared) else data.blocks()
    for part in _in_order(score, blocks, pool, threads):
        score.add(part)
    result: list[Any] = [None] * len(asks)
    for places, answers in zip(kinds.values(), score.answers(), strict=True):
        for place, answer in zip(places, answers, strict=True):
            result[place] = answer
    return result


class Part(NamedTuple):
    """What a block adds: sums and totals of coefficients, and mixtures of its bags."""

    place: slice
    columns: Any  # of the coefficients
    sums: FloatArray | None
    totals: FloatArray | None
    mixed: FloatArray | None


class Score:
    """The directions and coefficients of all reactions, side by side."""

    def __init__(self, data: Data, reactions: list[Reaction]) -> None:
        self.reactions, d = reactions, data.tokens[1]
        asked = [[_ask(*piece) for piece in reaction.directions] for reaction in reactions]
        pieces = [piece for part in asked for piece in part]
        self.directions = np.concatenate([v for v, _ in pieces])
        self.offsets = np.concatenate([offset for _, offset in pieces])
        self.rows = _ranges([sum(len(v) for v, _ in part) for part in asked])
        counts = [
            0 if reaction.by_bag else sum(n for _, n in reaction.sums) for reaction in reactions
        ]
        self.columns = _ranges(counts)
        mixed = sum(n for reaction in reactions if reaction.by_bag for _, n in reaction.sums)
        self.sums, self.totals = np.zeros((sum(counts), d)), np.zeros(sum(counts))
        self.mixed = np.empty((len(data.y), mixed, d)) if mixed else None

    def wants(self, place: slice) -> bool:
        """Whether anyone looks at the bags at a place."""
        return any(reaction.wants(place) for reaction in self.reactions)

    def react(self, number: int, block: Block) -> Part:
        """Let all react to a block that look at it."""
        table, runs, place = block.table, Runs.of(block), block.rows
        active = [k for k, reaction in enumerate(self.reactions) if reaction.wants(place)]
        directions, offsets = self.directions, self.offsets
        if len(active) < len(self.reactions):
            some = np.concatenate([self.rows[k] for k in active])
            directions, offsets = directions[some], offsets[some]
        seen = _projections(table, directions)
        if offsets.any():
            seen += offsets[:, None]
        sums: list[FloatArray] = []
        totals: list[FloatArray] = []
        on_bags: list[FloatArray] = []
        first = 0
        for k in active:
            own = seen[first : first + len(self.rows[k])]
            first += len(own)
            result = self.reactions[k].react(own, runs, place, number)
            if self.reactions[k].by_bag:
                on_bags.append(result)
            elif result is not None:  # added up at once: coefficients of all would fill the memory
                sums.append(_sums(result, table))
                totals.append(result.sum(axis=1))
        mixed = _mixtures(np.concatenate(on_bags), table, block) if on_bags else None
        columns: Any = slice(None)
        if len(active) < len(self.reactions):
            columns = np.concatenate([self.columns[k] for k in active])
        if not sums:
            return Part(place, columns, None, None, mixed)
        return Part(place, columns, np.concatenate(sums), np.concatenate(totals), mixed)

    def add(self, part: Part) -> None:
        """Add what a block adds, in double precision."""
        if part.sums is not None:
            self.sums[part.columns] += part.sums
            self.totals[part.columns] += part.totals
        if self.mixed is not None:
            self.mixed[part.place] = part.mixed

    def answers(self) -> Iterator[list[Any]]:
        """Go through the reactions, and what they answer."""
        first = of_bags = 0
        for reaction in self.reactions:
            result = []
            for sight, count in reaction.sums:
                if reaction.by_bag:
                    assert self.mixed is not None
                    own = self.mixed[:, of_bags : of_bags + count]
                    result.append(sight.lens.show(own) if sight.lens else own)
                    of_bags += count
                else:
                    part = slice(first, first + count)
                    sums, totals = self.sums[part], self.totals[part]
                    result.append(sight.lens.told(sums, totals) if sight.lens else sums)
                    first += count
            yield reaction.answers(result)


def _ask(sight: Sight, vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return directions as the table has them, and what to add to projections."""
    return sight.lens.ask(vectors) if sight.lens else (vectors, np.zeros(len(vectors)))


def _ranges(counts: list[int]) -> list[Any]:
    """Number the places of so many in each part."""
    return np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])


def _in_order(
    score: Score, blocks: Iterable[Block], pool: Executor | None, threads: int
) -> Iterator[Part]:
    """Go through what the blocks add, in their order, whoever reacts to them."""
    if pool is None:
        for number, block in enumerate(blocks):
            yield score.react(number, block)
        return
    under_way: deque[Future[Part]] = deque()
    for number, block in enumerate(blocks):
        under_way.append(pool.submit(score.react, number, block))
        if len(under_way) >= threads:  # no more blocks are held than are reacted to
            yield under_way.popleft().result()
    while under_way:
        yield under_way.popleft().result()


def _projections(rows: Any, directions: FloatArray) -> FloatArray:
    """Return ⟨x, v⟩ of all instances x for each direction v: (directions, instances)."""
    if len(directions) <= AS_VECTORS:
        return np.stack([project(rows, v) for v in directions])
    with np.errstate(invalid="ignore"):  # as in `arrays.project`
        result = rows @ directions.T.astype(rows.dtype)
    return np.ascontiguousarray(result.T, dtype=float)


def _sums(coefficients: FloatArray, rows: Any) -> FloatArray:
    """Return Σ c x over instances, for each row of coefficients."""
    c = coefficients.astype(rows.dtype, copy=False)
    if len(c) <= AS_VECTORS:
        return np.stack([item @ rows for item in c])
    return np.asarray(c @ rows)


def _mixtures(a: FloatArray, rows: Any, block: Block) -> FloatArray:
    """Return Σ a x over the instances of each bag, for each row of a: (bags, rows of a, d)."""
    a = a.astype(rows.dtype, copy=False)
    segments, runs = block.segments, Runs.of(block)
    if len(rows) < LONG * len(runs.lengths):
        return np.stack([segments.mix(item, rows) for item in a], axis=1)
    result = np.empty((len(runs.lengths), len(a), rows.shape[1]))
    for bag, (first, length) in enumerate(zip(runs.starts, runs.lengths, strict=True)):
        inside = slice(first, first + length)
        result[bag] = a[:, inside] @ rows[inside]
    return result
