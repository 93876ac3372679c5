"""Least errors with a known signal ξ: of each model, and of any classifier (Bayes).

Our derivation of the quantities of proposition 1 and theorem 1 (arXiv v1), and the Bayes rule.
*Pooled* and *vectorized*: `linear`. *Attention*, with query κξ, readout ±ξ and the best κ, sign and
threshold: `attention`, with *hard* attention at κ = ∞; *linear* attention: `quadratic`. *Bayes*:
`bayes`. All are exact at finite L, R, θ and π, and computed to about ten digits, also the Bayes
error of one signal token (`one_signal`). With several signal tokens the Bayes error is computed by
quasi-Monte Carlo, with the standard error of independent replicates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...answer import Question
from ...grid import check_kind, choice
from ...paper import derived
from ...results import Oracle, gather
from ...signal_count import SignalCount
from ...task import Positions, Task
from ..common.arguments import check_tol, tol_not_met
from ..common.grid_points import GridPoints
from ..common.provenance import of_oracle
from ..law.ladder import ERRORS_WITHIN_TOL
from ..law.tokens import MAX_EXACT_TOKENS
from . import linear
from .attention import LEAST_ERROR, AttentionRule, best_attention, hard_attention
from .bayes import bayes_error, no_signal
from .counts import count_of
from .quadratic import best_linear
from .symmetric import FEW_SIGNALS


def oracle(
    task: Task, model: str = "attention", *, tol: float = 1e-4, on_error: str = "raise"
) -> Oracle:
    """Return the least error that a model can reach with a known signal ξ.

    Our derivation of the quantities of proposition 1 and theorem 1 (arXiv v1), for the linear
    models and for attention, and the Bayes rule. Exact at finite L: nothing is trained, no limit is
    taken. L → ∞ is the representation regime; `predict` keeps L fixed. Errors are against true
    labels, so label noise does not change them. With a covariance Σ of the noise the query and the
    readout are along Σ⁻¹ξ, the best directions.

    Parameters
    ----------
    task : Task
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    model : "attention", "pooled", "vectorized", "hard", "linear" or "bayes", default "attention"
        "hard" attends to the largest token, "linear" has weights linear in the tokens, "bayes" is
        the best of all classifiers.
    tol : float, default 1e-4
        Largest uncertainty of the error, twice ``error_se``, in (0, 1].
    on_error : "raise" or "nan", default "raise"
        Raise the error of a point that cannot be solved, or leave it NaN and warn.

    Returns
    -------
    Oracle
        Plain floats, or arrays in the shape of the task's grid.

    Raises
    ------
    ValueError, NotConverged
        If an argument is invalid or grids do not broadcast; if the tolerance is not met.

    Examples
    --------
    One signal token in a thousand: attention is close to the Bayes error, pooling to chance.

    >>> import needlescope as ns
    >>> needle = ns.Task(L=1000, R=1, theta=3.72, pi=0.5)
    >>> [round(ns.oracle(needle, model).error, 3) for model in ("pooled", "attention", "bayes")]
    [0.477, 0.263, 0.263]
    >>> ns.oracle(needle.replace(theta=[2.0, 4.0, 6.0]), "attention").error.round(3)
    array([0.463, 0.219, 0.024])
    """
    check_kind("task", task, Task)
    task.need_one_signal("oracle")
    task.need_alike_tokens("oracle")
    choice("model", model, tuple(ORACLES))
    check_count(task, model)
    tol = check_tol(tol)
    points = GridPoints(on_error, task.shape, task)
    blank = {"model": model, "provenance": of_oracle(ORACLES[model].provenance, task)}
    jobs = ((item, model, tol) for item in task.whitened.scalars(task.shape))
    rows = points.solve(blank, jobs, solve_oracle)
    question = Question("oracle", task, None, {"tol": tol, "on_error": on_error})
    return gather(Oracle, rows, task.shape, question)


def check_count(task: Task, model: str) -> None:
    """Refuse a random number of signal tokens where a model's oracle does not support it."""
    if isinstance(task.R, SignalCount):
        ORACLES[model].check_count(task)


def solve_oracle(task: Task, model: str, tol: float) -> dict[str, Any]:
    """Fields of the oracle of one scalar task."""
    even = linear.pooled(task.L, count_of(task), task.theta, task.pi)
    pooled = {"error": even.error, "error_se": 0.0, "threshold": even.threshold / np.sqrt(task.L)}
    return ORACLES[model].solve(task, pooled, tol)


def _pooled(task: Task, pooled: dict[str, Any], tol: float) -> dict[str, Any]:
    return pooled


def _vectorized(task: Task, pooled: dict[str, Any], tol: float) -> dict[str, Any]:
    if isinstance(task.positions, Positions):
        best = linear.given_positions(task.L, task.theta, task.pi, task.positions)
    else:
        best = linear.vectorized(task.L, task.R, task.theta, task.pi)
    return {"error": best.error, "error_se": 0.0, "threshold": best.threshold}


def _likelihood_ratio(task: Task, pooled: dict[str, Any], tol: float) -> dict[str, Any]:
    value, se = bayes_error(task, tol)
    return {"error": value, "error_se": se, "threshold": np.log((1.0 - task.pi) / task.pi)}


def _hard(task: Task, pooled: dict[str, Any], tol: float) -> dict[str, Any]:
    """Fields of attention to the largest token, which pooling may beat."""
    if no_signal(task):
        return {**pooled, "kappa": np.inf, "sign": 1}
    best = hard_attention(task.L, count_of(task), task.theta, task.pi)
    least = min(best.error, task.pi, 1.0 - task.pi)  # up to rounding
    return best._asdict() | {"error": least}


def _linear(task: Task, pooled: dict[str, Any], tol: float) -> dict[str, Any]:
    """Fields of linear attention, which is pooling at κ = 0."""
    even = {**pooled, "kappa": 0.0, "sign": 1}
    if task.R == task.L or no_signal(task) or pooled["error"] < LEAST_ERROR:
        return even
    best = best_linear(task.L, count_of(task), task.theta, task.pi)
    if best.error >= pooled["error"] - best.error_se - LEAST_ERROR:
        return even
    _check_met(task, best, tol)
    return best._asdict()


def _check_met(task: Task, best: AttentionRule, tol: float) -> None:
    """Raise where the uncertainty exceeds the tolerance."""
    if ERRORS_WITHIN_TOL * best.error_se > tol:
        what = f"uncertainty of the attention oracle of {task}"
        raise tol_not_met(what, ERRORS_WITHIN_TOL * best.error_se, tol)


def _attention(task: Task, pooled: dict[str, Any], tol: float) -> dict[str, Any]:
    even = {**pooled, "kappa": 0.0, "sign": 1}
    if task.R == task.L or no_signal(task):
        return even
    if pooled["error"] < LEAST_ERROR:
        return {**even, "error_se": LEAST_ERROR}
    best = best_attention(task.L, count_of(task), task.theta, task.pi)
    _check_met(task, best, tol)
    if best.error >= pooled["error"]:
        return even
    return best._asdict()


def _need_few_signals(task: Task) -> None:
    """Refuse a random R that the Bayes error does not support."""
    assert isinstance(task.R, SignalCount)
    most = task.R.values[-1]
    if int(np.max(task.L)) > MAX_EXACT_TOKENS and most > FEW_SIGNALS:
        raise ValueError(
            f"the Bayes error of a random R takes at most {FEW_SIGNALS} signal tokens where L is "
            f"above {MAX_EXACT_TOKENS}, got R up to {most} with L={np.max(task.L)}; give a law of "
            "fewer, or a number"
        )


def _any_count(task: Task) -> None:
    """Accept any number of signal tokens."""


class OracleKind(NamedTuple):
    """How the least error of a model with a known signal is computed.

    ``solve`` takes a scalar task, the fields of mean pooling and a tolerance, and returns fields.
    """

    provenance: str
    solve: Callable[[Task, dict[str, Any], float], dict[str, Any]]
    closed: bool = False  # whether it is a closed formula, accurate down to underflow
    beats_pooling: bool = True  # whether it is never worse than mean pooling
    integrated: bool = False  # whether the tolerance sets the number of integration points
    check_count: Callable[[Task], None] = _any_count  # refuses an unsupported random R


ORACLES = {
    "attention": OracleKind(
        f"search: over temperature, sign and threshold in {derived('theorem 1')}", _attention
    ),
    "pooled": OracleKind(derived("proposition 1"), _pooled, closed=True),
    "vectorized": OracleKind(
        f"search: over the weights in {derived('proposition 1')}",
        _vectorized,
        check_count=lambda task: task.need_fixed_count("the oracle of the vectorized model"),
    ),
    "hard": OracleKind("formula: largest token", _hard, beats_pooling=False),
    "linear": OracleKind(
        "search: over temperature and threshold of a normal and a chi square", _linear
    ),
    "bayes": OracleKind(
        "formula: likelihood ratio",
        _likelihood_ratio,
        integrated=True,
        check_count=_need_few_signals,
    ),
}
"""By the name of a model, or "bayes" for the likelihood ratio, which no classifier beats."""
