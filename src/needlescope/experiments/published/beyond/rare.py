"""Rare positives: the query after two steps, plain and with balanced slopes.

L = 10, R = 1, θ = 4, logistic loss, 10 samples per dimension for the query and 10 for the readout.
The share π of positives goes from 0.02 to 0.9.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...experiment import Experiment, compare, grid, trials
from ...units.unit import Unit

TASK = {"L": 10, "R": 1, "theta": 4.0}
ALPHA, RIDGE = 10.0, 0.01  # of each stage; of its readout
STEPS = (10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)
REACH = (0.02, 0.9)
# At each π where training is simulated, the step that errs least in theory: plain, balanced.
DOTS = {
    0.05: (10.0, 3000.0),
    0.1: (10.0, 1000.0),
    0.2: (10.0, 100.0),
    0.3: (100.0, 100.0),
    0.5: (30.0, 30.0),
    0.8: (10.0, 30.0),
}
THINNER = 2e-3  # tolerance of errors: thinner than their lines
BY = ("task.pi", "training.balanced", "training.eta_q")
NAMES = ("cosine_q", "kappa", "test_error")


def units(full: bool) -> list[Unit]:
    """Theory on a grid of π, errors with several steps; training at a few π, with the best.

    Examples
    --------
    >>> found = units(False)
    >>> sum(unit.call == "simulate" for unit in found), found[-1].arguments["d"]
    (192, 100)
    """
    d, count = (1000, 16) if full else (200, 8)
    fine, coarse = (np.round(np.geomspace(*REACH, number), 4).tolist() for number in (49, 29))
    coarse = sorted({*coarse, *DOTS})
    found = [limit(pi) for pi in sorted({*fine, *coarse})]
    for point in grid(pi=sorted({*fine, *coarse}), balanced=(False, True)):
        found.append(Unit("align", asked(**point)))
    for point in grid(pi=coarse, balanced=(False, True), eta_q=STEPS):
        found.append(Unit("predict", {**asked(**point), "tol": THINNER}))
    for pi, steps in DOTS.items():
        for balanced, eta_q in zip((False, True), steps, strict=True):
            for size in (d, d // 2):  # the smaller one measures what finite dimension adds
                found += trials("simulate", {**asked(pi, balanced, eta_q), "d": size}, count)
    return found


def limit(pi: float) -> Unit:
    """Return the unit that asks what anyone could learn from all of the data."""
    return Unit("bayes_optimal", {"task": {**TASK, "pi": pi}, "alpha": 2.0 * ALPHA})


def asked(pi: float, balanced: bool, eta_q: float | None = None) -> dict[str, Any]:
    """Return the arguments of a point; the alignment does not depend on the step."""
    training = {"alpha0": ALPHA, "alpha1": ALPHA, "ridge": RIDGE, "balanced": balanced}
    training |= {} if eta_q is None else {"eta_q": eta_q}
    return {"task": {**TASK, "pi": pi}, "training": training}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare the trained queries and errors with theory's, at the same step."""
    return compare(table, BY, NAMES)


EXPERIMENT = Experiment(
    "rare",
    "Rare positives: balance the slopes between the two steps",
    "Left: the cosine between the signal and the query after two steps, against the share of "
    "positives. After the first step the slopes of the loss do not add up to zero, unless half of "
    "the labels are positive, and what is left of them pulls the query along the readout: against "
    "the signal where positives are rare. Where the bias moves between the steps to where the "
    "slopes balance, nothing pulls. Right: the test error that follows, with the best of six steps "
    "η_q from 10 to 3,000. With a tenth of positives the plain steps leave a cosine of −0.26, "
    "and a classifier that says no to everything (error 0.100); balanced ones reach 0.84 and "
    "0.039, where the limit of learning is 0.029 with the same samples. With a fifth it is 0.189 "
    "against 0.053 (limit 0.043). Below 4 % neither finds much: the readout after one step, which "
    "all of this rests on, hardly sees the signal. From one half on the pull is towards the signal "
    "and does no harm: with nine tenths of positives the plain query is the better one, 0.045 "
    "against 0.047. Balanced queries are shorter, and need larger steps where positives are rare.",
    units,
    scores,
)
