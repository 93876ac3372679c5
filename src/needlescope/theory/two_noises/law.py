"""The law of a model's features where signal tokens have a noise of their own, by randomised QMC.

With τ² = qᵀΣ₁q/qᵀΣ₀q the logits are κ g on background tokens and κ(τ g + θ s) on signal tokens,
and a feature is, given a = softmax of them and with e₁ = ξ, e₂ = Σ₀q/σ₀, e₃ = Σ₁q/σ₁,

    θ(v·a) e₁ + (g·a)₀ e₂ + (g·a)₁ e₃ + noise of covariance ‖a₀‖² Σ₀' + ‖a₁‖² Σ₁'

with sums over background (0) and signal tokens (1), and Σ_j' = Σ_j less its part along Σ_jq.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...lattice import REPLICATES
from ...models import Model
from ...task import Task
from ..common.groups import sample_groups
from ..law.tokens import Sums, Tokens, draw_groups


class Law(NamedTuple):
    """Weighted nodes: label, means along e₁, e₂, e₃ (one for pooling), variances ‖a_j‖²."""

    y: FloatArray
    m: FloatArray  # N × 3, or N × 1
    A: FloatArray  # N × 2
    weight: FloatArray

    def part(self, index: int, count: int) -> Law:
        """Return replicate ``index`` of ``count``: its nodes lie one after the other."""
        rows = slice(index, None, count)
        return Law(self.y[rows], self.m[rows], self.A[rows], count * self.weight[rows])


def law_of(model: Model, task: Task, kappa: float, tau: float, tilt: float, points: int) -> Law:
    """Return the law of the features of both labels; of attention with the tilt θs.

    Flipped labels are those that a loss sees: `true_law` has the others.
    """
    parts = []
    for item in sample_groups(task):
        if model.has_query:
            m, A = _attending(task.L, item.tokens, kappa, tau, tilt, points)
        else:
            m, A = _pooled(task.L, item.tokens)
        m = m * np.array([task.theta, 1.0, 1.0])[: m.shape[1]]
        weight = np.full(len(m), item.share / len(m))
        parts.append((np.full(len(m), float(item.label)), m, A, weight))
    return Law(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def true_law(model: Model, task: Task, kappa: float, tau: float, tilt: float, points: int) -> Law:
    """Return the law with the true labels."""
    return law_of(model, task.replace(label_noise=None), kappa, tau, tilt, points)


def _pooled(L: int, R: int) -> tuple[FloatArray, FloatArray]:
    return np.array([[R / L]]), np.array([[L - R, R]]) / L**2


@lru_cache(maxsize=32)
def _attending(
    L: int, R: int, kappa: float, tau: float, tilt: float, points: int
) -> tuple[FloatArray, FloatArray]:
    """Return means, with θ = 1, and variances at the points of all replicates, in turn."""
    draws = [_draw(L, R, kappa, tau, tilt, points, index) for index in range(REPLICATES)]
    m, A = (np.stack(column, axis=1) for column in zip(*draws, strict=True))
    return m.reshape(-1, 3), A.reshape(-1, 2)


def _draw(
    L: int, R: int, kappa: float, tau: float, tilt: float, points: int, index: int
) -> tuple[FloatArray, FloatArray]:
    # signal tokens first: they matter most when there are few of them
    shapes = tuple((n, Tokens.kept(n)) for n in (R, L - R))
    signal, noise = draw_groups(shapes, points, index)
    of_signal, of_noise = signal.sums(kappa * tau), noise.sums(kappa)
    return softmax_nodes(of_signal, of_noise, kappa, tau, tilt)


def softmax_nodes(
    signal: Sums, noise: Sums, kappa: float, tau: float, tilt: float
) -> tuple[FloatArray, FloatArray]:
    """Return (v·a, (g·a)₀, (g·a)₁) and (‖a₀‖², ‖a₁‖²) from sums over both kinds of tokens."""
    nothing = np.full(len(noise.mass), -np.inf)
    logits = kappa * tau * signal.top + kappa * tilt if signal.mass.any() else nothing
    others = kappa * noise.top if noise.mass.any() else nothing
    top = np.maximum(logits, others)
    f1, f0 = np.exp(logits - top), np.exp(others - top)
    total = f0 * noise.mass + f1 * signal.mass
    m = np.stack([f1 * signal.mass, f0 * noise.moment, f1 * signal.moment]) / total
    A = np.stack([f0**2 * noise.square, f1**2 * signal.square]) / total**2
    return m.T, A.T
