"""The query after two gradient steps, where signal tokens have a covariance Σ₁ of their own.

A sample with n₁ signal tokens and n₀ = L − n₁ others has token means of covariance
(n₀Σ₀ + n₁Σ₁)/L². The readout after one step is

    w = m ξ + ω,    Cov ω = (p₀Σ₀ + p₁Σ₁)/(α0 d),    p_j = η_w² E[g² n_j]/L²

and Ω_j = wᵀΣ_jw. The projection of a token on w, in a training sample, is Gaussian with variance
Ω_j; its mean is o⟨Σ_j⟩, o = −η_w g/(α0 L), from the sample's own term in w, plus θm on signal
tokens. Unlike with one covariance, the deviations c_l from the mean over tokens then depend on the
score f = mean + b, and on whether a token carries the signal. With Δ = f − E f, V = Var f,
β_j = Ω_j/(LV) and E_j the mean of c on tokens of kind j,

    c | Δ ~ N(E_j + (β_j − 1)Δ, S_j),    S_j = Ω_j(1 − β_j/L),    E[c ω | Δ] = β_jΔ E[c | Δ] + S_j

and the query is −(η_qβ/L)[A ξ + (B₀Σ₀ + B₁Σ₁) w + ζ],

    A = θ E[h n₁ c₁]    B_j = E[h n_j cω_j]/Ω_j
    Cov ζ = (N₀Σ₀ + N₁Σ₁)/(α0 d),    N_j = E[h² n_j c_j²]
    Cov(ζ, ω) = K (Σ₁ − Σ₀)/(α0 d),    K = −(η_w/L) E[g h n₁ c₁]

as the deviations of a sample's tokens are not independent of its mean: K is new. For Σ₁ = Σ₀ all
this is `alignment`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...losses import Loss, get_loss
from ...losses.balance import balance
from ...task import Task
from ...training import Training
from ..common.groups import SampleGroup, sample_groups
from .pair import Direction, Pair, pair_of

REACH = 9.0  # standard deviations of the scores that the integrals cover
# Midpoints of as many intervals: a jump of the slope, as the hinge loss has, costs some 1e-4.
POINTS = 20_000
X = REACH * (2.0 * (np.arange(POINTS) + 0.5) / POINTS - 1.0)
WEIGHT = np.exp(-0.5 * X**2) / np.exp(-0.5 * X**2).sum()


class Steps(NamedTuple):
    """The fields of an alignment, and the query, of norm 1 where Σ₀ is white."""

    fields: dict[str, Any]
    direction: Direction


class _Readout(NamedTuple):
    """The readout after one step: m, p_j, Ω_j, and the slopes g of both labels at zero."""

    m: float
    p: FloatArray
    omega: FloatArray
    slope: dict[int, float]


def two_steps(task: Task, training: Training) -> Steps:
    """Return readout and query of a (scalar) problem after the two steps."""
    pair, loss, alpha0 = pair_of(task), get_loss(training.loss), training.alpha0
    groups, zero = sample_groups(task), np.zeros(1)
    start = sum(item.share * float(loss.derivative(zero, item.label)[0]) for item in groups)
    bias = -training.eta_b * start
    at = np.full(1, bias if training.first_step == "sequential" else 0.0)
    slope = {label: float(loss.derivative(at, label)[0]) for label in (1, -1)}
    w = _first(task, pair, training.eta_w, alpha0, slope)
    if training.balanced:
        bias = _balanced(task, pair, loss, w, training.eta_w, alpha0, bias)
    q = _second(task, pair, loss, w, training.eta_w, alpha0, bias)
    step, norm = training.eta_q * training.beta / task.L, np.sqrt(q.square(pair, pair.sigma[0]))
    norm_w, signal_q = float(np.sqrt(w.omega[0])), float(q.fixed @ pair.xi) / pair.gain
    fields = {
        "signal_w": w.m / pair.gain,
        "norm_w": norm_w,
        "cosine_w": _cosine(w.m / pair.gain, norm_w),
        "signal_q": step * signal_q,
        "norm_q": float(step * norm),
        "cosine_q": _cosine(signal_q, float(norm)),
        "kappa": float(training.beta * step * norm),
        "constant": np.nan,
    }
    return Steps(fields, q.scaled(1.0 / norm if norm > 0.0 else 0.0))


def _cosine(signal: float, norm: float) -> float:
    return float(np.clip(signal / norm, -1.0, 1.0)) if norm > 0.0 else 0.0


def _first(task: Task, pair: Pair, eta: float, alpha0: float, slope: dict[int, float]) -> _Readout:
    """Return the readout after a step of size η_w with these slopes."""
    m, p, L = 0.0, np.zeros(2), task.L
    for item in sample_groups(task):
        g, counts = slope[item.label], np.array([L - item.tokens, item.tokens])
        m -= eta * item.share * g * task.theta * item.tokens / L
        p += eta**2 * item.share * g**2 * counts / L**2
    omega = [
        m**2 * float(pair.xi @ own @ pair.xi)
        + sum(share * pair.mean(other, own) for share, other in zip(p, pair.sigma, strict=True))
        / alpha0
        for own in pair.sigma
    ]
    return _Readout(m, p, np.array(omega), slope)


class _Scores(NamedTuple):
    """The scores of a group of training samples, and the deviations of its tokens."""

    counts: FloatArray  # n₀, n₁
    mean: float  # of the score, without the bias
    variance: float
    away: FloatArray  # E_j


def _scores(
    task: Task, pair: Pair, w: _Readout, eta: float, alpha0: float, item: SampleGroup
) -> _Scores:
    counts = np.array([task.L - item.tokens, item.tokens], float)
    own = -eta * w.slope[item.label] / (alpha0 * task.L)
    means = own * np.array([pair.trace(sigma) for sigma in pair.sigma])
    means[1] += task.theta * w.m
    mean = float(counts @ means) / task.L
    return _Scores(counts, mean, float(counts @ w.omega) / task.L**2, means - mean)


def _slopes(loss: Loss, label: int, at: _Scores, bias: float) -> FloatArray:
    """Return the slopes h of a group at the scores of `X`."""
    return loss.derivative(at.mean + bias + np.sqrt(at.variance) * X, label)


def _balanced(
    task: Task, pair: Pair, loss: Loss, w: _Readout, eta: float, alpha0: float, bias: float
) -> float:
    """Return the bias at which the slopes of the training samples add up to zero."""
    groups = [(item, _scores(task, pair, w, eta, alpha0, item)) for item in sample_groups(task)]

    def mean_slope(at: float) -> float:
        return sum(
            item.share * float(WEIGHT @ _slopes(loss, item.label, scores, at))
            for item, scores in groups
        )

    result = balance(mean_slope, bias)
    return bias if result is None else result


def _second(
    task: Task, pair: Pair, loss: Loss, w: _Readout, eta: float, alpha0: float, bias: float
) -> Direction:
    """Return the query, up to the factor η_qβ/L."""
    A, K, B, N, L = 0.0, 0.0, np.zeros(2), np.zeros(2), task.L
    for item in sample_groups(task):
        at = _scores(task, pair, w, eta, alpha0, item)
        h, shift = _slopes(loss, item.label, at, bias), np.sqrt(at.variance) * X
        for j, n in enumerate(at.counts):
            if n == 0.0 or w.omega[j] == 0.0:
                continue
            beta = w.omega[j] / (L * at.variance)
            left = w.omega[j] * (1.0 - beta / L)
            c = at.away[j] + (beta - 1.0) * shift
            B[j] += item.share * n * float(WEIGHT @ (h * (beta * shift * c + left))) / w.omega[j]
            N[j] += item.share * n * float(WEIGHT @ (h**2 * (c**2 + left)))
            if j == 1:
                pull = item.share * n * float(WEIGHT @ (h * c))
                A += task.theta * pull
                K -= eta * w.slope[item.label] * pull / L
    first, second = pair.sigma
    push, P = B[0] * first + B[1] * second, w.p[0] * first + w.p[1] * second
    mixed = K * (push @ (second - first))
    spread = push @ P @ push + N[0] * first + N[1] * second + mixed + mixed.T
    return Direction(-(A * pair.xi + w.m * (push @ pair.xi)), spread / alpha0)
