"""Labelled samples of a task, generated block by block.

`Tokens` generates each block of X ∈ R^{n×L×d} on demand, in a buffer that the next block
overwrites. A second pass generates the same blocks again, so memory stays at one block whatever n,
L and d; `hold` of `models.blocks` keeps a data set where there is room.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...models.blocks import Block, block_rows
from ...noise import Noise
from ...running.seeds import child, generator
from ...signal_count import SignalCount
from ...task import Positions, Task
from .noise import fill_noise


class Marks(NamedTuple):
    """The signal tokens of m positives: m × R, or, where R is random, the first of most."""

    tokens: IndexArray
    carry: Any = None  # m × R: whether a token is one of them, where not all are

    @property
    def pairs(self) -> tuple[IndexArray, IndexArray]:
        """The positives and their tokens, one pair for each signal token.

        Examples
        --------
        >>> Marks(np.array([[2, 0], [1, 3]]), np.array([[True, False], [True, True]])).pairs
        (array([0, 1, 1]), array([2, 1, 3]))
        """
        if self.carry is None:
            rows = np.repeat(np.arange(len(self.tokens)), self.tokens.shape[1])
            return rows, self.tokens.ravel()
        rows, columns = np.nonzero(self.carry)
        return rows, self.tokens[rows, columns]

    def total(self, values: FloatArray) -> FloatArray:
        """Add up values, one for each entry of ``tokens``, over the signal tokens."""
        return np.asarray((values if self.carry is None else values * self.carry).sum(axis=1))


class Tokens(NamedTuple):
    """n samples of a task, made on demand: noise, plus θξ on R tokens of each positive.

    Of several signals, rows of ``xi``, each positive carries one. Where labels are flipped, ``y``
    are those that a loss is trained on and ``truth`` those that the tokens follow.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=4, R=1, theta=2.0, pi=0.5)
    >>> xi = np.array([1.0, 0.0, 0.0])
    >>> data = tokens(task, 6, xi, ns.Noise(), np.random.SeedSequence(0))
    >>> first, again = (next(data.blocks()).X.copy() for _ in range(2))
    >>> first.shape, bool((first == again).all())
    ((6, 4, 3), True)
    """

    task: Task
    y: FloatArray
    xi: FloatArray
    noise: Noise
    seed: np.random.SeedSequence
    truth: FloatArray | None = None

    @property
    def tokens(self) -> tuple[int, int]:
        """L and d."""
        return self.task.L, self.xi.shape[-1]

    @property
    def true_labels(self) -> FloatArray:
        """The n labels, of which none is flipped."""
        return self.y if self.truth is None else self.truth

    def blocks(self) -> Iterator[Block]:
        """Generate the samples block by block, each from a stream of its own."""
        return (block for block, _, _ in self.marked_blocks())

    def marks(self) -> Iterator[Marks]:
        """Yield, block by block, which tokens of each positive carry the signal."""
        return (marked for _, marked, _ in self.marked_blocks())

    def marked_blocks(self) -> Iterator[tuple[Block, Marks, IndexArray | None]]:
        """Yield each block, the signal tokens of its positives, and which signal each carries."""
        (L, d), n = self.tokens, len(self.y)
        step = min(block_rows(L, d), n)
        buffer = np.empty((step, L, d), np.float32)
        signal = (self.task.theta * self.xi).astype(np.float32)
        own = self.task.signal_noise and self.task.signal_noise.at_dimension(d)
        for number, first in enumerate(range(0, n, step)):
            rows = slice(first, min(first + step, n))
            X, rng = buffer[: rows.stop - first], generator(child(self.seed, number))
            positive = np.flatnonzero(self.true_labels[rows] > 0.0)
            marked = marks(self.task, len(positive), rng)
            carried = kinds(self.task, len(positive), rng)
            fill_noise(self.noise, X, rng)
            owner, token = marked.pairs
            if own is not None:
                fresh = np.empty((len(owner), 1, d), np.float32)
                X[positive[owner], token] = fill_noise(own, fresh, rng)[:, 0]
            X[positive[owner], token] += signal if carried is None else signal[carried[owner]]
            yield Block(X, self.y[rows], rows), marked, carried


def tokens(
    task: Task, n: int, xi: FloatArray, noise: Noise, seed: np.random.SeedSequence
) -> Tokens:
    """Return n samples of a task with signal direction ``xi``; labels are drawn at once."""
    truth = labels(task, n, generator(child(seed, 0)))
    y = flipped(task, truth, generator(child(seed, 2)))
    return Tokens(task, y, xi, noise, child(seed, 1), truth)


def labels(task: Task, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw n true labels: +1 with probability π, else −1."""
    return np.where(rng.random(n) < task.pi, 1.0, -1.0)


def flipped(task: Task, truth: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw the labels that a loss is trained on: the true ones, some of them flipped."""
    if task.label_noise is None:
        return truth
    positive, negative = task.flips
    share = np.where(truth > 0.0, positive, negative)
    return np.where(rng.random(len(truth)) < share, -truth, truth)


def signal_tokens(task: Task, truth: FloatArray, rng: np.random.Generator) -> IndexArray:
    """Draw how many tokens of each sample carry the signal: none of a negative's."""
    R: Any = task.R
    if isinstance(task.R, SignalCount):
        R = rng.choice(task.R.values, len(truth), p=task.R.probabilities)
    return np.where(truth > 0.0, R, 0)


def marks(task: Task, count: int, rng: np.random.Generator) -> Marks:
    """Draw the signal tokens of each of ``count`` positives, as many as the task says."""
    if not isinstance(task.R, SignalCount):
        return Marks(positions(task, count, rng))
    R, most = signal_tokens(task, np.ones(count), rng), task.R.values[-1]
    order = np.argsort(rng.random((count, task.L)), axis=1)  # its first R are a uniform subset
    return Marks(order[:, :most], np.arange(most) < R[:, None])


def positions(task: Task, count: int, rng: np.random.Generator) -> IndexArray:
    """Draw the R signal tokens of each of ``count`` positives, R a number."""
    if isinstance(task.positions, Positions):
        sets = np.array(task.positions.sets)
        return sets[rng.choice(len(sets), count, p=task.positions.probabilities)]
    if task.R == 1:
        return rng.integers(0, task.L, (count, 1))
    keys = rng.random((count, task.L))  # the R smallest of L keys are a uniform subset
    return np.argpartition(keys, task.R - 1, axis=1)[:, : task.R]


def kinds(task: Task, count: int, rng: np.random.Generator) -> IndexArray | None:
    """Draw which of several signals each of ``count`` positives carries; None if there is one."""
    return None if task.signals is None else rng.choice(task.kinds, count, p=task.signals)
