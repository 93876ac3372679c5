"""Count the minima that joint training ends in: ``python -m tools.valleys [d] [sets] [point]``.

At points of `tests/agreement/joint.py` (all of them, or those whose name contains the last
argument) L-BFGS starts 8 times at random on one data set, and on ``sets`` of them. Replica symmetry
says that all starts end in one minimum: overlaps of 1. docs/joint.md has what came of it.
"""

from __future__ import annotations

import sys
from itertools import combinations
from typing import NamedTuple

import numpy as np

from needlescope.models.blocks import hold
from needlescope.models.gradient import State, pack
from needlescope.noise import STANDARD
from needlescope.simulation.samples.data import tokens
from needlescope.simulation.training.end_to_end import descend, random_starts
from tests.agreement.joint import BEYOND, WITHIN, JointPoint

STARTS = 8
SAME = 0.01  # relative distance of all parameters, below which two minima are one


class Valleys(NamedTuple):
    """What the starts on one data set, or on the mean of several, ended in."""

    distinct: float
    readout: float  # mean cosine of two minima's readouts
    query: float
    spread: float  # standard deviation of the objective, relative


def valleys(point: JointPoint, d: int, seed: int) -> Valleys:
    """Train from several starts on one data set and compare the minima."""
    stream = np.random.SeedSequence([seed, d])
    rng = np.random.default_rng(stream.spawn(1)[0])
    xi = rng.standard_normal(d)
    n = round(point.training.alpha1 * d)
    data = hold(tokens(point.task, n, xi / np.linalg.norm(xi), STANDARD, stream))
    origin = State(np.zeros(d), np.zeros(d), 0.0)
    starts = random_starts(origin, point.training, STARTS, rng)
    ends = [descend(data, start, point.training) for start in starts]
    values = np.array([value for value, _, _ in ends])
    states = [state for _, _, state in sorted(ends, key=lambda end: end[0])]
    kept: list[State] = []
    for state in states:
        if all(_distance(state, other) > SAME for other in kept):
            kept.append(state)
    pairs = list(combinations(states, 2))
    return Valleys(
        len(kept),
        float(np.mean([_cosine(one.w, other.w) for one, other in pairs])),
        float(np.mean([_cosine(one.q, other.q) for one, other in pairs])),
        float(values.std() / values.mean()),
    )


def _distance(one: State, other: State) -> float:
    return float(np.linalg.norm(pack(one) - pack(other)) / np.linalg.norm(pack(one)))


def _cosine(x: np.ndarray, y: np.ndarray) -> float:
    return float(x @ y / (np.linalg.norm(x) * np.linalg.norm(y)))


def main() -> None:
    """Print a line for each point."""
    d, sets, wanted = (*sys.argv[1:], *("100", "4", "")[len(sys.argv) - 1 :])
    for region, points in (("within", WITHIN), ("beyond", BEYOND)):
        for point in points:
            if wanted in point.name:
                rows = [valleys(point, int(d), seed) for seed in range(int(sets))]
                mean = Valleys(*np.mean(rows, axis=0))
                print(
                    f"{region}  {point.name}  d={d}: {mean.distinct:.1f} minima from {STARTS} "
                    f"starts, overlap of readouts {mean.readout:.3f} and of queries "
                    f"{mean.query:.3f}, spread of the objective {mean.spread:.2%}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
