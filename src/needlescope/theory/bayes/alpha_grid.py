"""A grid of tasks and α: its points, and the groups of points that share one table of M."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, Value
from ...grid import amount, check_broadcast, check_kind
from ...task import Task


class AlphaGrid(NamedTuple):
    """The points of a grid: its shape, and a task and an α for each."""

    alpha: Any  # as given: a number or an array
    shape: tuple[int, ...]
    tasks: list[Task]
    alphas: FloatArray

    def groups(self) -> list[list[int]]:
        """Return the indices of the points that share L, R, θ and positions, a list for each."""
        result: dict[Any, list[int]] = defaultdict(list)
        for index, task in enumerate(self.tasks):
            result[task.L, task.R, task.theta, task.positions].append(index)
        return list(result.values())

    def samples(self, members: list[int]) -> FloatArray:
        """Return απ, the positives per dimension, of some of the points."""
        return np.array([self.tasks[k].pi for k in members]) * self.alphas[members]


def broadcast_alpha(task: Task, alpha: Value) -> AlphaGrid:
    """Check a task and α, and broadcast them.

    Examples
    --------
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
    return AlphaGrid(alpha, shape, task.scalars(shape), np.broadcast_to(alpha, shape).ravel())
