"""A grid of tasks and α: points that share one table of M are solved together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, Value
from ...grid import amount, check_broadcast, check_kind
from ...task import Task
from ..common.arguments import tol_not_met
from ..common.grid_points import GridPoints, Row
from .posterior_mass import LADDER, PosteriorMass, posterior_mass
from .prior import UNIFORM, Prior, prior_of


class AlphaGrid(NamedTuple):
    """The points of a grid: its shape, and a task and an α for each."""

    alpha: Any  # as given: a number or an array
    shape: tuple[int, ...]
    tasks: list[Task]  # in whitened coordinates
    alphas: FloatArray
    prior: Prior = UNIFORM

    def groups(self) -> list[list[int]]:
        """Return the indices of the points that share L, R, θ and positions, a list for each."""
        result: dict[Any, list[int]] = defaultdict(list)
        for index, task in enumerate(self.tasks):
            result[task.L, task.R, task.theta, task.positions].append(index)
        return list(result.values())

    def samples(self, members: list[int]) -> FloatArray:
        """Return απ, the positives per dimension, of some of the points."""
        return np.array([self.tasks[k].pi for k in members]) * self.alphas[members]

    def solve(
        self,
        points: GridPoints,
        blank: Row,
        solve: Callable[[list[int], PosteriorMass], list[tuple[Row, float]]],
        tol: float,
        what: str,
    ) -> list[Row]:
        """Return a row for each point, from the coarsest table of M that meets the tolerance.

        ``solve`` returns the row and the uncertainty of each of some points with one table.
        """
        rows, uncertainty = [blank] * len(self.tasks), dict[int, float]()
        for pending in self.groups():
            for level in LADDER:
                table = posterior_mass(self.tasks[pending[0]], level)
                for index, (row, value) in zip(pending, solve(pending, table), strict=True):
                    rows[index], uncertainty[index] = blank | row, value
                pending = [k for k in pending if k not in points.lost and not uncertainty[k] <= tol]
                if not pending:
                    break
            for index in pending:
                with points.at(index):
                    why = " (near a phase boundary small errors grow)"
                    raise tol_not_met(f"uncertainty of {what}", uncertainty[index], tol, why)
        points.warn(stacklevel=4)
        return [blank if index in points.lost else row for index, row in enumerate(rows)]


def broadcast_alpha(task: Task, alpha: Value) -> AlphaGrid:
    """Check a task and α, and broadcast them.

    >>> import needlescope as ns
    >>> grid = broadcast_alpha(ns.Task(L=10, R=1, theta=[3.0, 4.0], pi=0.5), [[1.0], [2.0]])
    >>> grid.shape, grid.groups(), grid.samples([1, 3])
    ((2, 2), [[0, 2], [1, 3]], array([0.5, 1. ]))
    """
    check_kind("task", task, Task)
    task.need_one_signal("the Bayes-optimal learner")
    task.need_plain("the Bayes-optimal learner")
    alpha = amount("alpha", alpha)
    check_broadcast("task and alpha", L=task.L, R=task.R, theta=task.theta, pi=task.pi, alpha=alpha)
    shape = np.broadcast_shapes(task.shape, np.shape(alpha))
    tasks, alphas = task.whitened.scalars(shape), np.broadcast_to(alpha, shape).ravel()
    return AlphaGrid(alpha, shape, tasks, alphas, prior_of(task))
