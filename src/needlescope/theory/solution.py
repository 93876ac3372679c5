"""The prediction at one point of a grid: train the readout on the limit law, and measure it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..losses import get_loss
from ..models import Model
from ..models.nodes import JointLaw
from ..query import Query
from ..task import Task
from ..training import Training
from .law.ladder import ERRORS_WITHIN_TOL, ROUGH, ROUGH_SHARE, Level, standard_error
from .law.limits import error_limit, train_limit
from .law.mixtures import orthogonal_parts
from .learned_query import NO_ERRORS
from .saddle.measures import measure
from .saddle.problem import OrderParameters
from .saddle.readout import Readout, train_readout
from .spectrum.directions import QueryParts, directions


class GridProblem(NamedTuple):
    """One point of a grid.

    ``query_errors`` are those that its query leaves in the numbers, ``parts`` where the query lies
    in the spectrum of the noise.
    """

    task: Task
    training: Training
    query: Query
    test: Task
    alpha: float
    query_errors: FloatArray = NO_ERRORS
    parts: QueryParts | None = None


class Solution(NamedTuple):
    """The fields of a point, its readout, and the sampling error of its test error."""

    row: dict[str, Any]
    readout: Readout
    sampling: float

    @property
    def uncertainty(self) -> float:
        """Of the test error, as compared with the tolerance."""
        return ERRORS_WITHIN_TOL * float(self.row["test_error_se"])

    def settled(self, level: Level, tol: float) -> bool:
        """Whether the tolerance is met, at the rough level by a margin.

        There a small error must be resolved to a tenth too, and w = 0 is not trusted.
        """
        if level != ROUGH:
            return self.uncertainty <= tol
        if self.readout.local is None:
            return False
        return self.uncertainty <= ROUGH_SHARE * min(tol, 0.1 * float(self.row["test_error"]))

    def coarse(self, tol: float) -> bool:
        """Whether the tolerance would be met without the error of compression."""
        return bool(self.uncertainty > tol >= np.sqrt(2.0) * ERRORS_WITHIN_TOL * self.sampling)


def solve_point(
    model: Model, problem: GridProblem, level: Level, warm: OrderParameters | None
) -> Solution:
    """Return the fields of a point at a level; ``warm`` is a guess of its order parameters."""
    task, training, query = problem.task.whitened, problem.training, problem.query
    limit = train_limit(model, task, query, level)
    where = directions(model, problem.task, query, problem.parts, limit)
    loss = get_loss(training.loss)
    readout = train_readout(
        limit, loss, task.pi, problem.alpha, training.ridge, warm, task.flips, where
    )
    test = error_limit(model, task, problem.test.whitened, query, level)
    coarse = limit.coarse_law(task.pi, task.flips), test.coarse_law(problem.test.pi)
    result = measure(readout, test.law(problem.test.pi), coarse)
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
    return Solution(row, readout, float(result.sampling[0]))


def _uncertainty(order: dict[str, float], others: list[dict[str, float]]) -> dict[str, float]:
    """Return the standard error of each number, from the estimates of the replicates."""
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
        direction = law.weight @ law.m  # the mean of negatives is zero
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
