"""What one query can reach where positives carry one of several signals.

A query of unit norm in the span of the signals has cosines s with ‖s‖ = 1: what it gives to one
signal it takes from the others. Its readout is the best there is (`oracle.known_readout`), as with
endless data, or the one that is trained. The error has more than one valley (one signal sought
alone, several sought together), so the search starts in each: along every signal, along the most
frequent ones in equal parts, and along the mean signal. For each direction the temperature is
tuned; from the best of them a simplex search moves direction and temperature together; and what is
left is compared at the accuracy asked. Hard attention, κ = ∞, and pooling, κ = 0, are tried too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from ..answer import Question
from ..arrays import FloatArray
from ..errors import NotConverged
from ..grid import check_kind, common_shape
from ..losses import get_loss
from ..models import ATTENTION
from ..outcome import BestQuery, gather
from ..query import Query
from ..task import Task
from ..training import Training
from .asked import check_accuracy
from .law.ladder import ERRORS_WITHIN_ACCURACY, Level, ladder
from .law.limits import drawn, train_limit
from .learning import predict
from .oracle.known_readout import joined, known_readout
from .provenance import BEST_QUERY, of_prediction, of_search
from .saddle.measures import test_error
from .saddle.problem import Point
from .saddle.readout import train_readout
from .unsolved import Points

ROUGH = Level(2**8, 32)  # of the search with a known readout, whose integrand costs next to nothing
ROUGH_TRAINED = Level(2**11, 48)
SOFTEST = 0.05  # κ that is tried, but for zero
TEMPERATURES = 8
DESCENTS = 2  # from the best starts
EVALUATIONS = 60  # of a descent, for each dimension that it moves in

Error = Callable[[float, FloatArray], float]  # of a query, by its κ and its cosines


class _Tried(NamedTuple):
    """A query and its error, roughly."""

    error: float
    kappa: float
    cosines: tuple[float, ...]

    @property
    def query(self) -> Query:
        return Query(self.kappa, cosines=self.cosines)


def best_query(
    task: Task,
    training: Training | None = None,
    *,
    accuracy: float = 1e-3,
    unsolved: str = "raise",
) -> BestQuery:
    """Return the best query for a task of several signals: its direction and its temperature.

    Parameters
    ----------
    task : Task
        The problem, with ``signals``. Any numeric field may be an array.
    training : Training, optional
        How the readout is trained on fresh data: loss, ridge and ``alpha1`` matter. Left out, the
        readout knows the signals, as with endless data.
    accuracy : float, default 1e-3
        Largest error of the errors that is accepted, in (0, 1], as twice ``error_se``.
    unsolved : "raise" or "nan", default "raise"
        What becomes of a grid's point that cannot be solved: the call ends with its name, or the
        point is NaN and a `RuntimeWarning` counts what was lost.

    Returns
    -------
    BestQuery
        Plain floats, or arrays in the shape of the grid; ``cosines`` has one for each signal.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or the task has one signal.
    NotConverged
        If the accuracy is not reached.

    Examples
    --------
    Of two faint needles in a thousand tokens it is best to seek one and let the other go; strong
    ones are sought together:

    >>> import needlescope as ns
    >>> task = ns.Task(L=1000, R=1, theta=[4.0, 6.0], pi=0.5, signals=(0.5, 0.5))
    >>> found = ns.best_query(task)
    >>> found.cosines[0].round(2), found.error.round(2)
    (array([1.  , 0.71]), array([0.36, 0.18]))
    """
    check_kind("task", task, Task)
    if task.signals is None:
        raise ValueError(
            "best_query is about several signals, got a task of one, whose best query is along it; "
            "give the task signals=(...), or ask oracle"
        )
    if training is not None:
        check_kind("training", training, Training)
    accuracy = check_accuracy(accuracy)
    shape = common_shape(*(part for part in (task, training) if part is not None))
    points = Points(unsolved, shape, task, training)
    ground = BEST_QUERY
    if training is not None:
        ground = of_search(of_prediction(ATTENTION, training.loss, task, task))
    tasks = task.scalars(shape)
    trainings = [None] * len(tasks) if training is None else training.scalars(shape)
    rows: list[dict[str, Any]] = [{"provenance": ground}] * len(tasks)
    for index, pair in enumerate(zip(tasks, trainings, strict=True)):
        with points.at(index):
            rows[index] = {"provenance": ground} | _best_one(*pair, accuracy)
    points.warn()
    options = {"accuracy": accuracy, "unsolved": unsolved}
    return gather(BestQuery, rows, shape, Question("best_query", task, training, options))


def _best_one(task: Task, training: Training | None, accuracy: float) -> dict[str, Any]:
    error = _known(task) if training is None else _trained(task, training)
    hardest = 1.5 + 1.2 * float(
        np.sqrt(2.0 * np.log(task.L))
    )  # beyond it hard attention takes over
    starts = [_tuned(error, one, hardest) for one in _starts(task)]
    moved = [_descend(error, one, hardest) for one in sorted(starts)[:DESCENTS]]
    fine = {one: _fine(task, training, one.query, accuracy) for one in [*starts, *moved]}

    def least(some: list[_Tried]) -> _Tried:
        return min(some, key=lambda one: fine[one][0])

    best, found = least(starts), least(moved)
    if fine[found][0] < fine[best][0] - ERRORS_WITHIN_ACCURACY * fine[best][1]:
        best = found  # a simpler direction is as good within the errors
    alone = least([one for one in starts if max(one.cosines) == 1.0])
    return {
        "kappa": best.kappa,
        "cosines": best.cosines,
        **dict(zip(("error", "error_se"), fine[best], strict=True)),
        **dict(zip(("alone", "alone_se"), fine[alone], strict=True)),
        **dict(zip(("together", "together_se"), fine[starts[0]], strict=True)),
    }


def _starts(task: Task) -> list[FloatArray]:
    """The mean signal, then one signal, two, … in equal parts, the most frequent first.

    Signals of equal weight are alike, so one of them is tried alone.
    """
    weights = np.array(task.signals)
    order = np.argsort(-weights, kind="stable")
    _, first = np.unique(-weights[order], return_index=True)
    found = [task.mean_signal, *np.eye(task.kinds)[order[first]]]
    for count in range(2, task.kinds + 1):
        some = np.zeros(task.kinds)
        some[order[:count]] = 1.0 / np.sqrt(count)
        if not np.allclose(some, task.mean_signal):
            found.append(some)
    return found


def _known(task: Task) -> Error:
    """The error of the best readout, on a sample."""

    def error(kappa: float, cosines: FloatArray) -> float:
        query = Query(kappa, cosines=cosines)
        law = joined([one.law(task.pi) for one in drawn(ATTENTION, task, query, ROUGH)])
        return known_readout(law).error

    return error


def _trained(task: Task, training: Training) -> Error:
    """The test error of a trained readout, from the law at a level."""
    loss, last = get_loss(training.loss), list[Point | None]([None])

    def error(kappa: float, cosines: FloatArray) -> float:
        limit = train_limit(ATTENTION, task, Query(kappa, cosines=cosines), ROUGH_TRAINED)
        found = train_readout(limit, loss, task.pi, training.alpha1, training.ridge, last[0])
        last[0] = found.warm
        if found.local is None:  # one answer for all
            return float(min(task.pi, 1.0 - task.pi))
        return test_error(limit.law(task.pi), found.point)

    return error


def _tuned(error: Error, cosines: FloatArray, hardest: float) -> _Tried:
    """Tune the temperature for one direction."""
    tried = [(error(kappa, cosines), kappa) for kappa in (0.0, np.inf)]
    grid = np.linspace(np.log(SOFTEST), np.log(hardest), TEMPERATURES)
    values = [error(float(np.exp(x)), cosines) for x in grid]
    best = int(np.argmin(values))
    bounds = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, len(grid) - 1)])
    found = minimize_scalar(
        lambda x: error(float(np.exp(x)), cosines),
        bounds=bounds,
        method="bounded",
        options={"xatol": 0.02},
    )
    tried += [(values[best], float(np.exp(grid[best]))), (float(found.fun), float(np.exp(found.x)))]
    value, kappa = min(tried)
    return _Tried(value, kappa, tuple(cosines.tolist()))


def _descend(error: Error, start: _Tried, hardest: float) -> _Tried:
    """Move direction and temperature by a simplex search; hard attention turns only."""
    along = np.array(start.cosines)
    across = np.linalg.svd(along[None])[2][1:]  # directions that turn it
    turns = len(across)
    soft = 0.0 < start.kappa < np.inf

    def query(x: FloatArray) -> tuple[float, FloatArray]:
        turned = along + x[:turns] @ across
        kappa = float(np.exp(x[turns])) if soft else start.kappa
        return min(kappa, hardest) if soft else kappa, turned / np.linalg.norm(turned)

    x0 = np.append(np.zeros(turns), [np.log(start.kappa)] if soft else [])
    simplex = np.vstack([x0, x0 + 0.3 * np.eye(len(x0))])
    options = {"initial_simplex": simplex, "maxfev": EVALUATIONS * len(x0), "xatol": 3e-3}
    found = minimize(
        lambda x: error(*query(x)), x0, method="Nelder-Mead", options=options | {"fatol": 1e-6}
    )
    kappa, cosines = query(found.x)
    return _Tried(float(found.fun), kappa, tuple(cosines.tolist()))


def _fine(
    task: Task, training: Training | None, query: Query, accuracy: float
) -> tuple[float, float]:
    """Return the error of a query and its standard error, at the accuracy asked."""
    if training is not None:
        found = predict(task, training, query=query, accuracy=accuracy)
        return float(found.test_error), float(found.test_error_se)
    for level in ladder(accuracy):
        laws = [one.law(task.pi) for one in drawn(ATTENTION, task, query, level)]
        readout = known_readout(joined(laws))
        if len(laws) == 1:  # nothing was drawn
            return readout.error, 0.0
        errors = np.array([readout.on(law) for law in laws])
        se = float(errors.std(ddof=1) / np.sqrt(len(errors)))
        if ERRORS_WITHIN_ACCURACY * se <= accuracy:
            return readout.error, se
    raise NotConverged(
        f"the error of a query is known to {se:.1e} only, not to the accuracy of {accuracy:g} "
        f"asked; pass accuracy={3.0 * se:.1g} to accept that"
    )
