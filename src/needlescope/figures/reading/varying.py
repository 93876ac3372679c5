"""Which parameters change in a table: those that some of its answers depend on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from .columns import is_missing
from .dependence import DEFAULTS, NESTED, SYMBOLS, USUAL_START, depends, has_query
from .rows import UNIT_DEFAULTS

COUNTS = ("samples", "trials")  # how often a simulation is done
REPEATS = ("d", *COUNTS)  # how large a simulation is: the largest d is shown
ARGUMENT_OF = {  # a result of other calls
    "error": ("oracle_threshold",),
    "kappa": ("crossover",),
    "alpha": ("bayes_optimal", "simulate_amp", "simulate_deep"),
}
DEFAULT_LABELS: Mapping[str, Any] = {
    **{name: value for name, value in UNIT_DEFAULTS.items() if name not in DEFAULTS},
    **{"task.positions": "uniform", "training.first_step": "joint", "data": "D1"},
    **{"training.schedule": "two steps", "task.signals": "one", "query.cosines": "one"},
    **{"training.ridge_q": "two steps", "start": "usual", "minimum": "field"},
    **{"task.label_noise": "none", "task.R.values": "one", "task.R.probabilities": "one"},
    **{"test_task.L": "that of the training", "query.kappa": "trained", "query.cosine": "trained"},
}
"""What a row has in a column that it leaves empty and others fill."""


def varying(table: pd.DataFrame) -> dict[str, list[Any]]:
    """Return the parameters that some answers depend on and that change, with their values.

    Examples
    --------
    >>> table = pd.DataFrame({"call": "predict", "model": ["attention", "pooled", "pooled"],
    ...                       "training.alpha0": [4.0, 5.0, 6.0], "test_error": [0.1, 0.2, 0.2]})
    >>> varying(table)  # no query, no α0
    {'model': ['attention', 'pooled']}
    """
    result: dict[str, dict[Any, None]] = {}
    columns = [name for name in _columns(table) if name not in REPEATS]
    for row in _records(_plain(table, columns).drop_duplicates()):
        for name, value in row.items():
            result.setdefault(name, {})[value] = None
    return {
        name: sorted(values, key=lambda item: (isinstance(item, str), item))
        for name, values in result.items()
        if len(values) > 1
    }


def arguments_used(table: pd.DataFrame) -> pd.DataFrame:
    """Return what the answer of each row depends on, by column; a column that it does not is empty.

    Examples
    --------
    >>> table = pd.DataFrame({"call": "predict", "model": ["attention", "pooled"],
    ...                       "training.alpha0": [4.0, 5.0], "test_error": [0.1, 0.2]})
    >>> arguments_used(table)["training.alpha0"].tolist()  # no query, no α0
    [4.0, nan]
    """
    columns = [name for name in _columns(table) if name not in COUNTS]
    plain = _plain(table, columns)
    codes, _ = pd.factorize(pd.Series(map(str, plain.to_numpy().tolist())))
    first = pd.Series(codes).drop_duplicates().index
    known = [*_records(plain.iloc[first])]
    result = pd.DataFrame([known[code] for code in codes], index=table.index)
    return result.reindex(columns=[name for name in SYMBOLS if name in result])


def _columns(table: pd.DataFrame) -> list[str]:
    return [name for name in (*SYMBOLS, "kappa") if name in table]


def _plain(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the call and some columns of a table, its lists as text."""
    result = table[["call", *columns]].copy()
    for name in NESTED:
        if name in result:
            result[name] = result[name].map(str, na_action="ignore")
    return result


def _records(plain: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Give what the answer of each row depends on."""
    columns = [str(name) for name in plain if name != "call"]
    for row in plain.to_dict("records"):
        call = str(row.pop("call"))
        given = {
            str(name): value
            for name, value in row.items()
            if not is_missing(value) and call in ARGUMENT_OF.get(str(name), (call,))
        }
        yield _used(call, given, columns)


def _used(call: str, given: dict[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """Return what the answer of a row depends on, defaults labelled where others have values."""
    known = depends(call, given)
    if known.get("start") == USUAL_START.get(call):  # one of theory, another of simulation
        known.pop("start", None)
        given = {name: value for name, value in given.items() if name != "start"}
    attends = has_query(known.get("model"))
    for name in columns:
        part, _, field = name.partition(".")
        if part == "test_task" and "test_task.L" in given:  # like the training unless it says so
            known.setdefault(name, known.get(f"task.{field}"))
        if (
            name in DEFAULT_LABELS
            and name not in given
            and (attends or not name.startswith("query."))
        ):
            known[name] = DEFAULT_LABELS[name]
    return {name: value for name, value in known.items() if name in SYMBOLS}


def with_value(table: pd.DataFrame, column: str, value: Any) -> Any:
    """Say which rows have a value that `varying` lists."""
    values = table[column]
    if column in NESTED:
        values = values.map(str, na_action="ignore")
    result = values == value
    if column == "start" and value == DEFAULT_LABELS[column]:
        result |= values == table["call"].map(USUAL_START)
    return (result | values.isna() if value == DEFAULT_LABELS.get(column) else result).to_numpy()
