"""Which parameters change in a table: those that some of its answers depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from .columns import missing
from .dependence import DEFAULTS, NESTED, SYMBOLS, depends, has_query
from .rows import LEFT_OUT

REPEATS = ("d", "samples", "trials")  # how large a simulation is: the largest d is shown
ARGUMENT_OF = {  # a result of other calls
    "error": ("detection_threshold",),
    "kappa": ("crossover",),
    "alpha": ("learning_limit", "simulate_limit", "simulate_deep"),
}
UNSAID: Mapping[str, Any] = {
    **{name: value for name, value in LEFT_OUT.items() if name not in DEFAULTS},
    **{"task.positions": "uniform", "training.first_step": "joint", "data": "D1"},
    **{"training.schedule": "two steps", "task.signals": "one", "query.cosines": "one"},
    **{"task.label_noise": "none", "task.R.values": "one", "task.R.probabilities": "one"},
    **{"test_task.L": "that of the training", "query.kappa": "trained", "query.cosine": "trained"},
}
"""What the rows were asked that leave a column open which others fill."""


def varying(table: pd.DataFrame) -> dict[str, list[Any]]:
    """Return the parameters that some answers depend on and that change, with their values.

    Examples
    --------
    >>> table = pd.DataFrame({"call": "predict", "model": ["attention", "pooled", "pooled"],
    ...                       "training.alpha0": [4.0, 5.0, 6.0], "test_error": [0.1, 0.2, 0.2]})
    >>> varying(table)  # no query, no α0
    {'model': ['attention', 'pooled']}
    """
    columns = [name for name in (*SYMBOLS, "kappa") if name in table and name not in REPEATS]
    asked = table[["call", *columns]].copy()
    for name in NESTED:
        if name in asked:
            asked[name] = asked[name].map(str, na_action="ignore")
    found: dict[str, dict[Any, None]] = {}
    for row in asked.drop_duplicates().to_dict("records"):
        call = str(row.pop("call"))
        given = {
            str(name): value
            for name, value in row.items()
            if not missing(value) and call in ARGUMENT_OF.get(str(name), (call,))
        }
        for name, value in _asked(call, given, columns).items():
            found.setdefault(name, {})[value] = None
    return {
        name: sorted(values, key=lambda one: (isinstance(one, str), one))
        for name, values in found.items()
        if len(values) > 1
    }


def _asked(call: str, given: dict[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """Return what a row was asked, with what it leaves unsaid where others say it."""
    known = depends(call, given)
    attends = has_query(known.get("model"))
    for name in columns:
        part, _, field = name.partition(".")
        if part == "test_task" and "test_task.L" in given:  # like the training unless it says so
            known.setdefault(name, known.get(f"task.{field}"))
        if name in UNSAID and name not in given and (attends or not name.startswith("query.")):
            known[name] = UNSAID[name]
    return {name: value for name, value in known.items() if name in SYMBOLS}


def with_value(table: pd.DataFrame, column: str, value: Any) -> Any:
    """Say which rows have a value that `varying` lists."""
    values = table[column]
    if column in NESTED:
        values = values.map(str, na_action="ignore")
    found = values == value
    return (found | values.isna() if value == UNSAID.get(column) else found).to_numpy()
