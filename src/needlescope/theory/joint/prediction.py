"""The numbers of jointly trained attention, in the limit: what `predict` returns of a point.

The unknowns give readout and query, their loss and training error; the test error follows by
`error`. Every replicate has unknowns of its own, to first order, and the spread of what they
give is the standard error.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...losses import get_loss
from ...models import ATTENTION, Model
from ...query import Query
from ...task import Task
from ...training import Training
from ..common.arguments import tol_not_met
from .equations import Problem
from .error import fresh_error
from .order import Order, from_vector
from .solver import COARSE, JACOBIAN_REPLICATES, REPLICATES, Solved, coarse, lattice, refine
from .stability import stability

JOINT_TOL = 2e-3  # where none is said: the equations themselves are not exact to less
MINIMA = ("field", "lowest")
POINTS = tuple(1 << k for k in range(10, 15))  # of a replicate, to be tried in turn
RATE = 0.75  # power of the points at which the uncertainty falls, about


class Prediction(NamedTuple):
    """The fields of an `Outcome` and of its `Alignment`, and the unknowns to go on from."""

    outcome: dict[str, Any]
    alignment: dict[str, Any]
    x: FloatArray


def check_joint(
    task: Task, model: Model, query: Query | None, test_task: Task | None, d: int | None
) -> None:
    """Refuse what the equations of joint training do not cover."""
    if model is not ATTENTION:
        raise ValueError(
            f"joint training trains a softmax end to end, got model={model.name!r}; use "
            "model='attention', or leave ridge_q out"
        )
    if query is not None:
        raise ValueError(
            f"joint training would train the query that is given as {query!r}; leave out one of "
            "the two"
        )
    for name, given in (("test_task", test_task), ("d", d)):
        if given is not None:
            raise ValueError(
                f"{name} must be left out with joint training, got {given!r}: its equations answer "
                "in the limit, on the task that it trains on; simulate supports both"
            )
    check_joint_task(task)


def check_joint_task(task: Task) -> None:
    """Refuse a task that the equations of joint training do not cover."""
    if np.min(task.L) < 2:
        raise ValueError(
            f"joint training needs L of at least 2, got {np.min(task.L)}: a single token has all "
            "attention, and its query nothing to learn; use model='pooled'"
        )
    task.need_one_signal("joint training")
    task.need_plain("joint training")
    task.need_white("joint training")


def problem_of(task: Task, training: Training, minimum: str) -> Problem:
    """Return the problem of one point."""
    loss = get_loss(training.loss)
    return Problem(task, training.alpha1, loss, training.ridge, training.ridge_q, minimum)


def predict_point(problem: Problem, tol: float, near: FloatArray | None) -> Prediction:
    """Solve one point to a tolerance of its test error, on as many points as that takes."""
    start, place = coarse(problem, near).x, 0
    while True:
        points = POINTS[place]
        solved = refine(problem, start, points)
        row = _numbers(problem, solved, points)
        uncertainty = 2.0 * row["test_error_se"]
        if uncertainty <= tol:
            break
        if place == len(POINTS) - 1:
            raise tol_not_met("uncertainty of the test error", uncertainty, tol)
        more = int(np.ceil(np.log2(uncertainty / tol) / RATE))
        place, start = min(place + max(more, 1), len(POINTS) - 1), solved.x
    x = solved.each.mean(axis=0)
    rough = lattice(problem.task.L, COARSE, JACOBIAN_REPLICATES)
    trust = stability(problem, from_vector(x), rough)
    row |= {"residual": solved.residual, "gamma": np.nan, "gamma_se": np.nan}
    row |= {"jumping": trust.jumping, "replicon": trust.replicon}
    names = ("signal_q", "norm_q", "cosine_q", "kappa")
    alignment = {f"{name}{se}": row[f"{name}{se}"] for name in names for se in ("", "_se")}
    for name in ("signal", "norm", "cosine"):
        alignment |= {f"{name}_w{se}": row[f"{name}{se}"] for se in ("", "_se")}
    beside = {f"{name}_se" for name in ("kappa", "cosine_q")}
    beside |= {f"{name}{se}" for name in ("signal_q", "norm_q") for se in ("", "_se")}
    outcome = {name: value for name, value in row.items() if name not in beside}
    return Prediction(outcome, alignment, x)


def _numbers(problem: Problem, solved: Solved, points: int) -> dict[str, float]:
    """Return every number at the mean unknowns, with its standard error.

    That is the spread over replicates, and what the step that was not taken would change.
    """
    g = lattice(problem.task.L, points, REPLICATES).q
    parts = [g[:, k * points : (k + 1) * points] for k in range(REPLICATES)]

    def numbers(x: FloatArray, own: list[FloatArray]) -> dict[str, float]:
        """Return what the unknowns x give, their test error on these points."""
        order = from_vector(x)
        errors = [fresh_error(order, problem.task, part) for part in own]
        return {"test_error": float(np.mean(errors)), **_of_order(order)}

    middle = solved.each.mean(axis=0)
    values, moved = numbers(middle, parts), numbers(middle + solved.left, parts)
    rows = [numbers(x, [part]) for x, part in zip(solved.each, parts, strict=True)]
    columns = {name: np.array([row[name] for row in rows]) for name in values}
    columns |= {"train_loss": solved.loss, "train_error": solved.wrong}
    errors = {name: column.std(ddof=1) / np.sqrt(REPLICATES) for name, column in columns.items()}
    for name, value in values.items():
        errors[name] = np.hypot(errors[name], moved[name] - value)
    values["train_loss"] = max(float(solved.loss.mean()), problem.loss.lower_bound)
    values["train_error"] = float(np.clip(solved.wrong.mean(), 0.0, 1.0))
    return values | {f"{name}_se": float(error) for name, error in errors.items()}


def _of_order(order: Order) -> dict[str, float]:
    """Return what the unknowns say of query and readout."""
    (kappa, _), (along, _) = order.root
    s, norm = order.M[0] / kappa, float(np.sqrt(order.Q[1, 1]))
    s = float(np.clip(s, -1.0, 1.0))
    across = float(np.sqrt((1.0 - s) * (1.0 + s)))
    signal = float(order.M[1])
    part = (signal - s * along) / across if across > 1e-9 else 0.0
    return {
        "bias": order.b,
        "signal": signal,
        "norm": norm,
        "cosine": signal / norm,
        "kappa": float(kappa),
        "signal_q": float(order.M[0]),
        "norm_q": float(kappa),
        "cosine_q": s,
        "query_part": float(along),
        "signal_part": float(part),
        "rest": float(np.sqrt(max(norm**2 - along**2 - part**2, 0.0))),
    }
