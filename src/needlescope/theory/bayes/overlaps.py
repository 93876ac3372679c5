"""Overlaps of the Bayes-optimal learner and of AMP, with standard errors from those of M.

A change dM of a replicate moves a stationary overlap by

    dq = απθ² dM (1 − q)² / (1 − απθ² M'(q) (1 − q)²),

and a threshold by dα/α = −dM/M: the algorithmic one by M at the peak, the information-theoretic one
by the mean of M over the overlaps between both maxima. Within the error of a threshold the error of
an overlap is the jump.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...lattice import REPLICATES
from ...task import Task
from .phases import (
    Branch,
    Transition,
    coexisting_overlaps,
    find_transition,
    overlaps,
    phases,
    stationary_branch,
)
from .posterior_mass import PosteriorMass

AT_BOUNDARY = 2.0  # standard errors of a threshold within which the error of q is the jump


class Overlaps(NamedTuple):
    """Overlaps of several points, their standard errors, and their phases."""

    overlap: FloatArray
    overlap_se: FloatArray
    amp_overlap: FloatArray
    amp_overlap_se: FloatArray
    phase: FloatArray


def solve_overlaps(task: Task, table: PosteriorMass, samples: FloatArray) -> Overlaps:
    """Return both overlaps at each απ, with errors from the replicates of the table."""
    if task.theta == 0.0:
        nothing = np.zeros(len(samples))
        return Overlaps(nothing, nothing, nothing, nothing, np.full(len(samples), "easy"))
    branch = stationary_branch(task.theta, table)
    transition = find_transition(branch)
    result = overlaps(branch, transition, samples)
    overlap, amp_overlap = (_polished(task.theta, table, samples, q) for q in result)
    overlap_se, amp_overlap_se = (
        _overlap_errors(task.theta, table, samples, q) for q in (overlap, amp_overlap)
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


def _polished(theta: float, table: PosteriorMass, samples: FloatArray, q: FloatArray) -> FloatArray:
    """Solve the stationary equation by a few Newton steps from an interpolated q."""
    for _ in range(3):
        M, slope = _local(theta, table, q)
        field = samples * theta**2 * M[..., 0]
        step = (field / (1.0 + field) - q) / np.maximum(
            1.0 - samples * slope / (1.0 + field) ** 2, 0.05
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
    theta: float, table: PosteriorMass, samples: FloatArray, q: FloatArray
) -> FloatArray:
    """Return standard errors of the overlaps, from those of M."""
    M, slope = _local(theta, table, q)
    field = samples * theta**2 * M[..., 0]
    M_se = M[..., 1:].std(axis=-1, ddof=1) / np.sqrt(REPLICATES)
    stiff = np.abs(1.0 - samples * slope / (1.0 + field) ** 2)
    return np.asarray(samples * theta**2 * M_se / (1.0 + field) ** 2 / np.maximum(stiff, 1e-6))


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
