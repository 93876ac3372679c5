"""The points of the integrals: fields of positives and negatives from randomised lattices.

Tokens are exchangeable, so the first R carry the signal. With C the Cholesky factor of Q,

    ω_l = θ v_l M + C z_l,   z_l ~ N(0, I₂):

2L dimensions for each kind of sample: positives with each number of signal tokens and negatives,
and of each those whose label is flipped. Independent shifts of one lattice are replicates, whose
spread is the standard error of what is computed from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from ....arrays import FloatArray
from ....lattice import replicate
from ....task import Task
from .fields import Fields
from .order import Order

AT_ONCE = 1 << 15  # numbers of one kind, so that what is made of them stays in the caches


@dataclass(frozen=True)
class Samples:
    """Normal numbers z (L × n each of query and readout), n = replicates × points."""

    q: FloatArray
    u: FloatArray
    replicates: int

    @property
    def points(self) -> int:
        """The number of points of a replicate."""
        return int(self.q.shape[1]) // self.replicates

    def parts(self) -> list[Samples]:
        """Return the points a few replicates at a time, as many as computing is quickest with."""
        each = max(1, min(self.replicates, AT_ONCE // (self.points * len(self.q))))
        if each == self.replicates:
            return [self]
        width = self.points
        return [
            Samples(
                self.q[:, first * width : last * width],
                self.u[:, first * width : last * width],
                last - first,
            )
            for first in range(0, self.replicates, each)
            for last in [min(first + each, self.replicates)]
        ]


class Kind(NamedTuple):
    """Samples with the same number of signal tokens and the same label."""

    tokens: int  # that carry the signal
    label: float  # that it is trained on
    chance: float


def kinds_of(task: Task) -> tuple[Kind, ...]:
    """Return the kinds of samples that a task has, with their probabilities.

    >>> [tuple(kind) for kind in kinds_of(Task(L=4, R=2, theta=1.0, pi=0.25))]
    [(2, 1.0, 0.25), (0, -1.0, 0.75)]
    """
    true = [Kind(count, 1.0, task.pi * chance) for count, chance in task.counts]
    true.append(Kind(0, -1.0, 1.0 - task.pi))
    result = []
    for count, label, chance in true:
        flipped = task.flips[0 if label > 0.0 else 1]
        result.append(Kind(count, label, (1.0 - flipped) * chance))
        result.append(Kind(count, -label, flipped * chance))
    return tuple(kind for kind in result if kind.chance > 0.0)


def draw(L: int, points: int, replicates: int) -> Samples:
    """Return the points of the first replicates.

    >>> draw(3, 8, 2).q.shape
    (3, 16)
    """
    u = np.concatenate([replicate(points, 2 * L, index) for index in range(replicates)])
    z = ndtri(u.T)
    return Samples(np.ascontiguousarray(z[:L]), np.ascontiguousarray(z[L:]), replicates)


def fields(samples: Samples, order: Order, task: Task) -> Fields:
    """Return the fields ω of all samples, one kind after the other (L × kinds·n)."""
    (qq, _), (uq, uu) = order.root
    kinds, n = kinds_of(task), samples.q.shape[1]
    q = np.tile(qq * samples.q, len(kinds))
    u = np.tile(uq * samples.q + uu * samples.u, len(kinds))
    for k, kind in enumerate(kinds):
        own = slice(k * n, (k + 1) * n)
        q[: kind.tokens, own] += task.theta * order.M[0]
        u[: kind.tokens, own] += task.theta * order.M[1]
    return Fields(q, u)


def labels(samples: Samples, task: Task) -> FloatArray:
    """Return the label of each sample of `fields`."""
    return np.repeat([kind.label for kind in kinds_of(task)], samples.q.shape[1])


def chances(samples: Samples, task: Task) -> FloatArray:
    """Return the probability of each sample's kind."""
    return np.repeat([kind.chance for kind in kinds_of(task)], samples.q.shape[1])
