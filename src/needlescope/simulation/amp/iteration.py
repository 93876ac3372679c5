"""Approximate message passing (AMP) for the signal, which is attention iterated.

With F = X/√d over the tokens of the samples that carry a signal, the estimate ξ̂ = x/√d starts at
zero. Each iteration attends to the tokens along it; the attended mean is the next estimate:

    ω = F x − V g,    p = P(l ∈ S | ω),    g = θ p,    s = mean Σ_l p_l²,    A = α₊ θ² s
    x ← (Σ Fᵀ g − x α₊ θ² (R − s))/(1 + A),    V = 1/(1 + A)

The terms with V and with R − s are the Onsager correction: they remove a sample's own contribution
to x. With a covariance of the noise, tokens are whitened and the components of x have the prior
variances P_k with mean 1:

    x_k ← P_k (…)_k/(1 + P_k A),    V = ⟨P/(1 + P A)⟩

Plain expectation–maximisation (EM) lacks the correction: ω = F x, x ← Σ Fᵀ g/(1 + α₊ θ² R).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray, project
from ...models.blocks import Data
from ...models.strength import FIRST_STRENGTH, learned_strength
from ...task import Task
from ..samples.sets import memberships


class Estimate(NamedTuple):
    """The estimate ξ̂, the assumed strength, and the number of the round."""

    xi: FloatArray
    theta: float
    round: int


def iterate(
    task: Task,
    data: Data,
    iterations: int,
    *,
    corrected: bool = True,
    theta: float | None = None,
    prior: FloatArray | float = 1.0,
) -> Iterator[Estimate]:
    """Yield the estimate after each iteration, from samples that all carry a signal.

    ``theta`` is the assumed strength; without it the strength is learned, round by round.
    ``prior`` are the variances of the signal's components, of mean 1.
    """
    (L, d), n = data.tokens, len(data.y)
    learns = theta is None
    strength = FIRST_STRENGTH if theta is None else float(theta)
    x, V, g = np.zeros(d), 1.0, np.zeros((n, L))
    for number in range(1, iterations + 1):
        pulled, squares = np.zeros(d), 0.0
        for block in data.blocks():
            rows = block.table
            seen = project(rows, x / np.sqrt(d)).reshape(-1, L)
            omega = seen - V * g[block.rows] if corrected else seen
            p = memberships(task, strength * omega)
            g[block.rows] = strength * p
            squares += float((p * p).sum())
            pulled += (g[block.rows].ravel().astype(rows.dtype) @ rows).astype(float) / np.sqrt(d)
        s, field = squares / n, n / d * strength**2
        if corrected:
            x = prior * (pulled - x * field * (task.R - s)) / (1.0 + prior * field * s)
            V = float(np.mean(prior / (1.0 + prior * field * s)))
        else:
            x = prior * pulled / (1.0 + prior * field * task.R)
        yield Estimate(x / np.sqrt(d), strength, number)
        if learns:
            strength = learned_strength(float(x @ x) / d, field * s, strength)
