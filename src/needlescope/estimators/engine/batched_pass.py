"""One pass over the bags that computes all requests of the moment.

Each block of instances X is multiplied once by the directions of all requests, X D, and once by all
their coefficients, Wᵀ X. A product with twenty columns takes hardly longer than one with two, as
most of the time goes into fetching the instances.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, project
from ...models.blocks import Block, Data
from ...models.segments import Ragged
from .fold_data import FoldData
from .prepared import PreparedBags
from .requests import Batch, Request
from .threads import Threads

AS_VECTORS = 3  # up to this many columns are multiplied one by one: BLAS would copy the block
LONG_BAG = 64  # instances of a bag from which its mixtures are products of their own


def answer_all(data: Data, requests: list[Request], threads: Threads) -> list[Any]:
    """Compute all requests in one pass; with several threads, blocks are added up in order."""
    kinds: dict[Any, list[int]] = {}
    for place, request in enumerate(requests):
        kinds.setdefault(request.kind, []).append(place)
    groups = [[requests[place] for place in places] for places in kinds.values()]
    one_pass = _Pass(data, [group[0].batch(group, len(data.y)) for group in groups])
    blocks = data.blocks(one_pass.wants) if isinstance(data, PreparedBags) else data.blocks()
    for part in _in_order(one_pass, blocks, threads):
        one_pass.add(part)
    result: list[Any] = [None] * len(requests)
    for places, answers in zip(kinds.values(), one_pass.answers(), strict=True):
        for place, answer in zip(places, answers, strict=True):
            result[place] = answer
    return result


class _Part(NamedTuple):
    """What a block adds: sums and totals of coefficients, and mixtures of its bags."""

    place: slice
    columns: Any  # of the coefficients
    sums: FloatArray | None
    totals: FloatArray | None
    mixed: FloatArray | None


class _Pass:
    """The directions and coefficients of all batches, side by side."""

    def __init__(self, data: Data, batches: list[Batch]) -> None:
        self.batches, d = batches, data.tokens[1]
        mapped = [[_mapped(*piece) for piece in batch.directions] for batch in batches]
        pieces = [piece for part in mapped for piece in part]
        self.directions = np.concatenate([v for v, _ in pieces])
        self.offsets = np.concatenate([offset for _, offset in pieces])
        self.rows = _ranges([sum(len(v) for v, _ in part) for part in mapped])
        counts = [0 if batch.by_bag else sum(n for _, n in batch.sums) for batch in batches]
        self.columns = _ranges(counts)
        mixed = sum(n for batch in batches if batch.by_bag for _, n in batch.sums)
        self.sums, self.totals = np.zeros((sum(counts), d)), np.zeros(sum(counts))
        self.mixed = np.empty((len(data.y), mixed, d)) if mixed else None

    def wants(self, place: slice) -> bool:
        """Whether any batch needs the bags at a place."""
        return any(batch.wants(place) for batch in self.batches)

    def process(self, number: int, block: Block) -> _Part:
        """Compute what a block adds to the batches that need it."""
        table, place = block.table, block.rows
        bags = block.segments.ragged(len(table))
        active = [k for k, batch in enumerate(self.batches) if batch.wants(place)]
        directions, offsets = self.directions, self.offsets
        if len(active) < len(self.batches):
            some = np.concatenate([self.rows[k] for k in active])
            directions, offsets = directions[some], offsets[some]
        projections = _projections(table, directions)
        if offsets.any():
            projections += offsets[:, None]
        sums: list[FloatArray] = []
        totals: list[FloatArray] = []
        on_bags: list[FloatArray] = []
        first = 0
        for k in active:
            own = projections[first : first + len(self.rows[k])]
            first += len(own)
            result = self.batches[k].coefficients(own, bags, place, number)
            if self.batches[k].by_bag:
                on_bags.append(result)
            elif result is not None:  # added up at once: coefficients of all would fill the memory
                sums.append(_sums(result, table))
                totals.append(result.sum(axis=1))
        mixed = _mixtures(np.concatenate(on_bags), table, block, bags) if on_bags else None
        columns: Any = slice(None)
        if len(active) < len(self.batches):
            columns = np.concatenate([self.columns[k] for k in active])
        if not sums:
            return _Part(place, columns, None, None, mixed)
        return _Part(place, columns, np.concatenate(sums), np.concatenate(totals), mixed)

    def add(self, part: _Part) -> None:
        """Add what a block adds, in double precision."""
        if part.sums is not None:
            self.sums[part.columns] += part.sums
            self.totals[part.columns] += part.totals
        if self.mixed is not None:
            self.mixed[part.place] = part.mixed

    def answers(self) -> Iterator[list[Any]]:
        """Go through the batches, and their answers."""
        first = of_bags = 0
        for batch in self.batches:
            result = []
            for fold, count in batch.sums:
                if batch.by_bag:
                    assert self.mixed is not None
                    own = self.mixed[:, of_bags : of_bags + count]
                    result.append(own if fold.view is None else fold.view.apply(own))
                    of_bags += count
                else:
                    part = slice(first, first + count)
                    sums, totals = self.sums[part], self.totals[part]
                    result.append(sums if fold.view is None else fold.view.sums(sums, totals))
                    first += count
            yield batch.answers(result)


def _mapped(fold: FoldData, vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return directions for the table, and the offsets of projections."""
    return (vectors, np.zeros(len(vectors))) if fold.view is None else fold.view.directions(vectors)


def _ranges(counts: list[int]) -> list[Any]:
    """Number the places of each part, of which there are ``counts``."""
    return np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])


def _in_order(one_pass: _Pass, blocks: Iterable[Block], threads: Threads) -> Iterator[_Part]:
    """Go through what the blocks add, in their order, whichever thread computes it."""
    if threads.pool is None:
        for number, block in enumerate(blocks):
            yield one_pass.process(number, block)
        return
    pending: deque[Future[_Part]] = deque()
    for number, block in enumerate(blocks):
        pending.append(threads.pool.submit(one_pass.process, number, block))
        if len(pending) >= threads.threads:  # no more blocks are held than are processed
            yield pending.popleft().result()
    while pending:
        yield pending.popleft().result()


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


def _mixtures(a: FloatArray, rows: Any, block: Block, bags: Ragged) -> FloatArray:
    """Return Σ a x over the instances of each bag, for each row of a: (bags, rows of a, d)."""
    a = a.astype(rows.dtype, copy=False)
    if len(rows) < LONG_BAG * len(bags.lengths):
        return np.stack([block.segments.mix(item, rows) for item in a], axis=1)
    result = np.empty((len(bags.lengths), len(a), rows.shape[1]))
    for bag, (first, length) in enumerate(zip(bags.starts[:-1], bags.lengths, strict=True)):
        inside = slice(first, first + length)
        result[bag] = a[:, inside] @ rows[inside]
    return result
