"""Writing a table to a file, and what keeps it from being written in a sentence."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def check_parquet() -> None:
    """Refuse to go on without what writes Parquet."""
    if find_spec("pyarrow") is None:
        raise ImportError("Parquet needs pyarrow: pip install 'needlescope[parquet]', or write CSV")


def write_table(path: Any, form: str, table: Callable[[], pd.DataFrame]) -> None:
    """Write a table, which is made when the path is known to be one, as "CSV" or as "Parquet".

    Parquet has one kind of values in a column, and both forms are text in UTF-8: a store that was
    edited by hand, or that has seeds of several kinds, may hold what they cannot.
    """
    if not isinstance(path, str | os.PathLike) or not str(path) or "\0" in str(path):
        raise ValueError(f"a table is written to the path of a file, got {path!r:.80}")
    result = table()
    try:
        (result.to_csv if form == "CSV" else result.to_parquet)(Path(path), index=False)
    except OSError as problem:
        reason = os.strerror(problem.errno) if problem.errno else problem
        raise ValueError(f"the table cannot be written to {path!s:.200}: {reason}") from None
    except (ValueError, TypeError, OverflowError, NotImplementedError, RecursionError) as problem:
        words = " ".join(str(problem).split())
        raise ValueError(
            f"the table cannot be written to {path!s:.200}: it holds what {form} does not "
            f"({type(problem).__name__}: {words:.200}); write it "
            f"{'as CSV, or ' * (form == 'Parquet')}without that column, from to_pandas()"
        ) from None
