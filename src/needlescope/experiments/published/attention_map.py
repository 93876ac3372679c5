"""What the trained query looks at: attention on signal and on noise tokens against α0.

L = 10, R = 1, π = ½, logistic loss; three sizes of the query's step at θ = 5, and three strengths
of the signal at a step of 10.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd

from ..experiment import Experiment, compare, grid, trials
from ..units.unit import Unit

TASK = {"L": 10, "R": 1, "pi": 0.5}
THETA, ETA_Q = 5.0, 10.0
STEPS, SIGNALS = (2.5, ETA_Q, 40.0), (3.0, 4.0, THETA)
BY = ("task.theta", "training.eta_q", "training.alpha0")


def units(full: bool) -> list[Unit]:
    """Theory on a fine grid of α0, simulation on a coarse one, at d and d/2.

    Examples
    --------
    >>> found = units(False)
    >>> {unit.call: unit.arguments.get("d") for unit in found}
    {'focus': None, 'simulate_focus': 150}
    """
    d, count, n_test = (1000, 10, 10_000) if full else (300, 10, 4000)
    fine = np.round(np.geomspace(0.1, 100.0, 41), 4).tolist()
    dots = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0]
    settings = [*grid(theta=[THETA], eta_q=STEPS), *grid(theta=SIGNALS[:-1], eta_q=[ETA_Q])]
    found = []
    for setting in settings:
        for alpha0 in sorted({*fine, *dots}):
            found.append(Unit("focus", _arguments(**setting, alpha0=alpha0)))
        for alpha0, size in itertools.product(dots, (d, d // 2)):
            arguments = {**_arguments(**setting, alpha0=alpha0), "d": size, "n_test": n_test}
            found += trials("simulate_focus", arguments, count)
    return found


def _arguments(theta: float, eta_q: float, alpha0: float) -> dict[str, Any]:
    # The readout's data play no part; a training has to have some.
    training = {"alpha0": alpha0, "alpha1": 1.0, "eta_q": eta_q}
    return {"task": {**TASK, "theta": theta}, "training": training}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare each dot with its line; noise tokens get what signal tokens leave, and are not."""
    return compare(table, BY, ("signal", "largest"), theory="focus", simulation="simulate_focus")


EXPERIMENT = Experiment(
    "attention_map",
    "What the trained query looks at",
    "Left: the mean attention weight of the signal token and of each of the nine others, in a "
    "positive sample, as the query's two steps see more data (α0 samples per dimension); dotted: "
    "attention spread evenly. How far the weights part is a matter of the step η_q, which sets the "
    "query's length; more data than one sample per dimension hardly change them. Right: how often "
    "the largest weight is the signal token's. That depends on the direction of the query alone, "
    "not on the step, and a weaker signal costs twice: the query is trained less well, and the "
    "token stands out less from the noise.",
    units,
    scores,
)
