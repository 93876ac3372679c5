"""Test errors of the linear classifiers, given their weights: the score is Gaussian.

Pooled: mean (θR/L)⟨w, ξ⟩ + b for positives. Flat: mean θ Σ_{l ∈ S} ⟨W_l, ξ⟩ + b, to be averaged
over the sets S of signal tokens. Where there are too many sets to list, some are drawn; the first
two moments of a drawn sum are known, so what is left to chance is of third order in the weights.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from scipy.special import ndtr

from ...arrays import FloatArray
from ...noise import Noise
from ...task import Positions, Task
from ..samples.data import positions

SUBSETS = 1 << 14  # sets that are listed; if there are more, this many are drawn


def pooled_error(task: Task, signal: float, spread: float, b: float, noise: Noise) -> float:
    """Return the probability of a wrong sign for a readout with ⟨w, ξ⟩ and √(wᵀΣw)."""
    mean_variance = noise.token_variance(np.full((1, task.L), 1.0 / task.L))
    deviation = spread * float(np.sqrt(mean_variance[0]))
    counts, chances = np.array(task.counts).T
    missed = _missed(task.theta * counts / task.L * signal + b, deviation)
    error: float = task.pi * float(chances @ missed) + (1.0 - task.pi) * _alarm(b, deviation)
    return error


def vectorized_error(
    task: Task, signals: FloatArray, deviation: float, b: float, rng: np.random.Generator
) -> tuple[float, float]:
    """Return it for ⟨W_l, ξ⟩ of each token and a score deviation, and its numerical error."""
    alarm = (1.0 - task.pi) * _alarm(b, deviation)
    parts = [_missed_with(task, R, signals, deviation, b, rng) for R, _ in task.counts]
    missed, numeric = np.array(parts).T
    chances = np.array([chance for _, chance in task.counts])
    error = task.pi * float(chances @ missed) + alarm
    return error, task.pi * float(np.linalg.norm(chances * numeric))


def _missed_with(
    task: Task, R: int, signals: FloatArray, deviation: float, b: float, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the chance that a positive of R signal tokens is missed, and its numerical error."""
    listed = _listed(task, R, signals)
    if listed is not None:
        sums, chances = listed
        return float(chances @ _missed(task.theta * sums + b, deviation)), 0.0
    step, fixed = max(1, (1 << 20) // task.L), task.replace(R=R)
    sums = np.concatenate(
        [
            signals[positions(fixed, min(step, SUBSETS - first), rng)].sum(axis=1)
            for first in range(0, SUBSETS, step)
        ]
    )
    missed = _missed(task.theta * sums + b, deviation)
    centred = sums - R * signals.mean()
    variance = R * (task.L - R) / (task.L - 1) * signals.var()
    controls = np.stack([np.ones(SUBSETS), centred, centred**2 - variance], axis=1)
    controls[:, 1:] /= max(float(np.sqrt(variance)), 1e-300) ** np.array([1.0, 2.0])
    fit, *_ = np.linalg.lstsq(controls, missed)
    return float(fit[0]), float((missed - controls @ fit).std()) / float(np.sqrt(SUBSETS))


def _listed(task: Task, R: int, signals: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return the sum of the signals over each set and its probability, if there are few sets."""
    if isinstance(task.positions, Positions):
        chosen = signals[np.array(task.positions.sets)]
        return chosen.sum(axis=1), np.array(task.positions.probabilities)
    few = min(R, task.L - R)  # as many sets as their complements
    if comb(task.L, few) > SUBSETS:
        return None
    sets = np.array(list(combinations(range(task.L), few)), int).reshape(comb(task.L, few), few)
    sums = signals[sets].sum(axis=1)
    sums = sums if few == R else signals.sum() - sums
    return sums, np.full(len(sums), 1.0 / len(sums))


def _missed(mean: FloatArray, deviation: float) -> FloatArray:
    """Return the chance that a positive's score is not above zero."""
    return ndtr(-mean / deviation) if deviation > 0.0 else (mean <= 0.0).astype(float)


def _alarm(mean: float, deviation: float) -> float:
    """Return the chance that a negative's score is not below zero."""
    return float(ndtr(mean / deviation)) if deviation > 0.0 else float(mean >= 0.0)
