"""Bayes errors at the effective strength κ = θ√q of a signal learned with squared overlap q."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import ndtr, ndtri

from ...arrays import FloatArray
from ...errors import NotConverged
from ...task import Task
from ..oracle.bayes import bayes_error
from .phases import Overlaps
from .posterior_mass import KAPPA_STEP

MAX_SINGLE_ERRORS = 12  # computed one by one; more are interpolated from a table
BAYES_POINTS = 2**9  # of each replicate, at first
SLOPE_POINTS = 2**6  # of each replicate, for differences
LEAST_STEP = 0.03  # of κ, relative, of a difference that these points resolve
TEST_ERRORS = ("test_error", "amp_test_error", "test_error_se", "amp_test_error_se")
INTEGRAL_SHARE = 0.8  # of the tolerance; the rest is for the overlap


def effective_errors(tasks: list[Task], result: Overlaps, tol: float) -> dict[str, FloatArray]:
    """Return both test errors of each point; their standard errors include those of q."""
    q = np.stack([result.overlap, result.amp_overlap])
    q_se = np.stack([result.overlap_se, result.amp_overlap_se])
    values, errors = np.empty(q.shape), np.empty(q.shape)
    for pi in {task.pi for task in tasks}:
        own = np.array([task.pi == pi for task in tasks])
        item = tasks[int(np.argmax(own))]
        values[:, own], errors[:, own] = _errors_at(item, q[:, own], q_se[:, own], tol)
    return dict(zip(TEST_ERRORS, (*values, *errors), strict=True))


def _errors_at(
    task: Task, q: FloatArray, q_se: FloatArray, tol: float
) -> tuple[FloatArray, FloatArray]:
    """Return the Bayes error at each overlap, and its standard error including that of q."""
    fine = min(1.0, INTEGRAL_SHARE * tol)
    kappa, low, high = (
        task.theta * np.sqrt(np.clip(item, 0.0, 1.0)) for item in (q, q - q_se, q + q_se)
    )
    distinct = np.unique(kappa)
    if len(distinct) <= MAX_SINGLE_ERRORS:
        each = np.array([effective_error(task, float(item), fine) for item in distinct])
        value, se = each[np.searchsorted(distinct, kappa)].transpose(2, 0, 1)
        threes = list(zip(kappa.flat, low.flat, high.flat, strict=True))
        moved = {
            three: _error_change(task, *three) for three in set(threes)
        }  # both are one where easy
        return value, np.hypot(se, np.reshape([moved[three] for three in threes], q.shape))
    first, last = np.floor(low.min() / KAPPA_STEP), np.ceil(high.max() / KAPPA_STEP)
    nodes = np.arange(first, last + 2.0) * KAPPA_STEP
    with _naming_task(task):
        pairs = [
            _error_at_node(task.L, task.R, task.pi, task.positions, node, fine) for node in nodes
        ]
    errors, se = (np.array(column) for column in zip(*pairs, strict=True))
    curve = CubicSpline(nodes, ndtri(np.maximum(errors, 1e-300)))
    value, *ends = (ndtr(curve(item)) for item in (kappa, low, high))
    apart = np.abs(np.array(ends) - value).max(axis=0)
    return value, np.hypot(np.interp(kappa, nodes, se), apart)


def effective_error(task: Task, strength: float, tol: float) -> tuple[float, float]:
    """Return the Bayes error of a task at another strength, and its standard error."""
    with _naming_task(task):
        return bayes_error(task.replace(theta=strength), tol, BAYES_POINTS)


@contextmanager
def _naming_task(task: Task) -> Iterator[None]:
    """Name the task as given, not the one at the effective strength, in an error message."""
    try:
        yield
    except NotConverged as failure:
        what = f"the Bayes error of {task} at the effective strength of the learned signal "
        reached = str(failure).partition(") ")[2].partition(", above")[0]
        advice = f"ask for tol={failure.reachable / INTEGRAL_SHARE:.1e} or more"
        raise NotConverged(f"{what}{reached}; {advice}") from None


def _error_change(task: Task, kappa: float, low: float, high: float) -> float:
    """Return about how far the Bayes error changes from κ to ``low`` or ``high``.

    Steps below LEAST_STEP are extrapolated linearly.
    """
    result, ends = [0.0], {low, high} - {kappa}
    here = _rough_error(task, kappa) if ends else 0.0
    for end in ends:
        step = float(np.copysign(max(abs(end - kappa), LEAST_STEP * kappa), end - kappa))
        change = _rough_error(task, kappa + step) - here
        result.append(abs(change * (end - kappa) / step))
    return max(result)


def _rough_error(task: Task, kappa: float) -> float:
    return float(bayes_error(task.replace(theta=kappa), 1.0, SLOPE_POINTS)[0])


@lru_cache(maxsize=1024)
def _error_at_node(
    L: int, R: int, pi: float, positions: Any, kappa: float, tol: float
) -> tuple[float, float]:
    """The Bayes error at a node that the tables of several θ share."""
    return bayes_error(Task(L, R, kappa, pi, positions), tol, BAYES_POINTS)
