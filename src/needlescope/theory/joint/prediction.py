"""The numbers of jointly trained attention, in the limit: what `predict` returns of a point.

The unknowns give readout and query, their loss and training error; the test error follows by
`error`. Every replicate has unknowns of its own, to first order, and the spread of what they
give is the standard error.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...errors import NotConverged
from ...losses import get_loss
from ...task import Task
from ...training import Training
from ..common.arguments import tol_not_met
from .equations.error import fresh_error
from .equations.moments import Problem
from .equations.order import Order, from_vector
from .equations.stability import stability
from .solutions.branches import coarse
from .solutions.continuation import Near
from .solutions.kinks import WIDTHS, at_width, sharpen
from .solutions.population import population_minima
from .solutions.solver import (
    COARSE,
    JACOBIAN_REPLICATES,
    REPLICATES,
    Solved,
    follow,
    lattice,
    refine,
)

JOINT_TOL = 2e-3  # where none is said: the equations themselves are not exact to less
MINIMA = ("field", "lowest")
POINTS = tuple(1 << k for k in range(10, 15))  # of a replicate, to be tried in turn
RATE = 0.75  # power of the points at which the uncertainty falls, about


class Prediction(NamedTuple):
    """The fields of an `Outcome` and of its `Alignment`, and the unknowns to go on from."""

    outcome: dict[str, Any]
    alignment: dict[str, Any]
    near: Near


def problem_of(
    task: Task, training: Training, minimum: str = "field", start: str = "informed"
) -> Problem:
    """Return the problem of one point."""
    loss = get_loss(training.loss)
    return Problem(task, training.alpha1, loss, training.ridge, training.ridge_q, minimum, start)


def predict_point(
    problem: Problem,
    tol: float,
    near: Near | None = None,
    test: Task | None = None,
) -> Prediction:
    """Solve one point to a tolerance of its test error, on as many points as that takes.

    It is tested on the task ``test``, by default the one that it trains on. With a solution
    ``near``, the coarse one is needed only where that does not lead to a fine one.
    """
    place = 0
    first, fell_back = _first(at_width(problem, WIDTHS[0]), near)
    while True:
        solved = sharpen(problem, first, POINTS[place])
        row = _numbers(problem, solved, POINTS[place], test)
        uncertainty = 2.0 * row["test_error_se"]
        if uncertainty <= tol:
            break
        if place == len(POINTS) - 1:
            raise tol_not_met("uncertainty of the test error", uncertainty, tol)
        more = int(np.ceil(np.log2(uncertainty / tol) / RATE))
        place = min(place + max(more, 1), len(POINTS) - 1)
        first = refine(at_width(problem, WIDTHS[0]), first.x, POINTS[place], first.slopes)
    x = solved.each.mean(axis=0)
    sharp = at_width(problem, WIDTHS[-1])
    rough = lattice(problem.task.L, COARSE, JACOBIAN_REPLICATES)
    trust = stability(sharp, from_vector(x), rough)
    row |= {"residual": solved.residual, "gamma": np.nan, "gamma_se": np.nan}
    row |= {"jumping": trust.jumping, "replicon": trust.replicon}
    row |= {"fell_back": float(fell_back), "second_minimum": _second_minimum(problem)}
    names = ("signal_q", "norm_q", "cosine_q", "kappa")
    alignment = {f"{name}{se}": row[f"{name}{se}"] for name in names for se in ("", "_se")}
    for name in ("signal", "norm", "cosine"):
        alignment |= {f"{name}_w{se}": row[f"{name}{se}"] for se in ("", "_se")}
    beside = {f"{name}_se" for name in ("kappa", "cosine_q")}
    beside |= {f"{name}{se}" for name in ("signal_q", "norm_q") for se in ("", "_se")}
    outcome = {name: value for name, value in row.items() if name not in beside}
    return Prediction(outcome, alignment, Near(first.x, first.slopes, fell_back))


def _first(problem: Problem, near: Near | None) -> tuple[Solved, bool]:
    """Return the solution on the fewest points, and whether the one asked for has ended."""
    if near is not None:
        followed = near.slopes and follow(problem, near.x, POINTS[0], near.slopes)
        if followed:
            return followed, near.fell_back
    for x in (None,) if near is None else (near.x, None):
        try:
            start = coarse(problem, x)
            solved = refine(problem, start.x, POINTS[0])
        except NotConverged:
            if x is None:
                raise
        else:
            if near is not None and not start.branch:
                return solved, near.fell_back
            return solved, start.branch != problem.start
    raise AssertionError("the last start either succeeds or raises")  # pragma: no cover


def _second_minimum(problem: Problem) -> float:
    """Return by how much a second minimum of the population lies above the lowest; NaN for none."""
    minima = population_minima(problem, lattice(problem.task.L, COARSE, 1).q)
    return minima[1].objective - minima[0].objective if len(minima) > 1 else np.nan


def _numbers(
    problem: Problem, solved: Solved, points: int, test: Task | None = None
) -> dict[str, float]:
    """Return every number at the mean unknowns, with its standard error.

    That is the spread over replicates, and what the step that was not taken would change.
    """
    task = problem.task if test is None else test
    g = lattice(task.L, points, REPLICATES).q
    parts = [g[:, k * points : (k + 1) * points] for k in range(REPLICATES)]

    def numbers(x: FloatArray, own: list[FloatArray]) -> dict[str, float]:
        """Return what the unknowns x give, their test error on these points."""
        order = from_vector(x)
        errors = [fresh_error(order, task, part) for part in own]
        return {"test_error": float(np.mean(errors)), **_of_order(order)}

    middle = solved.each.mean(axis=0)
    values, moved = numbers(middle, parts), numbers(middle + solved.left, parts)
    rows = [numbers(x, [part]) for x, part in zip(solved.each, parts, strict=True)]
    columns = {name: np.array([row[name] for row in rows]) for name in values}
    columns |= {"train_loss": solved.loss, "train_error": solved.wrong}
    errors = {name: column.std(ddof=1) / np.sqrt(REPLICATES) for name, column in columns.items()}
    for name, value in values.items():
        errors[name] = np.hypot(errors[name], moved[name] - value)
    for name, left in (("train_loss", solved.loss_left), ("train_error", solved.wrong_left)):
        errors[name] = np.hypot(errors[name], left)
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
