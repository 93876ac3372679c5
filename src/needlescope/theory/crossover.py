"""The alignment at which attention starts to beat mean pooling.

The gain is the error of pooling minus that of attention. It is computed roughly on a grid of
alignments, and at the requested tolerance where its sign is uncertain, at the crossing, and at
s = 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq

from ..answer import Question
from ..grid import check_kind, common_shape
from ..models import ATTENTION, POOLED
from ..query import Query
from ..results import Crossover, gather
from ..task import Task
from ..training import Training
from .asymptote import asymptote
from .common.arguments import check_tol
from .common.grid_points import GridPoints
from .common.provenance import ASYMPTOTE, of_prediction, of_search
from .law.ladder import ERRORS_WITHIN_TOL
from .learning import predict

SCANNED_COSINES = np.linspace(0.0, 1.0, 6)
ROUGH_TOL = 2e-3  # of the scan; an uncertain sign is computed again
TIE_TOL = 1e-9  # of pooling's error: a smaller gain is a tie
MAX_NEWTON_STEPS, NEWTON_TOL = 4, 1e-4  # of the search for the crossing
SECANT_WIDTH = 0.02  # on each side of the crossing

Gain = Callable[[float, float], tuple[float, float]]  # of s and tol; with its error


def crossover(
    task: Task,
    kappa: Any,
    *,
    training: Training | None = None,
    tol: float = 1e-4,
    on_error: str = "raise",
) -> Crossover:
    """Return the smallest alignment s of the query at which attention beats mean pooling.

    A numerical search on `asymptote` (α1 → ∞, square loss) or, with a training, on `predict`:
    our derivation of the quantity of corollary 2 (arXiv v1), or our derivation of the quantities of
    theorems 4 and 5 (arXiv v1).

    Parameters
    ----------
    task : Task
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    kappa : float or array
        Strength of the query, κ ≥ 0 or infinite.
    training : Training, optional
        Compare after this training, both readouts on D1. By default with the square loss, no ridge
        and α1 → ∞.
    tol : float, default 1e-4
        Largest uncertainty of the test errors that are compared, in (0, 1].
    on_error : "raise" or "nan", default "raise"
        Raise the error of a point that cannot be solved, or leave it NaN and warn.

    Returns
    -------
    Crossover
        Plain values, or arrays in the shape of the grid.

    Raises
    ------
    ValueError, NotConverged
        If an argument is invalid or grids do not broadcast; if the tolerance is not met.
    NoMinimiser
        If the training has no unique finite minimiser.

    Examples
    --------
    >>> import needlescope as ns
    >>> result = ns.crossover(ns.Task(L=10, R=1, theta=5.0, pi=0.5), kappa=1.0, tol=1e-3)
    >>> round(result.cosine, 2), result.verdict
    (0.19, 'crosses')
    """
    check_kind("task", task, Task)
    task.need_one_signal("crossover")
    task.need_alike_tokens("crossover")
    if training is not None:
        check_kind("training", training, Training)
    strength = Query(kappa, 0.0)
    tol = check_tol(tol)
    shape = common_shape(task, strength, *([] if training is None else [training]))
    tasks = task.scalars(shape)
    trainings = [None] * len(tasks) if training is None else training.scalars(shape)
    points = GridPoints(on_error, shape, task, strength, training)
    jobs = zip(tasks, strength.scalars(shape), trainings, strict=True)
    blank = {"provenance": _provenance(task, training)}
    rows = points.solve(blank, jobs, _crossover_one, tol)
    options = {"kappa": strength.kappa, "tol": tol, "on_error": on_error}
    return gather(Crossover, rows, shape, Question("crossover", task, training, options))


def _provenance(task: Task, training: Training | None) -> str:
    if training is None:
        return of_search(ASYMPTOTE)
    models = (ATTENTION, POOLED)
    return of_search(*(of_prediction(model, training.loss, task, task) for model in models))


def _crossover_one(
    task: Task, strength: Query, training: Training | None, tol: float
) -> dict[str, Any]:
    kappa = strength.kappa

    def error(model: str, query: Query | None, tol: float) -> tuple[float, float]:
        if training is None:
            limit = asymptote(task, model, query=query, tol=tol)
            return float(limit.limit), float(limit.limit_se)
        result = predict(task, training, model, query=query, tol=tol)
        return float(result.test_error), float(result.test_error_se)

    pooled, _ = error("pooled", None, tol)

    @cache
    def gain(cosine: float, tol: float) -> tuple[float, float]:
        value, se = error("attention", Query(kappa, cosine), tol)
        return pooled - value, se

    def equal(gain: float, error: float) -> bool:
        """Whether a gain is zero within its uncertainty."""
        return abs(gain) <= ERRORS_WITHIN_TOL * error + TIE_TOL * pooled

    rough, cosines = max(ROUGH_TOL, tol), SCANNED_COSINES.tolist()
    seen = [gain(s, rough) for s in cosines]
    seen = [gain(s, tol) if equal(*pair) else pair for s, pair in zip(cosines, seen, strict=True)]
    wins = [value > 0.0 and not equal(value, se) for value, se in seen]
    cosine, cosine_se = np.nan, np.nan
    if all(equal(*item) for item in seen):
        verdict = "tied"
    elif wins[0]:
        cosine, cosine_se, verdict = 0.0, 0.0, "always"
    elif not any(wins):
        verdict = "never"
    else:
        first = wins.index(True)
        cosine, cosine_se = _crossing(gain, cosines[first - 1], cosines[first], tol)
        verdict = "crosses"
    best, best_se = gain(1.0, tol)
    return {
        "kappa": kappa,
        "cosine": cosine,
        "cosine_se": cosine_se,
        "gain": best,
        "gain_se": best_se,
        "verdict": verdict,
    }


def _crossing(gain: Gain, low: float, high: float, tol: float) -> tuple[float, float]:
    """Return where the gain changes sign between two alignments, and its standard error.

    A root of the rough gain is refined by Newton steps on the fine one, with the slope of a secant.
    """
    rough = max(ROUGH_TOL, tol)
    ends = [gain(s, rough)[0] for s in (low, high)]
    if ends[0] < 0.0 < ends[1]:
        at = float(brentq(lambda s: gain(s, rough)[0], low, high, xtol=1e-3))
    else:
        at = low  # a tie at the lower end
    left, right = max(at - SECANT_WIDTH, 0.0), min(at + SECANT_WIDTH, 1.0)
    slope = (gain(right, tol)[0] - gain(left, tol)[0]) / (right - left)
    slope = max(slope, 1e-300)
    for _ in range(MAX_NEWTON_STEPS):
        step = gain(at, tol)[0] / slope
        at = float(np.clip(at - step, low, high))
        if abs(step) < NEWTON_TOL:
            break
    return at, gain(at, tol)[1] / slope
