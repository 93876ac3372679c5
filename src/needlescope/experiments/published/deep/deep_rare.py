"""Rare positives: test errors against the share of positives.

L = 10, R = 1, θ = 5, α = 16.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...experiment import Experiment
from ...units.unit import Unit
from .base import TASK, Size, below, fine, known, limit, trained, two_steps
from .deep_errors import TESTED, at

SHARES = (0.02, 0.05, 0.15)
DRAWN = ("solvable", "multihead", "block", "gated", "max", "gru")


def units(full: bool) -> list[Unit]:
    """Theory at many shares, architectures at a few; those at one half are of `deep_errors`.

    Examples
    --------
    >>> sorted({unit.arguments["task"]["pi"] for unit in units(False)})[:3]
    [0.02, 0.0256, 0.0328]
    """
    size = Size.of(full)
    found = []
    for pi in fine(0.02, 0.5, 14, *SHARES):
        found += [known(task(pi)), limit(task(pi), TESTED), *two_steps(task(pi), TESTED)]
    for name in DRAWN:
        for pi in SHARES:
            found += trained(size, name, TESTED, task(pi))
        found += at(size, name, TESTED)
    return found


def task(pi: float) -> dict[str, Any]:
    """Return the task with that share of positives."""
    return {**TASK, "pi": pi}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Hold every architecture against the limit of learning."""
    return below(table, ("task.pi",))


EXPERIMENT = Experiment(
    "deep_rare",
    "Rare positives",
    "Test error against the share of positives, α = 16, one token of ten. Nothing is reweighted: "
    "what is minimised is the mean loss of all samples. Dashed: always the more frequent label. "
    "Two steps (theory) are the paper's, best of five steps and three ridges.",
    units,
    scores,
)
