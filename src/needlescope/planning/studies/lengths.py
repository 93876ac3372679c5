"""Bags whose numbers of instances differ: lists of arrays, each with a length of its own.

The length of a bag is drawn first, whatever its label; a positive has R signal tokens among them.
"""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray
from ...models.blocks import hold
from ...noise import Noise
from ...running.seeds import child, generator
from ...simulation.samples.data import labels, tokens
from ...simulation.samples.normal import Single
from ...task import Task

LABELS, LENGTHS, TOKENS = 3, 4, 5  # streams of a seed; those before are of bags of one length


def bags_of(
    task: Task,
    lengths: tuple[int, ...],
    n: int,
    xi: FloatArray,
    noise: Noise,
    seed: np.random.SeedSequence,
    sign: FloatArray | None = None,
) -> tuple[list[Single], FloatArray]:
    """Draw bags with these numbers of instances, each as likely, and their signs, if not given.

    Examples
    --------
    >>> task, seed = Task(L=3, R=1, theta=5.0, pi=0.5), np.random.SeedSequence(0)
    >>> bags, signs = bags_of(task, (2, 4), 5, np.eye(3)[0], Noise(), seed)
    >>> [bag.shape for bag in bags], signs.shape
    ([(2, 3), (4, 3), (2, 3), (4, 3), (4, 3)], (5,))
    """
    if sign is None:
        sign = labels(task, n, generator(child(seed, LABELS)))
    counts = generator(child(seed, LENGTHS)).choice(lengths, n)
    bags = [np.empty((0, xi.shape[-1]), np.float32)] * n
    for count in np.unique(counts).tolist():
        rows = np.flatnonzero(counts == count)
        same = task.replace(L=count)
        drawn = tokens(same, len(rows), xi, noise, child(child(seed, TOKENS), count))
        data = hold(drawn._replace(y=sign[rows], truth=sign[rows]))
        for row, bag in zip(rows, data.X, strict=True):
            bags[row] = bag
    return bags, sign
