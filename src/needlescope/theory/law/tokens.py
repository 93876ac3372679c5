"""Sums over n i.i.d. N(0, 1) tokens for softmax: Σ e^{κg}, Σ g e^{κg}, Σ e^{2κg}, Σ g.

The tokens are drawn in decreasing order: with V_j uniform, the order statistics of n uniforms are
U_(n) = V_1^{1/n}, U_(n−1) = U_(n) V_2^{1/(n−1)}, …, so that the first coordinates of a quasi-random
point carry the largest tokens, which matter most. Up to `MAX_EXACT_TOKENS` all tokens are kept. Of
more, the `TOP_TOKENS` largest are; given the last of them, T, the rest are i.i.d. N(0, 1) truncated
to g < T, and their sums are replaced by a Gaussian vector with the exact conditional mean and
covariance, Σ g with its skewness too. Against the exact law of the score (`oracle.score`) that
costs at most 5e-5 on the sharpest probabilities, for n just above `MAX_EXACT_TOKENS`, and less on
smooth ones. The cost of a draw does not grow with n.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from scipy.special import erfcx, ndtri

from ...arrays import FloatArray
from ...lattice import REPLICATES, replicate

MAX_EXACT_TOKENS = 128
TOP_TOKENS = 32
BULK_SUMS = 4
MAX_CACHED_NUMBERS = 2**20  # of a replicate: 8 MiB each, 16 replicates
SUM_TERMS = ((1, 0), (1, 1), (2, 0), (0, 1))  # (j, p) of Σ gᵖ e^{jκg}


class Sums(NamedTuple):
    """Sums over the tokens of a group, relative to its largest token ``top``."""

    top: FloatArray  # max g
    mass: FloatArray  # Σ e^{κ(g − top)}
    moment: FloatArray  # Σ g e^{κ(g − top)}
    square: FloatArray  # Σ e^{2κ(g − top)}
    total: FloatArray  # Σ g


@dataclass(frozen=True)
class Tokens:
    """Quasi-random draws of n tokens: the largest ones, and normals for the sums of the rest."""

    n: int
    g: FloatArray  # points × kept tokens, decreasing
    z: FloatArray  # points × BULK_SUMS, or × 0 when all tokens are kept

    @staticmethod
    def dims(n: int) -> int:
        """Return how many uniform coordinates a draw of n tokens consumes."""
        return n if n <= MAX_EXACT_TOKENS else TOP_TOKENS + BULK_SUMS

    @staticmethod
    def kept(n: int) -> int:
        """Return how many of n tokens are kept exactly."""
        return n if n <= MAX_EXACT_TOKENS else TOP_TOKENS

    @classmethod
    def draw(cls, n: int, u: FloatArray, kept: int | None = None) -> Tokens:
        """Turn uniforms, points × dims(n), into tokens, ``kept`` of them exactly."""
        kept = cls.kept(n) if kept is None else kept
        log_u = np.log(u[:, :kept])
        log_u /= np.arange(n, n - kept, -1)
        np.cumsum(log_u, axis=1, out=log_u)
        upper = log_u > -0.5  # compute from 1 − U there, from U below
        g = ndtri(np.where(upper, -np.expm1(log_u), np.exp(log_u)))
        np.negative(g, out=g, where=upper)
        return cls(n, g, ndtri(u[:, kept:]))

    @classmethod
    def joined(cls, parts: Sequence[Tokens]) -> Tokens:
        """Return the draws of all parts, one after the other."""
        g, z = (np.concatenate([getattr(part, name) for part in parts]) for name in ("g", "z"))
        return cls(parts[0].n, g, z)

    def sums(self, kappa: float) -> Sums:
        """Return the sums at inverse temperature κ."""
        points = len(self.g)
        if self.n == 0:
            zero = np.zeros(points)
            return Sums(np.full(points, -np.inf), zero, zero, zero, zero)
        top = self.g[:, 0]
        weight = np.exp(kappa * (self.g - top[:, None]))
        mass = weight.sum(axis=1)
        moment = np.einsum("ij,ij->i", weight, self.g)
        square = np.einsum("ij,ij->i", weight, weight)
        total = self.g.sum(axis=1)
        left = self.n - self.g.shape[1]
        if left:
            last = self.g[:, -1]
            bulk = bulk_sums(left, kappa, last, self.z)
            shrink = np.exp(kappa * (last - top))
            mass = mass + shrink * bulk[0]
            moment = moment + shrink * bulk[1]
            square = square + shrink**2 * bulk[2]
            total = total + skewed_sum(left, last, bulk[3])
        return Sums(top, mass, moment, square, total)


def draw_groups(shapes: tuple[tuple[int, int], ...], points: int, index: int) -> tuple[Tokens, ...]:
    """Draw one replicate of several groups of tokens, each with its size and number kept.

    Small ones are cached: other values of θ and κ use the same tokens.
    """
    numbers = points * sum(_dims(*shape) for shape in shapes)
    return (_cached if numbers <= MAX_CACHED_NUMBERS else _drawn)(shapes, points, index)


def _drawn(shapes: tuple[tuple[int, int], ...], points: int, index: int) -> tuple[Tokens, ...]:
    u = replicate(points, sum(_dims(*shape) for shape in shapes), index)
    result = []
    for n, kept in shapes:
        size = _dims(n, kept)
        result.append(Tokens.draw(n, u[:, :size], kept))
        u = u[:, size:]
    return tuple(result)


_cached = lru_cache(maxsize=2 * REPLICATES)(_drawn)


def _dims(n: int, kept: int) -> int:
    return kept + (BULK_SUMS if kept < n else 0)


def bulk_sums(
    count: int,
    kappa: float,
    T: FloatArray,
    z: FloatArray,
    terms: Sequence[tuple[int, int]] = SUM_TERMS,
) -> FloatArray:
    """Gaussian draws of sums over ``count`` tokens below T, relative to e^{jκT}: Σ gᵖ e^{jκ(g−T)}.

    With x = T − g, E[x^p e^{−jκx}; g < T] = φ(T) I_p(jκ − T), I_0(c) = √(π/2) erfcx(c/√2),
    I_1 = 1 − c I_0, I_p = (p − 1) I_{p−2} − c I_{p−1}.
    """
    raw: dict[tuple[int, int], FloatArray] = {}  # (j, p) → E[g^p e^{−jκ(T − g)} | g < T]
    powers, moments = (2 * max(column) for column in zip(*terms, strict=True))
    i0 = [np.sqrt(np.pi / 2.0) * erfcx((j * kappa - T) / np.sqrt(2.0)) for j in range(powers + 1)]
    for j in range(powers + 1):
        c = j * kappa - T
        integrals = [i0[j], 1.0 - c * i0[j]]
        for p in range(2, moments + 1):
            integrals.append((p - 1) * integrals[p - 2] - c * integrals[p - 1])
        scaled = [integral / i0[0] for integral in integrals]
        for p in range(moments + 1):
            raw[j, p] = sum(
                comb(p, i) * (-1.0) ** i * T ** (p - i) * scaled[i] for i in range(p + 1)
            )
    mean = np.stack([raw[term] for term in terms])
    factor = _cholesky(
        [[raw[a[0] + b[0], a[1] + b[1]] - raw[a] * raw[b] for b in terms] for a in terms]
    )
    noise = np.zeros_like(mean)
    for i in range(len(terms)):
        for k in range(i + 1):
            noise[i] += factor[i][k] * z[:, k]
    sums: FloatArray = count * mean + np.sqrt(count) * noise
    for i, (j, p) in enumerate(terms):
        if j and p % 2 == 0:  # a sum of exponentials cannot fall to zero
            np.maximum(sums[i], 0.05 * count * mean[i], out=sums[i])
    return sums


def skewed_sum(count: int, last: FloatArray, total: FloatArray) -> FloatArray:
    """Give a Gaussian draw of Σ g over ``count`` normals truncated to g < T its skewness.

    The lowest tokens hardly matter to a softmax or a likelihood, but they enter the mean of all
    tokens: with a Gaussian sum an error would be off by 10⁻⁴.

    >>> skewed_sum(4, np.zeros(1), np.array([-3.0])).round(3)
    array([-2.903])
    """
    hazard = np.sqrt(2.0 / np.pi) / erfcx(-last / np.sqrt(2.0))
    variance = 1.0 - last * hazard - hazard**2
    third = -hazard * (last**2 - 1.0 + 3.0 * last * hazard + 2.0 * hazard**2)
    z = (total + count * hazard) / np.sqrt(count * variance)
    return np.asarray(total + third / (6.0 * variance) * (z**2 - 1.0))


def _cholesky(C: list[list[FloatArray]]) -> list[list[FloatArray]]:
    """Lower Cholesky factors of many small matrices at once; vanishing pivots give zero columns."""
    n = len(C)
    zero = np.zeros_like(C[0][0])
    factor = [[zero] * n for _ in range(n)]
    for k in range(n):
        pivot = C[k][k] - sum(factor[k][j] ** 2 for j in range(k))
        good = pivot > 1e-12 * np.abs(C[k][k])
        root = np.sqrt(np.where(good, pivot, 1.0))
        factor[k][k] = np.where(good, root, 0.0)
        for i in range(k + 1, n):
            rest = C[i][k] - sum(factor[i][j] * factor[k][j] for j in range(k))
            factor[i][k] = np.where(good, rest / root, 0.0)
    return factor
