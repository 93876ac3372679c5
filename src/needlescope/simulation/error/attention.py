"""Test error of a trained classifier, given (w, b, q): an integral over the law of the data.

With Gaussian noise Z = C^{1/2} E Σ^{1/2} the score of attention depends on the tokens through
g = Zq/√(qᵀΣq) ~ N(0, C) and, given g, is Gaussian: with a = softmax(κ g + τ v),
or the weights that another kind of attention gives to these logits,

    mean  θ(v·a)⟨w, ξ⟩ + ω (g·a) + b,     variance  (wᵀΣw − ω²) aᵀCa,     ω = wᵀΣq/√(qᵀΣq).

The integral over g ∈ R^L is taken at the points of randomly shifted lattices: unbiased, with a
standard error from independent shifts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from ...arrays import FloatArray, IndexArray
from ...lattice import shifted
from ...models.model import Weigh
from ...models.segments import peak, softmax
from ...noise import Noise
from ...task import Positions, Task
from ..samples.data import positions
from ..samples.noise import correlate

LATTICE_SHIFTS = 32  # enough to estimate their spread, which ends the rounds
FIRST = 1 << 8  # points of the first round for each shift, fewer where there are many tokens
TOKENS = 1 << 24  # token draws after which the integral is left at the error it has
TOL, RELATIVE = 2e-4, 0.05  # the standard error at which to stop
LATTICE = 64  # tokens beyond these are plain random numbers
LISTED = 1 << 18  # numbers in a list of all position sets; a longer one is not made


class ScoreLaw(NamedTuple):
    """The parameters of the law of a trained attention classifier's score."""

    kappa: float  # β √(qᵀΣq), strength of the noise in the logits
    tilt: Any  # β ⟨q, ξ⟩, strength of a unit signal in the logits; of g where κ is infinite
    signal: Any  # ⟨w, ξ⟩; these two for each of several signals
    along: float  # ω
    across: float  # √(wᵀΣw − ω²)
    b: float


def attention_error(
    task: Task, at: ScoreLaw, noise: Noise, rng: np.random.Generator, weigh: Weigh = softmax
) -> tuple[float, float]:
    """Return the probability of a wrong sign, and the standard error of the integral.

    Examples
    --------
    At κ = 0 attention is mean pooling:

    >>> import needlescope as ns
    >>> task, at = ns.Task(4, 1, 8.0, 0.5), ScoreLaw(0.0, 0.0, 1.0, 0.0, 1.0, -1.0)
    >>> round(attention_error(task, at, ns.Noise(), np.random.default_rng(0))[0], 4)
    0.0228
    """
    shifts = rng.random((LATTICE_SHIFTS, min(task.L, LATTICE) + 1))  # the last one picks positions
    size = int(np.clip(1 << (FIRST * 64 // task.L).bit_length() >> 1, 1, FIRST))
    sums, count = np.zeros(LATTICE_SHIFTS), 0
    while True:
        step = 1 if count == 0 else 2  # the even points of a doubled lattice are the old ones
        u = np.concatenate([shifted(size, shift, step - 1, step) for shift in shifts])
        columns = max(1, (1 << (18 if noise.token_correlation == 0.0 else 22)) // task.L)
        wrong = [
            _wrong(task, at, noise, u[first : first + columns], rng, weigh)
            for first in range(0, len(u), columns)
        ]
        sums += np.concatenate(wrong).reshape(LATTICE_SHIFTS, -1).sum(axis=1)
        count, means = size, sums / size
        error = float(means.std(ddof=1) / np.sqrt(LATTICE_SHIFTS))
        enough = min(TOL, RELATIVE * float(means.mean()))
        if error <= enough or 2 * count * LATTICE_SHIFTS * task.L > TOKENS:
            return float(means.mean()), error
        size = 2 * count


def _wrong(
    task: Task, at: ScoreLaw, noise: Noise, u: FloatArray, rng: np.random.Generator, weigh: Weigh
) -> FloatArray:
    """Return the chance of a wrong sign at each of N points, rows of uniforms for the tokens.

    Arrays are L × N here: sums over tokens then run along memory.
    """
    g, marked = _tokens(task, noise, u, rng)
    independent = noise.token_correlation == 0.0
    seen, spread = g, 0.0
    if independent:  # attention does not depend on the mean of g: integrated in closed form
        seen, spread = g - g.mean(axis=0), at.along**2 / task.L
    total = np.zeros(g.shape[1])
    for y, weight, tilt, signal, v in _groups(task, at, marked):
        hard = bool(np.isinf(at.kappa))
        logits = (1.0 if hard else at.kappa) * g
        if y > 0.0:
            logits += task.theta * tilt * v
        a = (peak if hard else weigh)(logits, 0)
        mean = at.b + at.along * np.einsum("ln,ln->n", a, seen)
        if y > 0.0:
            mean += task.theta * signal * (v * a).sum(axis=0)
        deviation = np.sqrt(spread + at.across**2 * noise.token_variance(a.T))
        sure = deviation > 0.0
        z = np.divide(y * mean, deviation, out=np.zeros(len(mean)), where=sure)
        total += weight * np.where(sure, ndtr(-z), y * mean <= 0.0)
    return total


def _groups(
    task: Task, at: ScoreLaw, marked: list[FloatArray]
) -> Iterator[tuple[float, float, float, float, FloatArray]]:
    """List the groups of samples: label, probability, tilt, ⟨w, ξ⟩ of their signal, and v."""
    shares = (1.0,) if task.signals is None else task.signals
    for share, tilt, signal in zip(shares, np.ravel(at.tilt), np.ravel(at.signal), strict=True):
        for (_, chance), v in zip(task.counts, marked, strict=True):
            if share > 0.0:
                yield 1.0, task.pi * share * chance, tilt, signal, v
    yield -1.0, 1.0 - task.pi, 0.0, 0.0, marked[0]


def _tokens(
    task: Task, noise: Noise, u: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, list[FloatArray]]:
    """Return g ~ N(0, C), L × N, and the marks v of positives, L × 1 where tokens are alike.

    There are marks for each number of signal tokens that occurs.
    """
    g = np.empty((task.L, len(u)))
    ndtri(u[:, :-1].T, out=g[: u.shape[1] - 1])
    if task.L > LATTICE:
        g[LATTICE:] = rng.standard_normal((task.L - LATTICE, len(u)))
    if noise.token_correlation == 0.0:
        return g, [(np.arange(task.L) < R).astype(float)[:, None] for R, _ in task.counts]
    correlate(noise, g.T)
    result = []
    for R, _ in task.counts:
        v = np.zeros(g.shape)
        if R > 0:
            v[_marks(task.replace(R=R), u[:, -1], rng).T, np.arange(len(u))] = 1.0
        result.append(v)
    return g, result


def _marks(task: Task, pick: FloatArray, rng: np.random.Generator) -> IndexArray:
    """Return the signal tokens of each point: by its uniform ``pick`` if they can be listed."""
    if isinstance(task.positions, Positions):
        sets, chances = np.array(task.positions.sets), np.array(task.positions.probabilities)
        return sets[np.minimum(np.searchsorted(chances.cumsum(), pick), len(sets) - 1)]
    if comb(task.L, task.R) * task.R > LISTED:
        return positions(task, len(pick), rng)
    sets = np.array(list(combinations(range(task.L), task.R)))
    picked: IndexArray = sets[np.minimum((pick * len(sets)).astype(int), len(sets) - 1)]
    return picked
