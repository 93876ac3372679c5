"""Where to start a point of a grid: from the solutions of its neighbours.

Along a curve of α with everything else the same the unknowns are extrapolated, as a polynomial in
log α through up to three neighbours (Lagrange), and come with the slopes of the nearest. Other
neighbours are no start: where the equations have several solutions, a path along another parameter
may lead from one branch to another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....arrays import FloatArray
from ....task import Task
from ..equations.moments import Problem
from .solver import Slopes

NEIGHBOURS = 3


class Near(NamedTuple):
    """Unknowns to start from, with slopes that were taken nearby."""

    x: FloatArray
    slopes: Slopes | None
    fell_back: bool = False  # whether the solution asked for had ended there


class Neighbours:
    """The solutions so far, each of a problem on some task."""

    def __init__(self) -> None:
        self._known: dict[Task, list[tuple[Problem, Near]]] = {}

    def add(self, problem: Problem, near: Near) -> None:
        """Keep a solution."""
        self._known.setdefault(problem.task, []).append((problem, near))

    def start(self, problem: Problem) -> Near | None:
        """Return where to start a problem, None without a neighbour on its curve."""
        known = self._known.get(problem.task)
        if not known:
            return None
        curve = [item for item in known if item[0]._replace(alpha=problem.alpha) == problem]
        if not curve:
            return None
        nearest = sorted(curve, key=lambda item: _distance(item[0], problem))[:NEIGHBOURS]
        log_alpha = np.log([other.alpha for other, _ in nearest])
        x = np.array([near.x for _, near in nearest])
        guess = extrapolate(log_alpha, x, float(np.log(problem.alpha)))
        return nearest[0][1]._replace(x=guess)


def _distance(one: Problem, other: Problem) -> float:
    numbers = [[item.alpha, item.ridge, item.ridge_q] for item in (one, other)]
    return float(np.abs(np.diff(np.log(numbers), axis=0)).max())


def extrapolate(x: FloatArray, values: FloatArray, at: float) -> FloatArray:
    """Return the polynomial through all values, a row at each x, at another place.

    >>> extrapolate(np.array([1.0, 2.0]), np.array([[3.0], [5.0]]), 4.0)
    array([9.])
    """
    weights = [np.prod((at - np.delete(x, k)) / (x[k] - np.delete(x, k))) for k in range(len(x))]
    return np.asarray(np.array(weights) @ values)
