"""The law of (v·a, g·a − ḡ, ‖a‖²) for linear attention, by Gauss quadrature.

With t = θs, S = R(1 − R/L) and c = P(g + t v), the weights are a = (1 + κ c)/L. Only
x = v·Pg/√S ~ N(0, 1) and the rest r = ‖Pg‖² − x² ~ χ²(L − 2) of a positive's tokens matter:

    v·a = R/L + (κ/L)(√S x + t S)        g·a − ḡ = (κ/L)(x² + r + t √S x)
    ‖a‖² = 1/L + (κ/L)²((x + t √S)² + r)

and of a negative's ‖Pg‖² ~ χ²(L − 1) alone. With two tokens there is one variable, and ‖a‖² has a
dip of width 1/κ where they are equal: there the rule has panels that narrow towards it.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TypeAlias

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.linalg import eigh_tridiagonal

from ...arrays import FloatArray
from ...models import attention
from ...models.nodes import LimitLaw, Nodes
from .ladder import Level
from .mixtures import Orthogonal

POINTS_PER_CELL = 8  # of quadrature, for each cell of a compressed law
MAX_POINTS = 512  # points of one variable
LEAST_WEIGHT = 1e-20  # of a point that is kept: most points of a fine rule lie far out
PANEL_END, PANEL_WIDTH = 10.0, 0.5  # away from the dip
PANEL_REDUCTION = 8  # factor by which a panel has fewer points than a rule without panels

Rule: TypeAlias = "tuple[FloatArray, FloatArray]"
"""Points and weights."""


@lru_cache(maxsize=64)
def linear_limit(
    L: int,
    R: int,
    theta: float,
    kappa: float,
    cosine: float,
    level: Level,
    orthogonal: Orthogonal = None,
) -> LimitLaw:
    """Return the limit law of linear attention for one task and query.

    A positive's weight on its signal tokens is R/L + (κ/L) θ s R(1 − R/L) on average:

    >>> law = linear_limit(4, 1, 2.0, 0.5, 1.0, Level(1024, 32)).positive
    >>> round(float(law.weight @ law.m[:, 0]), 6)  # θ v·a + g·a − ḡ, and E[g·a − ḡ] = κ(L − 1)/L
    1.25
    """
    count = int(np.sqrt(POINTS_PER_CELL * level.cells))
    fine, coarse = (_nodes(L, R, theta, kappa, cosine, n, orthogonal) for n in (count, count // 2))
    return LimitLaw(*fine, coarse=coarse)


def _nodes(
    L: int, R: int, theta: float, kappa: float, cosine: float, count: int, orthogonal: Orthogonal
) -> tuple[Nodes, Nodes]:
    """Return positives and negatives at ``count`` points for each of x and r."""
    t, S = theta * cosine, R * (1.0 - R / L)
    (x, wx), (r, wr), (noise, noise_weight) = _rules(L, S, kappa, t * np.sqrt(S), count)
    x, r, weight = (item.ravel() for item in (*np.meshgrid(x, r), np.outer(wr, wx)))
    counts = weight > LEAST_WEIGHT
    x, r, weight = x[counts], r[counts], weight[counts]
    square, along = x**2 + r, np.sqrt(S) * x  # ‖Pg‖² and v·Pg
    build = partial(_build, L, theta, kappa, cosine, orthogonal=orthogonal)
    positive = build(R / L + kappa / L * (along + t * S), square + t * along,
                     square + 2.0 * t * along + t**2 * S, weight)  # fmt: skip
    return positive, build(0.0 * noise, noise, noise, noise_weight)


def _rules(L: int, S: float, kappa: float, raised: float, count: int) -> tuple[Rule, Rule, Rule]:
    """Return points and weights of x and r, and of a negative's ‖Pg‖²."""
    point_mass = np.zeros(1), np.ones(1)
    if L == 2:
        g, weight = panels(0.0, kappa, count)
        equal = g**2, weight
        return (
            (panels(-raised, kappa, count), point_mass, equal)
            if S > 0.0
            else (point_mass, equal, equal)
        )
    each = count if S > 0.0 else min(count**2, MAX_POINTS)  # without x, r gets all points
    x = normal(each) if S > 0.0 else point_mass
    return x, chi_square(L - 1 - (S > 0.0), each), chi_square(L - 1, count)


def _build(
    L: int,
    theta: float,
    kappa: float,
    cosine: float,
    mass: FloatArray,
    moment: FloatArray,
    square: FloatArray,
    weight: FloatArray,
    *,
    orthogonal: Orthogonal,
) -> Nodes:
    """Turn v·a, g·c and ‖c‖² into nodes; two equal replicates have no sampling error."""
    A = 1.0 / L + (kappa / L) ** 2 * square
    score = kappa / L * moment
    twice = np.stack([weight, weight])
    return attention.nodes(1.0 / L, theta, cosine, mass, score, A, weight, twice, orthogonal)


def panels(dip: float, kappa: float, count: int) -> Rule:
    """Return points and weights over N(0, 1), in panels that narrow to 1/(4κ) towards a dip.

    >>> x, weight = panels(1.0, 100.0, 32)
    >>> round(float(weight @ x**4), 6), bool(np.diff(x).min() < 1e-3)
    (3.0, True)
    """
    halvings = 2.0 ** -np.arange(2.0, 3.0 + np.ceil(np.log2(max(2.0 * kappa, 1.0))))
    near = np.concatenate([dip - halvings, [dip], dip + halvings])
    even = np.arange(-PANEL_END, PANEL_END + PANEL_WIDTH, PANEL_WIDTH)
    edges = np.unique(np.concatenate([even, near[abs(near) < PANEL_END]]))
    points, weight = leggauss(max(1, count // PANEL_REDUCTION))
    middle, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * np.diff(edges)
    x = (middle[:, None] + half[:, None] * points).ravel()
    mass = np.outer(half, weight).ravel() * np.exp(-0.5 * x**2)
    return x, mass / mass.sum()


def normal(count: int) -> Rule:
    """Return points and weights of Gauss quadrature over N(0, 1).

    >>> x, weight = normal(5)
    >>> round(float(weight @ x**4), 9)
    3.0
    """
    return _gauss(np.zeros(count), np.sqrt(np.arange(1.0, count)))


def chi_square(degrees: int, count: int) -> Rule:
    """Return points and weights of Gauss quadrature over χ² with ``degrees`` degrees of freedom.

    >>> r, weight = chi_square(3, 5)
    >>> round(float(weight @ r**2), 9)
    15.0
    """
    if degrees <= 0:
        return np.zeros(1), np.ones(1)
    k, shape = np.arange(float(count)), 0.5 * degrees
    points, weight = _gauss(2.0 * k + shape, np.sqrt(k[1:] * (k[1:] + shape - 1.0)))
    return 2.0 * np.maximum(points, 0.0), weight


def _gauss(diagonal: FloatArray, off: FloatArray) -> Rule:
    """Return points and weights by the recurrence of the orthonormal polynomials."""
    points, vectors = eigh_tridiagonal(diagonal, off)
    return points, vectors[0] ** 2
