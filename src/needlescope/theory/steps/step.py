"""One joint gradient step on a fresh batch, in the overlaps of ξ, q and w.

Write Q = ‖q‖², W = ‖w‖², C = ⟨q, w⟩, m_w = ⟨w, ξ⟩. Tokens enter by their noise along q and w alone:
√Q g, and (C/√Q) g + σu with σ² = W − C²/Q, g and u independent normals. The weights
a = softmax(β X q) depend on g only, and the score f = D·a + σ‖a‖G + b, D = θ m_w v + (C/√Q) g, on u
by one normal G. Given g and G the rest of u is Gaussian, and its expectations are closed
forms. So, with h = ℓ'(f; y) and c = a ∘ (x − a·x), x = X w,

    ∇w = E[hθ v·a] ξ + E[h g·a] q̂ + E[h‖a‖G] û + noise of squared norm E[h²‖a‖²]/α
    ∇q = β{E[hθ v·c] ξ + E[h g·c] q̂ + E[h u·c] û + noise of squared norm E[h²‖c‖²]/α}
    ∇b = E[h],    q̂ = q/√Q,    û = (w − (C/Q) q)/σ

where both noises overlap by E[h² a·c]/α. The sums over tokens that these take are `sums`, the
integrals over G are `slopes`. Of several signals each has its own overlaps with q and w, and its
positives, a group of samples of their own, pull along it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...losses import Loss
from ...task import Task
from ..common.groups import SampleGroup, sample_groups
from .slopes import slopes
from .sums import TERMS, TokenSums, samples

RANK_TOLERANCE = 1e-14  # of ‖w‖²: a smaller part of w orthogonal to q is rounding


class Overlaps(NamedTuple):
    """The Gram matrix of the signals, q and w, in this order, and the bias."""

    gram: FloatArray
    b: float

    @property
    def m_q(self) -> FloatArray:
        """⟨q, ξ⟩ for each signal."""
        return self.gram[:-2, -2]

    @property
    def m_w(self) -> FloatArray:
        """⟨w, ξ⟩ for each signal."""
        return self.gram[:-2, -1]

    @property
    def norm_q(self) -> float:
        """‖q‖."""
        return float(np.sqrt(max(self.gram[-2, -2], 0.0)))

    @property
    def norm_w(self) -> float:
        """‖w‖."""
        return float(np.sqrt(max(self.gram[-1, -1], 0.0)))


class Sizes(NamedTuple):
    """The size of one step: of readout, bias and query."""

    w: float
    b: float
    q: float


class Gradient(NamedTuple):
    """A gradient: rows q and w of coefficients of (ξ, q̂, û), their noises' Gram matrix, and ∇b."""

    along: FloatArray
    noise: FloatArray
    b: float


def start(signals: int = 1) -> Overlaps:
    """Return the overlaps with w, q and b at zero."""
    return Overlaps(np.diag([1.0] * signals + [0.0, 0.0]), 0.0)


def step(
    at: Overlaps, task: Task, loss: Loss, beta: float, alpha: float, by: Sizes, points: int,
    index: int,
) -> Overlaps:  # fmt: skip
    """Take one step on a batch of αd samples, integrated on a replicate of the lattice.

    The first step from zero moves w as pooling does, and leaves q:

    >>> import needlescope as ns
    >>> from needlescope.losses import LOGISTIC
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> result = step(start(), task, LOGISTIC, 1.0, 4.0, Sizes(1.0, 1.0, 10.0), 64, 0)
    >>> result.m_w.round(4).tolist(), result.m_q.tolist(), result.norm_q  # ηπθR/(2L)
    ([0.125], [0.0], 0.0)
    """
    norm, (Q, C), W = at.norm_q, at.gram[-2, -2:], at.gram[-1, -1]
    shared = C / norm if norm > 0.0 else 0.0
    left = W - shared**2
    sigma = float(np.sqrt(left)) if left > RANK_TOLERANCE * W else 0.0
    pull = gradient(at, task, loss, beta, shared, sigma, points, index)
    # rows ξ, q̂, û in terms of ξ, q, w
    basis = np.eye(len(at.gram))
    basis[-2, -2] = 1.0 / norm if norm > 0.0 else 0.0
    basis[-1, -1] = 1.0 / sigma if sigma > 0.0 else 0.0
    basis[-1, -2] = -basis[-1, -1] * (C / Q if norm > 0.0 else 0.0)
    scale = np.array([by.q * beta, by.w])
    moved = np.eye(len(at.gram))
    moved[-2:] -= scale[:, None] * (pull.along @ basis)
    gram = moved @ at.gram @ moved.T
    gram[-2:, -2:] += np.outer(scale, scale) * pull.noise / alpha
    return Overlaps(gram, at.b - by.b * pull.b)


def gradient(
    at: Overlaps, task: Task, loss: Loss, beta: float, shared: float, sigma: float, points: int,
    index: int,
) -> Gradient:  # fmt: skip
    """Return the gradient, that of q without its factor β."""
    total, along = np.zeros(8), np.zeros((2, len(at.gram) - 2))
    for group, sample in zip(
        sample_groups(task), _drawn(at, task, beta, points, index), strict=True
    ):
        on_signal, rest = _terms(sample, group, at, task, loss, shared, sigma)
        along[:, group.signal] += group.share * on_signal
        total += group.share * rest
    noise = total[4:7]
    return Gradient(
        np.hstack([along, total[:4].reshape(2, 2)]),
        np.array([[noise[1], noise[2]], [noise[2], noise[0]]]),
        float(total[7]),
    )


def _drawn(at: Overlaps, task: Task, beta: float, points: int, index: int) -> list[TokenSums]:
    """Return token sums of each group; negatives share the tokens of some positives."""
    L, every = task.L, sample_groups(task)
    carriers = [R for R, _ in task.counts if R > 0]
    numbers = [item.tokens or carriers[0] for item in every]  # for negatives any R serves
    if at.norm_q == 0.0:
        return [_uniform_attention(L, R) for R in numbers]
    tilts = [
        task.theta * float(at.m_q[item.signal]) / at.norm_q * (item.tokens > 0) for item in every
    ]
    result: dict[int, TokenSums] = {}
    for R in carriers:
        own = [k for k, number in enumerate(numbers) if number == R]
        drawn = samples(L, R, beta * at.norm_q, [tilts[k] for k in own], points, index)
        result |= dict(zip(own, drawn, strict=True))
    return [result[k] for k in range(len(every))]


def _uniform_attention(L: int, R: int) -> TokenSums:
    """Return the token sums of uniform attention, the query being zero."""
    signal, every = (
        {(j, p): np.full(1, n * float(L) ** -j * (p == 0)) for j, p in TERMS} for n in (R, L)
    )
    return TokenSums(signal, every)


def _terms(
    sample: TokenSums,
    group: SampleGroup,
    at: Overlaps,
    task: Task,
    loss: Loss,
    shared: float,
    sigma: float,
) -> tuple[FloatArray, FloatArray]:
    """Return means over a group: ∇q and ∇w along its signal, then all others of `gradient`.

    These are ∇q and ∇w along q̂ and û, the squared noises of w and q, their overlap, and ∇b.
    """
    carries = group.tokens > 0
    every, lift = sample.every, task.theta * float(at.m_w[group.signal]) * carries
    signal = {key: value * carries for key, value in sample.signal.items()}
    A, a3, a4 = every[2, 0], every[3, 0], every[4, 0]
    norm = np.sqrt(A)
    D = lift * signal[1, 0] + shared * every[1, 1]  # D·a
    D2 = lift * signal[2, 0] + shared * every[2, 1]  # D·a²
    D3 = lift * signal[3, 0] + shared * every[3, 1]
    squared = lift**2 * signal[2, 0] + 2.0 * lift * shared * signal[2, 1] + shared**2 * every[2, 2]
    h, h2 = slopes(loss, group.label, D + at.b, sigma * norm)
    on_signal = (
        (lift * signal[1, 0] + shared * signal[1, 1] - signal[1, 0] * D) * h[0]
        + sigma * (signal[2, 0] / norm - norm * signal[1, 0]) * h[1]
    )  # fmt: skip
    on_query = (
        (lift * signal[1, 1] + shared * every[1, 2] - every[1, 1] * D) * h[0]
        + sigma * (every[2, 1] / norm - norm * every[1, 1]) * h[1]
    )  # fmt: skip
    on_readout = (D2 - A * D) / norm * h[1] + sigma * ((1.0 - a3 / A) * h[0] + (a3 / A - A) * h[2])
    size_q = (
        (squared - 2.0 * D * D2 + A * D**2) * h2[0]
        + 2.0 * sigma * ((D3 - a3 * D) / norm - norm * (D2 - A * D)) * h2[1]
        + sigma**2 * ((A - a4 / A) * h2[0] + (a4 / A - 2.0 * a3 + A**2) * h2[2])
    )
    both = (D2 - A * D) * h2[0] + sigma * (a3 / norm - norm * A) * h2[1]
    rows = (
        *(on_query, on_readout, every[1, 1] * h[0], norm * h[1]),
        *(A * h2[0], size_q, both, h[0]),
    )
    along = task.theta * on_signal, task.theta * signal[1, 0] * h[0]
    return np.array([item.mean() for item in along]), np.array([row.mean() for row in rows])
