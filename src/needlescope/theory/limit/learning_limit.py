"""The limit of learning: how well the best of all learners does with n = αd samples.

The signal is a uniformly random direction that nobody knows. Only samples with a signal say
something about it, and the best estimate of it has a squared overlap q with it that solves one
scalar equation (`phases`). A fresh sample enters the best decision through its tokens along that
estimate alone, which are those of a known signal of strength θ√q: learning only dims the signal.
The test error is the Bayes error of `oracle` at that strength.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import ndtr, ndtri

from ...answer import Question
from ...arrays import FloatArray, Value
from ...errors import NotConverged
from ...grid import check_broadcast, check_kind, real
from ...lattice import REPLICATES
from ...outcome import LearningLimit, PhaseBoundaries, gather
from ...task import Task
from ..asked import check_accuracy
from ..law.ladder import ERRORS_WITHIN_ACCURACY
from ..oracle.least_error import bayes_error
from ..provenance import LEARNING_LIMIT
from ..unsolved import Points
from .phases import Branch, Jump, branch, jump, overlaps, phases
from .recognition import STEP, Recognition, recognition

LADDER = (2**8, 2**10, 2**12, 2**14)  # points of each replicate
FEW_ERRORS = 12  # test errors that are computed one by one; more are read off a table
BAYES_POINTS = 2**9  # of each replicate, to begin with
SLOPE_POINTS = 2**6  # where only the size of a derivative matters
SHARE = 0.8  # of the accuracy, for the integral; the rest is for the overlap


class _Found(NamedTuple):
    """Overlaps of the points of a family, their standard errors, and their phases."""

    overlap: FloatArray
    overlap_se: FloatArray
    easy: FloatArray
    easy_se: FloatArray
    phase: FloatArray


def learning_limit(
    task: Task, alpha: Value, *, accuracy: float = 1e-3, unsolved: str = "raise"
) -> LearningLimit:
    """Return what the best of all learners reaches with α samples per dimension.

    A replica-symmetric formula, not a theorem; `simulate_limit` runs an algorithm that reaches it
    where the phase is "easy".

    Parameters
    ----------
    task : Task
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    alpha : float or array
        All labelled samples, divided by d: above 0. A trained model has α0 + α1 of them.
    accuracy : float, default 1e-3
        Largest error of the test errors that is accepted, in (0, 1], as twice their standard error.
    unsolved : "raise" or "nan", default "raise"
        What becomes of a grid's point that cannot be solved: the call ends with its name, or the
        point is NaN and a `RuntimeWarning` counts what was lost.

    Returns
    -------
    LearningLimit
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
    >>> task = ns.Task(L=100, R=1, theta=4.0, pi=0.5)
    >>> found = ns.learning_limit(task, [1.0, 4.0])
    >>> found.test_error.round(2), found.phase
    (array([0.16, 0.14]), array(['easy', 'easy'], dtype='<U4'))
    """
    check_kind("task", task, Task)
    alpha = check_alpha(alpha)
    accuracy = check_accuracy(accuracy)
    check_broadcast("task and alpha", L=task.L, R=task.R, theta=task.theta, pi=task.pi, alpha=alpha)
    shape = np.broadcast_shapes(task.shape, np.shape(alpha))
    tasks, alphas = task.scalars(shape), np.broadcast_to(alpha, shape).ravel()
    points = Points(unsolved, shape, task, alpha=alpha)
    families: dict[Any, list[int]] = defaultdict(list)
    for index, one in enumerate(tasks):
        families[one.L, one.R, one.theta, one.positions].append(index)
    rows: list[dict[str, Any]] = [{"provenance": LEARNING_LIMIT}] * len(tasks)
    for members in families.values():
        for index, row in _solve(tasks, alphas, members, accuracy, points).items():
            rows[index] = row
    points.warn()
    options = {"alpha": alpha, "accuracy": accuracy, "unsolved": unsolved}
    return gather(LearningLimit, rows, shape, Question("learning_limit", task, None, options))


def check_alpha(alpha: Any) -> Any:
    """Refuse amounts of data that are none."""
    return real("alpha", alpha, 0.0, np.inf, open_low=True, sense=(1e-15, 1e6))


def _solve(
    tasks: list[Task], alphas: FloatArray, members: list[int], accuracy: float, points: Points
) -> dict[int, dict[str, Any]]:
    """Solve the points that share L, R, θ and positions, at the first level that suffices."""
    rows: dict[int, dict[str, Any]] = {}
    pending = members
    for level in LADDER:
        first = tasks[pending[0]]
        pi = np.array([tasks[k].pi for k in pending])
        found = _overlaps(first, recognition(first, level), pi * alphas[pending])
        errors = _test_errors([tasks[k] for k in pending], found, accuracy)
        left = []
        for place, index in enumerate(pending):
            row = {name: column[place] for name, column in errors.items()}
            for name, column in found._asdict().items():
                row[{"easy": "easy_overlap", "easy_se": "easy_overlap_se"}.get(name, name)] = (
                    column[place]
                )
            rows[index] = row | {"provenance": LEARNING_LIMIT}
            doubt = max(row["test_error_se"], row["easy_test_error_se"])
            if not ERRORS_WITHIN_ACCURACY * doubt <= accuracy:
                left.append(index)
        pending = left
        if not pending:
            break
    for index in pending:
        with points.at(index):
            doubt = max(rows[index]["test_error_se"], rows[index]["easy_test_error_se"])
            worst = ERRORS_WITHIN_ACCURACY * doubt
            raise NotConverged(
                f"the limit of learning is known to ±{worst:.1e} only, not to the accuracy of "
                f"{accuracy:g} asked: it is about to jump here; pass accuracy={1.5 * worst:.1g} to "
                "accept that"
            )
    return {index: row for index, row in rows.items() if index not in points.lost}


def _overlaps(task: Task, table: Recognition, samples: FloatArray) -> _Found:
    """Return both overlaps at each απ, with errors from the replicates of the table."""
    if task.theta == 0.0:
        nothing = np.zeros(len(samples))
        return _Found(nothing, nothing, nothing, nothing, np.full(len(samples), "easy"))
    at = branch(task.theta, table)
    there = jump(at)
    possible, easy = overlaps(at, there, samples)
    possible, easy = (_polished(task.theta, table, samples, q) for q in (possible, easy))
    return _Found(
        possible,
        _overlap_errors(task.theta, table, samples, possible),
        easy,
        _overlap_errors(task.theta, table, samples, easy),
        phases(there, samples),
    )


def _polished(theta: float, table: Recognition, samples: FloatArray, q: FloatArray) -> FloatArray:
    """Take q, which was interpolated, to the stationary equation; a few steps from there."""
    for _ in range(3):
        M, slope = _local(theta, table, q)
        field = samples * theta**2 * M[..., 0]
        step = (field / (1.0 + field) - q) / np.maximum(
            1.0 - samples * slope / (1.0 + field) ** 2, 0.05
        )
        q = np.clip(q + step, 0.0, 1.0)
    return q


def _local(theta: float, table: Recognition, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return M and its replicates at an overlap, and θ² dM/dq."""
    kappa = theta * np.sqrt(q)
    inside = kappa < table.end
    slope = np.where(inside, table.spline(np.minimum(kappa, table.known), 1)[..., 0], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        steep = np.where(q > 0.0, theta**3 * slope / (2.0 * np.sqrt(q)), 0.0)
    return table(kappa), steep


def _overlap_errors(
    theta: float, table: Recognition, samples: FloatArray, q: FloatArray
) -> FloatArray:
    """Return standard errors: what a replicate's M would move the solution by."""
    M, slope = _local(theta, table, q)
    field = samples * theta**2 * M[..., 0]
    M_se = M[..., 1:].std(axis=-1, ddof=1) / np.sqrt(REPLICATES)
    stiff = np.abs(1.0 - samples * slope / (1.0 + field) ** 2)
    return np.asarray(samples * theta**2 * M_se / (1.0 + field) ** 2 / np.maximum(stiff, 1e-6))


def _test_errors(tasks: list[Task], found: _Found, accuracy: float) -> dict[str, FloatArray]:
    """Return both test errors of each point, with standard errors of the integral and of q."""
    q = np.stack([found.overlap, found.easy])
    q_se = np.stack([found.overlap_se, found.easy_se])
    values, errors = np.empty(q.shape), np.empty(q.shape)
    for pi in {one.pi for one in tasks}:
        own = np.array([one.pi == pi for one in tasks])
        one = tasks[int(np.argmax(own))]
        kappa = one.theta * np.sqrt(q[:, own])
        kappa_se = 0.5 * one.theta * q_se[:, own] / np.sqrt(np.maximum(q[:, own], 1e-300))
        values[:, own], errors[:, own] = _errors_at(one, kappa, kappa_se, accuracy)
    names = ("test_error", "easy_test_error")
    rows = dict(zip(names, values, strict=True))
    return rows | {f"{name}_se": one for name, one in zip(names, errors, strict=True)}


def _errors_at(
    task: Task, kappa: FloatArray, kappa_se: FloatArray, accuracy: float
) -> tuple[FloatArray, FloatArray]:
    """Return the Bayes error at each strength, and its standard error."""
    fine = min(1.0, SHARE * accuracy)
    distinct = np.unique(kappa)
    if len(distinct) <= FEW_ERRORS:
        known = np.array(
            [
                (*bayes_error(task.replace(theta=one), fine, BAYES_POINTS), _slope(task, one))
                for one in distinct
            ]
        )
        value, se, slope = known[np.searchsorted(distinct, kappa)].transpose(2, 0, 1)
        return value, np.hypot(se, slope * kappa_se)
    low, high = float(distinct[0]), float(distinct[-1])
    nodes = np.arange(np.floor(low / STEP), np.ceil(high / STEP) + 2.0) * STEP
    pairs = [_bayes_node(task.L, task.R, task.pi, task.positions, one, fine) for one in nodes]
    errors, se = (np.array(column) for column in zip(*pairs, strict=True))
    curve = CubicSpline(nodes, ndtri(np.maximum(errors, 1e-300)))
    value = ndtr(curve(kappa))
    slope = np.exp(-0.5 * curve(kappa) ** 2) / np.sqrt(2.0 * np.pi) * curve(kappa, 1)
    return value, np.hypot(np.interp(kappa, nodes, se), slope * kappa_se)


def _slope(task: Task, kappa: float) -> float:
    """Return about the derivative of the Bayes error in the strength, by few points."""
    if kappa == 0.0:
        return 0.0
    near = [
        bayes_error(task.replace(theta=part * kappa), 1.0, SLOPE_POINTS)[0] for part in (0.97, 1.0)
    ]
    return (near[1] - near[0]) / (0.03 * kappa)


@lru_cache(maxsize=1024)
def _bayes_node(
    L: int, R: int, pi: float, positions: Any, kappa: float, accuracy: float
) -> tuple[float, float]:
    """The Bayes error at a strength that tables of several θ share."""
    return bayes_error(Task(L, R, kappa, pi, positions), accuracy, BAYES_POINTS)


def phase_boundaries(
    task: Task, *, accuracy: float = 1e-2, unsolved: str = "raise"
) -> PhaseBoundaries:
    """Return how many samples learning needs: for anyone, and for a quick iteration.

    A replica-symmetric formula, not a theorem.

    Parameters
    ----------
    task : Task
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    accuracy : float, default 1e-2
        Largest relative error of the boundaries that is accepted, in (0, 1], as twice their
        standard error.
    unsolved : "raise" or "nan", default "raise"
        What becomes of a grid's point that cannot be solved: the call ends with its name, or the
        point is NaN and a `RuntimeWarning` counts what was lost.

    Returns
    -------
    PhaseBoundaries
        Plain floats, or arrays in the shape of the grid.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.
    NotConverged
        If the accuracy is not reached.

    Examples
    --------
    With few tokens the overlap grows smoothly:

    >>> import needlescope as ns
    >>> ns.phase_boundaries(ns.Task(L=10, R=1, theta=4.0, pi=0.5)).verdict
    'smooth'
    """
    check_kind("task", task, Task)
    accuracy = check_accuracy(accuracy)
    tasks = task.scalars(task.shape)
    points = Points(unsolved, task.shape, task)
    blank: dict[str, Any] = {"provenance": LEARNING_LIMIT}
    rows = [blank] * len(tasks)
    for index, one in enumerate(tasks):
        with points.at(index):
            rows[index] = blank | _boundaries(one, accuracy)
    points.warn()
    options = {"accuracy": accuracy, "unsolved": unsolved}
    return gather(
        PhaseBoundaries, rows, task.shape, Question("phase_boundaries", task, None, options)
    )


def _boundaries(task: Task, accuracy: float) -> dict[str, Any]:
    smooth = dict.fromkeys(
        ("possible", "possible_se", "easy", "easy_se", "error_before", "error_after"), np.nan
    )
    if task.theta == 0.0:
        return {"verdict": "smooth", **smooth}
    for level in LADDER:
        table = recognition(task, level)
        at = branch(task.theta, table)
        there = jump(at)
        if there is None:
            return {"verdict": "smooth", **smooth}
        possible_se, easy_se = _jump_errors(at, there, table)
        doubt = ERRORS_WITHIN_ACCURACY * max(possible_se, easy_se)
        if doubt <= accuracy:
            break
    else:
        raise NotConverged(
            f"the boundaries are known to a relative error of {doubt:.1e} only; pass "
            f"accuracy={1.5 * doubt:.1g} to accept that"
        )
    before, after = (
        bayes_error(task.replace(theta=task.theta * float(np.sqrt(q))), 1e-3, BAYES_POINTS)[0]
        for q in (there.low, there.high)
    )
    return {
        "verdict": "jumps",
        "possible": there.possible / task.pi,
        "possible_se": possible_se * there.possible / task.pi,
        "easy": there.easy / task.pi,
        "easy_se": easy_se * there.easy / task.pi,
        "error_before": before,
        "error_after": after,
    }


def _jump_errors(at: Branch, there: Jump, table: Recognition) -> tuple[float, float]:
    """Relative standard errors of both boundaries: α moves against M, there or on average."""
    peak = int(np.argmin(np.abs(at.alpha - there.easy)))
    inside = (at.q >= there.low) & (at.q <= there.high)
    M = table(at.theta * np.sqrt(at.q))
    weight = np.gradient(at.q)[inside]
    mean = weight @ M[inside]
    found = []
    for values in (mean, M[peak]):
        found.append(float(values[1:].std(ddof=1) / np.sqrt(REPLICATES) / values[0]))
    return found[0], found[1]
