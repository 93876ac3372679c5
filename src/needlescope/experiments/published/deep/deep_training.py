"""What training finds, and when: alignment and attention over the epochs.

The trainings of `deep_errors` at α = 8.
"""

from __future__ import annotations

import pandas as pd

from ...experiment import Experiment, trials
from ...units.unit import Unit
from .base import NAMES, TASK, Size, below, halves, limit
from .deep_errors import END_RIDGES, WATCHED, at


def units(full: bool) -> list[Unit]:
    """The watched trainings, and the queries that two steps and a minimum have with as much data.

    Examples
    --------
    >>> sum(unit.arguments.get("watch", False) for unit in units(False))
    33
    """
    size = Size.of(full)
    found = [limit(TASK, WATCHED)]
    asked = halves(TASK, WATCHED, 100.0, 1.0)
    found.append(Unit("align", {"task": TASK, "training": asked["training"]}))
    for ridge in END_RIDGES:
        asked = {**halves(TASK, WATCHED, 10.0, ridge), "starts": 2, "d": size.d}
        found += trials("simulate", asked, size.trials)
    for name in NAMES:
        found += at(size, name, WATCHED)
    return found


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Hold every architecture against the limit of learning."""
    return below(table, ("alpha",))


EXPERIMENT = Experiment(
    "deep_training",
    "What training finds, epoch by epoch",
    "One signal token of ten, α = 8. Left: the cosine with the signal of the mean gradient of the "
    "score in a signal token, which for a linear classifier is its readout. Right of it: of the "
    "query itself, where there is one; the level lines are the query of two steps (theory) and of "
    "the paper's model trained to a minimum. Below: attention maps, the mean attention at each "
    "epoch (from top to bottom) on the signal token, at the left, and on the other nine tokens, "
    "the most attended first; of several heads, of the one that looks at the signal most.",
    units,
    scores,
)
