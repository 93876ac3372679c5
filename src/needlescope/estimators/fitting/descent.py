"""Refinement of all parameters together: a few iterations of L-BFGS, and their path.

Stopping early regularises, so what counts is the path, not its end. A descent asks for one point
after another and does not mind who answers, so that many go in lockstep; and it can be taken up
again where it was left.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...arrays import FloatArray

MEMORY = 10  # steps remembered
FALL, SLOPE = 1e-3, 0.9  # a step is taken if J falls by so much of its slope, and that by so much
TRIALS = 20
SETTLED = 1e-12  # a relative gain that ends a descent


class Point(NamedTuple):
    """Where a descent was: the value there, its gradient, and what else was found on the way."""

    at: FloatArray
    value: float
    slope: FloatArray
    beside: Any = None


Walk: TypeAlias = "Generator[FloatArray, Point, None]"


class Descent:
    """A path of L-BFGS from a start: ``path[k]`` is the point after k iterations.

    It ends with a gain below ``settled``, relative to the value, or to 1 if that is less. Beyond
    one point in each iteration it may ask for ``spare`` more in all; None for any number.
    """

    def __init__(
        self, start: FloatArray, settled: float = SETTLED, spare: int | None = None
    ) -> None:
        self.start, self.settled = start, settled
        self._spare = TRIALS if spare is None else spare
        self._bounded = spare is not None
        self.path: list[Point] = []
        self.ended = False
        self._pairs = deque[tuple[FloatArray, FloatArray, float]](maxlen=MEMORY)

    def after(self, iterations: int) -> Point:
        """Return where it was then, or at its end if that came before."""
        return self.path[min(iterations, len(self.path) - 1)]

    def walk(self, iterations: int) -> Walk:
        """Go on until so many iterations are done, or there is nothing to gain: ask for points."""
        if not self.path:
            self.path.append((yield self.start))
        while len(self.path) <= iterations and not self.ended:
            last, pairs = self.path[-1], self._pairs
            direction = _direction(last.slope, pairs)
            first = float(last.slope @ direction)
            taken = None
            if first < -self.settled * max(abs(last.value), 1.0):
                length = 1.0 if pairs else 1.0 / np.sqrt(-first)
                trials = min(TRIALS, 1 + self._spare)
                taken, asked = yield from _line(last, direction, first, length, trials)
                self._spare -= (asked - 1) * self._bounded
            if taken is None:
                self.ended = True
                return
            step, turn = taken.at - last.at, taken.slope - last.slope
            self.path.append(taken)
            gain, size = last.value - taken.value, max(abs(last.value), abs(taken.value), 1.0)
            self.ended = gain <= self.settled * size
            along = float(step @ turn)
            if along > 0.0:
                pairs.append((step, turn, along))


def _direction(slope: FloatArray, pairs: deque[tuple[FloatArray, FloatArray, float]]) -> FloatArray:
    """Return minus the gradient, times the inverse Hessian that the steps so far suggest."""
    result, amounts = -slope, []
    for step, turn, along in reversed(pairs):
        amounts.append(float(step @ result) / along)
        result -= amounts[-1] * turn
    if pairs:
        _, turn, along = pairs[-1]
        result *= along / float(turn @ turn)
    for (step, turn, along), amount in zip(pairs, reversed(amounts), strict=True):
        result += (amount - float(turn @ result) / along) * step
    return result


def _line(
    start: Point, direction: FloatArray, first: float, length: float, trials: int
) -> Generator[FloatArray, Point, tuple[Point | None, int]]:
    """Return a point along the direction that falls enough and is not too steep, or None.

    And how many points were asked for.
    """
    low, high = 0.0, np.inf
    best, asked = None, 0
    while asked < trials:
        asked += 1
        here = yield start.at + length * direction
        if not here.value <= start.value + FALL * length * first:
            high = length
        else:
            best = here
            if float(here.slope @ direction) >= SLOPE * first:
                break
            low = length
        length = 2.0 * length if high == np.inf else 0.5 * (low + high)
    return best, asked
