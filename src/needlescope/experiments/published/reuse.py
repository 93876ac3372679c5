"""Splitting the data against reusing them; two gradient steps against many, and end to end.

L = 10, R = 1, π = ½, θ = 5, logistic loss, ridge 1e-2, and α d samples in all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..experiment import Experiment, compare, trials
from ..units.unit import Unit

TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
RIDGE = 1e-2
PLAIN = {"reuse": "none", "starts": 0}
PROTOCOLS = {
    "split": PLAIN,
    "reuse 1": {**PLAIN, "reuse": "D0"},
    "reuse 5": {**PLAIN, "reuse": "D0"},
    "reuse 20": {**PLAIN, "reuse": "D0"},
    "end to end": {**PLAIN, "starts": 2},
}
QUERY_STEPS = {"reuse 5": 5, "reuse 20": 20}  # and one elsewhere
BY = ("model", "training.alpha1")
NAMES = ("test_error", "train_loss")


def units(full: bool) -> list[Unit]:
    """Theory of splitting on a fine grid of α, simulation of every protocol on a coarse one.

    Examples
    --------
    >>> found = [unit.arguments for unit in units(False)]
    >>> last = next(one for one in reversed(found) if one.get("reuse") == "D0")
    >>> [last["training"][name] for name in ("query_steps", "alpha0", "alpha1")]
    [20, 16.0, 16.0]
    """
    d, count, costly, scored = (500, 16, 8, 32) if full else (120, 16, 6, 64)
    fine = np.round(np.geomspace(1.0, 16.0, 25), 3).tolist()
    dots = [1.0, 2.0, 4.0, 8.0, 16.0]
    alphas = sorted({*fine, *dots})
    found = [Unit("predict", _arguments("split", alpha)) for alpha in alphas]
    found += [Unit("bayes_optimal", {"task": TASK, "alpha": alpha}) for alpha in alphas]
    for protocol, options in PROTOCOLS.items():
        number = {"end to end": costly, "split": scored}.get(protocol, count)
        for alpha in dots:
            arguments = {**_arguments(protocol, alpha), **options}
            # Only splitting has a theory; a smaller d measures what finite dimension adds to it.
            for size in (d, d // 2) if protocol == "split" else (d,):
                found += trials("simulate", {**arguments, "d": size}, number)
    return found


def _arguments(protocol: str, alpha: float) -> dict[str, object]:
    """Return the problem: all data in both stages when reused, half in each otherwise."""
    share = alpha if PROTOCOLS[protocol]["reuse"] == "D0" else alpha / 2.0
    training: dict[str, Any] = {
        "alpha0": share,
        "alpha1": share,
        "loss": "logistic",
        "ridge": RIDGE,
    }
    training["query_steps"] = QUERY_STEPS.get(protocol, 1)
    return {"task": TASK, "training": training, "model": "attention"}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare each dot of splitting with its line; the other protocols have none.

    Examples
    --------
    >>> table = pd.DataFrame({"call": ["predict", "simulate", "simulate", "simulate"],
    ...                       "reuse": [None, "none", "none", "D0"], "starts": 0,
    ...                       "training.query_steps": 1, "model": "attention",
    ...                       "training.alpha1": 2.0, "d": 60,
    ...                       "test_error": [0.1, 0.09, 0.11, 0.05],
    ...                       "train_loss": [0.2, 0.18, 0.21, 0.10]})
    >>> scores(table)[["what", "trials"]].values.tolist()
    [['test_error at model=attention, alpha1=2.0', 2],
     ['train_loss at model=attention, alpha1=2.0', 2]]
    """
    if "reuse" not in table:
        return compare(table.iloc[:0], BY, NAMES)
    steps = table["training.query_steps"]
    split = (table.reuse == "none") & (steps == 1) & (table.starts == 0)
    return compare(table[split | (table.call == "predict")], BY, NAMES)


EXPERIMENT = Experiment(
    "reuse",
    "Splitting the data or reusing them",
    "Test error of attention against all its data, α samples per dimension. The theory (line) "
    "speaks of the split: half of the data for one step on the query, fresh data for the readout. "
    "The other dots use all data in both stages, after 1, 5 or 20 steps on the query, or train "
    "query and readout together (from 2 starts, the same ridge on both). Using data twice does "
    "no harm: one or five steps on all of them err less than the split at every α. Many steps do: "
    "after 20 the query has grown and turned towards the noise it was trained on. Training end to "
    "end fits the data closely, yet errs about as often as the split where data are plenty. At "
    "small α the split's dots lie above their line: the dimension is finite, and "
    "they approach the line as it grows. Grey: what anyone could learn from so many samples.",
    units,
    scores,
)
