"""The form in which every model meets the theory: weighted nodes (m, τ, A) with labels.

For a readout with components μ along the k special directions and norm ρ on the rest, the score
of a sample at a node is Gaussian with mean μ·m + b and variance Σ_j τ_j μ_j² + A ρ².
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ..arrays import FloatArray
from ..task import Task

Flips: TypeAlias = "tuple[float, float]"
"""The shares of positives and of negatives whose label is flipped."""
CLEAN: Flips = (0.0, 0.0)


class Nodes(NamedTuple):
    """The law of a model's features given one label, as N weighted nodes."""

    m: FloatArray  # N × k: mean along each special direction
    tau: FloatArray  # N × k: variance along each special direction
    A: FloatArray  # N: variance along every other direction
    weight: FloatArray  # N: non-negative, summing to one
    replicas: FloatArray  # replicates × N: the same weights, one independent estimate a row


class JointLaw(NamedTuple):
    """The joint law of features and label: nodes of both labels, weighted by their probability."""

    y: FloatArray
    m: FloatArray
    tau: FloatArray
    A: FloatArray
    weight: FloatArray
    replicas: FloatArray

    def score(self, mu: FloatArray, b: float, rho: float) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance of the score at each node."""
        return self.m @ mu + b, self.tau @ (mu * mu) + self.A * (rho * rho)

    @property
    def directions(self) -> int:
        """The number of special directions."""
        count: int = self.m.shape[1]
        return count


class LimitLaw(NamedTuple):
    """A model's limit law for each label, and the number of readout weights divided by d.

    ``coarse`` is the same law with a quarter of the cells, where the nodes are a compression; the
    difference between the two measures the compression.
    """

    positive: Nodes
    negative: Nodes
    dim: int = 1
    coarse: tuple[Nodes, Nodes] | None = None

    def law(self, pi: float, flips: Flips = CLEAN) -> JointLaw:
        """Return the joint law when positives have probability ``pi``.

        Its labels are the true ones or, with the shares ``flips`` of positives and of negatives
        that are flipped, those that a loss is trained on.
        """
        return _join(self.positive, self.negative, pi, flips)

    def coarse_law(self, pi: float, flips: Flips = CLEAN) -> JointLaw:
        """Return the joint law at the lower resolution."""
        return self.law(pi, flips) if self.coarse is None else _join(*self.coarse, pi, flips)


def exact(m: FloatArray, A: float, weight: FloatArray | None = None) -> Nodes:
    """Nodes without sampling error, all of whose directions share the variance A."""
    count, k = m.shape
    weight = np.full(count, 1.0 / count) if weight is None else weight
    return Nodes(m, np.full((count, k), A), np.full(count, A), weight, weight[None])


def nothing(directions: int, A: float) -> Nodes:
    """The node of features without a signal."""
    return exact(np.zeros((1, directions)), A)


def of_kinds(nodes: Nodes, task: Task) -> Nodes:
    """Exact nodes of one signal, for each of the task's: every signal has directions of its own.

    Examples
    --------
    >>> task = Task(L=4, R=1, theta=2.0, pi=0.5, signals=(0.25, 0.75))
    >>> of_kinds(exact(np.array([[0.5]]), 0.25), task).m
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    if task.signals is None:
        return nodes
    weight = np.kron(task.signals, nodes.weight)
    m = np.kron(np.eye(task.kinds), nodes.m).astype(float)
    return exact(m, float(nodes.A[0]), weight.astype(float))


def mixed(parts: Sequence[Nodes], shares: Sequence[float]) -> Nodes:
    """Nodes of a mixture: each part with its share, which add up to one."""
    columns = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("m", "tau", "A")
    )
    scaled = (
        np.concatenate([p * getattr(part, name) for p, part in zip(shares, parts, strict=True)], -1)
        for name in ("weight", "replicas")
    )
    return Nodes(*columns, *scaled)


def _join(positive: Nodes, negative: Nodes, pi: float, flips: Flips) -> JointLaw:
    """Join both labels; where some are flipped, the nodes appear a second time, as the other."""
    whole = ((1.0, pi, positive, flips[0]), (-1.0, 1.0 - pi, negative, flips[1]))
    parts = [(y, p * (1.0 - flipped), nodes) for y, p, nodes, flipped in whole]
    parts += [(-y, p * flipped, nodes) for y, p, nodes, flipped in whole if flipped > 0.0]
    return grouped(parts)


def grouped(parts: Sequence[tuple[float, float, Nodes]]) -> JointLaw:
    """Return the joint law of groups of samples: the label, the share and the nodes of each."""
    rows = max(len(nodes.replicas) for _, _, nodes in parts)
    replicas = [p * np.broadcast_to(n.replicas, (rows, len(n.A))) for _, p, n in parts]
    return JointLaw(
        np.concatenate([np.full(len(nodes.A), y) for y, _, nodes in parts]),
        np.concatenate([nodes.m for _, _, nodes in parts]),
        np.concatenate([nodes.tau for _, _, nodes in parts]),
        np.concatenate([nodes.A for _, _, nodes in parts]),
        np.concatenate([p * nodes.weight for _, p, nodes in parts]),
        np.concatenate(replicas, axis=1),
    )
