"""The Bayes error: the least error of any classifier with a known ξ.

With Λ = e_R(e^{θx}) e^{−Rθ²/2} / C(L, R), the mean over R-subsets S of exp(θ Σ_S x − Rθ²/2), it
pays to answer + when the odds ω = πΛ/(1 − π) exceed one, so that

    error = (1 − π) E₋ min(1, ω) = π E₊ min(1, 1/ω):

one expectation of a bounded continuous function under one label. We take the rarer label, whose
factor is smaller. Two exact facts reduce the variance. The mean token m is independent of the
centred tokens and enters log Λ as Rθm, so it is integrated in closed form. And
e_R(x) = Πx · e_{L−R}(1/x), with the symmetry of the normal law, makes the centred part the same for
R and for L − R signal tokens, so the smaller number serves.

Where R is random Λ is the mixture over it. Where the patterns of positions are given, Λ is their
mean with their probabilities, a function of the tokens' components in the span of the patterns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtr, ndtri

from ...arrays import FloatArray
from ...errors import NotConverged
from ...lattice import REPLICATES, replicate
from ...task import Positions, Task
from ..law.ladder import ERRORS_WITHIN_TOL
from .attention import LEAST_ERROR, hard_attention
from .counts import Count, count_of, most, pairs
from .linear import pooled as pooled_rule
from .linear import span
from .one_signal import bayes_error as one_signal_error
from .saddle_point import SaddlePointFormula
from .symmetric import FEW_SIGNALS, Series, draw, log_binomial, scaled_polynomials, token_groups

BAYES_BLOCK = 2**22  # draws × patterns at once
MOST_PATTERNS = 250  # the shortest lattice has no more good coordinates
FIRST_POINTS = 2**11
LAST_POINTS = 2**16
QUADRATURE_SHARE = 1e-2  # of an error, or of the tolerance: largest error of a quadrature


def bayes_error(task: Task, tol: float, first_points: int = FIRST_POINTS) -> tuple[float, float]:
    """Return the Bayes error of a (scalar) task, and its standard error."""
    pooled = pooled_rule(task.L, count_of(task), task.theta, task.pi).error
    return _by_quadrature(task, pooled, tol) or _by_sampling(task, pooled, tol, first_points)


def _by_quadrature(task: Task, pooled: float, tol: float) -> tuple[float, float] | None:
    """Bayes error by quadrature, and its error, where one token carries the signal."""
    if not _is_one_signal(task):
        return None
    result = one_signal_error(task.L, task.theta, task.pi)
    if not result.uncertainty <= QUADRATURE_SHARE * min(result.error, tol):
        return None
    return min(result.error, _upper_bound(task, pooled)), result.uncertainty


def _is_one_signal(task: Task) -> bool:
    """Whether one token of several carries the signal."""
    several = count_of(task) != 1
    return not (several or task.L == 1 or isinstance(task.positions, Positions) or no_signal(task))


def _quadrature_tol(task: Task) -> float:
    """Return the least tolerance that quadrature of the Bayes error meets, ∞ if none."""
    if not _is_one_signal(task):
        return np.inf
    result = one_signal_error(task.L, task.theta, task.pi)
    resolved = result.uncertainty <= QUADRATURE_SHARE * result.error
    return 1.1 * result.uncertainty / QUADRATURE_SHARE if resolved else np.inf


def _upper_bound(task: Task, pooled: float) -> float:
    """Return the error of the better of pooling and hard attention."""
    return min(pooled, hard_attention(task.L, count_of(task), task.theta, task.pi).error)


def _by_sampling(
    task: Task, pooled: float, tol: float, first_points: int = FIRST_POINTS
) -> tuple[float, float]:
    """Bayes error and standard error by QMC, with the points that the tolerance needs."""
    estimate = _bayes_replicate(task)
    if estimate is None:
        return pooled, 0.0
    bound = _upper_bound(task, pooled)
    if bound < LEAST_ERROR:
        return bound, LEAST_ERROR
    points = first_points
    while True:
        values = np.array([estimate(points, index) for index in range(REPLICATES)])
        se = float(values.std(ddof=1) / np.sqrt(REPLICATES))
        if ERRORS_WITHIN_TOL * se <= tol:
            return min(float(values.mean()), bound), se
        if points >= LAST_POINTS:
            reachable = min(2.5 * se, _quadrature_tol(task))
            raise NotConverged.at(
                f"the Bayes error of {task} reached a standard error of {se:.1e} with {points} "
                f"points in each replicate, above tol={tol:g}; "
                f"ask for tol={reachable:.1e} or more",
                reachable,
            )
        points = min(
            LAST_POINTS, points * 2 ** max(1, round(np.log2(ERRORS_WITHIN_TOL * se / tol)))
        )


def _bayes_replicate(task: Task) -> Callable[[int, int], float] | None:
    """One replicate as a function of points and index, or None where pooling is optimal."""
    L, R, theta, pi = task.L, count_of(task), task.theta, task.pi
    if no_signal(task):
        return None
    if not isinstance(R, int):
        return lambda points, index: replicate_mixture(L, R, theta, pi, points, index)
    if isinstance(task.positions, Positions):
        given = task.positions
        return lambda points, index: replicate_given(theta, pi, given, points, index)
    if R == L:
        return None
    return lambda points, index: replicate_uniform(L, R, theta, pi, points, index)


def no_signal(task: Task) -> bool:
    """Whether the signal is too weak to change any error."""
    return bool(task.theta * task.mean_count < 1e-9 * np.sqrt(task.L))


def replicate_uniform(L: int, R: int, theta: float, pi: float, points: int, index: int) -> float:
    """Return the Bayes error by one QMC replicate, for 1 ≤ R < L and θ > 0.

    >>> round(replicate_uniform(10, 1, 2.0, 0.5, 2048, 0), 3)
    0.298
    """
    positive = pi < 0.5
    r = min(R, L - R)
    log_product = _log_product(L, r, theta, positive)
    value, total = log_product(draw(log_product.groups, points, index))
    centred = value - r * theta * total / L
    mean = theta * R / L if positive else 0.0
    log_odds = centred + R * theta * (mean - 0.5 * theta) + np.log(pi / (1.0 - pi))
    spread = R * theta / np.sqrt(L)
    least = _mean_min(-log_odds if positive else log_odds, spread)
    return float(min(pi, 1.0 - pi) * least.mean())


def replicate_mixture(L: int, R: Count, theta: float, pi: float, points: int, index: int) -> float:
    """Return the Bayes error by one QMC replicate where R is random.

    Λ is the mixture over R of the mean over R-subsets, all of the same draws of negatives. The mean
    token enters each part differently, and is sampled too.

    A mixture that has one signal token almost surely:

    >>> round(replicate_mixture(10, ((1, 1.0 - 1e-9), (2, 1e-9)), 2.0, 0.5, 2048, 0), 3)
    0.298
    """
    groups = token_groups(L, 0, theta, positive=False)
    drawn, logs = draw(groups, points, index), []
    g = drawn[0].g
    polynomials = scaled_polynomials(theta, most(R), g) if groups[0].bulk == 0 else None
    for r, chance in pairs(R):
        if r == 0:
            value = np.zeros(points)
        elif polynomials is None:
            value = Series(theta, r, groups)(drawn)[0]
        else:
            value = np.log(polynomials[r]) + theta * g[:, :r].sum(axis=1) - log_binomial(L, r)
        logs.append(value - 0.5 * r * theta**2 + np.log(chance))
    log_odds = logsumexp(logs, axis=0) + np.log(pi / (1.0 - pi))
    return float((1.0 - pi) * np.exp(np.minimum(log_odds, 0.0)).mean())


def replicate_given(
    theta: float, pi: float, positions: Positions, points: int, index: int
) -> float:
    """Return the Bayes error by one QMC replicate for given patterns of positions.

    One fixed token is a known direction, whose error is Φ(−θ/2):

    >>> round(replicate_given(2.0, 0.5, Positions([(3,)]), 2048, 0), 3)
    0.159
    """
    patterns, basis = span(positions)
    if len(basis) > MOST_PATTERNS:
        raise ValueError(
            f"positions must hold at most {MOST_PATTERNS} linearly independent sets for "
            f"model='bayes', got {len(basis)}"
        )
    reach = theta * patterns @ basis.T  # mean of the components, a row for each pattern
    chance = np.array(positions.probabilities)
    # always negatives: sampling the pattern of a positive makes the integrand discontinuous
    x = ndtri(replicate(points, len(basis), index))
    shift = 0.5 * np.square(reach).sum(axis=1)
    parts = np.array_split(x, 1 + len(x) * len(chance) // BAYES_BLOCK)
    log_ratio = [logsumexp(part @ reach.T - shift, axis=1, b=chance) for part in parts]
    log_odds = np.concatenate(log_ratio) + np.log(pi / (1.0 - pi))
    return float((1.0 - pi) * np.exp(np.minimum(log_odds, 0.0)).mean())


@lru_cache(maxsize=8)
def _log_product(L: int, r: int, theta: float, positive: bool) -> Series | SaddlePointFormula:
    groups = token_groups(L, r, theta, positive)
    return Series(theta, r, groups) if r <= FEW_SIGNALS else SaddlePointFormula(theta, r, groups)


def _mean_min(a: FloatArray, s: float) -> FloatArray:
    """E min(1, e^{a + sZ}) for Z ~ N(0, 1)."""
    mean: FloatArray = ndtr(a / s) + np.exp(np.minimum(a + 0.5 * s * s + log_ndtr(-a / s - s), 0.0))
    return mean
