"""The training threshold: the smallest θ at which a trained model reaches a target test error."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq

from ..answer import Question
from ..arrays import Value
from ..grid import check_broadcast, check_kind, choice, common_shape, real
from ..models import get_model
from ..models.checks import check_query, check_schedule
from ..query import Query
from ..results import Outcome, Threshold, gather
from ..task import Task
from ..training import DATA, Training
from .common.arguments import check_tol
from .common.grid_points import GridPoints
from .common.provenance import of_prediction, of_search
from .learning import predict
from .oracle.threshold import LEAST_TARGET, check_signal_needed, probit_gap, theta_error, threshold

THETA_RATIO = 1.25  # of successive θ in the upward scan
MAX_OVER_POOLED = 1000.0  # the scan ends at this multiple of the threshold of the pooled oracle
ROUGH_TOL = 1e-2  # of the test error in the scan


def training_threshold(
    task: Task,
    training: Training,
    error: Value,
    model: str = "attention",
    *,
    query: Query | None = None,
    data: str = "D1",
    tol: float = 1e-3,
    on_error: str = "raise",
) -> Threshold:
    """Return the smallest θ at which a trained model's test error falls to ``error``.

    A numerical search on `predict`: our derivation of the quantities of theorems 4 and 5
    (arXiv v1). See also `oracle_threshold`, with a known signal, and `bayes_threshold`, of the
    Bayes-optimal learner with the same number of samples.

    Parameters
    ----------
    task, training : Task, Training
        The problem; numeric fields may be arrays. The task's θ is ignored.
    error : float or array
        The target, from 2e-8 to 2e-8 below min(π, 1 − π), the error without any signal.
    model : "attention", "pooled", "vectorized", "hard" or "linear", default "attention"
    query : Query, optional
        The query of attention, in place of one that is trained on D0.
    data : "D1" or "all", default "D1"
        What the linear models are trained on, as in `predict`.
    tol : float, default 1e-3
        Largest uncertainty of the test error, in (0, 1].
    on_error : "raise" or "nan", default "raise"
        Raise the error of a point that cannot be solved, or leave it NaN and warn.

    Returns
    -------
    Threshold
        Plain floats, or arrays in the shape of the grid. θ is the first crossing of the target in
        an upward scan by factors of 1.25, infinite if there is none up to a thousand times the
        threshold of the pooled oracle.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.
    NoMinimiser
        If training has no unique finite minimiser at some θ of the scan.
    NotConverged
        If the tolerance is not met.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=1.0, pi=0.5)
    >>> training = ns.Training(alpha0=2.0, alpha1=2.0, ridge=0.1)
    >>> round(ns.training_threshold(task, training, 0.1).theta, 1)
    4.2
    >>> round(ns.bayes_threshold(task, 4.0, 0.1).theta, 1)
    3.6
    """
    check_kind("task", task, Task)
    task.need_one_signal("training_threshold")
    task.need_alike_tokens("training_threshold")
    task.need_fixed_count("training_threshold")
    check_kind("training", training, Training)
    kind = get_model(model)
    choice("data", data, DATA)
    tol = check_tol(tol)
    error = real("error", error, LEAST_TARGET, 1.0, open_high=True)
    original, task = task, task.replace(theta=1.0)
    check_query(kind, query, task)
    check_schedule(kind, training, query)
    if kind.has_query and query is None:
        training.need_alpha0("the query is trained on D0")
    if data == "all" and not kind.has_query:
        training.need_alpha0("data='all' trains on D0 and D1")
    grid = common_shape(task, training, *([] if query is None else [query]))
    check_broadcast("the grid and error", grid=np.empty(grid), error=error)
    shape = np.broadcast_shapes(grid, np.shape(error))
    tasks, trainings = task.scalars(shape), training.scalars(shape)
    queries = [None] * len(tasks) if query is None else query.scalars(shape)
    errors = np.broadcast_to(error, shape).ravel()
    for item, target in zip(tasks, errors, strict=True):
        check_signal_needed(item, target)
    protocol = training if kind.has_query and query is None else None
    points = GridPoints(on_error, shape, task, training, query, error=error)
    prediction = of_prediction(kind, training.loss, task, task, protocol)
    blank = {"model": model, "provenance": of_search(prediction)}

    def solve(task: Task, training: Training, query: Query | None, error: float) -> dict[str, Any]:
        settings = {"model": model, "query": query, "data": data}
        return _threshold(task, training, float(error), tol, settings)

    rows = points.solve(blank, zip(tasks, trainings, queries, errors, strict=True), solve)
    options = {"query": query, "data": data, "error": error, "tol": tol, "on_error": on_error}
    question = Question("training_threshold", original, training, options)
    return gather(Threshold, rows, shape, question)


def _threshold(
    task: Task, training: Training, target: float, tol: float, settings: dict[str, Any]
) -> dict[str, float]:
    """Scan upwards for the first θ that suffices, then solve on a probit scale."""

    @cache
    def trained(theta: float, tol: float) -> Outcome:
        return predict(task.replace(theta=theta), training, tol=tol, **settings)

    def gap(theta: float, tol: float = ROUGH_TOL) -> float:
        return probit_gap(float(trained(theta, tol).test_error), target)

    gain = task.whitened.theta / task.theta
    oracle = threshold(task.whitened, "bayes", target, ROUGH_TOL)[0] / gain
    last = MAX_OVER_POOLED * threshold(task.whitened, "pooled", target, ROUGH_TOL)[0] / gain
    low, high = oracle / THETA_RATIO, oracle
    while gap(high) > 0.0:
        low, high = high, THETA_RATIO * high
        if high > last:
            return {"theta": np.inf, "theta_se": 0.0}
    rough = float(brentq(gap, low, high, xtol=1e-3 * high))
    nearby = 0.99 * rough
    slope = (gap(rough) - gap(nearby)) / (rough - nearby)
    fine = min(tol, 0.1 * target)
    theta = float(np.clip(rough - gap(rough, fine) / slope, low, high))
    error_se = float(trained(rough, fine).test_error_se)
    return {"theta": theta, "theta_se": theta_error(error_se, target, slope)}
