"""The form in which every model meets the theory: weighted nodes (m, τ, A) for each label.

For a readout with components μ along the k special directions and norm ρ on the rest, the score
of a sample at a node is Gaussian with mean μ·m + b and variance Σ_j τ_j μ_j² + A ρ².
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..outcome import FloatArray


class Nodes(NamedTuple):
    """The law of a model's features given one label, as N weighted nodes."""

    m: FloatArray  # N × k: mean along each special direction
    tau: FloatArray  # N × k: variance along each special direction
    A: FloatArray  # N: variance along every other direction
    weight: FloatArray  # N: non-negative, summing to one
    replicas: FloatArray  # replicates × N: the same weights, one independent estimate a row

    def score(self, mu: FloatArray, b: float, rho: float) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance of the score at each node."""
        return self.m @ mu + b, self.tau @ (mu * mu) + self.A * (rho * rho)


class Limit(NamedTuple):
    """A model's limit law: nodes for both labels, and features per sample dimension.

    ``dim`` is the number of readout weights divided by d: 1, or L for the vectorized model.
    ``coarse`` is the same law at half the resolution, where the nodes are a compression; the
    difference between the two measures the compression.
    """

    positive: Nodes
    negative: Nodes
    dim: int = 1
    coarse: tuple[Nodes, Nodes] | None = None

    def labels(self, pi: float) -> tuple[tuple[int, float, Nodes], tuple[int, float, Nodes]]:
        """Return (label, probability, nodes) for both labels."""
        return (1, pi, self.positive), (-1, 1.0 - pi, self.negative)


def exact(m: FloatArray, A: float, weight: FloatArray | None = None) -> Nodes:
    """Nodes without sampling error, all of whose directions share the variance A."""
    count, k = m.shape
    weight = np.full(count, 1.0 / count) if weight is None else weight
    return Nodes(m, np.full((count, k), A), np.full(count, A), weight, weight[None])
