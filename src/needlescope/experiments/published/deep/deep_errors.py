"""Test errors against samples: every architecture, the paper's two steps, and what is possible.

L = 10, R = 1, θ = 5, π = ½. All samples count, also those that are held out.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...experiment import Experiment, trials
from ...units.unit import Unit
from .base import (
    NAMES,
    RIDGES,
    STEPS,
    TASK,
    Size,
    below,
    fine,
    halves,
    known,
    limit,
    trained,
    two_steps,
)

ALPHAS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
WATCHED, TESTED = 8.0, 16.0  # α at which trainings are watched, and tested at other lengths
LENGTHS = (2, 5, 20, 50, 100, 200)
END_RIDGES = (0.03, 0.1)  # of training end to end to a minimum


def units(full: bool) -> list[Unit]:
    """Theory on a fine grid, all architectures on a coarse one; two steps at their own d beside.

    Examples
    --------
    >>> found = [unit for unit in units(False) if unit.call == "simulate_deep"]
    >>> len(found), sorted({unit.arguments["d"] for unit in found})
    (198, [50])
    """
    size = Size.of(full)
    found = [known(TASK)]
    found += [limit(TASK, alpha) for alpha in fine(0.5, 64.0, 29, *ALPHAS)]
    for alpha in fine(0.5, 64.0, 15):
        found += two_steps(TASK, alpha)
    for alpha in ALPHAS:
        for step in STEPS:
            for ridge in RIDGES:
                asked = {**halves(TASK, alpha, step, ridge), "d": size.d}
                found += trials("simulate", asked, 2 * size.trials)
        for ridge in END_RIDGES:
            asked = {**halves(TASK, alpha, 10.0, ridge), "starts": 2, "d": size.d}
            found += trials("simulate", asked, size.trials)
    for alpha in ALPHAS:
        for name in NAMES:
            found += at(size, name, alpha)
    return found


def at(size: Size, name: str, alpha: float) -> list[Unit]:
    """Return the trials of an architecture at α; those of one are watched, of one are tested more.

    Other figures draw these, and so do not train again.
    """
    more: dict[str, Any] = {"watch": True} if alpha == WATCHED else {}
    if alpha == TESTED:
        more = {"lengths": list(LENGTHS)}
    return trained(size, name, alpha, TASK, **more)


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Hold every architecture against the limit of learning."""
    return below(table, ("alpha",))


EXPERIMENT = Experiment(
    "deep_errors",
    "Fuller attention, trained as people train, and how far it is from the limit",
    "Test error against all samples per dimension, those held out included, for one signal token "
    "of ten. Dots are classifiers trained end to end by Adam, all in the same way: a fifth of the "
    "samples held out to stop and to choose the learning rate. Lines are theory: the limit of "
    "learning, which by a replica-symmetric formula no learner beats; the paper's two steps (half "
    "of the data each, best of five steps and three ridges), as d → ∞; and what is possible if the "
    "signal is known. Left: the paper's model by Adam, by its two steps at the same d, and trained "
    "to a minimum (L-BFGS, best of two ridges), and linear attention. Middle: self-attention, "
    "transformers, gated attention. Right: models that do not attend.",
    units,
    scores,
)
