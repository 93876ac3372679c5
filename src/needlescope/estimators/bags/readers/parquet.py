"""Parquet: a table with a row for each instance, in a file or in several of a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..files import MEMORY, existing, memory_bound
from ..making.columns import not_numbers
from ..making.rows import grouping, label_of_each_bag
from ..making.suspects import warn_of_columns
from ..tables import Metadata
from .parquet_files import ParquetFiles, is_list
from .source import (
    Blocks,
    Content,
    answer,
    checked,
    column_list,
    fingerprint,
    needs,
    read,
    rows_at_once,
)

TOGETHER = 64  # columns that are read at a time: about 128 MB


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
        The column that says which bag a row is in.
    label : str, optional
        The column with the label of the bag, the same in all its rows; it is no feature.
    features : str or list of str, optional
        Columns to take for features: of numbers, or one of lists of numbers that are all as long,
        as embeddings are kept. By default all columns that are named nowhere else, and are not the
        index of a DataFrame.
    drop : str or list of str, optional
        Columns to leave out.
    metadata : str or list of str, optional
        Columns to keep with each instance, as ["x", "y"].
    groups : str, optional
        A column that says which bags belong together; it is no feature.
    cache, memory : optional
        As in `read_hdf5`; the cache takes a block of rows at a time.

    Returns
    -------
    bags : Bags
        In the order in which they first appear.
    y : array
        The label of each, if a column is named.
    groups : array
        If asked for.

    Raises
    ------
    ValueError
        If a column is missing or holds no numbers, or labels differ within a bag; the sentence
        names the file.
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
    needs("pyarrow.parquet", "Parquet", "parquet")
    bound = memory_bound(memory)
    wanted = column_list("features", features, least=1)
    beside, dropped = column_list("metadata", metadata) or [], column_list("drop", drop) or []
    named = [bag, *([] if label is None else [label]), *([] if groups is None else [groups])]
    table = ParquetFiles(existing(path), bound)
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
    rows = grouping(table.column(bag), table.count, f"{path}, {bag!r}")
    y, belongs = (
        None if name is None else label_of_each_bag(rows, table.column(name), f"{path}, {name!r}")
        for name in (label, groups)
    )

    def look() -> Content:
        width, dtype = table.width(wanted, not_numbers)
        kept = Metadata({name: table.column(name) for name in beside}, table.count)
        if rows.order is not None:
            kept = kept.rows(rows.order)
        names = None if is_list(table.schema[wanted[0]]) else wanted
        content = ((table.count, width), dtype, rows.starts, names, rows.ids, kept)
        return Content(*content, lambda scratch: _placed(table, wanted, rows.places, scratch))

    source = fingerprint(table.files, bag=bag, features=wanted, metadata=beside)
    bags = read(look, cache, source, path, bound)
    warn_of_columns(bags.instances, bags.starts, bags.names, y, rows.places)
    return answer(bags, y, belongs)


def _placed(table: ParquetFiles, columns: list[str], places: Any, scratch: Any) -> Blocks:
    """Go through the rows of all files, so many at a time, and say where they go."""
    first = 0
    wide = scratch is not None and len(columns) > TOGETHER
    for block in _turned(table, columns, scratch) if wide else _blocks(table, columns):
        if first + len(block) > len(places):
            break
        yield places[first : first + len(block)], block
        first += len(block)
    if first != len(places):
        raise ValueError(f"{table.path} has not the {len(places)} rows that it says; it is damaged")


def _blocks(table: ParquetFiles, columns: list[str]) -> Iterator[Any]:
    """Go through the rows of all files, so many at a time."""
    width, dtype = table.width(columns, not_numbers)
    names = None if is_list(table.schema[columns[0]]) else columns
    for file, start, batch in table.batches(columns, rows_at_once(width)):
        yield checked(_numbers(file, batch, width), dtype, str(file), start, names)


def _turned(
    table: ParquetFiles, columns: list[str], scratch: Callable[[str], Path]
) -> Iterator[Any]:
    """Go through the rows of a wide table, whose columns are put on disk first, some at a time.

    Parquet keeps columns apart, and one at a time takes about two megabytes to be read.
    """
    width, dtype = table.width(columns, not_numbers)
    parts = [columns[k : k + TOGETHER] for k in range(0, width, TOGETHER)]
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
