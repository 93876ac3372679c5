"""Two signals, one of them rarer: what the query after two steps keeps of it.

L = 10, R = 1, θ = 5, π = ½, logistic loss, 4 samples per dimension for the query and 4 for the
readout. A positive carries the first of two signals with probability p, from 0.5 to 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...experiment import Experiment, compare, trials
from ...units.unit import Unit

TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
TRAINING = {"alpha0": 4.0, "alpha1": 4.0, "ridge": 0.01, "eta_q": 30.0}
DOTS = (0.5, 0.6, 0.7, 0.8, 0.9)  # shares where training is simulated
SIGNALS, SHARE = "task.signals", "share"
COSINES = ("cosines_q_1", "cosines_q_2")


def units(full: bool) -> list[Unit]:
    """Theory on a grid of shares, attention and pooling; training at a few of them.

    Examples
    --------
    >>> found = units(False)
    >>> sum(unit.call == "simulate" for unit in found), found[-1].arguments["d"]
    (80, 100)
    """
    d, count = (1000, 16) if full else (200, 8)
    shares = sorted({*np.round(np.linspace(0.5, 1.0, 21), 4).tolist(), *DOTS})
    found = [Unit("align", asked(p)) for p in shares]
    for model in ("attention", "pooled"):
        found += [Unit("predict", {**asked(p), "model": model, "tol": 1e-3}) for p in shares]
    for p in DOTS:
        for size in (d, d // 2):  # the smaller one measures what finite dimension adds
            found += trials("simulate", {**asked(p), "model": "attention", "d": size}, count)
    return found


def asked(p: float) -> dict[str, Any]:
    """Return the arguments of a point, at which the first signal has the share p."""
    return {"task": {**TASK, "signals": [p, round(1.0 - p, 4)]}, "training": TRAINING}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare the query's cosines and the test errors with theory's."""
    table = with_share(table)
    if "model" in table:
        table = table[table["model"] != "pooled"]
    cosines = compare(table, (SHARE,), COSINES, theory="align")
    return pd.concat([cosines, compare(table, (SHARE,), ("test_error",))], ignore_index=True)


def with_share(table: pd.DataFrame) -> pd.DataFrame:
    """Add the share of the first signal: one where there is no list of them."""
    given = table[SIGNALS] if SIGNALS in table else pd.Series(None, index=table.index, dtype=object)
    return table.assign(**{SHARE: [one[0] if isinstance(one, list) else 1.0 for one in given]})


EXPERIMENT = Experiment(
    "signals",
    "Two signals: the query drops the rarer one",
    "A positive carries one of two orthogonal signals, the first with probability p. Left: the "
    "query's cosines with both after two gradient steps. The first step moves the readout along "
    "each signal in proportion to its share, and the second weighs that by the share again, so "
    "that the cosines go as p² and (1 − p)² (dotted). Right: the test error of the classifier "
    "that follows, beside mean pooling. It is largest not where the signals are equally frequent "
    "(0.136) but where the second is rare enough to be dropped and common enough to matter (0.176 "
    "at p = 0.7); with one signal alone it is 0.028.",
    units,
    scores,
)
