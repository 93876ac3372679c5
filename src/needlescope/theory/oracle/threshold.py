"""The oracle threshold: the smallest θ at which a model's least error reaches a target."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from ...answer import Question
from ...arrays import Value
from ...errors import NotConverged
from ...grid import check_broadcast, check_kind, choice, real
from ...results import Threshold, gather
from ...task import Task
from ..common.arguments import check_tol
from ..common.grid_points import GridPoints
from ..common.provenance import of_search
from . import score
from .attention import LEAST_ERROR, hard_attention
from .least_error import ORACLES, solve_oracle
from .linear import pooled

LEAST_TARGET = 20.0 * LEAST_ERROR  # of a search: its uncertainty is a tenth of the target
LEAST_CLOSED_TARGET = 1e-290  # of a closed formula: well above underflow
NEWTON_TOL = 3e-4  # of θ: a Newton step this short leaves about its square
MAX_NEWTON_STEPS = 60  # two or three are usual


def oracle_threshold(
    task: Task, model: str, error: Value, *, tol: float = 1e-4, on_error: str = "raise"
) -> Threshold:
    """Return the smallest θ at which a model's oracle error falls to ``error``.

    A numerical search on `oracle`: our derivation of the quantities of proposition 1 and theorem 1
    (arXiv v1), and the Bayes rule.

    Parameters
    ----------
    task : Task
        The problem; numeric fields may be arrays. Its θ is ignored.
    model : "attention", "pooled", "vectorized", "hard", "linear" or "bayes"
    error : float or array
        The target, from 2e-8 (1e-290 for "pooled", a closed formula; more for "bayes", by
        quasi-Monte Carlo) to 2e-8 below min(π, 1 − π), the error without any signal.
    tol : float, default 1e-4
        Largest uncertainty of the error, in (0, 1].
    on_error : "raise" or "nan", default "raise"
        Raise the error of a point that cannot be solved, or leave it NaN and warn.

    Returns
    -------
    Threshold
        Plain floats, or arrays in the shape of the grid.

    Raises
    ------
    ValueError, NotConverged
        If an argument is invalid or grids do not broadcast; if the tolerance is not met.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=100, R=1, theta=1.0, pi=0.5)
    >>> round(ns.oracle_threshold(task, "pooled", 0.1).theta, 2)
    25.63
    >>> round(ns.oracle_threshold(task, "attention", 0.1).theta, 2)
    4.27
    """
    check_kind("task", task, Task)
    task.need_one_signal("oracle_threshold")
    task.need_plain("oracle_threshold")
    choice("model", model, tuple(ORACLES))
    tol = check_tol(tol)
    error = real("error", error, 0.0, 1.0, open_low=True, open_high=True)
    check_target(model, error)
    original, task = task, task.replace(theta=1.0)
    check_broadcast("task and error", L=task.L, R=task.R, pi=task.pi, error=error)
    shape = np.broadcast_shapes(task.shape, np.shape(error))
    pairs = list(zip(task.scalars(shape), np.broadcast_to(error, shape).flat, strict=True))
    for item, target in pairs:
        check_signal_needed(item, target)
    points = GridPoints(on_error, shape, task, error=error)
    blank = {"model": model, "provenance": of_search(ORACLES[model].provenance)}

    def solve(task: Task, target: float) -> dict[str, float]:
        gain = task.whitened.theta / task.theta  # the signal is this much stronger once whitened
        theta, se = threshold(task.whitened, model, float(target), tol)
        return {"theta": theta / gain, "theta_se": se / gain}

    rows = points.solve(blank, pairs, solve)
    options = {"error": error, "tol": tol, "on_error": on_error}
    question = Question("oracle_threshold", original, None, options)
    return gather(Threshold, rows, shape, question)


def check_target(model: str, error: Value) -> None:
    """Refuse a target below the resolution of a model's error."""
    closed = ORACLES[model].closed
    least = LEAST_CLOSED_TARGET if closed else LEAST_TARGET
    if np.min(error) < least:
        why = "a closed formula, above underflow" if closed else "numerically resolved"
        raise ValueError(
            f"error must be at least {least:g} for model={model!r}, down to which it is {why}, "
            f"got {np.min(error):g}"
        )


def check_signal_needed(task: Task, target: float) -> None:
    """Refuse a target that needs no signal."""
    if target > min(task.pi, 1.0 - task.pi) - LEAST_TARGET:
        raise ValueError(
            f"error must be below min(pi, 1 - pi) = {min(task.pi, 1.0 - task.pi):g}, which needs "
            f"no signal, by {LEAST_TARGET:g} at least, got {target:.12g} with pi={task.pi:g}"
        )


def threshold(task: Task, model: str, target: float, tol: float) -> tuple[float, float]:
    """Solve for θ on a probit scale, on which the error is nearly linear.

    The root is found at the coarsest level; one Newton step refines it to the tolerance.
    """

    def pooled_gap(snr: float) -> float:
        return probit_gap(pooled(1, 1, snr, task.pi).error, target)

    @cache
    def solved(theta: float, tol: float) -> dict[str, Any]:
        return solve_oracle(task.replace(theta=theta), model, tol)

    def gap(theta: float, tol: float = 1.0) -> float:
        return probit_gap(solved(theta, tol)["error"], target)

    high = 1.0
    while pooled_gap(high) > 0.0:
        high *= 2.0
    snr = float(brentq(pooled_gap, 0.0, high, xtol=1e-12, rtol=1e-12))
    # pooling's own threshold, and where the search ends: only hard attention may do worse
    last = snr * float(np.sqrt(task.L)) / task.R
    if ORACLES[model].closed:
        return last, 0.0
    last = last if ORACLES[model].beats_pooling else np.inf
    if model in BY_NEWTON:
        return BY_NEWTON[model](task, target, last)
    low, high = 0.0, min(last, 2.0 + float(np.sqrt(2.0 * np.log(task.L))))
    while high < last and gap(high) > 0.0:
        low, high = high, min(last, 1.5 * high)
    if high == last and gap(high) >= 0.0:
        return last, 0.0
    rough = float(brentq(gap, low, high, xtol=1e-3 * high))
    nearby = 0.995 * rough
    slope = (gap(rough) - gap(nearby)) / (rough - nearby)
    # a small target needs an error to match
    fine = min(tol, 0.1 * target) if ORACLES[model].integrated else 1.0
    try:
        theta = float(np.clip(rough - gap(rough, fine) / slope, 0.0, last))
    except NotConverged:
        raise NotConverged(
            f"the uncertainty of the Bayes error near theta={rough:.4g} is too large to find where "
            f"it is {target:g}; take a larger error"
        ) from None
    return theta, theta_error(solved(rough, fine)["error_se"], target, slope)


def probit_gap(error: float, target: float) -> float:
    """Return Φ⁻¹(error) − Φ⁻¹(target)."""
    return float(ndtri(max(error, 1e-300))) - float(ndtri(target))


def theta_error(error_se: float, target: float, slope: float) -> float:
    """Return the standard error of a root θ, from that of the error and the slope of the gap."""
    level = float(ndtri(target))
    density = np.exp(-0.5 * level * level) / np.sqrt(2.0 * np.pi)
    return float(error_se / density / abs(slope))


def _attention_threshold(task: Task, target: float, last: float) -> tuple[float, float]:
    """Solve for θ by Newton's method on the probit scale, from hard attention's own threshold.

    At the best κ and threshold the error changes with θ as if they were fixed (envelope theorem),
    so the slope at each step costs one more error.
    """

    def hard_gap(theta: float) -> float:
        return probit_gap(hard_attention(task.L, task.R, theta, task.pi).error, target)

    low, high = 0.0, last  # no attention does worse than pooling
    theta = last if hard_gap(last) >= 0.0 else float(brentq(hard_gap, 0.0, last, xtol=1e-3 * last))
    for _ in range(MAX_NEWTON_STEPS):
        best = solve_oracle(task.replace(theta=theta), "attention", 1.0)
        gap = probit_gap(best["error"], target)
        if theta == last and gap >= 0.0:
            return last, 0.0
        low, high = (theta, high) if gap > 0.0 else (low, theta)
        nearby = 0.999 * theta
        near_gap = probit_gap(_error_at(task.replace(theta=nearby), best), target)
        slope = (gap - near_gap) / (theta - nearby)
        step = -gap / slope if slope < 0.0 else np.inf
        if abs(step) <= NEWTON_TOL * theta:
            result = float(np.clip(theta + step, 0.0, last))
            return result, theta_error(best["error_se"], target, slope)
        theta = theta + step if low < theta + step < high else 0.5 * (low + high)
    raise NotConverged(f"no theta was found at which attention's error for {task} is {target:g}")


def _error_at(task: Task, classifier: dict[str, Any]) -> float:
    """Return the error on a task of a classifier that is the best at another θ."""
    kappa, sign, pi = classifier["kappa"], classifier["sign"], task.pi
    tau = sign * classifier["threshold"]
    if kappa == 0.0:
        means = np.array([0.0, task.theta * task.R / task.L])
        negative, positive = ndtr(np.sqrt(task.L) * (tau - means)).tolist()
    elif np.isinf(kappa):
        false_alarm, miss = score.hard(task.L, task.R, task.theta, np.array([tau]))
        negative, positive = 1.0 - float(false_alarm[0]), float(miss[0])
    else:
        negative, positive, _ = score.below(task.L, task.R, task.theta, kappa, tau)
    error = float(pi * positive + (1.0 - pi) * (1.0 - negative))
    return error if sign > 0 else 1.0 - error


BY_NEWTON = {"attention": _attention_threshold}
"""The models whose threshold has a search of its own."""
