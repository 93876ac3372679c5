"""A sweep's table for people: what varies, and the mean over the trials of each point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..units.answers import ANSWERS, VERDICTS

if TYPE_CHECKING:
    import pandas as pd

    from ..units.unit import Unit


def means(table: pd.DataFrame, units: Iterable[Unit]) -> list[dict[str, Any]]:
    """Return a row for each point of a sweep, with its main numbers and their errors.

    Examples
    --------
    >>> import pandas as pd
    >>> from ..units.unit import Unit
    >>> task = {"L": 4, "R": 1, "theta": 2.0, "pi": 0.5}
    >>> unit = Unit("simulate_separability", {"task": task, "model": "pooled", "seed": 0})
    >>> table = pd.DataFrame({"call": unit.call, "model": "pooled", "task.L": 4, "seed": [0, 1],
    ...                       "fraction": [0.0, 1.0]})
    >>> means(table, [unit])
    [{'call': 'simulate_separability', 'fraction': 0.5, 'fraction_se': 0.5}]
    """
    from .summary import mean_and_error

    arguments = [name for name in _argument_columns(units) if name in table]
    texts = table[arguments].astype(str).where(table[arguments].notna())  # pandas 2 writes "nan"
    varying = ["call", *(name for name in arguments if texts[name].nunique() > 1)]
    shown = {call: ANSWERS.get(call, ()) for call in table["call"].unique()}
    answers = list(dict.fromkeys(name for names in shown.values() for name in names))
    verdicts = [
        name for name in dict.fromkeys(VERDICTS.get(call, "") for call in shown) if name in table
    ]
    by = [table["call"], *(texts[name] for name in arguments)]
    rows = []
    for _, part in table.groupby(by, sort=False, dropna=False):
        row = {_short(name, answers): _shown(part[name].iloc[0]) for name in varying}
        row |= {name: _shown(part[name].iloc[0]) for name in verdicts}
        for name in answers:
            own = name in shown[row["call"]] and name in part
            values = part[name].dropna().to_numpy(float) if own else np.zeros(0)
            error = float(part[f"{name}_se"].iloc[0]) if f"{name}_se" in part else np.nan
            row[name], row[f"{name}_se"] = mean_and_error(values, error)
        rows.append(row)
    return rows


def _argument_columns(units: Iterable[Unit]) -> list[str]:
    """List the columns of a table that are arguments, those that tell trials apart left out."""
    from .settings import columns

    result: dict[str, None] = {}
    for unit in units:
        result |= dict.fromkeys(columns(unit.arguments))
    return [name for name in result if name not in ("seed", "trials")]


def _short(name: str, answers: Sequence[str]) -> str:
    """A column's name without its table, where that cannot be mistaken."""
    table, _, key = name.partition(".")
    return key if table in ("task", "training") and key not in answers else name


def _shown(value: Any) -> Any:
    """A column of whole numbers that some calls do not have is of floats; undo that."""
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:g}"
    return "" if value is None else value
