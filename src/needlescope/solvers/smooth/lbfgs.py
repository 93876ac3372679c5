"""L-BFGS that asks for one point after another and keeps its path.

Stopping early regularises, so the whole path counts, not only its end. Whoever evaluates the points
may do so for many minimisations at a time, and each can be continued later.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray

MEMORY = 10  # steps remembered
FALL, SLOPE = 1e-3, 0.9  # a step is accepted if the value falls by this part of its slope, and that
MAX_TRIALS = 20  # points of one line search
TOLERANCE = 1e-12  # a relative gain that ends a minimisation


class Point(NamedTuple):
    """A point of a path: the value there, its gradient, and what else was computed."""

    at: FloatArray
    value: float
    gradient: FloatArray
    info: Any = None


class _LineSearch:
    """A search along a direction for a point that falls enough and is not too steep."""

    def __init__(
        self, start: Point, direction: FloatArray, slope: float, length: float, trials: int
    ) -> None:
        self.start, self.direction, self.slope = start, direction, slope
        self.length, self.trials = length, trials
        self.low, self.high = 0.0, np.inf
        self.best: Point | None = None
        self.asked, self.finished = 0, False

    def ask(self) -> FloatArray:
        return self.start.at + self.length * self.direction

    def tell(self, here: Point) -> None:
        self.asked += 1
        if not here.value <= self.start.value + FALL * self.length * self.slope:
            self.high = self.length
        else:
            self.best = here
            if float(here.gradient @ self.direction) >= SLOPE * self.slope:
                self.finished = True
                return
            self.low = self.length
        self.finished = self.asked >= self.trials
        unbounded = self.high == np.inf
        self.length = 2.0 * self.length if unbounded else 0.5 * (self.low + self.high)


class LBFGS:
    """A minimisation: ``path[k]`` is the point after k iterations.

    It ends with a gain below ``tol``, relative to the value, or to 1 if that is less. Beyond one
    point in each iteration it may ask for ``spare`` more in all; None for any number.

    Examples
    --------
    >>> minimisation = LBFGS(np.array([3.0]))
    >>> while (at := minimisation.ask(10)) is not None:
    ...     minimisation.tell(Point(at, float(at[0] ** 2), 2.0 * at))
    >>> bool(abs(minimisation.after(10).at[0]) < 1e-6)
    True
    """

    def __init__(self, start: FloatArray, tol: float = TOLERANCE, spare: int | None = None) -> None:
        self.start, self.tol = start, tol
        self._spare = MAX_TRIALS if spare is None else spare
        self._bounded = spare is not None
        self.path: list[Point] = []
        self.ended = False
        self._pairs = deque[tuple[FloatArray, FloatArray, float]](maxlen=MEMORY)
        self._line: _LineSearch | None = None

    def after(self, iterations: int) -> Point:
        """Return the point after this many iterations, or the last one."""
        return self.path[min(iterations, len(self.path) - 1)]

    def ask(self, iterations: int) -> FloatArray | None:
        """Return the point to evaluate next; None after ``iterations``, or at the end."""
        if not self.path:
            return self.start
        if self._line is None and len(self.path) <= iterations and not self.ended:
            self._begin_line()
        return None if self._line is None else self._line.ask()

    def tell(self, point: Point) -> None:
        """Receive the value and the gradient at the point that was asked for."""
        if self._line is None:
            self.path.append(point)
            return
        self._line.tell(point)
        if self._line.finished:
            self._accept(self._line)
            self._line = None

    def _begin_line(self) -> None:
        last = self.path[-1]
        direction = _direction(last.gradient, self._pairs)
        slope = float(last.gradient @ direction)
        if slope < -self.tol * max(abs(last.value), 1.0):
            length = 1.0 if self._pairs else 1.0 / np.sqrt(-slope)
            trials = min(MAX_TRIALS, 1 + self._spare)
            self._line = _LineSearch(last, direction, slope, length, trials)
        else:
            self.ended = True

    def _accept(self, line: _LineSearch) -> None:
        last, taken = line.start, line.best
        self._spare -= (line.asked - 1) * self._bounded
        if taken is None:
            self.ended = True
            return
        step, change = taken.at - last.at, taken.gradient - last.gradient
        self.path.append(taken)
        gain, size = last.value - taken.value, max(abs(last.value), abs(taken.value), 1.0)
        self.ended = gain <= self.tol * size
        curvature = float(step @ change)
        if curvature > 0.0:
            self._pairs.append((step, change, curvature))


def _direction(
    gradient: FloatArray, pairs: deque[tuple[FloatArray, FloatArray, float]]
) -> FloatArray:
    """Return minus the gradient, times the inverse Hessian that the steps so far suggest."""
    result, amounts = -gradient, []
    for step, change, curvature in reversed(pairs):
        amounts.append(float(step @ result) / curvature)
        result -= amounts[-1] * change
    if pairs:
        _, change, curvature = pairs[-1]
        result *= curvature / float(change @ change)
    for (step, change, curvature), amount in zip(pairs, reversed(amounts), strict=True):
        result += (amount - float(change @ result) / curvature) * step
    return result
