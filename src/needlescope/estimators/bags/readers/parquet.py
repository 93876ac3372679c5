"""Parquet: a table with a row for each instance, in a file or in several of a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ....arrays import MEMORY
from ..conversion.columns import not_numbers
from ..conversion.grouping import group_rows
from ..conversion.leakage import warn_of_leakage
from ..conversion.metadata import Metadata
from ..files import check_memory, existing_path
from .content import (
    Blocks,
    Content,
    check_block,
    column_names,
    fingerprint,
    read_bags,
    require,
    rows_at_once,
    with_labels,
)
from .parquet_files import ParquetFiles, is_list

COLUMNS_AT_ONCE = 64  # about 128 MB


def read_parquet(
    path: Any,
    bag: str,
    label: str | None = None,
    cache: Any = None,
    *,
    features: Any = None,
    drop: Any = None,
    metadata: Any = None,
    groups: str | None = None,
    memory: int = MEMORY,
) -> Any:
    """Read bags from Parquet: a file, or a folder of files with the same columns.

    Parameters
    ----------
    path : path
        A file, or a folder whose ``.parquet`` files are read in the order of their names.
    bag : str
        The column with the bag of each row.
    label : str, optional
        The column with the label of the bag, the same in all its rows.
    cache, memory : optional
        As in `read_hdf5`; the cache takes a block of rows at a time.
    features : str or list of str, optional
        Columns of numbers, or one column of lists of equal length, as embeddings are stored. By
        default all columns that are named nowhere else and are not the index of a DataFrame.
    drop : str or list of str, optional
        Columns to leave out.
    metadata : str or list of str, optional
        Columns to keep with each instance, as ["x", "y"].
    groups : str, optional
        A column that says which bags belong together.

    Returns
    -------
    bags : Bags
        In the order in which they first appear.
    y, groups : array
        The label and the group of each bag, if these columns are named.

    Raises
    ------
    ValueError
        If a column is missing or holds no numbers, or labels differ within a bag.
    ImportError
        Without pyarrow, which the extra ``needlescope[parquet]`` installs.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from needlescope.estimators import read_parquet
    >>> table = pd.DataFrame({"slide": ["b", "a", "b"], "sick": [1, 0, 1], "u": [0.5, 1.0, 2.0]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table.to_parquet(Path(folder, "table.parquet"))
    ...     bags, y = read_parquet(Path(folder, "table.parquet"), bag="slide", label="sick")
    >>> bags, bags.ids.tolist(), y.tolist()
    (<2 bags of 1 to 2 instances, 1 features, float64>, ['b', 'a'], [1, 0])
    """
    require("pyarrow.parquet", "Parquet", "parquet")
    bound = check_memory(memory)
    wanted = column_names("features", features, least=1)
    beside, dropped = column_names("metadata", metadata) or [], column_names("drop", drop) or []
    named = [bag, *([] if label is None else [label]), *([] if groups is None else [groups])]
    table = ParquetFiles(existing_path(path), bound)
    table.check_names([*named, *beside, *dropped, *(wanted or [])])
    taken = {*named, *beside, *dropped}
    both = [item for item in wanted or [] if item in taken]
    if both:
        raise ValueError(
            f"features must be columns that are named nowhere else, got {both[0]!r}, which is the "
            "bag, label, groups, metadata or dropped"
        )
    if wanted is None:
        taken.update(table.index())
        wanted = [name for name in table.schema if name not in taken]
    rows, y, belongs = group_rows(table.column, table.count, path, bag, label, groups)

    def inspect() -> Content:
        width, dtype = table.width(wanted, not_numbers)
        kept = Metadata({name: table.column(name) for name in beside}, table.count)
        names = None if is_list(table.schema[wanted[0]]) else wanted
        content = ((table.count, width), dtype, rows.starts, names, rows.ids, rows.arranged(kept))
        return Content(*content, lambda scratch: _placed(table, wanted, rows.places, scratch))

    source = fingerprint(table.files, bag=bag, features=wanted, metadata=beside)
    bags = read_bags(inspect, cache, source, path, bound)
    warn_of_leakage(bags.instances, bags.starts, bags.names, y, rows.places)
    return with_labels(bags, y, belongs)


def _placed(table: ParquetFiles, columns: list[str], places: Any, scratch: Any) -> Blocks:
    """Yield the rows of all files in blocks, with their places."""
    first = 0
    wide = scratch is not None and len(columns) > COLUMNS_AT_ONCE
    for block in _turned(table, columns, scratch) if wide else _blocks(table, columns):
        if first + len(block) > len(places):
            break
        yield places[first : first + len(block)], block
        first += len(block)
    if first != len(places):
        raise ValueError(f"{table.path} has not the {len(places)} rows that it says; it is damaged")


def _blocks(table: ParquetFiles, columns: list[str]) -> Iterator[Any]:
    """Yield the rows of all files in blocks."""
    width, dtype = table.width(columns, not_numbers)
    names = None if is_list(table.schema[columns[0]]) else columns
    for file, start, batch in table.batches(columns, rows_at_once(width)):
        yield check_block(_numbers(file, batch, width), dtype, str(file), start, names)


def _turned(
    table: ParquetFiles, columns: list[str], scratch: Callable[[str], Path]
) -> Iterator[Any]:
    """Yield the rows of a wide table, whose columns are written to disk first, some at a time.

    Parquet stores columns apart, and reading one takes about two megabytes.
    """
    width, dtype = table.width(columns, not_numbers)
    parts = [columns[k : k + COLUMNS_AT_ONCE] for k in range(0, width, COLUMNS_AT_ONCE)]
    paths = [scratch(f"columns{k}") for k in range(len(parts))]
    for path, names in zip(paths, parts, strict=True):
        with path.open("wb") as out:
            for block in _blocks(table, names):
                np.ascontiguousarray(block, dtype).tofile(out)
    size = rows_at_once(width)
    for first in range(0, table.count, size):
        yield np.hstack(
            [
                _part(path, dtype, first, min(size, table.count - first), len(names))
                for path, names in zip(paths, parts, strict=True)
            ]
        )
    for path in paths:
        path.unlink()


def _part(path: Path, dtype: Any, first: int, count: int, width: int) -> Any:
    row = width * dtype.itemsize
    return np.fromfile(path, dtype, count * width, offset=first * row).reshape(count, width)


def _numbers(file: Path, batch: Any, width: int) -> Any:
    """Return a batch as an array (rows, features); missing numbers become NaN."""
    if is_list(batch.schema[0].type):
        flat, rows = batch.column(0).flatten(), batch.column(0)
        lengths = rows.value_lengths().to_numpy(zero_copy_only=False)
        if (lengths != width).any():
            raise ValueError(
                f"{file} must have {width} numbers in every list of {batch.schema[0].name!r}, got "
                f"{lengths[lengths != width][0]:g}"
            )
        return flat.to_numpy(zero_copy_only=False).reshape(len(batch), width)
    columns = [column.to_numpy(zero_copy_only=False) for column in batch.columns]
    return np.stack(
        [np.asarray(column, float) if column.dtype == object else column for column in columns], 1
    )
