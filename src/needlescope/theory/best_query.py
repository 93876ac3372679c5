"""The best single query where positives carry one of several signals.

A query of unit norm in the span of the signals has cosines s with ‖s‖ = 1. Its readout is the best
one (`oracle.best_readout`), as with infinite data, or a trained one. The error has several local
minima, so the search starts along every signal, along the most frequent ones in equal parts, and
along the mean signal. For each direction κ is tuned; from the best of them a simplex search moves
direction and κ together; the remaining candidates are compared at the requested tolerance. Hard
attention, κ = ∞, and pooling, κ = 0, are candidates too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from ..answer import Question
from ..arrays import FloatArray
from ..grid import check_kind, common_shape
from ..losses import get_loss
from ..models import ATTENTION
from ..query import Query
from ..results import BestQuery, gather
from ..task import Task
from ..training import Training
from .common.arguments import check_tol, tol_not_met
from .common.grid_points import GridPoints
from .common.provenance import BEST_QUERY, of_prediction, of_search
from .law.ladder import ERRORS_WITHIN_TOL, Level, ladder
from .law.limits import sampled_limits, train_limit
from .law.mixtures import mean_law
from .learning import predict
from .oracle.best_readout import BestReadout, best_readout
from .saddle.measures import test_error
from .saddle.problem import OrderParameters
from .saddle.readout import train_readout

SEARCH_LEVEL = Level(2**7, 32)  # of the search with the best readout, at tol ≥ 1e-2
FINE_SEARCH_LEVEL = Level(2**9, 32)  # at smaller tol: costs the best κ 1e-4 at most
TRAINED_SEARCH_LEVEL = Level(2**11, 48)
COMPARED_WITHIN = 3e-3  # of the lowest rough error: these candidates are compared at the tolerance
LEAST_KAPPA = 0.05  # of the grid; κ = 0 is tried separately
KAPPAS = 8
MAX_DESCENTS = 2  # from the best starts
MAX_EVALUATIONS = 60  # of a descent, for each dimension


class _Candidate(NamedTuple):
    """A query, its rough error, and its best readout (None where the readout is trained)."""

    error: float
    kappa: float
    cosines: tuple[float, ...]
    readout: BestReadout | None

    @property
    def query(self) -> Query:
        return Query(self.kappa, cosines=self.cosines)


Evaluate = Callable[[float, FloatArray, BestReadout | None], _Candidate]
"""From κ, the cosines and the best readout of a similar query to a candidate."""


def best_query(
    task: Task, training: Training | None = None, *, tol: float = 1e-3, on_error: str = "raise"
) -> BestQuery:
    """Return the best query for a task of several signals: its direction and its temperature.

    A search over queries in the span of the signals, by a formula of our own, the exact law of the
    features of each signal. The error is that of the best readout, or of one trained as in
    `predict`. A search has no proof of optimality.

    Parameters
    ----------
    task : Task
        The problem, with ``signals``. Any numeric field may be an array.
    training : Training, optional
        How the readout is trained: loss, ridge and ``alpha1`` matter. By default the readout is
        the best one, as with infinite data.
    tol : float, default 1e-3
        Largest uncertainty of the errors, twice ``error_se``, in (0, 1].
    on_error : "raise" or "nan", default "raise"
        Raise the error of a point that cannot be solved, or leave it NaN and warn.

    Returns
    -------
    BestQuery
        Plain floats, or arrays in the shape of the grid; ``cosines`` has one for each signal.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or the task has one signal.
    NotConverged
        If the tolerance is not met.

    Examples
    --------
    Of two weak signals in a hundred tokens it is best to look for one and ignore the other:

    >>> import needlescope as ns
    >>> task = ns.Task(L=100, R=1, theta=3.0, pi=0.5, signals=(0.5, 0.5))
    >>> ns.best_query(task, tol=0.01).cosines
    (1.0, 0.0)
    """
    check_kind("task", task, Task)
    if task.signals is None:
        raise ValueError(
            "best_query is for tasks of several signals; the best query of one signal is along it: "
            "give the task signals=(...), or use oracle"
        )
    if training is not None:
        check_kind("training", training, Training)
    tol = check_tol(tol)
    shape = common_shape(*(part for part in (task, training) if part is not None))
    points = GridPoints(on_error, shape, task, training)
    blank = {"provenance": BEST_QUERY}
    if training is not None:
        prediction = of_prediction(ATTENTION, training.loss, task, task)
        blank = {"provenance": of_search(prediction)}
    tasks = task.scalars(shape)
    trainings = [None] * len(tasks) if training is None else training.scalars(shape)
    jobs = zip(tasks, trainings, strict=True)
    rows = points.solve(blank, jobs, _search, tol)
    options = {"tol": tol, "on_error": on_error}
    return gather(BestQuery, rows, shape, Question("best_query", task, training, options))


def _search(task: Task, training: Training | None, tol: float) -> dict[str, Any]:
    level = FINE_SEARCH_LEVEL if tol < 0.01 else SEARCH_LEVEL
    attempt = (
        _with_best_readout(task, level)
        if training is None
        else _with_trained_readout(task, training)
    )
    # beyond the largest κ hard attention takes over
    hardest = 1.5 + 1.2 * float(np.sqrt(2.0 * np.log(task.L)))
    starts = [_tune_kappa(attempt, start, hardest) for start in _starts(task)]
    lowest = sorted((_lowest(some) for some in starts), key=lambda item: item.error)
    moved = [_descend(attempt, item, hardest) for item in lowest[:MAX_DESCENTS]]
    errors: dict[tuple[float, tuple[float, ...]], tuple[float, float]] = {}

    def fine(item: _Candidate) -> tuple[float, float]:
        key = item.kappa, item.cosines
        if key not in errors:
            errors[key] = _error(task, training, item, tol)
        return errors[key]

    def least(some: list[_Candidate]) -> _Candidate:
        bound = _lowest(some).error + COMPARED_WITHIN
        return min((item for item in some if item.error <= bound), key=lambda item: fine(item)[0])

    best, result = least([item for some in starts for item in some]), least(moved)
    if fine(result)[0] < fine(best)[0] - ERRORS_WITHIN_TOL * fine(best)[1]:
        best = result  # otherwise the simpler direction is as good within the errors
    alone = least([item for some in starts for item in some if max(item.cosines) == 1.0])
    row: dict[str, Any] = {"kappa": best.kappa, "cosines": best.cosines}
    for name, item in (("error", best), ("alone", alone), ("together", least(starts[0]))):
        row[name], row[f"{name}_se"] = fine(item)
    return row


def _lowest(some: list[_Candidate]) -> _Candidate:
    return min(some, key=lambda item: item.error)


def _starts(task: Task) -> list[FloatArray]:
    """The mean signal, one signal of each weight, then two, three, … in equal parts, by weight."""
    weights = np.array(task.signals)
    order = np.argsort(-weights, kind="stable")
    _, first = np.unique(-weights[order], return_index=True)
    result = [task.mean_signal, *np.eye(task.kinds)[order[first]]]
    for count in range(2, task.kinds + 1):
        some = np.zeros(task.kinds)
        some[order[:count]] = 1.0 / np.sqrt(count)
        if not np.allclose(some, task.mean_signal):
            result.append(some)
    return result


def _with_best_readout(task: Task, level: Level) -> Evaluate:
    """Evaluate queries with their best readout, on a sample."""

    def attempt(kappa: float, cosines: FloatArray, near: BestReadout | None) -> _Candidate:
        query = Query(kappa, cosines=cosines)
        law = mean_law(
            [item.law(task.pi) for item in sampled_limits(ATTENTION, task, query, level)]
        )
        result = best_readout(law, near)
        return _Candidate(result.error, kappa, query.cosines, result)

    return attempt


def _with_trained_readout(task: Task, training: Training) -> Evaluate:
    """Evaluate queries with a trained readout, on a compressed law."""
    loss, last = get_loss(training.loss), list[OrderParameters | None]([None])

    def attempt(kappa: float, cosines: FloatArray, near: BestReadout | None) -> _Candidate:
        query = Query(kappa, cosines=cosines)
        limit = train_limit(ATTENTION, task, query, TRAINED_SEARCH_LEVEL)
        result = train_readout(
            limit, loss, task.pi, training.alpha1, training.ridge, last[0], task.flips
        )
        last[0] = result.warm
        error = float(min(task.pi, 1.0 - task.pi))  # of a constant answer
        if result.local is not None:
            error = test_error(limit.law(task.pi), result.point)
        return _Candidate(error, kappa, query.cosines, None)

    return attempt


def _tune_kappa(attempt: Evaluate, cosines: FloatArray, hardest: float) -> list[_Candidate]:
    """Return the best candidate of one direction at finite κ, and those at κ = 0 and κ = ∞."""
    even, hard = (attempt(kappa, cosines, None) for kappa in (0.0, np.inf))
    grid = np.linspace(np.log(LEAST_KAPPA), np.log(hardest), KAPPAS)
    tried, near = list[_Candidate](), None
    for x in grid:
        tried.append(attempt(float(np.exp(x)), cosines, near))
        near = tried[-1].readout
    best = int(np.argmin([item.error for item in tried]))
    near = tried[best].readout
    minimize_scalar(
        lambda x: _recorded(attempt(float(np.exp(x)), cosines, near), tried),
        bounds=(float(grid[max(best - 1, 0)]), float(grid[min(best + 1, len(grid) - 1)])),
        method="bounded",
        options={"xatol": 0.02},
    )
    return [_lowest(tried), even, hard]


def _recorded(item: _Candidate, tried: list[_Candidate]) -> float:
    tried.append(item)
    return item.error


def _descend(attempt: Evaluate, start: _Candidate, hardest: float) -> _Candidate:
    """Simplex search over direction and κ, over the direction alone where κ is 0 or ∞."""
    along = np.array(start.cosines)
    across = np.linalg.svd(along[None])[2][1:]  # directions orthogonal to it
    turns, tried = len(across), [start]
    soft = 0.0 < start.kappa < np.inf

    def error(x: FloatArray) -> float:
        turned = along + x[:turns] @ across
        kappa = min(float(np.exp(x[turns])), hardest) if soft else start.kappa
        near = _lowest(tried).readout
        return _recorded(attempt(kappa, turned / np.linalg.norm(turned), near), tried)

    x0 = np.append(np.zeros(turns), [np.log(start.kappa)] if soft else [])
    simplex = np.vstack([x0, x0 + 0.3 * np.eye(len(x0))])
    options = {"initial_simplex": simplex, "maxfev": MAX_EVALUATIONS * len(x0), "xatol": 3e-3}
    minimize(error, x0, method="Nelder-Mead", options=options | {"fatol": 1e-5})
    return _lowest(tried)


def _error(
    task: Task, training: Training | None, item: _Candidate, tol: float
) -> tuple[float, float]:
    """Return the error of a candidate and its standard error, within the tolerance."""
    if training is not None:
        result = predict(task, training, query=item.query, tol=tol)
        return float(result.test_error), float(result.test_error_se)
    for level in ladder(tol):
        laws = [limit.law(task.pi) for limit in sampled_limits(ATTENTION, task, item.query, level)]
        readout = best_readout(mean_law(laws), item.readout)
        if len(laws) == 1:  # no sampling
            return readout.error, 0.0
        errors = np.array([readout.on(law) for law in laws])
        se = float(errors.std(ddof=1) / np.sqrt(len(errors)))
        if ERRORS_WITHIN_TOL * se <= tol:
            return readout.error, se
    raise tol_not_met("uncertainty of the error of a query", ERRORS_WITHIN_TOL * se, tol)
