"""Test errors against L, with a signal that grows as the threshold does: θ = 1.5 √(2 log L).

d = 32 and α = 16, so that the longest sequences have many more tokens than dimensions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...experiment import Experiment
from ...units.unit import Unit
from .base import Size, below, known, limit, trained, two_steps

FACTOR, ALPHA, D = 1.5, 16.0, 32
DRAWN = ("solvable", "multihead", "block", "max", "gated", "gru", "convolution")
LENGTHS, LONGEST = (4, 16, 64, 256), 1024
FINE = (4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024)
SLOW = ("gru",)  # goes through the tokens one by one: the longest only at full size


def units(full: bool) -> list[Unit]:
    """Theory at many lengths, architectures at a few.

    Examples
    --------
    >>> found = [unit.arguments for unit in units(False) if unit.call == "simulate_deep"]
    >>> max(one["task"]["L"] for one in found if one["architecture"] == "gru")
    64
    """
    size = Size.of(full)
    found = []
    for L in FINE:
        found += [known(task(L)), limit(task(L), ALPHA), *two_steps(task(L), ALPHA)]
    for L in (*LENGTHS, *((LONGEST,) if full else ())):
        for name in DRAWN:
            if full or name not in SLOW or max(LENGTHS) > L:
                found += trained(size, name, ALPHA, task(L), d=D, n_test=size.n_test // 2)
    return found


def task(L: int) -> dict[str, Any]:
    """Return the task of L tokens, its signal a factor above the threshold √(2 log L)."""
    theta = float(f"{FACTOR * np.sqrt(2.0 * np.log(L)):.4g}")
    return {"L": L, "R": 1, "theta": theta, "pi": 0.5}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Hold every architecture against the limit of learning."""
    return below(table, ("task.L",))


EXPERIMENT = Experiment(
    "deep_lengths",
    "Longer sequences than dimensions",
    "Test error against the number of tokens, one of which carries a signal of θ = 1.5 √(2 log L), "
    "for d = 32 and α = 16. Who knows the signal errs the less the longer the sequence, and so "
    "does the best learner of all. The shaded part has more tokens than dimensions. Lines are "
    "theory; two steps are the best of five steps and three ridges.",
    units,
    scores,
)
