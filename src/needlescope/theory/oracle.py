"""The least errors of each model that knows the signal ξ, and of any classifier at all.

*Pooled* and *vectorized* (Proposition 1): `oracle_linear`. *Attention* (Theorem 1), with query κξ, weights ±ξ
and the best κ, sign and threshold: `oracle_attention`. *Bayes*, the limit no classifier beats: `bayes`.
All are exact at finite L, R, θ and π. The first three are computed to about ten digits; the Bayes error
rests on quasi-Monte Carlo and carries the standard error of its independent replicates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from ..errors import NotConverged
from ..grid import Number, check_broadcast, choice, real
from ..task import Positions, Task
from . import bayes, oracle_linear
from .lattice import REPLICATES
from .law import FIRST_POINTS, LAST_POINTS
from .oracle_attention import best_attention

MODELS = ("attention", "pooled", "vectorized", "bayes")


@dataclass(frozen=True)
class Oracle:
    """The least error of a model that knows the signal.

    Fields are plain numbers, or arrays in the shape of the task's grid.

    Parameters
    ----------
    model : str
        "attention", "pooled", "vectorized" or "bayes".
    error : float or array
        The least probability of error.
    error_se : float or array
        Its numerical uncertainty: the standard error over QMC replicates for "bayes", a bound on
        the quadrature's error for "attention", zero where the formula is closed.
    kappa : float, array or None
        Attention's best inverse temperature κ. At 0 attention is pooling; at inf only the largest
        token counts, which is best where positives are rare.
    sign : int, array or None
        Attention's best weights: +1 for w = ξ, −1 for w = −ξ.
    threshold : float or array
        Decide + when the score exceeds it. The score is ⟨w, Xᵀa⟩ with ‖w‖ = 1 for attention and pooled (a
        the attention weights, or 1/L), ⟨W, X⟩ with ‖W‖ = 1 for vectorized, log Λ for bayes. Infinite
        where one answer is always best.
    provenance : str
        "theorem": these are exact statements at finite L.
    """

    model: str
    error: Number
    error_se: Number
    kappa: Number | None
    sign: Any
    threshold: Number
    provenance: str = "theorem"


class _One(NamedTuple):
    """The oracle of one scalar task."""

    error: float
    error_se: float
    threshold: float
    kappa: float = 0.0
    sign: int = 1


def oracle(task: Task, model: str = "attention", *, accuracy: float = 1e-4) -> Oracle:
    """Return the least error a model can reach when it knows the signal ξ.

    Parameters
    ----------
    task : Task
        The task, or a grid of them.
    model : str
        "attention", "pooled", "vectorized", or "bayes" for the best of all classifiers.
    accuracy : float
        Largest acceptable numerical uncertainty ``error_se``.

    Returns
    -------
    Oracle
        Plain floats, or arrays in the shape of the task's grid.

    Raises
    ------
    NotConverged
        If the accuracy is not reached.

    Examples
    --------
    A needle in a thousand tokens: attention all but reaches the limit, pooling is nearly blind.

    >>> import needlescope as ns
    >>> needle = ns.Task(L=1000, R=1, theta=3.72, pi=0.5)
    >>> [round(oracle(needle, model).error, 3) for model in ("pooled", "attention", "bayes")]
    [0.477, 0.263, 0.263]
    >>> oracle(needle.replace(theta=[2.0, 4.0, 6.0]), "attention").error.round(3)
    array([0.446, 0.22 , 0.01 ])
    """
    choice("model", model, MODELS)
    accuracy = _accuracy(accuracy)
    found = [_solve(one, model, accuracy) for one in task.scalars(task.shape)]
    columns = [_shaped(column, task.shape) for column in zip(*found, strict=True)]
    error, error_se, threshold, kappa, sign = columns
    if model != "attention":
        kappa = sign = None
    return Oracle(model, error, error_se, kappa, sign, threshold)


def detection_threshold(task: Task, model: str, error: Number, *, accuracy: float = 1e-4) -> Number:
    """Return the smallest θ at which a model's oracle error falls to ``error``.

    Parameters
    ----------
    task : Task
        The task, or a grid of them; its θ is ignored.
    model : str
        "attention", "pooled", "vectorized" or "bayes".
    error : float or array
        The error to reach, above 0 and below min(π, 1 − π), which needs no signal at all.
    accuracy : float
        Largest acceptable numerical uncertainty of the error at the θ returned.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=100, R=1, theta=1.0, pi=0.5)
    >>> [round(detection_threshold(task, model, 0.1), 2) for model in ("pooled", "attention")]
    [25.63, 4.3]
    """
    choice("model", model, MODELS)
    accuracy = _accuracy(accuracy)
    error = real("error", error, 0.0, 1.0, open_low=True, open_high=True)
    task = task.replace(theta=1.0)
    check_broadcast("task and error", L=task.L, R=task.R, pi=task.pi, error=error)
    shape = np.broadcast_shapes(task.shape, np.shape(error))
    targets = np.broadcast_to(error, shape).ravel().tolist()
    tasks = task.scalars(shape)
    for one, target in zip(tasks, targets, strict=True):
        if target >= min(one.pi, 1.0 - one.pi):
            raise ValueError(
                f"error must be below min(pi, 1 - pi) = {min(one.pi, 1.0 - one.pi):g}, "
                f"which needs no signal, got {target:g} with pi={one.pi:g}"
            )
    pairs = zip(tasks, targets, strict=True)
    return _shaped([_threshold(one, model, target, accuracy) for one, target in pairs], shape)


def _accuracy(accuracy: float) -> float:
    value = real("accuracy", accuracy, 0.0, 1.0, open_low=True)
    if np.ndim(value):
        raise ValueError(f"accuracy must be a single number, got an array of shape {value.shape}")
    return float(value)


def _shaped(values: Any, shape: tuple[int, ...]) -> Any:
    return np.array(values).reshape(shape) if shape else values[0]


def _solve(task: Task, model: str, accuracy: float) -> _One:
    """The oracle of one scalar task."""
    L, R, theta, pi = task.L, task.R, task.theta, task.pi
    even = oracle_linear.pooled(L, R, theta, pi)
    pooled = _One(even.error, 0.0, even.threshold / float(np.sqrt(L)))
    if model == "pooled":
        return pooled
    if model == "vectorized":
        given = isinstance(task.positions, Positions)
        linear = (
            oracle_linear.given_positions(L, theta, pi, task.positions)
            if given
            else oracle_linear.vectorized(L, R, theta, pi)
        )
        return _One(linear.error, 0.0, linear.threshold)
    if model == "attention":
        return _attention(task, pooled, accuracy)
    value, se = _bayes(task, even.error, accuracy)
    return _One(value, se, float(np.log((1.0 - pi) / pi)))


def _attention(task: Task, pooled: _One, accuracy: float) -> _One:
    if task.R == task.L or _silent(task) or pooled.error < 1e-12:
        return pooled
    best = best_attention(task.L, task.R, task.theta, task.pi)
    if best.accuracy > accuracy:
        raise NotConverged(
            f"the attention oracle of {task} is known to {best.accuracy:.1e} only, "
            f"above accuracy={accuracy:g}; ask for accuracy={2.0 * best.accuracy:.1g} or more"
        )
    if best.error >= pooled.error:
        return pooled
    return _One(best.error, best.accuracy, best.threshold, best.kappa, best.sign)


def _silent(task: Task) -> bool:
    """Whether the signal is too weak to matter at all."""
    return bool(task.theta * task.R < 1e-9 * np.sqrt(task.L))


def _bayes(task: Task, pooled: float, accuracy: float) -> tuple[float, float]:
    sample = _bayes_sampler(task)
    if sample is None or pooled < 1e-12:
        return pooled, 0.0
    points = FIRST_POINTS
    while True:
        value, se = _replicates(sample, points)
        if se <= accuracy:
            return min(value, pooled), se
        if points >= LAST_POINTS:
            raise NotConverged(
                f"the Bayes error of {task} reached a standard error of {se:.1e} with {points} "
                f"points in each replicate, above accuracy={accuracy:g}; "
                f"ask for accuracy={2.0 * se:.1g} or more"
            )
        points = min(LAST_POINTS, points * 2 ** max(1, round(np.log2(se / accuracy))))


def _bayes_sampler(task: Task) -> Callable[[int, int], float] | None:
    """One QMC replicate as a function of points and index, or None where pooling is optimal."""
    L, R, theta, pi = task.L, task.R, task.theta, task.pi
    if _silent(task):
        return None
    if isinstance(task.positions, Positions):
        given = task.positions
        return lambda points, index: bayes.sample_given(theta, pi, given, points, index)
    if R == L:
        return None
    return lambda points, index: bayes.sample(L, R, theta, pi, points, index)


def _replicates(sample: Callable[[int, int], float], points: int) -> tuple[float, float]:
    values = np.array([sample(points, index) for index in range(REPLICATES)])
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(REPLICATES))


def _threshold(task: Task, model: str, target: float, accuracy: float) -> float:
    """The root in θ, on a probit scale, on which the error is nearly straight."""
    L, R, pi = task.L, task.R, task.pi
    level = float(ndtri(target))

    def gap(theta: float) -> float:
        error = (
            _solve(task.replace(theta=theta), model, accuracy).error if theta else min(pi, 1 - pi)
        )
        return float(ndtri(max(error, 1e-300))) - level

    def pooled_gap(snr: float) -> float:
        return float(ndtri(max(oracle_linear.pooled(1, 1, snr, pi).error, 1e-300))) - level

    high = 1.0
    while pooled_gap(high) > 0.0:
        high *= 2.0
    # every model does at least as well as pooling
    worst = float(brentq(pooled_gap, 0.0, high, xtol=1e-13, rtol=1e-13)) * np.sqrt(L) / R
    if model == "pooled" or R == L:
        return worst
    low, high = 0.0, min(worst, 2.0 + float(np.sqrt(2.0 * np.log(L))))
    while high < worst and gap(high) > 0.0:
        low, high = high, min(worst, 1.5 * high)
    if high == worst and gap(high) >= 0.0:
        return worst
    return float(brentq(gap, low, high, xtol=1e-6, rtol=1e-6))
