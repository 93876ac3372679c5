"""Columns that are numbered, ``path_cosine_1``, ``path_cosine_2``, …: one for each moment."""

from __future__ import annotations

import pandas as pd

from .columns import check_column


def numbered_columns(table: pd.DataFrame, name: str) -> list[str]:
    """List the columns of a name, in their order, as far as they follow each other.

    Examples
    --------
    >>> numbered_columns(pd.DataFrame(columns=["path_2", "path_1", "path_1_1", "path_4"]), "path")
    ['path_1', 'path_2']
    """
    result: list[str] = []
    while (item := f"{name}_{len(result) + 1}") in table:
        result.append(item)
    return result


def row_for_each(table: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Return a row for each moment of each row, as far as all of the names have a number there.

    Examples
    --------
    >>> row = {"path_epochs_1": 0, "path_epochs_2": 1, "path_cosine_1": 0.1, "path_cosine_2": 0.5}
    >>> rows = row_for_each(pd.DataFrame([row]), "path_epochs", "path_cosine")
    >>> rows[["path_epochs", "path_cosine"]]
       path_epochs  path_cosine
    0          0.0          0.1
    1          1.0          0.5
    """
    parts = [table.assign(**dict.fromkeys(names, float("nan")))[:0]]
    listed = [numbered_columns(table, name) for name in names]
    for columns in zip(*listed, strict=False):
        values = {
            name: check_column(column, table[column])
            for name, column in zip(names, columns, strict=True)
        }
        parts.append(table.assign(**values).dropna(subset=list(names)))
    filled = [part for part in parts if len(part)] or parts[:1]
    return pd.concat(filled, ignore_index=True).astype(dict.fromkeys(names, float))
