"""Overlaps that a learner can have, the truth among them, and where it changes.

State evolution in one scalar: with a = απθ² and M of `recognition`, an overlap q is stationary if

    q/(1 − q) = a M(θ√q).

The free entropy Φ(q) = ½[q + log(1 − q)] + απ E[log Z] has slope ½[a M(θ√q) − q/(1 − q)], as M/2 is
the derivative of E[log Z] in (θ√q)². So the same table says where its maxima are and, integrated,
which is the largest. On the branch of stationary overlaps α is a function of q,

    α(q) = q / ((1 − q) π θ² M(θ√q)),

and everything about phases is read off it. Where it rises throughout, the overlap grows smoothly
with the data: there is one phase, "easy". Where it falls in between, from a peak to a trough, the
overlap must jump. Below the trough there is one stationary overlap, and beyond the peak one;
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
from .recognition import Recognition

FINE = 4000  # overlaps at which the branch is looked at
LEAST_FALL = 1e-9  # of α between peak and trough, relative: less is rounding


class Branch(NamedTuple):
    """Stationary overlaps q, increasing, and the α π (samples with a signal) that each needs."""

    theta: float
    q: FloatArray
    alpha: FloatArray

    @property
    def odds(self) -> FloatArray:
        """q/(1 − q), the strength of the posterior's field."""
        return self.q / (1.0 - self.q)


class Jump(NamedTuple):
    """Where the overlap jumps: α π where the high one becomes the truth, and where it is found."""

    alpha_it: float
    alpha_amp: float
    low: float  # overlaps on both sides of the first
    high: float


def branch(theta: float, table: Recognition, column: int = 0) -> Branch:
    """Return all stationary overlaps, by the mean of the table or by one of its replicates."""
    kappa = np.unique(
        np.concatenate(
            [
                np.linspace(0.0, min(theta, table.known), FINE + 1)[1:],
                theta * np.sqrt(-np.expm1(-np.geomspace(1e-6, 36.0, FINE // 4))),
            ]
        )
    )
    kappa = kappa[(kappa > 0.0) & (kappa < theta)]
    M = table(kappa)[:, column]
    rest = (theta - kappa) * (theta + kappa)  # θ² (1 − q), without cancellation
    q = (kappa / theta) ** 2
    return Branch(theta, q, kappa**2 / (rest * theta**2 * M))


def jump(at: Branch) -> Jump | None:
    """Return where the overlap jumps as data are added, or None if it never does."""
    falls = np.flatnonzero(np.diff(at.alpha) < 0.0)
    if not len(falls):
        return None
    peak = falls[0] + int(np.argmax(at.alpha[falls[0] : falls[-1] + 1]))
    trough = peak + int(np.argmin(at.alpha[peak : falls[-1] + 2]))
    top, bottom = at.alpha[peak], at.alpha[trough]
    if top - bottom < LEAST_FALL * top:
        return None

    def lead(alpha: float) -> float:
        """How much higher Φ is at the high overlap than at the low one."""
        low = float(np.interp(alpha, at.alpha[: peak + 1], at.q[: peak + 1]))
        high = float(np.interp(alpha, at.alpha[trough:], at.q[trough:]))
        return _area(at, alpha, low, high)

    alpha_it = float(brentq(lead, bottom, top, xtol=1e-12 * top, rtol=1e-10))
    low = float(np.interp(alpha_it, at.alpha[: peak + 1], at.q[: peak + 1]))
    high = float(np.interp(alpha_it, at.alpha[trough:], at.q[trough:]))
    return Jump(alpha_it, float(top), low, high)


def _area(at: Branch, alpha: float, low: float, high: float) -> float:
    """Return Φ(high) − Φ(low) = ½ ∫ (α/α(q) − 1) q/(1 − q) dq."""
    inside = (at.q > low) & (at.q < high)
    q = np.concatenate([[low], at.q[inside], [high]])
    slope = np.interp(q, at.q, (alpha / at.alpha - 1.0) * at.odds)
    return 0.5 * float(np.sum(0.5 * (slope[1:] + slope[:-1]) * np.diff(q)))


def overlaps(at: Branch, there: Jump | None, alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the overlap that is possible, and the one that the iteration from zero finds."""
    if there is None:
        # α(q) rises, but for the table's own error
        rising = np.maximum.accumulate(at.alpha)
        result = np.interp(alpha, rising, at.q)
        return result, result
    low, high = sides(at, there, alpha)
    by_amp = np.where(alpha < there.alpha_amp, low, high)
    return np.where(alpha < there.alpha_it, low, high), by_amp


def sides(at: Branch, there: Jump, alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the low stationary overlap and the high one, or where each ends."""
    peak = int(np.argmax(at.alpha[: int(np.searchsorted(at.q, there.high))]))
    low = np.interp(alpha, np.maximum.accumulate(at.alpha[: peak + 1]), at.q[: peak + 1])
    trough = peak + int(np.argmin(at.alpha[peak:]))
    high = np.interp(alpha, np.maximum.accumulate(at.alpha[trough:]), at.q[trough:])
    return low, high


def phases(there: Jump | None, alpha: FloatArray) -> FloatArray:
    """Name the phase at each α π."""
    if there is None:
        return np.full(np.shape(alpha), "easy")
    return np.where(
        alpha < there.alpha_it, "impossible", np.where(alpha < there.alpha_amp, "hard", "easy")
    )


def path(theta: float, table: Recognition, alpha: FloatArray, rounds: int) -> FloatArray:
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
