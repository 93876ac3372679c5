"""The posterior mass on the signal tokens, as a function of the effective signal strength.

Tokens along an estimate with squared overlap q are ω_l = θq 1{l ∈ S} + √q g_l. Up to a factor √q
they are x_l = g_l + κ 1{l ∈ S} with κ = θ√q, and the posterior probability of a set S' of R tokens
is proportional to exp(κ Σ_{S'} x). This module computes

    M(κ) = E[Σ_{l ∈ S} p_l],    p_l = P(l ∈ S | ω),

which increases from R²/L at κ = 0 to R; it is also E[Σ_l p_l²] (Nishimori). M is computed at equal
steps of κ by randomised QMC with common random numbers, and interpolated by a cubic spline.

R = 1: p is a softmax. Few signal tokens: with e_k the elementary symmetric polynomials of e^{κω},
Σ_{l ∈ S} p_l is the mean of k under weights e_k(S) e_{R−k}(rest). Many: see below.
R > L/2: M_R = 2R − L + M_{L−R}, by the symmetry x → −x that exchanges signal and noise tokens.
Given positions: the posterior is over the sets themselves.

Many signal tokens: with e_r the elementary symmetric polynomials of the other L − 1 tokens, the
posterior probability of a signal token x is

    p = σ(κx + log(e_{R−1}/e_R)),

and M = R E[p]. Both polynomials come from one contour through the saddle point at R − ½, midway:

    e_r = e^{K(u) − ru} I_r,  I_r = (1/π) ∫₀^π Re φ(t) e^{−irt} dt,  φ(t) = e^{K(u + it) − K(u)}.

φ is a product over the tokens that are kept one by one. The bulk enters as a Poisson number of
tokens, with cumulants corrected to fourth order: exact where few tokens of the bulk are uncertain,
and where many are, only small t matter.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import expit, ndtri, softmax

from ...arrays import FloatArray
from ...lattice import REPLICATES, replicate
from ...task import Positions, Task
from ..law.tokens import Tokens, bulk_sums, draw_groups
from ..oracle.linear import span
from ..oracle.saddle_point import SaddlePointFormula, SaddlePoints, gauss
from ..oracle.symmetric import (
    FEW_SIGNALS,
    Series,
    TokenGroup,
    draw,
    scaled_polynomials,
    token_groups,
)

LADDER = (2**8, 2**10, 2**12, 2**14)  # points of each replicate
KAPPA_STEP = 0.2  # between nodes of κ: interpolation error below 2e-5 R
MAX_ENUMERATED_SETS = 8  # given sets: up to this number all are summed over, more are sampled
LOG_MARGIN = 21.0  # beyond κ² = 4 (log L + 21) the mass on noise tokens is below 1e-9
CONTOUR_NODES = 40
CONTOUR_RANGE = 8.5  # in standard deviations of the number of tokens: e^{−t²/2} is 2e-16 there
MAX_RATIO = 4.0  # of I_{R−1} to I_R, or of I_R to I_{R−1}: 2 and less but for rounding
TOKEN_RANGE, TOKEN_NODES = 8.5, 137  # of the trapezoidal rule over a normal variable


class PosteriorMass(NamedTuple):
    """M(κ) up to ``end``, beyond which it is R.

    The spline's last axis has the mean over the replicates first, then each of them.
    """

    R: int
    end: float
    last_node: float  # of the spline
    spline: CubicSpline

    def __call__(self, kappa: FloatArray) -> FloatArray:
        """Return M, for each κ a row: the mean first, then the replicates."""
        result = self.spline(np.minimum(kappa, self.last_node))
        return np.where(np.asarray(kappa)[..., None] >= self.end, float(self.R), result)


def posterior_mass(task: Task, points: int) -> PosteriorMass:
    """Return M for a (scalar) task's L, R and positions, up to κ = θ at least."""
    given = task.positions if isinstance(task.positions, Positions) else None
    end = 2.0 * float(np.sqrt(np.log(task.L) + LOG_MARGIN))
    # rounded up, so that neighbouring strengths share one table
    last_node = min(
        2.0 * float(np.ceil(max(task.theta, 1.0) / 2.0)), KAPPA_STEP * np.ceil(end / KAPPA_STEP)
    )
    return _table(task.L, task.R, given, points, last_node, end)


@lru_cache(maxsize=64)
def _table(
    L: int, R: int, given: Positions | None, points: int, last_node: float, end: float
) -> PosteriorMass:
    kappas = KAPPA_STEP * np.arange(round(last_node / KAPPA_STEP) + 1, dtype=float)
    rows = _rows(L, R, given, points)(kappas)
    values = np.column_stack([rows.mean(axis=1), rows])
    return PosteriorMass(
        R, end, last_node, CubicSpline(kappas, values, bc_type=("clamped", "natural"))
    )


def _rows(
    L: int, R: int, given: Positions | None, points: int
) -> Callable[[FloatArray], FloatArray]:
    """Return the function from nodes κ, equally spaced from zero, to M at κ × replicates."""
    if given is not None:
        return lambda kappas: _given(given, points, kappas)
    if R == L:
        return lambda kappas: np.full((len(kappas), REPLICATES), float(R))
    if 2 * R > L:
        return lambda kappas: 2.0 * R - L + _rows(L, L - R, None, points)(kappas)
    if R == 1:
        return lambda kappas: _single(L, points, kappas)
    if R <= FEW_SIGNALS:
        return lambda kappas: np.stack([_few(L, R, points, kappa) for kappa in kappas])
    fewer = max(16, points // 8)  # each draw averages over many signal tokens
    return lambda kappas: np.stack([many_signal_mass(L, R, fewer, kappa) for kappa in kappas])


def _single(L: int, points: int, kappas: FloatArray) -> FloatArray:
    """One signal token: its softmax weight; the weights e^{κg} are updated from node to node."""
    drawn = [_draw_single(L, points, index) for index in range(REPLICATES)]
    signal, g, z = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    top, bulk = g[:, 0], L - 1 - g.shape[1]
    weight, step = np.ones_like(g), np.exp(KAPPA_STEP * (g - top[:, None]))
    result = np.empty((len(kappas), REPLICATES))
    for row, kappa in enumerate(kappas):
        others = weight.sum(axis=1)
        if bulk:
            others += np.exp(kappa * (g[:, -1] - top)) * bulk_sums(bulk, kappa, g[:, -1], z)[0]
        share = 1.0 / (1.0 + others * np.exp(kappa * (top - signal - kappa)))
        result[row] = share.reshape(REPLICATES, points).mean(axis=1)
        weight *= step
    return result


def _draw_single(L: int, points: int, index: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    signal, noise = draw_groups(((1, 1), (L - 1, Tokens.kept(L - 1))), points, index)
    return signal.g[:, 0], noise.g, noise.z


def _few(L: int, R: int, points: int, kappa: float) -> FloatArray:
    """Up to FEW_SIGNALS signal tokens: the mean of k, by the polynomials of both groups."""
    signal, noise = token_groups(L, R, kappa, positive=True)
    result = np.empty(REPLICATES)
    k = np.arange(R + 1)
    for index in range(REPLICATES):
        own, others = draw((signal, noise), points, index)
        logs = _log_polynomials(kappa, R, signal, own)
        logs += _log_polynomials(kappa, R, noise, others)[:, ::-1]
        share = np.exp(logs - logs.max(axis=1, keepdims=True))
        result[index] = ((share @ k) / share.sum(axis=1)).mean()
    return result


def _log_polynomials(kappa: float, R: int, group: TokenGroup, tokens: Tokens) -> FloatArray:
    """Return log e_k of e^{κx} over a group's tokens, k = 0..R in columns."""
    g = tokens.g + group.lift
    scaled = scaled_polynomials(kappa, R, g)
    prefix = np.full((len(g), R + 1), -np.inf)
    reached = min(R, g.shape[1])
    prefix[:, 0] = 0.0
    np.cumsum(g[:, :reached], axis=1, out=prefix[:, 1 : reached + 1])
    if not group.bulk:
        with np.errstate(divide="ignore", invalid="ignore"):  # no k-set among fewer than k tokens
            return np.where(np.isfinite(prefix), np.log(scaled.T) + kappa * prefix, -np.inf)
    last = tokens.g[:, -1]
    sums = bulk_sums(group.bulk, kappa, last, tokens.z)
    rest = Series(kappa, R, (group,))._bulk_polynomials(group.bulk, last, sums)
    result = np.empty((len(g), R + 1))
    for k in range(R + 1):
        value = np.zeros(len(g))
        for j in range(k + 1):
            gap = j * (last + group.lift) - (prefix[:, k] - prefix[:, k - j])
            value += scaled[k - j] * rest[j] * np.exp(kappa * gap)
        result[:, k] = np.log(value) + kappa * prefix[:, k]
    return result


def _given(positions: Positions, points: int, kappas: FloatArray) -> FloatArray:
    """Given sets: the expected overlap of the posterior's set with the true one.

    Few true sets are summed over; of many, one coordinate of a QMC point selects the true one.
    """
    patterns, basis = span(positions)
    coordinates = patterns @ basis.T
    shared = patterns @ patterns.T  # tokens that two sets have in common
    chance = np.array(positions.probabilities)
    few = len(chance) <= MAX_ENUMERATED_SETS
    result = np.zeros((len(kappas), REPLICATES))
    for index in range(REPLICATES):
        u = replicate(points, len(basis) + (not few), index)
        noise = ndtri(u[:, -len(basis) :]) @ coordinates.T
        places = np.minimum(np.searchsorted(np.cumsum(chance), u[:, 0]), len(chance) - 1)
        truths = zip(chance, np.arange(len(chance)), strict=True) if few else [(1.0, places)]
        for p, true in truths:
            common = shared[true]
            for row, kappa in enumerate(kappas):
                post = softmax(kappa * (noise + kappa * common) + np.log(chance), axis=1)
                result[row, index] += p * float((post * common).sum(axis=1).mean())
    return result


def many_signal_mass(L: int, R: int, points: int, kappa: float) -> FloatArray:
    """Return M at one κ, by each replicate.

    >>> many_signal_mass(100, 20, 64, 0.0).mean().round(6)
    np.float64(4.0)
    """
    if kappa == 0.0:
        return np.full(REPLICATES, R * R / L)
    groups = token_groups(L - 1, R - 1, kappa, positive=True)
    saddle = SaddlePointFormula(kappa, R - 0.5, groups)
    nodes = np.linspace(-TOKEN_RANGE, TOKEN_RANGE, TOKEN_NODES)
    weight = np.exp(-0.5 * nodes * nodes)
    weight /= weight.sum()
    replicates = [draw(groups, points, index) for index in range(REPLICATES)]
    at = saddle.tilt([Tokens.joined(parts) for parts in zip(*replicates, strict=True)])
    among = at.u + _log_ratio(at, R)
    p = expit(kappa * (nodes + kappa) + among[:, None]) @ weight
    return np.asarray(R * p.reshape(REPLICATES, points).mean(axis=1))


def _log_ratio(at: SaddlePoints, R: int) -> FloatArray:
    """Return log(I_{R−1}/I_R) of each draw."""
    v = at.s * (1.0 - at.s)
    first, second, third, fourth = at.bulk[1:]
    second = np.maximum(second, 0.0)
    spread = np.sqrt(v.sum(axis=1) + second)
    end = np.minimum(np.pi, CONTOUR_RANGE / np.maximum(spread, 1e-3))
    x, w = gauss(CONTOUR_NODES)
    t = 0.5 * end[:, None] * (1.0 + x)
    turn = np.exp(1j * t)
    log = 1j * t * (first - R)[:, None] + second[:, None] * (turn - 1.0 - 1j * t)
    log += (third - second)[:, None] * (1j * t) ** 3 / 6.0
    log += np.minimum(fourth - second, 0.0)[:, None] * t**4 / 24.0
    phi = np.exp(log)
    for s in at.s.T:
        phi *= 1.0 + s[:, None] * (turn - 1.0)
    with_R, with_fewer = (np.real(phi) @ w), (np.real(phi * turn) @ w)
    ratio = with_fewer / np.where(with_R > 0.0, with_R, np.inf)
    return np.asarray(np.log(np.clip(ratio, 1.0 / MAX_RATIO, MAX_RATIO)))
