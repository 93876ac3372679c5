"""Where attention beats mean pooling: by the query it has, and by how the query was trained.

Theory alone: there is nothing simulated here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .experiment import COMPARED, Experiment, grid
from .unit import Unit

TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
ALPHA0, ALPHA1 = 1.0, 4.0
ACCURACY = 1e-3
KAPPAS, COSINES = (0.1, 10.0), (0.0, 1.0)
ALPHAS, STEPS = (0.02, 8.0), (0.3, 300.0)


def units(full: bool) -> list[Unit]:
    """Both maps, and the line where the first one changes sign."""
    count, few, places = (31, 31, 21) if full else (11, 9, 7)
    kappas = np.geomspace(*KAPPAS, count).round(5).tolist()
    found = [_predict("pooled", ALPHA0)]
    for point in grid(kappa=kappas, cosine=np.linspace(*COSINES, count).round(5).tolist()):
        found.append(_predict("attention", ALPHA0, query=point))
    for kappa in np.geomspace(*KAPPAS, places).round(5).tolist():
        base = {"task": TASK, "kappa": kappa, "accuracy": ACCURACY}
        found.append(Unit("crossover", {**base, "training": _training(ALPHA0)}))
        found.append(Unit("crossover", base))
    alphas = np.geomspace(*ALPHAS, few).round(5).tolist()
    found += [_predict("pooled", alpha0, data="all") for alpha0 in alphas]
    for alpha0 in alphas:
        for step in np.geomspace(*STEPS, few).round(5).tolist():
            found.append(_predict("attention", alpha0, step))
    return found


def _training(alpha0: float, step: float | None = None) -> dict[str, Any]:
    training: dict[str, Any] = {"alpha0": alpha0, "alpha1": ALPHA1, "ridge": 1e-2}
    return training if step is None else {**training, "eta_q": step}


def _predict(model: str, alpha0: float, step: float | None = None, **more: Any) -> Unit:
    arguments = {"task": TASK, "training": _training(alpha0, step), "model": model}
    return Unit("predict", {**arguments, "accuracy": ACCURACY, **more})


def difference(table: pd.DataFrame, trained: bool = False) -> pd.DataFrame:
    """Return E[attention] − E[pooled] as a grid: rows by κ and columns by alignment.

    With ``trained``, rows are by the query's step size and columns by α0, and pooling has been
    trained on all the data.

    Examples
    --------
    >>> pooled = {"call": "predict", "model": "pooled", "training.alpha0": 1.0, "test_error": 0.25}
    >>> given = {"call": "predict", "model": "attention", "query.kappa": 2.0, "query.cosine": 0.9,
    ...          "training.alpha0": 1.0, "test_error": 0.05}
    >>> difference(pd.DataFrame([pooled, given])).round(3).to_dict()
    {0.9: {2.0: -0.2}}
    """
    rows = table[table.call == "predict"].dropna(subset=["test_error"])
    rows = rows.reindex(columns=list(dict.fromkeys(
        [*rows.columns, "data", "query.kappa", "query.cosine", "training.eta_q"]
    )))  # fmt: skip
    pooled, other = rows[rows.model == "pooled"], rows[rows.model == "attention"]
    pooled = pooled[pooled.data.eq("all") == trained].set_index("training.alpha0").test_error
    other = other[other["training.alpha0"].isin(pooled.index)]
    gap = other.test_error - other["training.alpha0"].map(pooled)
    if trained:
        chosen, axes = other["query.kappa"].isna(), ("training.eta_q", "training.alpha0")
    else:
        chosen, axes = other["query.kappa"].notna(), ("query.kappa", "query.cosine")
    found = other[chosen].assign(gap=gap[chosen])
    return found.pivot_table(index=axes[0], columns=axes[1], values="gap").astype(float)


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare nothing: there is no simulation here."""
    return pd.DataFrame(columns=list(COMPARED))


WIN_OR_LOSE = Experiment(
    "win_or_lose",
    "Where attention beats mean pooling, and where it does not",
    "The test error of attention minus that of mean pooling: blue where attention wins. Left: for "
    "a query that is given, by its alignment with the signal and its strength κ = β‖q‖, both "
    "readouts having 4 samples per dimension. The line is the alignment from which attention "
    "wins; dashed, the same with the square loss and unlimited data. A weak query hardly differs "
    "from pooling; a strong one must be aligned, or it looks at the wrong tokens. Right: for a "
    "query that is trained on α0 samples per dimension with a given step, against pooling that "
    "gets those samples as well; along the line the two are equal. Too few samples with a large "
    "step harm, and samples spent on a step too small to matter are better given to pooling.",
    units,
    scores,
)
