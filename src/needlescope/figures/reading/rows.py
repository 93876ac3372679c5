"""The rows of a table: with every column there, chosen by their values, described in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .dependence import DEFAULTS, has_query

UNIT_DEFAULTS: Mapping[str, Any] = {
    **DEFAULTS,
    **{"reuse": "none", "training.query_steps": 1, "starts": 0, "noise.entries": "gaussian"},
    **{"training.balanced": False},
    **{"noise.df": 0.0, "noise.token_correlation": 0.0, "noise.covariance_decay": 0.0},
}
"""The arguments of units that leave them to their defaults."""

COLUMNS = (
    *("call", "model", "task.L", "task.R", "task.theta", "task.pi", "test_task.L", "d", "data"),
    *(
        "training.alpha0",
        "training.alpha1",
        "training.ridge_q",
        "query.kappa",
        "query.cosine",
        "kappa",
    ),
    *("test_error", "test_error_se", "train_loss", "train_error", "cosine_w", "cosine_q"),
    *("cosines_q_1", "cosines_q_2"),
    *("constant", "signal", "noise", "largest", "alpha", "alpha_se", "fraction", "error"),
    *("theta", "cosine", "limit", "limit_se", "rate", "start"),
    *("overlap", "amp_overlap", "amp_test_error", "alpha_it", "alpha_amp"),
    *("architecture", "heads", "width", "epochs", "error_message"),
)
"""What figures read besides; a table lacks the numbers of a call that failed."""

TOTAL = "total"  # all samples per dimension, which a figure adds


def with_all_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with every column that a figure may read, defaults filled in.

    Examples
    --------
    >>> table = with_all_columns(pd.DataFrame({"call": ["predict"], "training.alpha1": [2.0]}))
    >>> table[["training.alpha1", "training.loss", "test_error"]].values.tolist()
    [[2.0, 'logistic', nan]]
    """
    usual = {**dict.fromkeys(COLUMNS, np.nan), **UNIT_DEFAULTS}
    gaps = {
        name: table[name].where(table[name].notna(), usual[name])
        for name in usual
        if name in table and table[name].isna().any()
    }
    absent = {name: default for name, default in usual.items() if name not in table}
    added = pd.DataFrame(absent, index=table.index)
    # Copied, so that columns of a kind lie together: rows are then quick to choose.
    return pd.concat([table.assign(**gaps), added], axis=1).copy()


def select(table: pd.DataFrame, columns: Sequence[str], **where: Any) -> pd.DataFrame:
    """Return the rows with the given values that have all of ``columns``; none if one is missing.

    Units that failed, and tables without such columns, leave an empty table.

    Examples
    --------
    >>> table = pd.DataFrame({"call": ["predict", "predict"], "test_error": [0.1, None]})
    >>> len(select(table, ["test_error"], call="predict")), len(select(table, ["margin"]))
    (1, 0)
    """
    if any(name not in table for name in (*columns, *where)):
        return pd.DataFrame(columns=list(columns))
    kept = np.ones(len(table), dtype=bool)
    for name, value in where.items():
        kept &= (table[name] == value).to_numpy()
    for name in columns:
        kept &= table[name].notna().to_numpy()
    return table[kept]


def means(trials: pd.DataFrame, x: str, y: str) -> pd.DataFrame:
    """Average over trials: the columns x, mean, se (NaN for a single trial) and count.

    Where a point was simulated in several dimensions d, the largest is shown.

    Examples
    --------
    >>> trials = pd.DataFrame({"alpha0": [1.0, 1.0, 2.0], "cosine_q": [0.5, 0.7, 0.9]})
    >>> means(trials, "alpha0", "cosine_q").round(3)
         x  mean   se  count
    0  1.0   0.6  0.1      2
    1  2.0   0.9  NaN      1
    """
    trials = trials[[name for name in dict.fromkeys((x, y, "d")) if name in trials]]
    if "d" in trials and trials["d"].notna().any():
        trials = trials[trials["d"] == trials.groupby(x)["d"].transform("max")]
    values = trials.astype({y: float}).groupby(x)[y]
    result = pd.DataFrame({"mean": values.mean(), "se": values.sem(), "count": values.count()})
    return result.rename_axis("x").reset_index()


def is_joint(table: pd.DataFrame) -> Any:
    """Say which rows are of joint training, by their ridge on the query.

    >>> is_joint(pd.DataFrame({"training.ridge_q": [0.1, None]})).tolist()
    [True, False]
    """
    name = "training.ridge_q"
    return table.reindex(columns=[name])[name].notna().to_numpy()


def with_total(table: pd.DataFrame) -> pd.DataFrame:
    """Add the column `TOTAL`, all samples per dimension: α0 + α1 of a training, α of a learner.

    A model without a query has α0 only if it is trained on all data; reused data count once. Joint
    training has α1 alone.

    Examples
    --------
    >>> table = pd.DataFrame({"call": "predict", "training.alpha0": [2.0], "training.alpha1": 4.0})
    >>> with_total(with_all_columns(table))["total"].tolist()
    [6.0]
    """
    alpha0, alpha1 = table["training.alpha0"], table["training.alpha1"]
    spent = table["model"].map(has_query, na_action="ignore").ne(False) | (table["data"] == "all")
    spent &= ~is_joint(table)
    both = (alpha1 + alpha0.where(spent, 0.0)).where(table["reuse"] != "D0", alpha0)
    return table.assign(**{TOTAL: both.fillna(table["alpha"])})


def signal_tokens(table: pd.DataFrame) -> str:
    """Say how many tokens carry the signal; one, where the table does not.

    Examples
    --------
    >>> signal_tokens(pd.DataFrame({"task.R": [3, 3]})), signal_tokens(pd.DataFrame())
    ('(3 carry the signal)', '(one carries the signal)')
    """
    counts = select(table, ["task.R"])["task.R"].unique()
    item = not len(counts) or counts[0] == 1
    return "(one carries the signal)" if item else f"({counts[0]:g} carry the signal)"


def describe_trials(table: pd.DataFrame, call: str) -> str:
    """Describe the dots, as far as the table has what it takes.

    Examples
    --------
    >>> table = pd.DataFrame({"call": ["simulate", "simulate"], "d": [100, 200]})
    >>> describe_trials(table, "simulate")
    'simulation at $d = 200$, mean ± standard error'
    """
    sizes = select(table, ["d"], call=call)["d"]
    size = f" at $d = {sizes.max():g}$" if len(sizes) else ""
    return f"simulation{size}, mean ± standard error"
