"""The least errors of the two linear models with a known ξ.

*Pooled*: the mean token along ξ is N(θR/L, 1/L) or N(0, 1/L), so with SNR = θR/√L and τ in units
of 1/√L,

    error = min over τ of π Φ(τ − SNR) + (1 − π) Φ(−τ),    τ = SNR/2 + log((1 − π)/π)/SNR.

*Vectorized*: W = u ξᵀ with ‖u‖ = 1 scores N(θ u·v, 1) or N(0, 1), so

    error = min over u, τ of π E_v Φ(τ − θ u·v) + (1 − π) Φ(−τ).

For uniform positions the best u that multi-start optimisation over all of R^L finds has two levels
(2,000 random tasks with L ≤ 8; ``tests/theory/oracle/test_linear.py`` repeats some): k tokens at a,
the others at c, 0 ≤ c ≤ a. Then u·v = aH + c(R − H) with H hypergeometric, and three numbers are
left to search: k, c/a and τ. Mostly a = c is best, which is pooling; where positives are rare and
hardly detectable, few tokens are better. Given patterns of positions are searched over
the span of the patterns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import ndtr

from ...arrays import FloatArray
from ...task import Positions
from .counts import Count, pairs
from .symmetric import log_binomial

GRID_RATIO = 1.25  # of successive k on the coarse grid
ANGLES = 17
ZOOMS = 4
NEWTON_STEPS = 60
ROUNDING = 1e-9  # rounding in the hypergeometric law of long sequences
SINGLES = 16
MIXTURES = 6
SEED = 20_250_925
MAX_BFGS_DIMENSION = 50  # beyond it L-BFGS


class LinearRule(NamedTuple):
    """An error and the threshold, on a score of unit noise, that attains it."""

    error: float
    threshold: float


def pooled(L: int, R: Count, theta: float, pi: float) -> LinearRule:
    """Return the pooled oracle, its threshold in units of the score's standard deviation.

    Where R is random positives are a mixture of normals, whose threshold Newton's method finds.

    >>> pooled(4, 1, 2.0, 0.5)
    LinearRule(error=0.3085375387259869, threshold=0.5)
    """
    if not isinstance(R, int):
        return _pooled_mixture(L, R, theta, pi)
    snr = theta * R / np.sqrt(L)
    log_odds = np.log((1.0 - pi) / pi)
    if snr < 1e-9:
        return _trivial(pi)
    tau = 0.5 * snr + log_odds / snr
    error = pi * ndtr(tau - snr) + (1.0 - pi) * ndtr(-tau)
    return LinearRule(float(min(error, pi, 1.0 - pi)), float(tau))


def _pooled_mixture(L: int, R: Count, theta: float, pi: float) -> LinearRule:
    counts, chances = np.array(pairs(R)).T
    means = theta * counts[None] / np.sqrt(L)
    if means.max() < 1e-9:
        return _trivial(pi)
    error, tau = _best_threshold(means, np.log(chances), pi)
    return LinearRule(float(min(error[0], pi, 1.0 - pi)), float(tau[0]))


def vectorized(L: int, R: int, theta: float, pi: float) -> LinearRule:
    """Return the vectorized oracle for uniform positions.

    With rare and weak positives, one token of three is better than all:

    >>> round(pooled(3, 1, 2.0, 0.1).error, 4), round(vectorized(3, 1, 2.0, 0.1).error, 4)
    (0.0967, 0.0947)
    """
    even = pooled(L, R, theta, pi)
    if R == L or theta * R < 1e-9 * np.sqrt(L) or even.error < 1e-12:
        return even
    rules: dict[int, LinearRule] = {}

    def at(k: int) -> LinearRule:
        if k not in rules:
            rules[k] = _best_angle(L, R, k, theta, pi)
        return rules[k]

    count = 1 + int(np.ceil(np.log(L) / np.log(GRID_RATIO)))
    grid = np.unique(np.geomspace(1, L - 1, count).round().astype(int)).tolist()
    best = min(grid, key=at)
    place = grid.index(best)
    low, high = grid[max(place - 1, 0)], grid[min(place + 1, len(grid) - 1)]
    while high - low > 2:  # thirds of the bracket; the error is smooth in k
        left, right = low + (high - low) // 3, high - (high - low) // 3
        low, high = (low, right) if at(left) <= at(right) else (left, high)
    for k in range(low, high + 1):
        at(k)
    best = min(rules.values())
    return best if best.error < even.error - ROUNDING else even


def _best_angle(L: int, R: int, k: int, theta: float, pi: float) -> LinearRule:
    """The best classifier with k tokens at a = cos/√k and L − k at c = sin/√(L − k)."""
    H, log_chance = _hypergeometric(L, R, k)
    low, high = 0.0, float(np.arctan(np.sqrt((L - k) / k)))
    best = LinearRule(1.0, 0.0)
    for _ in range(ZOOMS):
        angle = np.linspace(low, high, ANGLES)[:, None]
        reach = np.cos(angle) / np.sqrt(k) * H + np.sin(angle) / np.sqrt(L - k) * (R - H)
        error, tau = _best_threshold(theta * reach, log_chance, pi)
        at = int(error.argmin())
        best = min(best, LinearRule(float(error[at]), float(tau[at])))
        low, high = angle[max(at - 1, 0), 0], angle[min(at + 1, ANGLES - 1), 0]
    return best


def _hypergeometric(L: int, R: int, k: int) -> tuple[FloatArray, FloatArray]:
    """Support (all but 10⁻¹⁸) and log probabilities of how many of k tokens are signal."""
    mean = R * k / L
    spread = np.sqrt(mean * (1.0 - k / L) * (L - R) / max(L - 1, 1))
    low = max(0, R + k - L, int(mean - 9.0 * spread - 40.0))
    high = min(k, R, int(mean + 9.0 * spread + 40.0))
    H = np.arange(low, high + 1.0)
    log_chance = log_binomial(k, H) + log_binomial(L - k, R - H) - log_binomial(L, R)
    kept = log_chance > -42.0
    return H[kept], log_chance[kept]


def _best_threshold(
    mean: FloatArray, log_chance: FloatArray, pi: float
) -> tuple[FloatArray, FloatArray]:
    """Least error and its τ for scores N(m, 1) against N(0, 1), m ≥ 0 drawn from a row of ``mean``.

    The stationary τ solves log E e^{τm − m²/2} = log((1 − π)/π), whose left side is convex and
    increasing: Newton's method from the right of the root, where Jensen puts it, is monotone.
    """
    log_odds = np.log((1.0 - pi) / pi)
    chance = np.exp(log_chance)
    first, second = mean @ chance, np.square(mean) @ chance
    tau = (log_odds + 0.5 * second) / np.maximum(first, 1e-12)
    for _ in range(NEWTON_STEPS):
        exponent = tau[:, None] * mean - 0.5 * mean**2 + log_chance
        top = exponent.max(axis=1)
        weight = np.exp(exponent - top[:, None])
        total = weight.sum(axis=1)
        slope = (weight * mean).sum(axis=1) / total
        move = (top + np.log(total) - log_odds) / np.maximum(slope, 1e-12)
        tau, before = np.clip(tau - move, -40.0, None), tau
        if np.all(np.abs(tau - before) <= 1e-9 * (1.0 + np.abs(tau))):
            break
    error = pi * (ndtr(tau[:, None] - mean) @ chance) + (1.0 - pi) * ndtr(-tau)
    return error, tau


def given_positions(L: int, theta: float, pi: float, positions: Positions) -> LinearRule:
    """Return the vectorized oracle for given patterns of positions.

    One fixed pair of tokens is a known direction, with SNR = θ√2:

    >>> fixed = Positions([(0, 1)])
    >>> round(given_positions(8, 1.0, 0.5, fixed).error, 6), round(float(ndtr(-np.sqrt(0.5))), 6)
    (0.23975, 0.23975)
    """
    even = pooled(L, len(positions.sets[0]), theta, pi)
    if theta < 1e-9:
        return even
    # outside the span of the patterns u would only waste its norm
    patterns, basis = span(positions)
    reach = theta * patterns @ basis.T
    chance = np.array(positions.probabilities)
    best = even
    for u in _span_starts(patterns, chance):
        best = min(best, _descend(reach, basis @ u, chance, pi))
    return best


def span(positions: Positions) -> tuple[FloatArray, FloatArray]:
    """Return the patterns on the tokens they use, and an orthonormal basis of their span.

    >>> patterns, basis = span(Positions([(5, 9), (9, 700)]))
    >>> patterns
    array([[1., 1., 0.],
           [0., 1., 1.]])
    >>> basis.shape
    (2, 3)
    """
    tokens, marks = np.unique(np.array(positions.sets), return_inverse=True)
    patterns = np.zeros((len(positions.sets), len(tokens)))
    np.put_along_axis(patterns, marks.reshape(len(patterns), -1), 1.0, axis=1)
    _, scale, basis = np.linalg.svd(patterns, full_matrices=False)
    return patterns, basis[scale > 1e-9 * scale[0]]


def _span_starts(patterns: FloatArray, chance: FloatArray) -> FloatArray:
    """Weights to start from: even, the mean pattern, single patterns, and random mixtures."""
    likely = np.argsort(-chance, kind="stable")[:SINGLES]
    mixtures = np.random.default_rng(SEED).exponential(size=(MIXTURES, len(chance))) @ patterns
    even, mean = np.ones((1, patterns.shape[1])), (chance @ patterns)[None]
    return np.concatenate([even, mean, patterns[likely], mixtures])


def _descend(reach: FloatArray, x0: FloatArray, chance: FloatArray, pi: float) -> LinearRule:
    """BFGS over the direction x and the threshold, from the best threshold at x0.

    In many dimensions with limited memory, where the full matrix costs more than it saves.
    """

    def error(point: FloatArray) -> tuple[float, FloatArray]:
        x, tau = point[:-1], point[-1]
        norm = max(float(np.sqrt(x @ x)), 1e-9)
        gap = tau - reach @ x / norm
        density = pi * chance * np.exp(-0.5 * gap**2) / np.sqrt(2.0 * np.pi)
        miss, false_alarm = pi * chance @ ndtr(gap), (1.0 - pi) * ndtr(-tau)
        along = -density @ reach
        slope_x = (along - (along @ x) * x / norm**2) / norm
        slope_tau = density.sum() - (1.0 - pi) * np.exp(-0.5 * tau**2) / np.sqrt(2.0 * np.pi)
        return float(miss + false_alarm), np.append(slope_x, slope_tau)

    x0 = x0 / np.sqrt(x0 @ x0)
    _, tau0 = _best_threshold((reach @ x0)[None], np.log(chance), pi)
    method, options = "BFGS", {"gtol": 1e-9, "maxiter": 300}
    if len(x0) > MAX_BFGS_DIMENSION:
        method, options = "L-BFGS-B", {"gtol": 1e-9, "ftol": 1e-14, "maxiter": 1000}
    result = minimize(error, np.append(x0, tau0), jac=True, method=method, options=options)
    return LinearRule(float(result.fun), float(result.x[-1]))


def _trivial(pi: float) -> LinearRule:
    """Always the more frequent label."""
    tau = 0.0 if pi == 0.5 else np.inf if pi < 0.5 else -np.inf
    return LinearRule(min(pi, 1.0 - pi), tau)
