"""log e_r of many tokens by its saddle point, for r > `symmetric.FEW_SIGNALS`.

e_r = (1/2πi) ∮ e^{K(u) − ru} du with K(u) = Σ log(1 + e^{u + θx}) gives, at K'(u) = r,

    log e_r = K − ru − ½ log(2πK'') + log(1 + K''''/(8K''²) − 5K'''²/(24K''³)).

Relative to the same formula for C(L, r) = e_r(1, …, 1), which cancels most of its error, it is
accurate to 10⁻⁴ for r > 12. K is summed over the largest tokens of each group; the bulk below
them, n i.i.d. normals truncated to g < T, adds a random function of u: Gaussian, with the mean and
covariance of its terms. That function is carried by its values at Chebyshev nodes around the
population's saddle point, together with Σ g, on the normals of `Tokens`; mean and covariance
factors are Chebyshev series in T.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from scipy.special import betaincinv, expit, ndtri

from ...arrays import FloatArray
from ..law.tokens import Tokens, skewed_sum
from .symmetric import TokenGroup

NODES = 17  # in u
LEVELS = 24  # in T
QUADRATURE = 160
TOKEN_RANGE = 9.5
MAX_NEWTON_STEPS = 12
# In u; the spread exceeds it only where the signal is undetectable.
MAX_WINDOW = 6.0


class SaddlePoints(NamedTuple):
    """Draws at their saddle points u."""

    u: FloatArray
    y: FloatArray  # u + θx of the tokens that are kept
    s: FloatArray  # their logistic function
    bulk: FloatArray  # what the others add to K and to its first four derivatives


@dataclass(frozen=True)
class SaddlePointFormula:
    """The saddle-point formula for one task and label."""

    theta: float
    r: float
    groups: tuple[TokenGroup, ...]
    centre: float = field(init=False)
    width: float = field(init=False)
    fields: tuple[_BulkField | None, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Place the window of u and tabulate the bulk of each group."""
        centre, spread = _population(self.theta, self.r, self.groups)
        width = min(0.25 + 6.0 * spread, MAX_WINDOW)
        nodes = centre + width * chebyshev.chebpts1(NODES)
        made = tuple(
            _BulkField.make(self.theta, group, nodes) if group.bulk else None
            for group in self.groups
        )
        for name, value in (("centre", centre), ("width", width), ("fields", made)):
            object.__setattr__(self, name, value)

    def __call__(self, drawn: Sequence[Tokens]) -> tuple[FloatArray, FloatArray]:
        """Return log[e_r / C(L, r)] and Σ x for each draw (one entry of ``drawn`` per group)."""
        g = np.concatenate(
            [t.g + group.lift for t, group in zip(drawn, self.groups, strict=True)], axis=1
        )
        total = g.sum(axis=1)
        for t, item in zip(drawn, self.fields, strict=True):
            if item is not None:
                total = total + item.count * item.lift
                total = total + skewed_sum(item.count, t.g[:, -1], item.sums(t, slice(1))[0])
        at = self.tilt(drawn)
        v = at.s * (1.0 - at.s)
        parts = (np.logaddexp(0.0, at.y), v, v * (1.0 - 2.0 * at.s), v * (1.0 - 6.0 * v))
        k0, k2, k3, k4 = (
            part.sum(axis=1) + at.bulk[order]
            for part, order in zip(parts, (0, 2, 3, 4), strict=True)
        )
        logs = _formula(k0 - self.r * at.u, np.maximum(k2, 1e-3), k3, k4)
        return logs - _log_binomial(sum(group.n for group in self.groups), self.r), total

    def tilt(self, drawn: Sequence[Tokens]) -> SaddlePoints:
        """Return the saddle point of each draw."""
        values = np.zeros((NODES, len(drawn[0].g)))
        for t, item in zip(drawn, self.fields, strict=True):
            if item is not None:
                values += item.sums(t, slice(1, None))
        slopes = [_interpolant(values)]
        for _ in range(4):
            slopes.append(np.asarray(chebyshev.chebder(slopes[-1]) / self.width, dtype=float))
        logits = self.theta * np.concatenate(
            [t.g + group.lift for t, group in zip(drawn, self.groups, strict=True)], axis=1
        )
        x = np.zeros(len(logits))  # u = centre + width·x
        for _ in range(MAX_NEWTON_STEPS):
            s = expit(self.centre + self.width * x[:, None] + logits)
            k1 = s.sum(axis=1) + chebyshev.chebval(x, slopes[1], tensor=False)
            k2 = (s * (1.0 - s)).sum(axis=1) + chebyshev.chebval(x, slopes[2], tensor=False)
            move = (self.r - k1) / np.maximum(k2, 1e-3) / self.width
            x, before = np.clip(x + np.clip(move, -0.5, 0.5), -1.0, 1.0), x
            if np.abs(x - before).max() < 1e-9:
                break
        u = self.centre + self.width * x
        y = u[:, None] + logits
        bulk = np.array(
            [chebyshev.chebval(x, slope, tensor=False) for slope in slopes], dtype=float
        )
        return SaddlePoints(u, y, expit(y), bulk)


@dataclass(frozen=True)
class _BulkField:
    """The bulk of one group: Σ g and Σ log(1 + e^{u + θx}) at the nodes, given T and normals."""

    count: int
    lift: float
    low: float
    high: float
    table: FloatArray  # Chebyshev coefficient in T, statistic, (mean, factors…)

    @classmethod
    def make(cls, theta: float, group: TokenGroup, nodes: FloatArray) -> _BulkField:
        """Tabulate mean and covariance factor for T between its extreme quantiles."""
        rank = (group.bulk + 1.0, float(group.kept))
        low, high = (float(ndtri(betaincinv(*rank, p))) for p in (1e-10, 1.0 - 1e-10))
        T = 0.5 * (low + high) + 0.5 * (high - low) * chebyshev.chebpts1(LEVELS)
        x, w = gauss(QUADRATURE)
        g = T[:, None] - 0.5 * (T[:, None] + TOKEN_RANGE) * (1.0 - x)
        weight = w * np.exp(-0.5 * g * g)
        weight /= weight.sum(axis=1, keepdims=True)
        terms = np.logaddexp(0.0, nodes + theta * (g[..., None] + group.lift))
        terms = np.concatenate([g[..., None], terms], axis=2)
        mean = np.einsum("tq,tqs->ts", weight, terms)
        centred = terms - mean[:, None]
        covariance = np.einsum("tq,tqi,tqj->tij", weight, centred, centred, optimize=True)
        factors = _factors(covariance, (0, 1 + NODES // 2, 1, NODES))
        scaled = np.concatenate(
            [group.bulk * mean[..., None], np.sqrt(group.bulk) * factors], axis=2
        )
        table = _interpolant(scaled.reshape(LEVELS, -1)).reshape(scaled.shape)
        return cls(group.bulk, group.lift, low, high, table)

    def sums(self, drawn: Tokens, which: slice) -> FloatArray:
        """Return statistics × points: Σ g first, then the function at the nodes."""
        at = (2.0 * drawn.g[:, -1] - self.low - self.high) / (self.high - self.low)
        basis = chebyshev.chebvander(np.clip(at, -1.0, 1.0), LEVELS - 1)
        normals = np.concatenate([np.ones((len(at), 1)), drawn.z], axis=1)
        columns = self.table.transpose(1, 0, 2)[which]
        return np.stack([np.einsum("pk,pk->p", basis @ column, normals) for column in columns])


@cache
def gauss(count: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of the Gauss–Legendre rule on [−1, 1]."""
    return np.polynomial.legendre.leggauss(count)


@cache
def _normal(count: int) -> tuple[FloatArray, FloatArray]:
    return np.polynomial.hermite_e.hermegauss(count)


def _factors(covariance: FloatArray, pivots: tuple[int, ...]) -> FloatArray:
    """Partial Cholesky factors of many covariances: all rows, one column for each pivot."""
    rest = covariance.copy()
    columns = []
    for pivot in pivots:
        # the floor keeps the factors smooth in T where the functions are nearly dependent
        scale = rest[:, pivot, pivot] + 1e-10 * covariance[:, pivot, pivot] + 1e-300
        column = rest[:, :, pivot] / np.sqrt(scale)[:, None]
        rest -= column[:, :, None] * column[:, None, :]
        columns.append(column)
    return np.stack(columns, axis=2)


def _population(theta: float, r: float, groups: tuple[TokenGroup, ...]) -> tuple[float, float]:
    """Return the saddle point of the mean of K and the standard deviation of the random one."""
    g, w = _normal(QUADRATURE)
    weights = np.concatenate([group.n * w / w.sum() for group in groups])
    logits = np.concatenate([theta * (g + group.lift) for group in groups])
    low, high = -logits.max() - 40.0, -logits.min() + 40.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if weights @ expit(middle + logits) < r else (low, middle)
    s = expit(low + logits)
    slope = weights @ (s * (1.0 - s))
    mean = [
        weights[i : i + QUADRATURE] @ s[i : i + QUADRATURE] for i in range(0, len(s), QUADRATURE)
    ]
    variance = weights @ s**2 - sum(m * m / group.n for m, group in zip(mean, groups, strict=True))
    return low, float(np.sqrt(max(variance, 0.0)) / slope)


def _interpolant(values: FloatArray) -> FloatArray:
    """Chebyshev coefficients of the interpolants through values at `chebpts1`, along axis 0."""
    count = len(values)
    basis = chebyshev.chebvander(chebyshev.chebpts1(count), count - 1)
    scale = np.full(count, 2.0 / count)
    scale[0] = 1.0 / count
    return scale[:, None] * (basis.T @ values)


def _log_binomial(n: int, k: float) -> float:
    """Return log C(n, k) by the same formula, at u = log(k/(n − k))."""
    p = k / n
    v = n * p * (1.0 - p)
    entropy = -n * np.log1p(-p) - k * np.log(p / (1.0 - p))
    return float(_formula(entropy, v, v * (1.0 - 2.0 * p), v * (1.0 - 6.0 * p * (1.0 - p))))


def _formula(exponent: Any, k2: Any, k3: Any, k4: Any) -> Any:
    """Return the expansion above, from K − ru and derivatives of K."""
    correction = k4 / (8.0 * k2**2) - 5.0 * k3**2 / (24.0 * k2**3)
    return exponent - 0.5 * np.log(2.0 * np.pi * k2) + np.log1p(np.clip(correction, -0.5, 0.5))
