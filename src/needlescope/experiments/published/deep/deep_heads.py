"""How many heads are needed where positives carry one of several signals.

L = 10, R = 1, θ = 5, π = ½, α = 16: one, two or four orthogonal signals, equally frequent.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...experiment import Experiment
from ...units.unit import Unit
from .base import TASK, Size, below, limit, trained

ALPHA = 16.0
SIGNALS, HEADS = (1, 2, 4), (1, 2, 4, 8)
KINDS = ("multihead", "block")


def units(full: bool) -> list[Unit]:
    """Self-attention of 1 to 8 heads for each number of signals, and what one query could reach.

    Examples
    --------
    >>> found = [unit.arguments for unit in units(False) if unit.call == "simulate_deep"]
    >>> sorted({one["heads"] for one in found})
    [1, 2, 4, 8]
    """
    size = Size.of(full)
    found = [limit(TASK, ALPHA)]
    found += [Unit("best_query", {"task": task(signals)}) for signals in SIGNALS if signals > 1]
    for name in KINDS:
        for signals in SIGNALS:
            for heads in HEADS:
                found += trained(size, name, ALPHA, task(signals), heads=heads)
    return found


def task(signals: int) -> dict[str, Any]:
    """Return the task with so many signals."""
    return TASK if signals == 1 else {**TASK, "signals": [1.0 / signals] * signals}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Hold those of one signal against the limit of learning, which is not known of more."""
    one = table[table["task.signals"].isna()] if "task.signals" in table else table
    return below(one, ("alpha",))


EXPERIMENT = Experiment(
    "deep_heads",
    "Heads against signals",
    "Test error against the number of heads, where positives carry one of one, two or four "
    "orthogonal signals, equally frequent; one token of ten, α = 16. Left: one layer of "
    "self-attention; right: a transformer block. Dashed, in the colour of as many signals: the "
    "least error of a single query with a readout, both chosen knowing the signals (theory). Thin: "
    "what anyone could learn of one signal.",
    units,
    scores,
)
