"""Test error of a trained classifier, given (w, b, q): an integral over the law of the data.

With Gaussian noise Z = C^{1/2} E Σ^{1/2} the score of attention depends on the tokens through
g = Zq/√(qᵀΣq) ~ N(0, C) and, given g, is Gaussian: with a = softmax(κ g + τ v),

    mean  θ(v·a)⟨w, ξ⟩ + ω (g·a) + b,     variance  (wᵀΣw − ω²) aᵀCa,     ω = wᵀΣq/√(qᵀΣq).

The integral over g ∈ R^L is taken at the points of randomly shifted lattices: unbiased, with a
standard error from independent shifts. Pooled and flat classifiers are closed formulas.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from ..arrays import FloatArray
from ..lattice import shifted
from ..task import Positions, Task
from .data import positions
from .noise import Noise

SHIFTS = 8
FIRST = 1 << 10  # points of the first round for each shift, fewer where there are many tokens
TOKENS = 1 << 24  # token draws after which the integral is left at the error it has
ACCURACY = 1e-4  # standard error: small beside the spread of trials, which contains it
LATTICE = 64  # tokens beyond these are plain random numbers
SUBSETS = 1 << 14  # position sets that are listed one by one; of more, so many are drawn


class Readout(NamedTuple):
    """A trained attention classifier as its score sees the data."""

    kappa: float  # β √(qᵀΣq), strength of the noise in the logits
    tilt: float  # β ⟨q, ξ⟩, strength of a unit signal in the logits
    signal: float  # ⟨w, ξ⟩
    along: float  # ω
    across: float  # √(wᵀΣw − ω²)
    b: float


def attention_error(
    task: Task, at: Readout, noise: Noise, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the probability of a wrong sign, and the standard error of the integral.

    Examples
    --------
    At κ = 0 attention is mean pooling:

    >>> import needlescope as ns
    >>> task, at = ns.Task(4, 1, 8.0, 0.5), Readout(0.0, 0.0, 1.0, 0.0, 1.0, -1.0)
    >>> round(attention_error(task, at, ns.Noise(), np.random.default_rng(0))[0], 4)
    0.0228
    """
    shifts = rng.random((SHIFTS, min(task.L, LATTICE)))
    size = int(np.clip(1 << (FIRST * 64 // task.L).bit_length(), 64, FIRST))
    sums, count = np.zeros(SHIFTS), 0
    while True:
        step = 1 if count == 0 else 2  # the even points of a doubled lattice are the old ones
        u = np.concatenate([shifted(size, shift, step - 1, step) for shift in shifts])
        columns = max(1, (1 << 18) // task.L)
        wrong = [
            _wrong(task, at, noise, u[first : first + columns], rng)
            for first in range(0, len(u), columns)
        ]
        sums += np.concatenate(wrong).reshape(SHIFTS, -1).sum(axis=1)
        count, means = size, sums / size
        error = float(means.std(ddof=1) / np.sqrt(SHIFTS))
        if error <= ACCURACY or 2 * count * SHIFTS * task.L > TOKENS:
            return float(means.mean()), error
        size = 2 * count


def pooled_error(task: Task, signal: float, spread: float, b: float, noise: Noise) -> float:
    """Return the same for a pooled readout with ⟨w, ξ⟩ and wᵀΣw = spread²."""
    mean_variance = noise.token_variance(np.full((1, task.L), 1.0 / task.L))
    deviation = spread * float(np.sqrt(mean_variance[0]))
    lift = task.theta * task.R / task.L * signal
    return _error(task.pi, np.array([lift + b]), np.ones(1), b, deviation)


def vectorized_error(
    task: Task, signals: FloatArray, deviation: float, b: float, rng: np.random.Generator
) -> float:
    """Return the same for a flat readout with ⟨W_l, ξ⟩ for each token and score deviation."""
    sets, chances = _sets(task, rng)
    lift = task.theta * signals[sets].sum(axis=1)
    return _error(task.pi, lift + b, chances, b, deviation)


def _error(
    pi: float, positive: FloatArray, chances: FloatArray, negative: float, deviation: float
) -> float:
    """Mix the errors of positives with these mean scores and of negatives with that one.

    A score of zero, which only w = 0 and b = 0 can give, counts as wrong.
    """
    if deviation > 0.0:
        missed, alarm = ndtr(-positive / deviation), float(ndtr(negative / deviation))
    else:
        missed, alarm = (positive <= 0.0).astype(float), float(negative >= 0.0)
    return pi * float(chances @ missed) + (1.0 - pi) * alarm


def _wrong(
    task: Task, at: Readout, noise: Noise, u: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Return the chance of a wrong sign at each of N points, rows of uniforms for the tokens.

    Arrays are L × N here: sums over tokens then run along memory.
    """
    g, v = _tokens(task, noise, u, rng)
    independent = noise.token_correlation == 0.0
    seen, spread = g, 0.0
    if independent:  # the softmax does not see the mean of g: integrated in closed form
        seen, spread = g - g.mean(axis=0), at.along**2 / task.L
    total = np.zeros(g.shape[1])
    for y, weight in ((1.0, task.pi), (-1.0, 1.0 - task.pi)):
        logits = at.kappa * g
        if y > 0.0:
            logits += task.theta * at.tilt * v
        a = np.exp(logits - logits.max(axis=0))
        a /= a.sum(axis=0)
        mean = at.b + at.along * np.einsum("ln,ln->n", a, seen)
        if y > 0.0:
            mean += task.theta * at.signal * (v * a).sum(axis=0)
        deviation = np.sqrt(spread + at.across**2 * noise.token_variance(a.T))
        sure = deviation > 0.0
        z = np.divide(y * mean, deviation, out=np.zeros(len(mean)), where=sure)
        total += weight * np.where(sure, ndtr(-z), y * mean <= 0.0)
    return total


def _tokens(
    task: Task, noise: Noise, u: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return g ~ N(0, C), L × N, and the marks v of positives, L × 1 where tokens are alike."""
    g = np.empty((task.L, len(u)))
    ndtri(u.T, out=g[: u.shape[1]])
    if task.L > LATTICE:
        g[LATTICE:] = rng.standard_normal((task.L - LATTICE, len(u)))
    if noise.token_correlation == 0.0:
        return g, (np.arange(task.L) < task.R).astype(float)[:, None]
    noise.correlate(g.T)
    v = np.zeros(g.shape)
    v[positions(task, len(u), rng).T, np.arange(len(u))] = 1.0
    return g, v


def _sets(task: Task, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Return sets of signal tokens and their probabilities."""
    if isinstance(task.positions, Positions):
        return np.array(task.positions.sets), np.array(task.positions.probabilities)
    if comb(task.L, task.R) <= SUBSETS:
        sets = np.array(list(combinations(range(task.L), task.R)))
    else:
        sets = positions(task, SUBSETS, rng)
    return sets, np.full(len(sets), 1.0 / len(sets))
