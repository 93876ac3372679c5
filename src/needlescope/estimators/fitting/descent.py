"""Refinement of queries, readouts and bias together: a few iterations of L-BFGS, and their path.

Stopping early regularises, so what counts is the path, not its end; and a problem of a few hundred
bags takes a fifth of a millisecond to evaluate, which a general optimiser takes again to say so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from ...arrays import FloatArray
from ...losses import Loss
from ...simulation.samples.data import Data
from ...simulation.training.stages import State, Together

Objective = Callable[[FloatArray], tuple[float, FloatArray]]
"""From a point to its value and gradient."""

MEMORY = 10  # steps remembered
FALL, SLOPE = 1e-3, 0.9  # a step is taken if J falls by so much of its slope, and that by so much
TRIALS = 20
SETTLED = 1e-12  # a relative gain that ends the descent


def refine(
    data: Data, state: State, loss: Loss, ridge: float, weight: FloatArray, iterations: int
) -> list[State]:
    """Move queries, readouts and bias together; return the state after each iteration."""
    objective = Together(data, loss, ridge, state.q.shape, weight=weight)
    path = descend(objective, objective.pack(state), iterations)
    return [objective.unpack(at) for at in path]


def descend(objective: Objective, start: FloatArray, iterations: int) -> list[FloatArray]:
    """Return the start and the point after each iteration, fewer if there is nothing to gain.

    Examples
    --------
    >>> path = descend(lambda x: (float(x @ x), 2.0 * x), np.array([3.0, 4.0]), 5)
    >>> path[1].round(2), bool(np.abs(path[2]).max() < 1e-12)
    (array([2.4, 3.2]), True)
    """
    found, pairs = [start], deque[tuple[FloatArray, FloatArray, float]](maxlen=MEMORY)
    if iterations == 0:
        return found
    value, slope = objective(start)
    for _ in range(iterations):
        direction = _direction(slope, pairs)
        first = float(slope @ direction)
        if not first < 0.0:
            break
        length = 1.0 if pairs else 1.0 / np.sqrt(-first)
        taken = _line(objective, found[-1], value, direction, first, length)
        if taken is None:
            break
        at, below, bent = taken
        step, turn = at - found[-1], bent - slope
        found.append(at)
        if value - below <= SETTLED * max(abs(value), abs(below), 1.0):
            break
        along = float(step @ turn)
        if along > 0.0:
            pairs.append((step, turn, along))
        value, slope = below, bent
    return found


def _direction(slope: FloatArray, pairs: deque[tuple[FloatArray, FloatArray, float]]) -> FloatArray:
    """Return minus the gradient, times the inverse Hessian that the steps so far suggest."""
    found, amounts = -slope, []
    for step, turn, along in reversed(pairs):
        amounts.append(float(step @ found) / along)
        found -= amounts[-1] * turn
    if pairs:
        _, turn, along = pairs[-1]
        found *= along / float(turn @ turn)
    for (step, turn, along), amount in zip(pairs, reversed(amounts), strict=True):
        found += (amount - float(turn @ found) / along) * step
    return found


def _line(
    objective: Objective,
    start: FloatArray,
    value: float,
    direction: FloatArray,
    first: float,
    length: float,
) -> tuple[FloatArray, float, FloatArray] | None:
    """Return a point along the direction that falls enough and is not too steep, or None."""
    low, high = 0.0, np.inf
    best = None
    for _ in range(TRIALS):
        at = start + length * direction
        here, slope = objective(at)
        if not here <= value + FALL * length * first:
            high = length
        else:
            best = at, here, slope
            if float(slope @ direction) >= SLOPE * first:
                break
            low = length
        length = 2.0 * length if high == np.inf else 0.5 * (low + high)
    return best
