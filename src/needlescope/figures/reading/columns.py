"""What a column may hold: plain numbers or words, or it is refused with a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from .dependence import NESTED, SYMBOLS
from .rows import COLUMNS, UNIT_DEFAULTS

TEXT_COLUMNS = (
    *("call", "model", "data", "reuse", "noise.entries", "training.loss", "training.first_step"),
    *("method", "learner", "architecture", "error_message", "start", "minimum"),
    *("instances", "source", "loss"),
    *("noise.covariance", "signal.given"),  # arrays, by a few digits of their hash
)
BOOLEANS = ("training.balanced", "whitened", "same_noise")  # yes or no
MAY_BE_INFINITE = ("alpha", "kappa", "query.kappa")  # a capacity, and hard attention
POSITIVE = (
    *("training.alpha0", "training.alpha1", "task.L", "test_task.L", "d"),
    *("alpha1", "L"),  # of the overview
)
MAX_LISTED = 6  # values are listed, of more their range


def check_columns(name: str, table: Any, columns: Sequence[str]) -> pd.DataFrame:
    """Return a table whose columns, but for the model, hold finite numbers; or refuse it.

    Examples
    --------
    >>> check_columns("curves", pd.DataFrame({"model": ["pooled"]}), ["model", "alpha1"])
    Traceback (most recent call last):
    ValueError: curves must have the columns model, alpha1, got a table without alpha1
    """
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"{name} must be a pandas DataFrame, got {type(table).__name__}")
    lost = [column for column in columns if column not in table or not table.columns.is_unique]
    if lost:
        raise ValueError(
            f"{name} must have the columns {', '.join(columns)}, got a table without {lost[0]}"
        )
    if not len(table):
        raise ValueError(f"{name} must have at least one row, got none")
    result = table.assign(
        **{column: check_column(column, table[column]) for column in columns if column != "model"}
    )
    for column in columns:
        for row in np.flatnonzero(result[column].isna()):
            raise ValueError(f"column {column} must hold finite numbers, got nan in row {row}")
    return result


def check_is_table(
    table: Any, kind: str = "a pandas DataFrame, as Store.to_pandas makes it"
) -> None:
    """Refuse what is not a table with each column once."""
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"table must be {kind}, got {type(table).__name__}")
    if not table.columns.is_unique:
        twice = table.columns[table.columns.duplicated()][0]
        raise ValueError(f"table must have each column once, got {twice!r} twice")


def read_columns(table: pd.DataFrame) -> list[str]:
    """List the columns there are that figures read."""
    known = dict.fromkeys((*COLUMNS, *UNIT_DEFAULTS, *SYMBOLS))
    return [name for name in known if name in table and name not in NESTED]


def check_column(name: str, values: pd.Series) -> pd.Series:
    """Return a column of plain numbers or words, NaN where there is none; or refuse it."""
    numbers, words = values, name in TEXT_COLUMNS
    if name in BOOLEANS:
        return _check_booleans(name, values)
    if words or not (isinstance(values.dtype, np.dtype) and values.dtype.kind in "iuf"):
        known = values.notna().to_numpy()
        plain = values.astype(object).where(known, np.nan)
        kinds: Any = str if words else (int, float, np.integer, np.floating)
        for row in np.flatnonzero(known):
            item = plain.iloc[row]
            if not isinstance(item, kinds) or isinstance(item, bool):
                what = "words" if words else "numbers"
                raise ValueError(f"column {name} must hold {what}, got {item!r:.80} in row {row}")
        if words:
            return plain
        numbers = plain.astype(float)
    size = numbers.to_numpy(float)
    bad = np.isinf(size) & (name not in MAY_BE_INFINITE)
    bad |= (size <= 0.0) & (name in POSITIVE)
    if bad.any():
        wanted = "finite numbers" + (" above 0" if name in POSITIVE else "")
        place = int(np.flatnonzero(bad)[0])
        raise ValueError(f"column {name} must hold {wanted}, got {size[place]} in row {place}")
    return numbers


def _check_booleans(name: str, values: pd.Series) -> pd.Series:
    """Return a column of True and False, NaN where there is neither; or refuse it."""
    known = values.notna().to_numpy()
    for row in np.flatnonzero(known):
        if not isinstance(values.iloc[row], bool | np.bool_):
            got = values.iloc[row]
            raise ValueError(f"column {name} must hold True or False, got {got!r:.80} in row {row}")
    return values.astype(object).where(known, np.nan)


def listed(values: Sequence[Any], word: str = "and") -> str:
    """Write values with a word before the last one, of many the first and the last."""
    listed = [str(value) for value in values]
    if len(listed) > MAX_LISTED:
        return f"{len(listed)} values from {listed[0]} to {listed[-1]}"
    if word == "," or len(listed) < 2:
        return ", ".join(listed)
    return f"{', '.join(listed[:-1])} {word} {listed[-1]}"


def is_missing(value: Any) -> bool:
    """Say whether a cell is empty."""
    return value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value))
