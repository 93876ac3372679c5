"""Learning curves: what each model reaches after training, in the limit.

Our derivation of the quantities of theorems 4 and 5 (arXiv v1).
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from ..answer import Question
from ..arrays import FloatArray
from ..errors import NoMinimiser, NotConverged
from ..grid import check_kind, choice, common_shape, whole
from ..losses import get_loss
from ..models import Model, get_model
from ..models.asked import check_schedule, check_test
from ..models.nodes import JointLaw
from ..query import Query
from ..results import Outcome, gather
from ..task import Positions, Task
from ..training import DATA, Training
from .common.arguments import NO_QUERY, check_tol
from .common.grid_points import GridPoints
from .common.provenance import of_prediction
from .law.ladder import (
    ERRORS_WITHIN_TOL,
    LADDER,
    ROUGH,
    ROUGH_SHARE,
    Level,
    ladder,
    standard_error,
)
from .law.limits import error_limit, train_limit
from .law.mixtures import orthogonal_parts
from .learned_query import (
    LAW_SHARE,
    NO_ERRORS,
    check_finite_kappa,
    check_query_training,
    learn_query,
)
from .saddle.influence import rare_event_shift
from .saddle.measures import measure
from .saddle.problem import OrderParameters
from .saddle.readout import Readout, train_readout

MAX_DIMENSION = 10**9
QUERY_LEVEL = LADDER[0].finer  # enough to see how far a number moves with the query


class _Solved(NamedTuple):
    """A point's numbers, the readout they come from, and the test error's error of sampling."""

    row: dict[str, Any]
    readout: Readout
    sampling: float

    @property
    def uncertainty(self) -> float:
        return ERRORS_WITHIN_TOL * float(self.row["test_error_se"])

    def settled(self, level: Level, tol: float) -> bool:
        """Whether a result is known well enough; a rough law must leave something to spare.

        It must know small errors to a tenth, too, and it does not tell for sure whether a readout
        is nil.
        """
        if level != ROUGH:
            return self.uncertainty <= tol
        if self.readout.local is None:
            return False
        return self.uncertainty <= ROUGH_SHARE * min(tol, 0.1 * float(self.row["test_error"]))

    def coarse(self, tol: float) -> bool:
        """Whether compression is what stands between a result and its tolerance."""
        return bool(self.uncertainty > tol >= np.sqrt(2.0) * ERRORS_WITHIN_TOL * self.sampling)


class _Job(NamedTuple):
    """One point of the grid; ``open`` are the errors that its query leaves in the numbers."""

    task: Task
    training: Training
    query: Query
    test: Task
    alpha: float
    open: FloatArray = NO_ERRORS


def predict(
    task: Task,
    training: Training,
    model: str = "attention",
    *,
    query: Query | None = None,
    test_task: Task | None = None,
    data: str = "D1",
    d: int | None = None,
    tol: float = 1e-4,
    on_error: str = "raise",
) -> Outcome:
    """Predict test error, train loss and train error of a trained classifier, in the limit.

    Our derivation of the quantities of theorems 4 and 5 (arXiv v1), the first for attention, the
    second for pooled and vectorized. The limit is n, d → ∞ at fixed n0/d and n1/d, with L, R and θ
    fixed: first the dimension, and L → ∞ only afterwards, if at all.

    Parameters
    ----------
    task, training : Task, Training
        The problem. Any numeric field may be an array; results broadcast as NumPy would, and
        the solver walks the grid by continuation.
    model : "attention", "pooled", "vectorized", "hard" or "linear", default "attention"
    query : Query, optional
        For attention: a query given directly instead of the one that `align` predicts.
    test_task : Task, optional
        Test on another task (other L, R, theta, pi) than the one trained on. The vectorized
        model can only be tested at its own L.
    data : "D1" or "all", default "D1"
        What the two linear baselines are trained on: D1 alone, or D0 ∪ D1 (as much data as
        attention sees in all). Attention always trains its query on D0 and its readout on D1.
    d : int, optional
        The dimension that the prediction is meant for. The numbers stay those of the limit, but
        where they rest on samples rarer than one in the training set, whose size is then known,
        the result says so (``rare_event_shift``, ``notes``) and a `RuntimeWarning` is given.
    tol : float, default 1e-4
        Largest error of the test error that is accepted, in (0, 1], as twice ``test_error_se``.
    on_error : "raise" or "nan", default "raise"
        What becomes of a grid's point that cannot be solved: the call ends with its name, or the
        point is NaN and a `RuntimeWarning` counts what was lost.

    Returns
    -------
    Outcome
        Plain floats, or arrays in the shape of the grid.
        With label noise the test error is that against true labels, training loss and error those
        against the labels as they were flipped.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.
    NotConverged
        If the tolerance is not met.
    NoMinimiser
        If training has no unique finite minimiser: no ridge on separable data, or a hinge loss
        that leaves the bias free.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> training = ns.Training(alpha0=4.0, alpha1=[1.0, 3.0], loss="logistic", ridge=1e-2)
    >>> ns.predict(task, training, model="attention").test_error.round(3)
    array([0.045, 0.032])
    >>> ns.predict(task, training, model="pooled").test_error.round(3)
    array([0.329, 0.274])
    """
    check_kind("task", task, Task)
    check_kind("training", training, Training)
    kind = get_model(model)
    choice("data", data, DATA)
    tol = check_tol(tol)
    d = None if d is None else whole("d", d, 1, MAX_DIMENSION)
    check_query_training(kind, task, training, query)
    check_schedule(kind, training, query)
    test = _check_test(kind, task, test_task)
    seen = NO_QUERY if query is None else query
    joins = data == "all" and not kind.has_query
    if joins:
        training.need_alpha0("data='all' trains on D0 and D1")
    shape = common_shape(*{id(part): part for part in (task, training, seen, test)}.values())
    points = GridPoints(on_error, shape, task, training, query, test_task)
    parts = (part.scalars(shape) for part in (task, training, seen, test))
    jobs = [
        _Job(t, r, q, s, r.alpha0 + r.alpha1 if joins else r.alpha1)
        for t, r, q, s in zip(*parts, strict=True)
    ]
    if kind.has_query and query is None:
        for index, job in enumerate(jobs):
            with points.at(index):
                jobs[index] = _with_query(kind, job, tol)
    protocol = training if kind.has_query and query is None else None
    rests = of_prediction(kind, training.loss, task, test, protocol)
    blank = {"model": model, "provenance": rests}
    rows: list[dict[str, Any]] = [blank] * len(jobs)
    for members in _groups_by_law(jobs, points).values():
        for index, result in _solve_group(kind, jobs, members, tol, points).items():
            rows[index] = blank | _add_query_errors(result.row, jobs[index].open)
            if d is not None:
                rows[index] |= _at_dimension(kind, jobs[index], result.readout, tol, d)
    points.warn()
    options = {
        **{"query": query, "test_task": test_task, "data": data, "d": d},
        **{"tol": tol, "on_error": on_error},
    }
    outcome = gather(Outcome, rows, shape, Question("predict", task, training, options))
    for note in outcome.notes:
        warnings.warn(note, RuntimeWarning, stacklevel=2)
    return outcome


def _check_test(model: Model, task: Task, test: Task | None) -> Task:
    if test is None:
        return task
    check_test(model, task, test)
    given = isinstance(task.positions, Positions), isinstance(test.positions, Positions)
    if model.fixed_length and given == (True, False):
        raise ValueError(
            f"a {model.name} classifier trained with given positions can be tested on given "
            "positions only; give the test_task positions as well"
        )
    return test


def _with_query(model: Model, job: _Job, tol: float) -> _Job:
    """Train the query of a point, well enough for its test error."""
    near: list[OrderParameters | None] = [None]

    def numbers(query: Query) -> FloatArray:
        result = _solve(model, job._replace(query=query), QUERY_LEVEL, near[-1])
        near.append(result.readout.warm)
        return np.array([result.row[name] for name in _names_with_errors(result.row)])

    known, errors = learn_query(job.task, job.training, tol, numbers, "the test error")
    check_finite_kappa(model, known.query)
    return job._replace(query=known.query, open=errors)


def _groups_by_law(jobs: list[_Job], points: GridPoints) -> dict[Any, list[int]]:
    """Group the points that share a law, and order each group for continuation."""
    families: dict[Any, list[int]] = defaultdict(list)
    for index, job in enumerate(jobs):
        if index not in points.lost:
            families[job.task, job.query, id(get_loss(job.training.loss))].append(index)
    for members in families.values():
        members.sort(key=lambda k: (-jobs[k].training.ridge, jobs[k].alpha, k))
    return families


def _solve_group(
    model: Model, jobs: list[_Job], members: list[int], tol: float, points: GridPoints
) -> dict[int, _Solved]:
    """Solve a family in order, each point from its neighbours, at the first sufficient level.

    A rough law comes first: where it suffices with some to spare, as it often does, the finer ones
    are never made, and else it says where to begin. Where only the compression of the law is too
    coarse, the same samples are compressed less.
    """
    done: dict[int, _Solved] = {}
    asked = tol
    tol *= LAW_SHARE if jobs[members[0]].open.any() else 1.0
    pending, levels = members, ladder(tol)
    middle = members[len(members) // 2]  # one point that tells where to start
    look = _rough_solution(model, jobs[middle]) if levels[0] != ROUGH else None
    if look is not None and look.settled(ROUGH, tol):
        done[middle], levels = look, (ROUGH, *levels)
        pending = [k for k in members if k != middle]
    elif len(members) > 2:
        with points.at(middle):
            probe = _solve(model, jobs[middle], levels[0], look and look.readout.warm)
            excess = probe.uncertainty / tol
            skip = int(np.clip(np.ceil(np.log2(max(excess, 1e-9)) + 0.5), 0, len(levels) - 1))
            levels = levels[0 if probe.coarse(tol) else skip :]
    for level in levels:
        trail: list[tuple[_Job, OrderParameters]] = []
        for index in pending:
            if index in points.lost:
                continue
            with points.at(index):
                near = _extrapolate(trail, jobs[index]) or (look and look.readout.warm)
                result = _solve(model, jobs[index], level, near)
                if level != ROUGH and result.coarse(tol):
                    result = _solve(model, jobs[index], level.finer, result.readout.warm)
                if result.readout.local is not None:
                    trail.append((jobs[index], result.readout.point))
                done[index] = result
        pending = [k for k in pending if k not in points.lost and not done[k].settled(level, tol)]
    for index in sorted(pending, key=lambda k: -done[k].uncertainty):  # the worst first
        with points.at(index):
            worst = done[index].uncertainty
            raise NotConverged(
                f"the test error is known to ±{worst:.1e} only, not to the tolerance of "
                f"{asked:g} asked; pass tol={1.5 * worst:.1g} to accept that"
            )
    return {index: result for index, result in done.items() if index not in points.lost}


def _at_dimension(
    model: Model, job: _Job, readout: Readout, tol: float, d: int
) -> dict[str, float]:
    """Return how far a prediction rests on samples rarer than one in the training set at d."""
    test = error_limit(model, job.task, job.test, job.query, ladder(tol)[0])
    return {"rare_event_shift": rare_event_shift(readout, test.law(job.test.pi), job.alpha * d)}


def _names_with_errors(row: dict[str, Any]) -> list[str]:
    """Name the numbers that a trained query may leave open; it has one signal, not several."""
    return [name for name in row if f"{name}_se" in row and not isinstance(row[name], tuple)]


def _add_query_errors(row: dict[str, Any], errors: FloatArray) -> dict[str, Any]:
    """Add the errors that a query leaves to those of the law."""
    names = _names_with_errors(row)
    both = np.hypot([row[f"{name}_se"] for name in names], errors)
    return row | {f"{name}_se": item for name, item in zip(names, both.tolist(), strict=True)}


def _rough_solution(model: Model, job: _Job) -> _Solved | None:
    """Solve with the roughest law, if that can be: what it refuses, a finer one may not."""
    try:
        return _solve(model, job, ROUGH, None)
    except (NotConverged, NoMinimiser):
        return None


def _extrapolate(trail: list[tuple[_Job, OrderParameters]], job: _Job) -> OrderParameters | None:
    """Extrapolate from up to three neighbours with the same ridge, polynomially in log α."""
    near = {
        item.alpha: point for item, point in trail[-3:] if item.training.ridge == job.training.ridge
    }
    if not near:
        return trail[-1][1] if trail else None
    x = np.log(list(near))
    rows = [[*p.mu, p.b, np.log(p.rho), np.log(p.t)] for p in near.values()]
    at, guess = np.log(job.alpha), np.zeros(len(rows[0]))
    for i, row in enumerate(rows):  # Lagrange
        others = np.delete(x, i)
        guess += np.prod((at - others) / (x[i] - others)) * np.array(row)
    k = len(guess) - 3
    return OrderParameters(
        guess[:k], float(guess[k]), *np.exp(np.clip(guess[k + 1 :], -600, 600)).tolist()
    )


def _solve(model: Model, job: _Job, level: Level, warm: OrderParameters | None) -> _Solved:
    task, training, query = job.task, job.training, job.query
    limit = train_limit(model, task, query, level)
    readout = train_readout(
        limit, get_loss(training.loss), task.pi, job.alpha, training.ridge, warm, task.flips
    )
    test = error_limit(model, task, job.test, query, level)
    coarse = limit.coarse_law(task.pi, task.flips), test.coarse_law(job.test.pi)
    result = measure(readout, test.law(job.test.pi), coarse)
    names = ("test_error", "train_loss", "train_error")
    row: dict[str, Any] = {"residual": readout.residual}
    for name, value, error in zip(names, result.values, result.errors, strict=True):
        row[name], row[f"{name}_se"] = value, error
    law, points = readout.problem.law, [readout.point, *result.others]
    order, *others = (_order_parameters(model, task, query, law, point) for point in points)
    row.update(order | _uncertainty(order, others))
    if task.signals is not None:
        along, *others = (_along_signals(model, task, query, law, point) for point in points)
        row["signals"] = tuple(along.values())
        row["signals_se"] = tuple(_uncertainty(along, others).values())
    row["kappa"] = query.kappa if model.has_query else np.nan
    row["cosine_q"] = query.toward(task.mean_signal) if model.has_query else np.nan
    return _Solved(row, readout, float(result.sampling[0]))


def _uncertainty(order: dict[str, float], others: list[dict[str, float]]) -> dict[str, float]:
    """Return the standard error of each number, by those of the other estimates of the law."""
    if not others:
        return {f"{name}_se": 0.0 for name in order}
    rows = np.array([list(other.values()) for other in others])
    errors = standard_error(rows - list(order.values()))
    return {f"{name}_se": error for name, error in zip(order, errors, strict=True)}


def _along_signals(
    model: Model, task: Task, query: Query, law: JointLaw, at: OrderParameters
) -> dict[str, float]:
    """Return the readout's component along each of several signals."""
    if model.has_query:
        result = np.column_stack([query.cosines, orthogonal_parts(query.cosines)]) @ at.mu
    else:
        pattern = (law.weight @ law.m).reshape(task.kinds, -1).sum(axis=0)  # 1 for pooling
        result = at.mu.reshape(task.kinds, -1) @ (
            pattern / max(float(np.linalg.norm(pattern)), 1e-300)
        )
    return {str(number): float(item) for number, item in enumerate(result)}


def _order_parameters(
    model: Model, task: Task, query: Query, law: JointLaw, at: OrderParameters
) -> dict[str, float]:
    several = task.signals is not None
    if model.has_query and several:
        mean = task.mean_signal
        direction = np.append(query.toward(mean), mean @ orthogonal_parts(query.cosines))
    elif model.has_query:
        across = np.sqrt((1.0 - query.cosine) * (1.0 + query.cosine))
        direction = np.array([query.cosine, across])
    else:
        direction = law.weight @ law.m  # negatives have no mean
        direction = direction / max(float(np.linalg.norm(direction)), 1e-300)
    signal = float(at.mu @ direction)
    norm = at.norm
    return {
        "bias": at.b,
        "signal": signal,
        "norm": norm,
        "cosine": signal / norm if norm > 0.0 else 0.0,
        "query_part": at.mu[0] if model.has_query else np.nan,
        "signal_part": np.nan if several else at.mu[1] if model.has_query else signal,
        "rest": at.rho,
        "gamma": 1.0 / at.t,
    }
