"""Test errors at a dimmed signal: the Bayes error at strengths κ = θ√q, a few or many at once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import ndtr, ndtri

from ...arrays import FloatArray
from ...task import Task
from ..oracle.least_error import bayes_error
from .overlaps import Overlaps
from .recognition import STEP

FEW_ERRORS = 12  # test errors that are computed one by one; more are read off a table
BAYES_POINTS = 2**9  # of each replicate, to begin with
SLOPE_POINTS = 2**6  # where only the size of a derivative matters
SHARE = 0.8  # of the accuracy, for the integral; the rest is for the overlap


def dimmed_errors(tasks: list[Task], found: Overlaps, accuracy: float) -> dict[str, FloatArray]:
    """Return both test errors of each point, with standard errors of the integral and of q."""
    q = np.stack([found.overlap, found.easy_overlap])
    q_se = np.stack([found.overlap_se, found.easy_overlap_se])
    values, errors = np.empty(q.shape), np.empty(q.shape)
    for pi in {one.pi for one in tasks}:
        own = np.array([one.pi == pi for one in tasks])
        one = tasks[int(np.argmax(own))]
        kappa = one.theta * np.sqrt(q[:, own])
        kappa_se = 0.5 * one.theta * q_se[:, own] / np.sqrt(np.maximum(q[:, own], 1e-300))
        values[:, own], errors[:, own] = _errors_at(one, kappa, kappa_se, accuracy)
    names = ("test_error", "easy_test_error")
    rows = dict(zip(names, values, strict=True))
    return rows | {f"{name}_se": one for name, one in zip(names, errors, strict=True)}


def _errors_at(
    task: Task, kappa: FloatArray, kappa_se: FloatArray, accuracy: float
) -> tuple[FloatArray, FloatArray]:
    """Return the Bayes error at each strength, and its standard error."""
    fine = min(1.0, SHARE * accuracy)
    distinct = np.unique(kappa)
    if len(distinct) <= FEW_ERRORS:
        known = np.array(
            [
                (*bayes_error(task.replace(theta=one), fine, BAYES_POINTS), _slope(task, one))
                for one in distinct
            ]
        )
        value, se, slope = known[np.searchsorted(distinct, kappa)].transpose(2, 0, 1)
        return value, np.hypot(se, slope * kappa_se)
    low, high = float(distinct[0]), float(distinct[-1])
    nodes = np.arange(np.floor(low / STEP), np.ceil(high / STEP) + 2.0) * STEP
    pairs = [_bayes_node(task.L, task.R, task.pi, task.positions, one, fine) for one in nodes]
    errors, se = (np.array(column) for column in zip(*pairs, strict=True))
    curve = CubicSpline(nodes, ndtri(np.maximum(errors, 1e-300)))
    value = ndtr(curve(kappa))
    slope = np.exp(-0.5 * curve(kappa) ** 2) / np.sqrt(2.0 * np.pi) * curve(kappa, 1)
    return value, np.hypot(np.interp(kappa, nodes, se), slope * kappa_se)


def _slope(task: Task, kappa: float) -> float:
    """Return about the derivative of the Bayes error in the strength, by few points."""
    if kappa == 0.0:
        return 0.0
    near = [
        bayes_error(task.replace(theta=part * kappa), 1.0, SLOPE_POINTS)[0] for part in (0.97, 1.0)
    ]
    return (near[1] - near[0]) / (0.03 * kappa)


@lru_cache(maxsize=1024)
def _bayes_node(
    L: int, R: int, pi: float, positions: Any, kappa: float, accuracy: float
) -> tuple[float, float]:
    """The Bayes error at a strength that tables of several θ share."""
    return bayes_error(Task(L, R, kappa, pi, positions), accuracy, BAYES_POINTS)
