"""Learning curves: test error, train loss and train error of each model, in the limit.

Our derivation of the quantities of theorems 4 and 5 (arXiv v1).
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import Any

import numpy as np

from ..answer import Question
from ..arrays import FloatArray
from ..errors import NoMinimiser, NotConverged
from ..grid import check_kind, choice, common_shape, whole
from ..losses import get_loss
from ..models import Model, get_model
from ..models.checks import check_schedule, check_test
from ..query import Query
from ..results import Outcome, gather
from ..task import Positions, Task
from ..training import DATA, Training
from .common.arguments import NO_QUERY, check_tol, tol_not_met
from .common.grid_points import GridPoints
from .common.provenance import of_prediction
from .joint.grid import check_joint, predict_joint
from .joint.prediction import JOINT_TOL, MINIMA
from .joint.solutions.branches import STARTS
from .law.ladder import LADDER, ROUGH, ladder
from .law.limits import error_limit
from .learned_query import LAW_SHARE, check_finite_kappa, check_query_training, learn_query
from .saddle.influence import rare_event_shift
from .saddle.problem import OrderParameters
from .saddle.readout import Readout
from .solution import GridProblem, Solution, solve_point
from .spectrum.checks import check_readout, check_whitening
from .two_noises.prediction import check_two_noises, predict_point

MAX_DIMENSION = 10**9
TOL = 1e-4
QUERY_LEVEL = LADDER[0].finer  # at which the sensitivity to the query is estimated


def predict(
    task: Task,
    training: Training,
    model: str = "attention",
    *,
    query: Query | None = None,
    test_task: Task | None = None,
    data: str = "D1",
    d: int | None = None,
    whitening: str | None = None,
    minimum: str = "field",
    start: str = "informed",
    tol: float | str = "auto",
    on_error: str = "raise",
) -> Outcome:
    """Predict test error, train loss and train error of a trained classifier, in the limit.

    Our derivation of the quantities of theorems 4 and 5 (arXiv v1), the first for attention, the
    second for pooled and vectorized. The limit is n, d → ∞ at fixed n0/d and n1/d, with L, R and θ
    fixed: first the dimension, and L → ∞ only afterwards, if at all.

    Parameters
    ----------
    task, training : Task, Training
        The problem; numeric fields may be arrays, which broadcast as in NumPy.
    model : "attention", "pooled", "vectorized", "hard" or "linear", default "attention"
    query : Query, optional
        Of attention: used instead of the one that `align` predicts.
    test_task : Task, optional
        Task to test on (another L, R, theta or pi); L must not change for the vectorized model.
    data : "D1" or "all", default "D1"
        Training set of the two linear baselines: D1, or D0 ∪ D1, all that attention uses for its
        query (D0) and readout (D1).
    d : int, optional
        Dimension of the application. The numbers stay those of the limit; ``rare_event_shift``,
        ``notes`` and a `RuntimeWarning` tell where they depend on samples rarer than one in n.
    whitening : "known", optional
        Features whitened by the covariance of the noise: the same as for ``task.whitened``. The
        theory knows no covariance that is estimated from the same data, as `simulate` does.
    minimum : "field" or "lowest", default "field"
        Of joint training alone: which minimum of a sample's fields its equations follow, the one
        that is reached from the field without the sample, which is what training reaches, or the
        lowest found from several starts, as of a ground state.
    start : "informed" or "uninformed", default "informed"
        Of joint training alone: where its equations have several solutions, the one that is
        followed from much data, or from little. Training from a random start may end in the second
        where the first has a lower objective (docs/joint.md); where only one is left both give it.
    tol : float or "auto", default "auto"
        Largest uncertainty of the test error, twice ``test_error_se``, in (0, 1]. "auto" is 1e-4,
        and 2e-3 with joint training, whose equations are not exact to less.
    on_error : "raise" or "nan", default "raise"
        Raise the error of a point that cannot be solved, or leave it NaN and warn.

    Returns
    -------
    Outcome
        Plain floats, or arrays in the shape of the grid. With label noise the test error is against
        true labels, train loss and train error are against the flipped ones.

    Raises
    ------
    ValueError, NotConverged
        If an argument is invalid or grids do not broadcast; if the tolerance is not met.
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
    check_readout(task, kind)
    choice("minimum", minimum, MINIMA)
    choice("start", start, STARTS)
    if training.is_joint and kind.has_query:
        check_joint(task, kind, query, test_task, d)
        within = check_tol(JOINT_TOL if tol == "auto" else tol)
        if whitening is not None:
            check_whitening(whitening)
        joint = {"data": data, "minimum": minimum, "start": start, "tol": within}
        return predict_joint(task, training, test_task, joint | {"on_error": on_error})
    for name, value, usual in (("minimum", minimum, MINIMA[0]), ("start", start, STARTS[0])):
        if value != usual:
            got = f"model={kind.name!r}" if training.is_joint else "a training without a ridge_q"
            raise ValueError(
                f"{name} is about joint training of attention, got {value!r} with {got}"
            )
    tol = check_tol(TOL if tol == "auto" else tol)
    d = None if d is None else whole("d", d, 1, MAX_DIMENSION)
    if d is not None and task.noise is not None:
        task.noise.check_dimension(d)
    if whitening is not None:
        check_whitening(whitening)
        task, test_task = task.whitened, None if test_task is None else test_task.whitened
    check_query_training(kind, task, training, query)
    check_schedule(kind, training, query)
    test = _check_test(kind, task, test_task)
    given = NO_QUERY if query is None else query
    joins = data == "all" and not kind.has_query
    if joins:
        training.need_alpha0("data='all' trains on D0 and D1")
    shape = common_shape(*{id(part): part for part in (task, training, given, test)}.values())
    points = GridPoints(on_error, shape, task, training, query, test_task)
    parts = (part.scalars(shape) for part in (task, training, given, test))
    if task.signal_noise is not None:
        check_two_noises(kind, training, query, test is task, d)
    jobs = [
        GridProblem(t, r, q, s, r.alpha0 + r.alpha1 if joins else r.alpha1)
        for t, r, q, s in zip(*parts, strict=True)
    ]
    if kind.has_query and query is None and task.signal_noise is None:
        for index, job in enumerate(jobs):
            with points.at(index):
                jobs[index] = _with_query(kind, job, tol)
    protocol = training if kind.has_query and query is None else None
    provenance = of_prediction(kind, training.loss, task, test, protocol)
    blank = {"model": model, "provenance": provenance}
    rows: list[dict[str, Any]] = [blank] * len(jobs)
    if task.signal_noise is not None:
        for index, job in enumerate(jobs):
            with points.at(index):
                own = None if query is None else job.query
                more = predict_point(kind, job.task, job.training, own, job.alpha, tol)
                rows[index] = blank | more
        jobs = []
    for members in _groups_by_law(jobs, points).values():
        for index, result in _solve_group(kind, jobs, members, tol, points).items():
            rows[index] = blank | _add_query_errors(result.row, jobs[index].query_errors)
            if d is not None:
                rows[index] |= _at_dimension(kind, jobs[index], result.readout, tol, d)
    points.warn()
    options: dict[str, Any] = {"query": query, "test_task": test_task, "data": data, "d": d}
    options |= {"tol": tol, "on_error": on_error}
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


def _with_query(model: Model, job: GridProblem, tol: float) -> GridProblem:
    """Train the query of a point to the tolerance of its test error."""
    near: list[OrderParameters | None] = [None]

    def numbers(query: Query) -> FloatArray:
        result = solve_point(model, job._replace(query=query), QUERY_LEVEL, near[-1])
        near.append(result.readout.warm)
        return np.array([result.row[name] for name in _names_with_errors(result.row)])

    learned, errors = learn_query(job.task, job.training, tol, numbers, "the test error")
    check_finite_kappa(model, learned.query)
    return job._replace(query=learned.query, query_errors=errors, parts=learned.parts)


def _groups_by_law(jobs: list[GridProblem], points: GridPoints) -> dict[Any, list[int]]:
    """Group the points that share a law, and order each group for continuation."""
    groups: dict[Any, list[int]] = defaultdict(list)
    for index, job in enumerate(jobs):
        if index not in points.lost:
            loss = id(get_loss(job.training.loss))
            groups[job.task, job.query, loss, job.parts].append(index)
    for members in groups.values():
        members.sort(key=lambda k: (-jobs[k].training.ridge, jobs[k].alpha, k))
    return groups


def _solve_group(
    model: Model, jobs: list[GridProblem], members: list[int], tol: float, points: GridPoints
) -> dict[int, Solution]:
    """Solve the points of one law by continuation, each at the first level that suffices.

    A rough law comes first. Where it meets the tolerance by a margin, as it often does, no finer
    one is made; otherwise it tells which level to start from. Where only the compression of the law
    is too coarse, the same samples are compressed less.
    """
    done: dict[int, Solution] = {}
    full_tol = tol
    tol *= LAW_SHARE if jobs[members[0]].query_errors.any() else 1.0
    pending, levels = members, ladder(tol)
    middle = members[len(members) // 2]  # one point to choose the level by
    look = _rough_solution(model, jobs[middle]) if levels[0] != ROUGH else None
    if look is not None and look.settled(ROUGH, tol):
        done[middle], levels = look, (ROUGH, *levels)
        pending = [k for k in members if k != middle]
    elif len(members) > 2:
        with points.at(middle):
            probe = solve_point(model, jobs[middle], levels[0], look and look.readout.warm)
            excess = probe.uncertainty / tol
            skip = int(np.clip(np.ceil(np.log2(max(excess, 1e-9)) + 0.5), 0, len(levels) - 1))
            levels = levels[0 if probe.coarse(tol) else skip :]
    for level in levels:
        trail: list[tuple[GridProblem, OrderParameters]] = []
        for index in pending:
            if index in points.lost:
                continue
            with points.at(index):
                near = _extrapolate(trail, jobs[index]) or (look and look.readout.warm)
                result = solve_point(model, jobs[index], level, near)
                if level != ROUGH and result.coarse(tol):
                    result = solve_point(model, jobs[index], level.finer, result.readout.warm)
                if result.readout.local is not None:
                    trail.append((jobs[index], result.readout.point))
                done[index] = result
        pending = [k for k in pending if k not in points.lost and not done[k].settled(level, tol)]
    for index in sorted(pending, key=lambda k: -done[k].uncertainty):  # the worst first
        with points.at(index):
            raise tol_not_met("uncertainty of the test error", done[index].uncertainty, full_tol)
    return {index: result for index, result in done.items() if index not in points.lost}


def _at_dimension(
    model: Model, job: GridProblem, readout: Readout, tol: float, d: int
) -> dict[str, float]:
    """Return the change of the test error without the rarest influential samples, 1/n of them."""
    task, test_task = job.task.whitened, job.test.whitened
    test = error_limit(model, task, test_task, job.query, ladder(tol)[0])
    return {"rare_event_shift": rare_event_shift(readout, test.law(job.test.pi), job.alpha * d)}


def _names_with_errors(row: dict[str, Any]) -> list[str]:
    """Name the numbers that inherit the uncertainty of a trained query."""
    return [name for name in row if f"{name}_se" in row and not isinstance(row[name], tuple)]


def _add_query_errors(row: dict[str, Any], errors: FloatArray) -> dict[str, Any]:
    """Add the errors from the query to those of the law."""
    names = _names_with_errors(row)
    both = np.hypot([row[f"{name}_se"] for name in names], errors)
    return row | {f"{name}_se": item for name, item in zip(names, both.tolist(), strict=True)}


def _rough_solution(model: Model, job: GridProblem) -> Solution | None:
    """Solve with the roughest law, None where it fails: a finer one may succeed."""
    try:
        return solve_point(model, job, ROUGH, None)
    except (NotConverged, NoMinimiser):
        return None


def _extrapolate(
    trail: list[tuple[GridProblem, OrderParameters]], job: GridProblem
) -> OrderParameters | None:
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
