"""The law of (v·a, g·a − ḡ, ‖a‖²) for attention, by randomised QMC.

`draw` samples it for both labels from the same tokens. `attention_limit` compresses the samples of
each label; `attention_samples` keeps them all.
"""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from ...lattice import REPLICATES
from ...models import attention
from ...models.nodes import LimitLaw
from .compression import Partition, Samples, compress, partition
from .ladder import Level
from .mixtures import Orthogonal
from .tokens import Sums, Tokens, draw_groups


def draw(L: int, R: int, kappa: float, tilt: float, points: int) -> tuple[Samples, Samples]:
    """Sample both labels with logits κ g, raised by κ·tilt (tilt = θ s) on the R signal tokens."""
    chunks = [_draw_one(L, R, kappa, tilt, points, index) for index in range(REPLICATES)]
    positive, negative = zip(*chunks, strict=True)
    return _stack(positive), _stack(negative)


def _stack(parts: tuple[Samples, ...]) -> Samples:
    return Samples(*(np.stack(columns) for columns in zip(*parts, strict=True)))


def _draw_one(
    L: int, R: int, kappa: float, tilt: float, points: int, index: int
) -> tuple[Samples, Samples]:
    signal, noise = _sums(L, R, 1.0 if np.isinf(kappa) else kappa, points, index)
    positive, negative = (softmax_samples(signal, noise, L, kappa, item) for item in (tilt, 0.0))
    return positive, negative._replace(mass=np.zeros(points))


def softmax_samples(signal: Sums, noise: Sums, L: int, kappa: float, tilt: float) -> Samples:
    """Return the samples of softmax, from sums over signal tokens, raised by ``tilt``, and others.

    At κ = ∞ all attention lies on the largest token.
    """
    mean = (noise.total + signal.total) / L
    if np.isinf(kappa):
        won = signal.top + tilt > noise.top
        score = np.where(won, signal.top, noise.top) - mean
        return Samples(won.astype(float), score, np.ones(len(won)))
    log_noise, log_signal = kappa * noise.top, kappa * signal.top + kappa * tilt
    top = np.maximum(log_noise, log_signal)
    f_noise, f_signal = np.exp(log_noise - top), np.exp(log_signal - top)
    total = f_noise * noise.mass + f_signal * signal.mass
    mass = f_signal * signal.mass / total
    score = (f_noise * noise.moment + f_signal * signal.moment) / total - mean
    A = (f_noise**2 * noise.square + f_signal**2 * signal.square) / total**2
    return Samples(mass, score, A)


@lru_cache(maxsize=2 * REPLICATES)
def _sums(L: int, R: int, kappa: float, points: int, index: int) -> tuple[Sums, Sums]:
    """Sums over signal tokens and over noise tokens, which do not depend on θ and s."""
    # signal tokens first: they matter most when there are few of them
    shapes = tuple((n, Tokens.kept(n)) for n in (R, L - R))
    signal, noise = draw_groups(shapes, points, index)
    return signal.sums(kappa), noise.sums(kappa)


@lru_cache(maxsize=64)
def attention_limit(
    L: int,
    R: int,
    theta: float,
    kappa: float,
    cosine: float,
    level: Level,
    orthogonal: Orthogonal = None,
    like: tuple[float, float] | None = None,
) -> LimitLaw:
    """Return the compressed limit law of attention for one task and query.

    ``like`` has κ and tilt of a law nearby whose cells it takes over: such laws are smooth in κ, θ
    and the cosine, and differences between them are not of their compression.
    """
    build = partial(attention.nodes, 1.0 / L, theta, cosine, orthogonal=orthogonal)
    if kappa == 0.0:
        unit, A = np.ones(1), np.full(1, 1.0 / L)
        nodes = [build(p * unit, 0.0 * unit, A, unit, unit[None]) for p in (R / L, 0.0)]
        return LimitLaw(nodes[0], nodes[1])
    samples = draw(L, R, kappa, theta * cosine, level.points)
    parts = (None, None) if like is None else _partitions(L, R, *like, level)
    pairs = [
        compress(sample, level.cells, part) for sample, part in zip(samples, parts, strict=True)
    ]
    fine, coarse = ([build(*item) for item in column] for column in zip(*pairs, strict=True))
    return LimitLaw(fine[0], fine[1], coarse=(coarse[0], coarse[1]))


@lru_cache(maxsize=2)
def _partitions(
    L: int, R: int, kappa: float, tilt: float, level: Level
) -> tuple[Partition, Partition]:
    positive, negative = draw(L, R, kappa, tilt, level.points)
    return partition(positive, level.cells), partition(negative, level.cells)


def attention_samples(
    L: int,
    R: int,
    theta: float,
    kappa: float,
    cosine: float,
    points: int,
    orthogonal: Orthogonal = None,
) -> list[LimitLaw]:
    """Return the uncompressed law of each replicate, for cheap integrands."""
    build = partial(attention.nodes, 1.0 / L, theta, cosine, orthogonal=orthogonal)
    weight = np.full(points, 1.0 / points)
    result = []
    for index in range(REPLICATES):
        positive, negative = _draw_one(L, R, kappa, theta * cosine, points, index)
        nodes = [build(*draws, weight, weight[None]) for draws in (positive, negative)]
        result.append(LimitLaw(nodes[0], nodes[1]))
    return result
