"""A grid of tasks and α, taken apart: tasks, α, and the points that share one table."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, Value
from ...grid import amount, check_broadcast, check_kind
from ...task import Task


class AlphaGrid(NamedTuple):
    """The points of a grid: its shape, and a task and an α for each."""

    alpha: Any  # as it was given, a number or an array
    shape: tuple[int, ...]
    tasks: list[Task]
    alphas: FloatArray

    def families(self) -> list[list[int]]:
        """Return the numbers of the points that share L, R, θ and positions, family by family."""
        result: dict[Any, list[int]] = defaultdict(list)
        for index, task in enumerate(self.tasks):
            result[task.L, task.R, task.theta, task.positions].append(index)
        return list(result.values())

    def samples(self, members: list[int]) -> FloatArray:
        """Return the samples with a signal, per dimension, of some of the points: α π."""
        return np.array([self.tasks[k].pi for k in members]) * self.alphas[members]


def broadcast_alpha(task: Task, alpha: Value) -> AlphaGrid:
    """Refuse what is no task or no amount of data, and broadcast the two.

    Examples
    --------
    >>> import needlescope as ns
    >>> grid = broadcast_alpha(ns.Task(L=10, R=1, theta=[3.0, 4.0], pi=0.5), [[1.0], [2.0]])
    >>> grid.shape, grid.families(), grid.samples([1, 3])
    ((2, 2), [[0, 2], [1, 3]], array([0.5, 1. ]))
    """
    check_kind("task", task, Task)
    task.need_one_signal("the limit of learning")
    task.need_plain("the limit of learning")
    alpha = amount("alpha", alpha)
    check_broadcast("task and alpha", L=task.L, R=task.R, theta=task.theta, pi=task.pi, alpha=alpha)
    shape = np.broadcast_shapes(task.shape, np.shape(alpha))
    return AlphaGrid(alpha, shape, task.scalars(shape), np.broadcast_to(alpha, shape).ravel())
