"""Stationary overlaps of the replica-symmetric free entropy, and the phases in α.

State evolution is one scalar equation: with M of `posterior_mass`, an overlap q is stationary if

    q/(1 − q) = απθ² M(θ√q).

Noise with a spectrum, in whitened coordinates: q/(1 − q) is replaced by the field that reaches q
with the prior of the signal (`prior`), and (1 − q)² below by the dq/dÂ of that field.

The free entropy Φ(q) = ½[q + log(1 − q)] + απ E[log Z] has slope ½[απθ² M(θ√q) − q/(1 − q)], as M/2
is the derivative of E[log Z] in (θ√q)². So the same table gives its maxima and, integrated, the
largest of them. On the branch of stationary overlaps α is a function of q,

    α(q) = q / ((1 − q) π θ² M(θ√q)).

Where it increases throughout, the overlap grows smoothly with the data: one phase, "easy". Where it
falls from a peak to a trough, there is a first-order transition. Between trough and peak two maxima
of Φ coexist. The low overlap is Bayes-optimal up to the information-theoretic threshold, at which
both are equally high (Maxwell's rule of equal areas), and the high one from there on. AMP started
from zero stays at the low overlap up to the peak, the algorithmic threshold. Hence "impossible"
below the first threshold, "hard" between them, "easy" beyond the second.

A change dM of a replicate moves a stationary overlap by

    dq = απθ² dM (1 − q)² / (1 − απθ² M'(q) (1 − q)²),

and a threshold by dα/α = −dM/M: the algorithmic one by M at the peak, the information-theoretic one
by the mean of M over the overlaps between both maxima. Within the error of a threshold the error of
an overlap is the jump.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from ...arrays import FloatArray
from ...lattice import REPLICATES
from ...task import Task
from .posterior_mass import PosteriorMass
from .prior import UNIFORM, Prior

BRANCH_NODES = 4000  # overlaps at which the branch is computed
AT_BOUNDARY = 2.0  # standard errors of a threshold within which the error of q is the jump
LEAST_DROP = 1e-9  # of α from peak to trough, relative: less is rounding


class Branch(NamedTuple):
    """Stationary overlaps q, increasing, and the απ (positives per dimension) of each."""

    theta: float
    q: FloatArray
    alpha: FloatArray
    field: FloatArray  # the strength of the posterior's field, q/(1 − q) in white noise


class Transition(NamedTuple):
    """A first-order transition: the information-theoretic and the algorithmic threshold in απ."""

    alpha_it: float
    alpha_amp: float
    low: float  # overlaps on both sides of alpha_it
    high: float


def stationary_branch(
    theta: float, table: PosteriorMass, column: int = 0, prior: Prior = UNIFORM
) -> Branch:
    """Return all stationary overlaps, by the mean of the table or by one of its replicates."""
    kappa = np.unique(
        np.concatenate(
            [
                np.linspace(0.0, min(theta, table.last_node), BRANCH_NODES + 1)[1:],
                theta * np.sqrt(-np.expm1(-np.geomspace(1e-6, 36.0, BRANCH_NODES // 4))),
            ]
        )
    )
    kappa = kappa[(kappa > 0.0) & (kappa < theta)]
    M = table(kappa)[:, column]
    rest = (theta - kappa) * (theta + kappa)  # θ² (1 − q), without cancellation
    q = (kappa / theta) ** 2
    if prior is UNIFORM:
        return Branch(theta, q, kappa**2 / (rest * theta**2 * M), q / (1.0 - q))
    field = prior.field(q, rest / theta**2)
    return Branch(theta, q, field / (theta**2 * M), field)


def find_transition(branch: Branch) -> Transition | None:
    """Return the first-order transition of a branch, or None if α(q) increases throughout."""
    falls = np.flatnonzero(np.diff(branch.alpha) < 0.0)
    if not len(falls):
        return None
    peak = falls[0] + int(np.argmax(branch.alpha[falls[0] : falls[-1] + 1]))
    trough = peak + int(np.argmin(branch.alpha[peak : falls[-1] + 2]))
    top, bottom = branch.alpha[peak], branch.alpha[trough]
    if top - bottom < LEAST_DROP * top:
        return None

    def lead(alpha: float) -> float:
        """Φ at the high overlap minus Φ at the low one."""
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
    slope = np.interp(q, branch.q, (alpha / branch.alpha - 1.0) * branch.field)
    return 0.5 * float(np.sum(0.5 * (slope[1:] + slope[:-1]) * np.diff(q)))


def overlaps(
    branch: Branch, transition: Transition | None, alpha: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the Bayes-optimal overlaps and those of AMP started from zero, at each απ."""
    if transition is None:
        # α(q) increases up to the table's error
        rising = np.maximum.accumulate(branch.alpha)
        result = np.interp(alpha, rising, branch.q)
        return result, result
    low, high = coexisting_overlaps(branch, transition, alpha)
    by_amp = np.where(alpha < transition.alpha_amp, low, high)
    return np.where(alpha < transition.alpha_it, low, high), by_amp


def coexisting_overlaps(
    branch: Branch, transition: Transition, alpha: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the low and the high stationary overlap, clipped to the range of each."""
    peak = int(np.argmax(branch.alpha[: int(np.searchsorted(branch.q, transition.high))]))
    low = np.interp(alpha, np.maximum.accumulate(branch.alpha[: peak + 1]), branch.q[: peak + 1])
    trough = peak + int(np.argmin(branch.alpha[peak:]))
    high = np.interp(alpha, np.maximum.accumulate(branch.alpha[trough:]), branch.q[trough:])
    return low, high


def phases(transition: Transition | None, alpha: FloatArray) -> FloatArray:
    """Return the phase at each απ."""
    if transition is None:
        return np.full(np.shape(alpha), "easy")
    return np.where(
        alpha < transition.alpha_it,
        "impossible",
        np.where(alpha < transition.alpha_amp, "hard", "easy"),
    )


def iterate_overlaps(
    theta: float,
    table: PosteriorMass,
    alpha: FloatArray,
    iterations: int,
    prior: Prior = UNIFORM,
) -> FloatArray:
    """Return the overlaps of AMP from zero, at [απ, iteration, column of the table]."""
    columns = 1 + REPLICATES
    result = np.zeros((len(alpha), iterations + 1, columns))
    for number in range(iterations):
        M = table(theta * np.sqrt(result[:, number]))[:, np.arange(columns), np.arange(columns)]
        field = alpha[:, None] * theta**2 * M
        result[:, number + 1] = prior.overlap(field)
    return result


class Overlaps(NamedTuple):
    """Overlaps of several points, their standard errors, and their phases."""

    overlap: FloatArray
    overlap_se: FloatArray
    amp_overlap: FloatArray
    amp_overlap_se: FloatArray
    phase: FloatArray


def solve_overlaps(
    task: Task, table: PosteriorMass, samples: FloatArray, prior: Prior = UNIFORM
) -> Overlaps:
    """Return both overlaps at each απ, with errors from the replicates of the table."""
    if task.theta == 0.0:
        zero = np.zeros(len(samples))
        return Overlaps(zero, zero, zero, zero, np.full(len(samples), "easy"))
    branch = stationary_branch(task.theta, table, prior=prior)
    transition = find_transition(branch)
    result = overlaps(branch, transition, samples)
    overlap, amp_overlap = (_polished(task.theta, table, samples, q, prior) for q in result)
    overlap_se, amp_overlap_se = (
        _overlap_errors(task.theta, table, samples, q, prior) for q in (overlap, amp_overlap)
    )
    if transition is not None:
        edges = zip(
            (transition.alpha_it, transition.alpha_amp),
            transition_errors(branch, transition, table),
            strict=True,
        )
        low, high = coexisting_overlaps(branch, transition, samples)
        overlap_se, amp_overlap_se = (
            np.where(np.abs(samples / edge - 1.0) <= AT_BOUNDARY * error, high - low, se)
            for (edge, error), se in zip(edges, (overlap_se, amp_overlap_se), strict=True)
        )
    return Overlaps(overlap, overlap_se, amp_overlap, amp_overlap_se, phases(transition, samples))


def _polished(
    theta: float, table: PosteriorMass, samples: FloatArray, q: FloatArray, prior: Prior
) -> FloatArray:
    """Solve the stationary equation by a few Newton steps from an interpolated q."""
    for _ in range(3):
        M, slope = _local(theta, table, q)
        field = samples * theta**2 * M[..., 0]
        step = (prior.overlap(field) - q) / np.maximum(
            1.0 - samples * slope * prior.gain(field), 0.05
        )
        q = np.clip(q + step, 0.0, 1.0)
    return q


def _local(theta: float, table: PosteriorMass, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return M and its replicates at an overlap, and θ² dM/dq."""
    kappa = theta * np.sqrt(q)
    inside = kappa < table.end
    slope = np.where(inside, table.spline(np.minimum(kappa, table.last_node), 1)[..., 0], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        steep = np.where(q > 0.0, theta**3 * slope / (2.0 * np.sqrt(q)), 0.0)
    return table(kappa), steep


def _overlap_errors(
    theta: float, table: PosteriorMass, samples: FloatArray, q: FloatArray, prior: Prior
) -> FloatArray:
    """Return standard errors of the overlaps, from those of M."""
    M, slope = _local(theta, table, q)
    field = samples * theta**2 * M[..., 0]
    M_se = M[..., 1:].std(axis=-1, ddof=1) / np.sqrt(REPLICATES)
    gain = prior.gain(field)
    stiff = np.abs(1.0 - samples * slope * gain)
    return np.asarray(samples * theta**2 * M_se * gain / np.maximum(stiff, 1e-6))


def transition_errors(
    branch: Branch, transition: Transition, table: PosteriorMass
) -> tuple[float, float]:
    """Return the relative standard errors of both thresholds."""
    peak = int(np.argmin(np.abs(branch.alpha - transition.alpha_amp)))
    inside = (branch.q >= transition.low) & (branch.q <= transition.high)
    M = table(branch.theta * np.sqrt(branch.q))
    weight = np.gradient(branch.q)[inside]
    mean = weight @ M[inside]
    result = []
    for values in (mean, M[peak]):
        result.append(float(values[1:].std(ddof=1) / np.sqrt(REPLICATES) / values[0]))
    return result[0], result[1]
