"""Overlaps that a learner can have, the truth among them, and where it changes.

State evolution in one scalar: with a = απθ² and M of `recognition`, an overlap q is stationary if

    q/(1 − q) = a M(θ√q).

The free entropy Φ(q) = ½[q + log(1 − q)] + απ E[log Z] has slope ½[a M(θ√q) − q/(1 − q)], as M/2 is
the derivative of E[log Z] in (θ√q)². So the same table says where its maxima are and, integrated,
which is the largest. On the branch of stationary overlaps α is a function of q,

    α(q) = q / ((1 − q) π θ² M(θ√q)),

and everything about phases is read off it. Where it rises throughout, the overlap grows smoothly
with the data: transition is one phase, "easy". Where it falls in between, from a peak to a trough, the
overlap must jump. Below the trough transition is one stationary overlap, and beyond the peak one;
between them the truth is the low one up to the α at which both maxima of Φ are equally high (by
Maxwell's rule of equal areas), and the high one from there on. The iteration from nothing stays
with the low one up to the peak. Hence, with a jump, "impossible" below that α, "hard" from there to
the peak, "easy" beyond it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from ...arrays import FloatArray
from ...lattice import REPLICATES
from .posterior_mass import PosteriorMass

BRANCH_NODES = 4000  # overlaps at which the branch is looked at
LEAST_DROP = 1e-9  # of α between peak and trough, relative: less is rounding


class Branch(NamedTuple):
    """Stationary overlaps q, increasing, and the α π (samples with a signal) that each needs."""

    theta: float
    q: FloatArray
    alpha: FloatArray

    @property
    def odds(self) -> FloatArray:
        """q/(1 − q), the strength of the posterior's field."""
        return self.q / (1.0 - self.q)


class Transition(NamedTuple):
    """Where the overlap jumps: α π where the high one becomes the truth, and where it is found."""

    alpha_it: float
    alpha_amp: float
    low: float  # overlaps on both sides of the first
    high: float


def stationary_branch(theta: float, table: PosteriorMass, column: int = 0) -> Branch:
    """Return all stationary overlaps, by the mean of the table or by one of its replicates."""
    kappa = np.unique(
        np.concatenate(
            [
                np.linspace(0.0, min(theta, table.known), BRANCH_NODES + 1)[1:],
                theta * np.sqrt(-np.expm1(-np.geomspace(1e-6, 36.0, BRANCH_NODES // 4))),
            ]
        )
    )
    kappa = kappa[(kappa > 0.0) & (kappa < theta)]
    M = table(kappa)[:, column]
    rest = (theta - kappa) * (theta + kappa)  # θ² (1 − q), without cancellation
    q = (kappa / theta) ** 2
    return Branch(theta, q, kappa**2 / (rest * theta**2 * M))


def find_transition(branch: Branch) -> Transition | None:
    """Return where the overlap jumps as data are added, or None if it never does."""
    falls = np.flatnonzero(np.diff(branch.alpha) < 0.0)
    if not len(falls):
        return None
    peak = falls[0] + int(np.argmax(branch.alpha[falls[0] : falls[-1] + 1]))
    trough = peak + int(np.argmin(branch.alpha[peak : falls[-1] + 2]))
    top, bottom = branch.alpha[peak], branch.alpha[trough]
    if top - bottom < LEAST_DROP * top:
        return None

    def lead(alpha: float) -> float:
        """How much higher Φ is at the high overlap than at the low one."""
        low = float(np.interp(alpha, branch.alpha[: peak + 1], branch.q[: peak + 1]))
        high = float(np.interp(alpha, branch.alpha[trough:], branch.q[trough:]))
        return _free_entropy_gain(branch, alpha, low, high)

    alpha_it = float(brentq(lead, bottom, top, xtol=1e-12 * top, rtol=1e-10))
    low = float(np.interp(alpha_it, branch.alpha[: peak + 1], branch.q[: peak + 1]))
    high = float(np.interp(alpha_it, branch.alpha[trough:], branch.q[trough:]))
    return Transition(alpha_it, float(top), low, high)


def _free_entropy_gain(branch: Branch, alpha: float, low: float, high: float) -> float:
    """Return Φ(high) − Φ(low) = ½ ∫ (α/α(q) − 1) q/(1 − q) dq."""
    inside = (branch.q > low) & (branch.q < high)
    q = np.concatenate([[low], branch.q[inside], [high]])
    slope = np.interp(q, branch.q, (alpha / branch.alpha - 1.0) * branch.odds)
    return 0.5 * float(np.sum(0.5 * (slope[1:] + slope[:-1]) * np.diff(q)))


def overlaps(
    branch: Branch, transition: Transition | None, alpha: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the overlap that is possible, and the one that the iteration from zero finds."""
    if transition is None:
        # α(q) rises, but for the table's own error
        rising = np.maximum.accumulate(branch.alpha)
        result = np.interp(alpha, rising, branch.q)
        return result, result
    low, high = coexisting_overlaps(branch, transition, alpha)
    by_amp = np.where(alpha < transition.alpha_amp, low, high)
    return np.where(alpha < transition.alpha_it, low, high), by_amp


def coexisting_overlaps(
    branch: Branch, transition: Transition, alpha: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the low stationary overlap and the high one, or where each ends."""
    peak = int(np.argmax(branch.alpha[: int(np.searchsorted(branch.q, transition.high))]))
    low = np.interp(alpha, np.maximum.accumulate(branch.alpha[: peak + 1]), branch.q[: peak + 1])
    trough = peak + int(np.argmin(branch.alpha[peak:]))
    high = np.interp(alpha, np.maximum.accumulate(branch.alpha[trough:]), branch.q[trough:])
    return low, high


def phases(transition: Transition | None, alpha: FloatArray) -> FloatArray:
    """Name the phase at each α π."""
    if transition is None:
        return np.full(np.shape(alpha), "easy")
    return np.where(
        alpha < transition.alpha_it,
        "impossible",
        np.where(alpha < transition.alpha_amp, "hard", "easy"),
    )


def iterate_overlaps(
    theta: float, table: PosteriorMass, alpha: FloatArray, rounds: int
) -> FloatArray:
    """Return the overlaps of the iteration from zero, at [α π, round, column of the table].

    Every column goes its own way: the mean of the table first, then each replicate.
    """
    columns = 1 + REPLICATES
    result = np.zeros((len(alpha), rounds + 1, columns))
    for number in range(rounds):
        M = table(theta * np.sqrt(result[:, number]))[:, np.arange(columns), np.arange(columns)]
        field = alpha[:, None] * theta**2 * M
        result[:, number + 1] = field / (1.0 + field)
    return result
