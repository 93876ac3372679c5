"""How many gradient steps, each on a fresh batch, and how long, with so much data in all.

Test errors and cosines against the number of steps at a fixed total α, half of it for the steps
and half for the readout; L = 10, θ = 3.5 and L = 100, θ = 4, R = 1, π = ½, logistic loss. Beside
them the paper's two steps, which share their data, and the limit of learning.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...experiment import Experiment, compare, trials
from ...units.unit import Unit
from .limit import limit

TASKS = tuple({"L": L, "R": 1, "theta": theta, "pi": 0.5} for L, theta in ((10, 3.5), (100, 4.0)))
BATCHES = (2, 3, 4, 6, 8, 16, 32)
# All steps of the readout together make 0.3, short enough that slopes stay near ±½ (a longer w and
# a shorter q come to the same), all steps of the query what is written here, beside the ridge.
# Both are those that err least in theory: of 8 lengths a decade from 100 to 5000 at L = 10, from
# 2000 to 300,000 at L = 100 (of 32 a decade around the best at α = 16, where it is narrow), and of
# the ridges 0.1 and 1.
READOUT = 0.3
ETA_B = 4.0  # Newton's step of the logistic loss, which balances the slopes
CHOSEN = {
    (10, 4.0): {
        **{2: (562.3, 1.0), 3: (421.7, 1.0), 4: (316.2, 1.0), 6: (237.1, 1.0), 8: (237.1, 1.0)},
        **{16: (177.8, 1.0), 32: (133.4, 0.1)},
    },
    (10, 16.0): {
        **{2: (1000.0, 0.1), 3: (421.7, 0.1), 4: (316.2, 0.1), 6: (316.2, 0.1), 8: (237.1, 0.1)},
        **{16: (237.1, 0.1), 32: (237.1, 0.1)},
    },
    (100, 4.0): {2: (3548.0, 1.0)} | dict.fromkeys(BATCHES[1:], (2661.0, 1.0)),
    (100, 16.0): {
        **{2: (19950.0, 0.1), 3: (29430.0, 1.0), 4: (17780.0, 1.0), 6: (10000.0, 0.1)},
        **{8: (8058.0, 0.1), 16: (5623.0, 0.1), 32: (4870.0, 0.1)},
    },
}
TOGETHER = {  # of the two steps on the same data
    **{(10, 4.0): (237.1, 1.0), (10, 16.0): (237.1, 0.1)},
    **{(100, 4.0): (2661.0, 1.0), (100, 16.0): (22070.0, 1.0)},
}
DOTS = {(10, 4.0): (2, 4, 8), (10, 16.0): (2, 4, 8, 16), (100, 4.0): (), (100, 16.0): (2, 4, 8)}
TOL = 5e-3  # of trained errors: thinner than their lines
BY = ("task.L", "training.alpha0", "training.schedule.steps")
NAMES = ("test_error", "cosine_q", "kappa")


def units(full: bool) -> list[Unit]:
    """Predictions for each number of steps, the limit of learning, and trials at d and d/2.

    Examples
    --------
    >>> found = units(False)
    >>> [len([unit for unit in found if unit.call == call]) for call in
    ...  ("predict", "bayes_optimal", "simulate")]
    [32, 4, 142]
    """
    found = []
    for task in TASKS:
        L = int(task["L"])
        d, count = {10: (400, 24), 100: (480, 12)}[L] if full else {10: (160, 8), 100: (120, 5)}[L]
        for alpha in (4.0, 16.0):
            found += [limit(task, alpha), _predict(task, alpha)]
            found += [_predict(task, alpha, number) for number in BATCHES]
            for number in DOTS[L, alpha]:
                for size in (d, d // 2):  # the smaller measures what finite dimension adds
                    arguments = {**_arguments(task, alpha, number), "d": size}
                    found += trials("simulate", arguments, count)
    return found


def _predict(task: dict[str, Any], alpha: float, number: int | None = None) -> Unit:
    return Unit("predict", {**_arguments(task, alpha, number), "tol": TOL})


def _arguments(task: dict[str, Any], alpha: float, number: int | None) -> dict[str, Any]:
    """Return so many steps on fresh batches, or the two that share their data."""
    place = int(task["L"]), alpha
    length, ridge = TOGETHER[place] if number is None else CHOSEN[place][number]
    cut = number or 1
    training: dict[str, Any] = {
        **{"alpha0": alpha / 2.0, "alpha1": alpha / 2.0, "ridge": ridge, "eta_b": ETA_B},
        **{"eta_w": float(f"{READOUT / cut:.4g}"), "eta_q": float(f"{length / cut:.4g}")},
    }
    if number is not None:
        training["schedule"] = {"steps": number}
    return {"task": task, "training": training, "model": "attention"}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare trials with theory after as many steps: error, cosine and strength of the query."""
    return compare(table, BY, NAMES)


EXPERIMENT = Experiment(
    "steps",
    "How many gradient steps, each on a fresh batch",
    "Test error and alignment of attention against the number of joint gradient steps on (w, b, "
    "q), each on a fresh batch. All data together are fixed, half of them for the steps, in equal "
    "batches, and half for the readout. Dashed: the paper's two steps, both on all data of the "
    "first half. Dotted: the limit of learning. Every point has the length of steps, and the "
    "ridge, that err least in theory. Two fresh steps see half of what two on the same data do, "
    "and lose. With ten tokens more steps nearly make that good, and gain no more: at α = 4 0.143 "
    "after 32 steps and 0.142 after the two, where anyone could reach 0.109. With a hundred tokens "
    "and α = 16 steps do pay: the error falls from 0.203 to 0.150 with eight, three quarters of "
    "the way to the limit of 0.131, as the query of one step shows the next where to look. More "
    "than eight gain nothing. With α = 4 there is too little to start from: 0.438 after 32 steps, "
    "where the limit is 0.137. At L = 100 dots come to the lines slowly as d grows: after eight "
    "steps the cosine is 0.80 at d = 120, 0.85 at 240, 0.89 at 500 and 0.910 ± 0.005 at 1000, "
    "where theory says 0.915.",
    units,
    scores,
)
