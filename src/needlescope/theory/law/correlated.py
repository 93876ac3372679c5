"""The law of (v·a, g·a − c, aᵀCa) for attention on tokens with an AR(1) correlation C.

Seen through a given query, the scores of the tokens are g ~ N(0, C) with C_lm = ρ^{|l − m|}, and
given g a feature has the variance aᵀCa orthogonal to the query, in place of ‖a‖². No kind of
attention sees a shift of all scores, so one number is integrated in closed form: in place of the
mean of g the best linear estimate of a common shift, which is independent of all differences,

    c = 1ᵀC⁻¹g/(1ᵀC⁻¹1),    Var c = 1/(1ᵀC⁻¹1) = (1 + ρ)/(L − (L − 2)ρ),    Cov(g − c1, c) = 0.

Tokens are no longer exchangeable: where the signal tokens lie matters, and is drawn too, uniformly
or by the task's positions. All L scores are sampled, by randomised QMC.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from ...arrays import FloatArray
from ...lattice import REPLICATES, replicate
from ...models import Model, attention
from ...models.nodes import LimitLaw
from ...models.segments import peak
from ...task import Positions
from .compression import Samples, compress
from .ladder import Level

CHUNK = 2**20  # scores of tokens that are held at a time
MOST_TOKENS = 1000  # of a sample: all of them are drawn


class Attended(NamedTuple):
    """Correlated tokens, R of them with a signal, and attention that sees them."""

    model: Model
    L: int
    R: int
    kappa: float
    tilt: float  # θ s: logits of signal tokens are raised by κ times it
    rho: float
    places: str | Positions = "uniform"


def shift_variance(L: int, rho: float) -> float:
    """Return Var c = 1/(1ᵀC⁻¹1), which is 1/L for independent tokens.

    >>> shift_variance(4, 0.0), shift_variance(1, 0.5)
    (0.25, 1.0)
    """
    return (1.0 + rho) / (L - (L - 2) * rho)


def check_count(L: int) -> None:
    """Refuse more tokens than can be drawn."""
    if L > MOST_TOKENS:
        raise ValueError(
            f"L must be at most {MOST_TOKENS} where tokens are correlated, as all of them are "
            f"drawn, got L={L}; simulate takes more"
        )


def correlated_draw(seen: Attended, points: int) -> tuple[Samples, Samples]:
    """Sample both labels from the same tokens."""
    check_count(seen.L)
    pairs = [_draw_one(seen, points, index) for index in range(REPLICATES)]
    positive, negative = (
        Samples(*(np.stack(columns) for columns in zip(*parts, strict=True)))
        for parts in zip(*pairs, strict=True)
    )
    return positive, negative


def _draw_one(seen: Attended, points: int, index: int) -> tuple[Samples, Samples]:
    L, R = seen.L, seen.R
    picks = 1 if isinstance(seen.places, Positions) else min(R, L - R)
    chunks, parts = min(points, -(-points * L // CHUNK)), []
    for first in range(chunks):
        u = replicate(points, picks + L, index, first, chunks)
        v = signal_tokens(L, R, u[:, :picks], seen.places)
        parts.append(_samples(seen, scores(u[:, picks:], seen.rho), v))
    positive, negative = zip(*parts, strict=True)
    return _joined(positive), _joined(negative)


def _joined(parts: tuple[Samples, ...]) -> Samples:
    return Samples(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def scores(u: FloatArray, rho: float) -> FloatArray:
    """Turn uniforms, points × L, into the scores g of an AR(1) sequence, L × points."""
    g = ndtri(u.T)
    fresh = np.sqrt((1.0 - rho) * (1.0 + rho))
    for token in range(1, len(g)):
        g[token] = rho * g[token - 1] + fresh * g[token]
    return np.asarray(g)


def signal_tokens(L: int, R: int, u: FloatArray, places: str | Positions) -> FloatArray:
    """Turn uniforms into the marks v of the signal tokens, L × points.

    >>> signal_tokens(4, 2, np.array([[0.3, 0.9]]), "uniform").T
    array([[0., 1., 0., 1.]])
    """
    if isinstance(places, Positions):
        ends = np.cumsum(places.probabilities)[:-1]
        return places.patterns(L)[np.searchsorted(ends, u[:, 0], side="right")].T
    v = np.zeros((L, len(u)))
    points = np.arange(len(u))
    for taken, pick in enumerate(u.T):  # one of those that are left, min(R, L − R) times
        place = (pick * (L - taken)).astype(int)
        v[(np.cumsum(1.0 - v, axis=0) > place).argmax(axis=0), points] = 1.0
    return v if 2 * R <= L else 1.0 - v


def _samples(seen: Attended, g: FloatArray, v: FloatArray) -> tuple[Samples, Samples]:
    """Return the samples of both labels from the scores and the marks of the same tokens."""
    model, L, _, kappa, tilt, rho, _ = seen
    hard = np.isinf(kappa)
    shift = ((1.0 - rho) * g.sum(axis=0) + rho * (g[0] + g[-1])) / (L - (L - 2) * rho)
    assert model.weigh is not None
    weigh = peak if hard else model.weigh
    result = []
    for raised in (tilt * v, 0.0):
        a = weigh((1.0 if hard else kappa) * (g + raised), 0)
        score = np.einsum("ln,ln->n", a, g) - a.sum(axis=0) * shift
        mass = np.einsum("ln,ln->n", a, v) if np.ndim(raised) else np.zeros(len(shift))
        result.append(Samples(mass, score, variance(a, rho)))
    return result[0], result[1]


def variance(a: FloatArray, rho: float) -> FloatArray:
    """Return aᵀCa for each column of a.

    >>> variance(np.array([[1.0, 0.5], [0.0, 0.5]]), 0.5)
    array([1.  , 0.75])
    """
    before, total = np.zeros(a.shape[1]), np.zeros(a.shape[1])
    for row in a:  # before = Σ_{m < l} ρ^{l − m} a_m
        total += row * (row + 2.0 * before)
        before = rho * (before + row)
    return total


@lru_cache(maxsize=64)
def correlated_limit(seen: Attended, theta: float, cosine: float, level: Level) -> LimitLaw:
    """Return the compressed limit law of attention on correlated tokens."""
    build = partial(attention.nodes, shift_variance(seen.L, seen.rho), theta, cosine)
    samples = correlated_draw(seen, level.points)
    pairs = [compress(sample, level.cells) for sample in samples]
    fine, coarse = ([build(*item) for item in column] for column in zip(*pairs, strict=True))
    return LimitLaw(fine[0], fine[1], coarse=(coarse[0], coarse[1]))


def correlated_samples(seen: Attended, theta: float, cosine: float, points: int) -> list[LimitLaw]:
    """Return the uncompressed law of each replicate, for cheap integrands."""
    check_count(seen.L)
    build = partial(attention.nodes, shift_variance(seen.L, seen.rho), theta, cosine)
    weight, result = np.full(points, 1.0 / points), []
    for index in range(REPLICATES):
        pair = _draw_one(seen, points, index)
        nodes = [build(*draws, weight, weight[None]) for draws in pair]
        result.append(LimitLaw(nodes[0], nodes[1]))
    return result
