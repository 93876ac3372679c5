"""The least errors of each model that knows the signal ξ, and of any classifier at all.

*Pooled* and *vectorized* (Proposition 1): `oracle_linear`. *Attention* (Theorem 1), with query κξ,
weights ±ξ and the best κ, sign and threshold: `oracle_attention`. *Bayes*, the limit that no
classifier beats: `bayes`. All are exact at finite L, R, θ and π. The first three are computed to
about ten digits; the Bayes error rests on quasi-Monte Carlo and carries the standard error of its
independent replicates.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from ...answer import Question
from ...arrays import Value
from ...errors import NotConverged
from ...grid import check_broadcast, check_kind, choice, real
from ...lattice import REPLICATES
from ...outcome import Oracle, Threshold, gather
from ...task import Positions, Task
from ..asked import check_accuracy
from ..law.ladder import ERRORS_WITHIN_ACCURACY
from ..provenance import ORACLE, of_search
from ..unsolved import Points
from . import bayes
from . import linear as oracle_linear
from .attention import NIL, best_attention, hard_attention

MODELS = ("attention", "pooled", "vectorized", "bayes")
FIRST_POINTS = 2**11
LAST_POINTS = 2**16
RESOLVED = 20.0 * NIL  # the least target of a search: twice its error's error is a tenth of it
CLOSED = 1e-290  # the same where the formula is closed: well above underflow


def oracle(
    task: Task, model: str = "attention", *, accuracy: float = 1e-4, unsolved: str = "raise"
) -> Oracle:
    """Return the least error a model can reach when it knows the signal ξ.

    Proposition 1 for the linear models, Theorem 1 for attention, and the Bayes rule: exact at
    finite L.

    Parameters
    ----------
    task : Task
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    model : "attention", "pooled", "vectorized" or "bayes", default "attention"
        "bayes" is the best of all classifiers.
    accuracy : float, default 1e-4
        Largest numerical uncertainty accepted, in (0, 1], as twice ``error_se``.
    unsolved : "raise" or "nan", default "raise"
        What becomes of a grid's point that cannot be solved: the call ends with its name, or the
        point is NaN and a `RuntimeWarning` counts what was lost.

    Returns
    -------
    Oracle
        Plain floats, or arrays in the shape of the task's grid.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.
    NotConverged
        If the accuracy is not reached.

    Examples
    --------
    A needle in a thousand tokens: attention all but reaches the limit, pooling is nearly blind.

    >>> import needlescope as ns
    >>> needle = ns.Task(L=1000, R=1, theta=3.72, pi=0.5)
    >>> [round(ns.oracle(needle, model).error, 3) for model in ("pooled", "attention", "bayes")]
    [0.477, 0.263, 0.263]
    >>> ns.oracle(needle.replace(theta=[2.0, 4.0, 6.0]), "attention").error.round(3)
    array([0.463, 0.219, 0.024])
    """
    check_kind("task", task, Task)
    choice("model", model, MODELS)
    accuracy = check_accuracy(accuracy)
    points = Points(unsolved, task.shape, task)
    blank = {"model": model, "provenance": ORACLE[model]}
    jobs = [(one,) for one in task.scalars(task.shape)]
    rows = points.each(jobs, lambda one: blank | _solve(one, model, accuracy), blank)
    points.warn()
    question = Question("oracle", task, None, {"accuracy": accuracy, "unsolved": unsolved})
    return gather(Oracle, rows, task.shape, question)


def detection_threshold(
    task: Task, model: str, error: Value, *, accuracy: float = 1e-4, unsolved: str = "raise"
) -> Threshold:
    """Return the smallest θ at which a model's oracle error falls to ``error``.

    A numerical search on `oracle`: Proposition 1, Theorem 1 and the Bayes rule.

    Parameters
    ----------
    task : Task
        The problem; numeric fields may be arrays. Its θ is ignored.
    model : "attention", "pooled", "vectorized" or "bayes"
    error : float or array
        The error to reach: at least 2e-8 below min(π, 1 − π), which needs no signal at all, and at
        least 2e-8, below which searches do not resolve it (1e-290 for "pooled", whose formula is
        closed). The Bayes error is an integral by quasi-Monte Carlo, which ends earlier.
    accuracy : float, default 1e-4
        Largest numerical uncertainty of the error accepted, in (0, 1].
    unsolved : "raise" or "nan", default "raise"
        What becomes of a grid's point that cannot be solved: the call ends with its name, or the
        point is NaN and a `RuntimeWarning` counts what was lost.

    Returns
    -------
    Threshold
        Plain floats, or arrays in the shape of the grid.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.
    NotConverged
        If the accuracy is not reached.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=100, R=1, theta=1.0, pi=0.5)
    >>> round(ns.detection_threshold(task, "pooled", 0.1).theta, 2)
    25.63
    >>> round(ns.detection_threshold(task, "attention", 0.1).theta, 2)
    4.27
    """
    check_kind("task", task, Task)
    choice("model", model, MODELS)
    accuracy = check_accuracy(accuracy)
    error = real("error", error, 0.0, 1.0, open_low=True, open_high=True)
    check_target(model, error)
    asked, task = task, task.replace(theta=1.0)
    check_broadcast("task and error", L=task.L, R=task.R, pi=task.pi, error=error)
    shape = np.broadcast_shapes(task.shape, np.shape(error))
    pairs = list(zip(task.scalars(shape), np.broadcast_to(error, shape).flat, strict=True))
    for one, target in pairs:
        if target > min(one.pi, 1.0 - one.pi) - RESOLVED:
            raise ValueError(
                f"error must be below min(pi, 1 - pi) = {min(one.pi, 1.0 - one.pi):g}, which needs "
                f"no signal, by {RESOLVED:g} at least, got {target:.12g} with pi={one.pi:g}"
            )
    points = Points(unsolved, shape, task, error=error)
    blank = {"model": model, "provenance": of_search(ORACLE[model].removeprefix("search: "))}

    def solve(one: Task, target: float) -> dict[str, Any]:
        theta, se = _threshold(one, model, float(target), accuracy)
        return blank | {"theta": theta, "theta_se": se}

    rows = points.each(pairs, solve, blank)
    points.warn()
    options = {"error": error, "accuracy": accuracy, "unsolved": unsolved}
    question = Question("detection_threshold", asked, None, options)
    return gather(Threshold, rows, shape, question)


def check_target(model: str, error: Value) -> None:
    """Refuse a target below what a model's error is known to."""
    least = CLOSED if model == "pooled" else RESOLVED
    if np.min(error) < least:
        why = "a closed formula, above underflow" if model == "pooled" else "numerically resolved"
        raise ValueError(
            f"error must be at least {least:g} for model={model!r}, down to which it is {why}, "
            f"got {np.min(error):g}"
        )


def _solve(task: Task, model: str, accuracy: float) -> dict[str, Any]:
    """Fields of the oracle of one scalar task."""
    L, R, theta, pi = task.L, task.R, task.theta, task.pi
    even = oracle_linear.pooled(L, R, theta, pi)
    if model == "bayes":
        value, se = _bayes(task, even.error, accuracy)
        return {"error": value, "error_se": se, "threshold": np.log((1.0 - pi) / pi)}
    if model == "vectorized":
        if isinstance(task.positions, Positions):
            best = oracle_linear.given_positions(L, theta, pi, task.positions)
        else:
            best = oracle_linear.vectorized(L, R, theta, pi)
        return {"error": best.error, "error_se": 0.0, "threshold": best.threshold}
    pooled = {"error": even.error, "error_se": 0.0, "threshold": even.threshold / np.sqrt(L)}
    return _attention(task, pooled, accuracy) if model == "attention" else pooled


def _attention(task: Task, pooled: dict[str, Any], accuracy: float) -> dict[str, Any]:
    even = {**pooled, "kappa": 0.0, "sign": 1}
    if task.R == task.L or _silent(task):
        return even
    if pooled["error"] < NIL:
        return {**even, "error_se": NIL}
    best = best_attention(task.L, task.R, task.theta, task.pi)
    if ERRORS_WITHIN_ACCURACY * best.accuracy > accuracy:
        raise NotConverged(
            f"the attention oracle of {task} is known to {best.accuracy:.1e} only, "
            f"above accuracy={accuracy:g}; ask for accuracy={3.0 * best.accuracy:.1g} or more"
        )
    if best.error >= pooled["error"]:
        return even
    return {
        "error": best.error,
        "error_se": best.accuracy,
        "threshold": best.threshold,
        "kappa": best.kappa,
        "sign": best.sign,
    }


def _silent(task: Task) -> bool:
    """Whether the signal is too weak to matter at all."""
    return bool(task.theta * task.R < 1e-9 * np.sqrt(task.L))


def _bayes(task: Task, pooled: float, accuracy: float) -> tuple[float, float]:
    """Bayes error and standard error, with as many points as the accuracy needs."""
    replicate = _bayes_replicate(task)
    if replicate is None:
        return pooled, 0.0
    bound = min(pooled, hard_attention(task.L, task.R, task.theta, task.pi).error)
    if bound < NIL:
        return bound, NIL
    points = FIRST_POINTS
    while True:
        values = np.array([replicate(points, index) for index in range(REPLICATES)])
        se = float(values.std(ddof=1) / np.sqrt(REPLICATES))
        if ERRORS_WITHIN_ACCURACY * se <= accuracy:
            return min(float(values.mean()), bound), se
        if points >= LAST_POINTS:
            raise NotConverged(
                f"the Bayes error of {task} reached a standard error of {se:.1e} with {points} "
                f"points in each replicate, above accuracy={accuracy:g}; "
                f"ask for accuracy={3.0 * se:.1g} or more"
            )
        points = min(
            LAST_POINTS,
            points * 2 ** max(1, round(np.log2(ERRORS_WITHIN_ACCURACY * se / accuracy))),
        )


def _bayes_replicate(task: Task) -> Callable[[int, int], float] | None:
    """One replicate as a function of points and index, or None where pooling is optimal."""
    L, R, theta, pi = task.L, task.R, task.theta, task.pi
    if _silent(task):
        return None
    if isinstance(task.positions, Positions):
        given = task.positions
        return lambda points, index: bayes.replicate_given(theta, pi, given, points, index)
    if R == L:
        return None
    return lambda points, index: bayes.replicate_uniform(L, R, theta, pi, points, index)


def _threshold(task: Task, model: str, target: float, accuracy: float) -> tuple[float, float]:
    """Solve for θ on a probit scale, on which the error is nearly straight.

    The root is found with the fewest points; one Newton step takes it to the accuracy asked.
    """
    level = float(ndtri(target))

    def probit(error: float) -> float:
        return float(ndtri(max(error, 1e-300))) - level

    def pooled_gap(snr: float) -> float:
        return probit(oracle_linear.pooled(1, 1, snr, task.pi).error)

    @cache
    def solved(theta: float, accuracy: float) -> dict[str, Any]:
        return _solve(task.replace(theta=theta), model, accuracy)

    def gap(theta: float, accuracy: float = 1.0) -> float:
        return probit(solved(theta, accuracy)["error"])

    high = 1.0
    while pooled_gap(high) > 0.0:
        high *= 2.0
    snr = float(brentq(pooled_gap, 0.0, high, xtol=1e-12, rtol=1e-12))
    # pooling's own threshold, and where the search ends: no model does worse
    last = snr * float(np.sqrt(task.L)) / task.R
    if model == "pooled":
        return last, 0.0
    low, high = 0.0, min(last, 2.0 + float(np.sqrt(2.0 * np.log(task.L))))
    while high < last and gap(high) > 0.0:
        low, high = high, min(last, 1.5 * high)
    if high == last and gap(high) >= 0.0:
        return last, 0.0
    rough = float(brentq(gap, low, high, xtol=1e-3 * high))
    nearby = 0.995 * rough
    slope = (gap(rough) - gap(nearby)) / (rough - nearby)
    # a small target needs an error to match
    fine = min(accuracy, 0.1 * target) if model == "bayes" else 1.0
    try:
        theta = float(np.clip(rough - gap(rough, fine) / slope, 0.0, last))
    except NotConverged:
        raise NotConverged(
            f"the Bayes error near theta={rough:.4g} is not known well enough to find where it is "
            f"{target:g}; ask for a larger error"
        ) from None
    density = np.exp(-0.5 * level * level) / np.sqrt(2.0 * np.pi)
    return theta, float(solved(rough, fine)["error_se"] / density / abs(slope))
