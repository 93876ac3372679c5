"""The test error of the plug-in decision with an estimate of the signal, an integral over tokens.

Along ξ̂/‖ξ̂‖ tokens are t = g + θ c 1{l ∈ S}, c the estimate's cosine. If ξ̂ is taken for the
posterior mean, the signal along it has strength κ = θ‖ξ̂‖, and the decision is + where

    log mean_S exp(κ Σ_S t − Rκ²/2) > log (1 − π)/π.

The mean token t̄ enters the left side as Rκ t̄ and is independent of the centred tokens: it is
integrated in closed form, the rest at the points of randomly shifted lattices.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from ...arrays import FloatArray
from ...lattice import shifted
from ...task import Positions, Task
from ..samples.sets import log_mean

ESTIMATE_SHIFTS = 16
FIRST_ROUND = 1 << 8  # points for each shift
MOST_TOKENS = 1 << 23  # token draws after which the integral is left at the error it has
ESTIMATE_TOL = 2e-4
LATTICE_TOKENS = 64  # tokens beyond these are plain random numbers


def estimated_error(
    task: Task,
    kappa: float,
    cosine: float,
    rng: np.random.Generator,
    assumed: Task | None = None,
) -> tuple[float, float]:
    """Return the probability of a wrong answer, and the standard error of the integral.

    ``assumed`` is the task that the decision assumes, if its R differs from the true one.

    Examples
    --------
    One token, perfectly known: Φ(−θ/2).

    >>> import needlescope as ns
    >>> task = ns.Task(L=1, R=1, theta=2.0, pi=0.5)
    >>> round(estimated_error(task, 2.0, 1.0, np.random.default_rng(0))[0], 4)
    0.1587
    """
    assumed = task if assumed is None else assumed
    odds = float(np.log((1.0 - task.pi) / task.pi))
    if kappa <= 0.0:
        return min(task.pi, 1.0 - task.pi), 0.0
    shifts = rng.random((ESTIMATE_SHIFTS, min(task.L, LATTICE_TOKENS)))
    points, sums, count = FIRST_ROUND, np.zeros(ESTIMATE_SHIFTS), 0
    while True:
        first, step = (0, 1) if count == 0 else (1, 2)
        for row, shift in enumerate(shifts):
            g = ndtri(shifted(points, shift, first, step))
            if task.L > LATTICE_TOKENS:
                rest = rng.standard_normal((len(g), task.L - LATTICE_TOKENS))
                g = np.concatenate([g, rest], axis=1)
            sums[row] += float(_wrong(task, assumed, kappa, cosine, odds, g, rng).sum())
        count = points
        means = sums / count
        error, se = float(means.mean()), float(means.std(ddof=1) / np.sqrt(ESTIMATE_SHIFTS))
        done = ESTIMATE_SHIFTS * count * task.L
        if se <= ESTIMATE_TOL or 2 * done > MOST_TOKENS:
            return error, se
        points *= 2


def _wrong(
    task: Task,
    assumed: Task,
    kappa: float,
    cosine: float,
    odds: float,
    g: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the chance of a wrong answer, given the centred tokens of samples of both labels."""
    centred = g - g.mean(axis=1, keepdims=True)
    lift = task.theta * cosine
    marked = _marked(task, len(g), rng)
    positive = centred + lift * (marked - task.R / task.L)
    spread = float(np.sqrt(task.L)) / (assumed.R * kappa)
    shift = odds + 0.5 * assumed.R * kappa**2
    miss = ndtr(
        (shift - log_mean(assumed, kappa * positive)) * spread - lift * task.R / np.sqrt(task.L)
    )
    alarm = ndtr(-(shift - log_mean(assumed, kappa * centred)) * spread)
    return np.asarray(task.pi * miss + (1.0 - task.pi) * alarm)


def _marked(task: Task, n: int, rng: np.random.Generator) -> FloatArray:
    """Return 1 for the signal tokens of n samples; the first R, where tokens are all alike."""
    if isinstance(task.positions, Positions):
        patterns = task.positions.patterns(task.L)
        return np.asarray(patterns[rng.choice(len(patterns), n, p=task.positions.probabilities)])
    return np.tile(np.arange(task.L) < task.R, (n, 1)).astype(float)
