"""The points of the integrals: fields of positives and negatives from randomised lattices.

Tokens are exchangeable, so the first R carry the signal. With C the Cholesky factor of Q,

    ω_l = θ v_l M + C z_l,   z_l ~ N(0, I₂):

2L dimensions for each label. Independent shifts of one lattice are replicates, whose spread is the
standard error of what is computed from them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from ...arrays import FloatArray
from ...lattice import replicate
from ...task import Task
from .fields import Fields
from .order import Order

LABELS = (1.0, -1.0)
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


def draw(L: int, points: int, replicates: int) -> Samples:
    """Return the points of the first replicates.

    >>> draw(3, 8, 2).q.shape
    (3, 16)
    """
    u = np.concatenate([replicate(points, 2 * L, index) for index in range(replicates)])
    z = ndtri(u.T)
    return Samples(np.ascontiguousarray(z[:L]), np.ascontiguousarray(z[L:]), replicates)


def fields(samples: Samples, order: Order, task: Task) -> Fields:
    """Return the fields ω of all positives, and after them those of all negatives (L × 2n)."""
    (qq, _), (uq, uu) = order.root
    n = samples.q.shape[1]
    q, u = np.empty((task.L, 2 * n)), np.empty((task.L, 2 * n))
    q[:, n:] = qq * samples.q
    u[:, n:] = uq * samples.q + uu * samples.u
    q[:, :n], u[:, :n] = q[:, n:], u[:, n:]
    q[: task.R, :n] += task.theta * order.M[0]
    u[: task.R, :n] += task.theta * order.M[1]
    return Fields(q, u)


def labels(samples: Samples) -> FloatArray:
    """Return the label of each sample of `fields`."""
    return np.repeat(LABELS, samples.q.shape[1])
