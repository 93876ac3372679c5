"""When learning is possible, and when it is easy: by data, by strength and by tokens.

R = 1, π = ½, and L = 30, 100, 1000 and 10,000.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...experiment import Experiment, grid
from ...units.unit import Unit
from .limit import boundaries, iterations, limit, scores

TOKENS = (30, 100, 1000, 10_000)
ALPHAS, THETAS = (0.01, 1000.0), (2.0, 8.0)
# Where the iteration is run: at these strengths and at places among the α of the quick map.
STRENGTHS = (3.0, 4.0, 5.0, 6.5)
ITERATED = {30: (2, 4, 6, 8), 100: (3, 5, 7)}
LARGE = {1000: (3, 5, 7)}  # and in full


def units(full: bool) -> list[Unit]:
    """A map of the limit and its boundaries for each number of tokens, and trials at some points.

    Examples
    --------
    >>> found = units(False)
    >>> sorted({unit.arguments["task"]["L"] for unit in found})
    [30, 100, 1000, 10000]
    """
    coarse = np.geomspace(*ALPHAS, 16).round(5).tolist()
    alphas = np.geomspace(*ALPHAS, 46).round(5).tolist() if full else coarse
    thetas = np.linspace(*THETAS, 25 if full else 13).tolist()
    lines = np.linspace(*THETAS, 121 if full else 61).round(3).tolist()
    d, count = (400, 8) if full else (200, 4)
    found = []
    for L in TOKENS:
        for point in grid(theta=thetas, alpha=alphas):
            found.append(limit(_task(L, point["theta"]), point["alpha"]))
        found += [boundaries(_task(L, theta)) for theta in sorted({*lines, *thetas})]
    for L, places in {**ITERATED, **(LARGE if full else {})}.items():
        for point in grid(theta=STRENGTHS, alpha=[coarse[place] for place in places]):
            found += iterations(_task(L, point["theta"]), point["alpha"], d, count)
    return found


def _task(L: int, theta: float) -> dict[str, Any]:
    return {"L": L, "R": 1, "theta": theta, "pi": 0.5}


EXPERIMENT = Experiment(
    "phases",
    "When learning is possible, and when it is easy",
    "The least test error that anyone could learn, by the data and by the strength of the signal, "
    "for more and more tokens. Across the dashed line it jumps: before it data are too few for "
    'any learner, "impossible". AMP started from zero finds what is possible beyond the '
    'solid line, "easy"; between the two learning is possible but "hard". The lines end in a dot: '
    "with a weaker signal the error falls without a jump. With thirty tokens both lines are "
    "nearly one; with ten thousand the iteration needs many times the data that suffice. The "
    "rings are iterations at finite dimension, filled with their own error; one that "
    "stands out has not found what is possible. Those between half of the dashed α and twice "
    "the solid one are shown and not scored. Lines and maps are a replica-symmetric formula.",
    units,
    scores,
)
