"""How well two gradient steps align the query and the readout with the signal.

The paper's setting: L = 10, R = 3, π = 0.2, θ = 6, step sizes ½, logistic loss, d = 1000 and
10 trials in full.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..experiment import Experiment, compare, trials
from ..units.unit import Unit

TASK = {"L": 10, "R": 3, "theta": 6.0, "pi": 0.2}
STEPS = {"eta_w": 0.5, "eta_b": 0.5, "eta_q": 0.5}
LOSS = "logistic"
BY = ("training.loss", "training.alpha0")
NAMES = ("cosine_w", "cosine_q")


def units(full: bool) -> list[Unit]:
    """Theory on a fine grid of α0, simulation on a coarse one.

    Examples
    --------
    >>> found = units(False)
    >>> sum(unit.call == "align" for unit in found), found[-1].arguments["d"]
    (67, 300)
    """
    d, count = (1000, 10) if full else (300, 10)
    fine = np.unique(np.round(np.geomspace(0.1, 100.0, 61), 4)).tolist()
    dots = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
    found = [Unit("align", _arguments(alpha0)) for alpha0 in sorted({*fine, *dots})]
    for place, alpha0 in enumerate(dots):  # seeds of their own: the dots err independently
        found += trials("simulate_alignment", {**_arguments(alpha0), "d": d}, count, seed=place)
    return found


def _arguments(alpha0: float) -> dict[str, object]:
    # The readout's data play no part in the two steps; a training has to have some.
    training = {"alpha0": alpha0, "alpha1": 1.0, "loss": LOSS, **STEPS}
    return {"task": TASK, "training": training}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare each dot with its line."""
    return compare(table, BY, NAMES, theory="align", simulation="simulate_alignment")


EXPERIMENT = Experiment(
    "alignment",
    "Alignment of query and readout with the signal",
    "Cosine between the signal ξ and the readout w after one gradient step, and between ξ and the "
    "query q after two, as the steps see more data (α0 samples per dimension); lines are the "
    "theory, dots the steps taken on drawn data. The query misses perfect alignment by C/α0: on "
    "log–log axes the gap falls along a line of slope −1.",
    units,
    scores,
)
