"""Parquet: a table with a row for each instance, in a file or in several of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..making.columns import not_numbers
from ..making.rows import grouping, label_of_each_bag, warn_of_labels
from ..tables import Metadata
from .source import (
    Blocks,
    Content,
    answer,
    checked,
    existing,
    fingerprint,
    needs,
    precision,
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
    cache : path, optional
        A folder that takes the features, a block of rows at a time; from 256 MB on they are read
        from there when they are needed, and never all at once. Later calls use it again unless a
        file has changed. Without one all are read into memory.
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
    files = _files(existing(path))
    beside = _listed(metadata)
    named = [bag, *([] if label is None else [label]), *([] if groups is None else [groups])]
    schema = _schema(files)
    for one in (*named, *beside, *_listed(drop), *_listed(features)):
        if one not in schema:
            raise ValueError(
                f"{files[0]} has no column {one!r}; there are {', '.join(list(schema)[:10])}"
            )
    taken = {*named, *beside, *_listed(drop)}
    taken.update(_index(files[0]))
    wanted = _listed(features) or [name for name in schema if name not in taken]
    columns = {name: _column(files, name) for name in named}
    if not len(columns[bag]):
        raise ValueError(f"there must be at least one row, got none in {path}")
    rows = grouping(columns[bag], len(columns[bag]), f"{path}, {bag!r}")
    y = None if label is None else label_of_each_bag(rows, columns[label], f"{path}, {label!r}")
    belongs = (
        None if groups is None else label_of_each_bag(rows, columns[groups], f"{path}, {groups!r}")
    )

    def look() -> Content:
        count, order = len(rows.bag), rows.order
        width, dtype = _width(files, schema, wanted)
        kept = Metadata({name: _column(files, name) for name in beside}, count)
        if order is not None:
            kept = kept.rows(order)
        names = wanted if width == len(wanted) else None

        def blocks(scratch: Path | None) -> Blocks:
            places, first = rows.places, 0
            wide = scratch is not None and len(wanted) > TOGETHER
            read_rows = _turned if wide else _blocks
            for block in read_rows(files, wanted, width, dtype, scratch):
                yield places[first : first + len(block)], block
                first += len(block)

        return Content((count, width), dtype, rows.starts, names, rows.ids, kept, blocks)

    source = fingerprint(files, bag=bag, features=wanted, metadata=beside)
    bags = read(look, cache, source)
    warn_of_labels(bags.instances, bags.starts, bags.names, y)
    return answer(bags, y, belongs)


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = sorted(path.glob("*.parquet"))
    if not found:
        raise ValueError(f"{path} has no files that end in .parquet")
    return found


def _listed(names: Any) -> list[str]:
    if names is None:
        return []
    return [names] if isinstance(names, str) else [str(one) for one in names]


def _opened(file: Path) -> Any:
    """Open a file such that row groups are not read as a whole before their rows are asked for."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(file, pre_buffer=False, buffer_size=1 << 16)
    except (pa.ArrowInvalid, OSError) as problem:
        raise ValueError(f"{file} cannot be read as Parquet: {problem}") from None


def _schema(files: list[Path]) -> dict[str, Any]:
    """Return the columns with their types; all files must have the same."""
    found: list[dict[str, Any]] = []
    for file in files:
        with _opened(file) as one:
            fields = one.schema_arrow
            found.append({field.name: field.type for field in fields})
        if found[-1] != found[0]:
            odd = {name for name, _ in set(found[-1].items()) ^ set(found[0].items())}
            raise ValueError(
                f"{file} must have the columns of {files[0]}, of the same types, and differs in "
                f"{', '.join(sorted(odd))}"
            )
    return found[0]


def _index(file: Path) -> list[str]:
    """Return which columns are the index of a DataFrame that was written by pandas."""
    with _opened(file) as one:
        about = one.schema_arrow.pandas_metadata or {}
    return [name for name in about.get("index_columns", []) if isinstance(name, str)]


def _column(files: list[Path], name: str) -> Any:
    """Return a column of all files, in memory."""
    import pandas as pd

    parts = []
    for file in files:
        with _opened(file) as one:
            parts.append(one.read(columns=[name]).column(0).to_pandas())
    return pd.concat(parts, ignore_index=True)


def _width(files: list[Path], schema: dict[str, Any], wanted: list[str]) -> tuple[int, Any]:
    """Return how many features there are, and in which precision."""
    import pyarrow as pa

    if not wanted:
        raise ValueError(f"{files[0]} has no column left for features")
    lists = [name for name in wanted if _is_list(schema[name])]
    if lists and len(wanted) > 1:
        others = [name for name in wanted if name != lists[0]]
        raise ValueError(
            f"column {lists[0]!r} of {files[0]} holds lists, and a list is all features of an "
            f"instance: pass features={lists[0]!r}, or leave it out by drop={lists[0]!r}; there is "
            f"{others[0]!r} beside it"
        )
    kinds = [schema[name].value_type if _is_list(schema[name]) else schema[name] for name in wanted]
    words = [name for name, kind in zip(wanted, kinds, strict=True) if not _is_number(kind)]
    if words:
        raise ValueError(f"{files[0]}: {not_numbers(words, schema[words[0]], 'label')}")
    plain = [kind.to_pandas_dtype() if not pa.types.is_decimal(kind) else float for kind in kinds]
    dtype = precision([np.dtype(kind) for kind in plain])
    if not lists:
        return len(wanted), dtype
    first = next(_tables(files, wanted, 1))[2]
    return len(first.column(0).flatten()), dtype


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    return any(test(kind) for test in tests)


def _blocks(files: list[Path], columns: list[str], width: int, dtype: Any, _: Any) -> Iterator[Any]:
    """Go through the rows of all files, so many at a time."""
    for file, start, batch in _tables(files, columns, rows_at_once(width)):
        yield checked(_numbers(file, batch, width), dtype, str(file), start)


def _turned(
    files: list[Path], columns: list[str], width: int, dtype: Any, scratch: Any
) -> Iterator[Any]:
    """Go through the rows of a wide table, whose columns are put on disk first, some at a time.

    Parquet keeps columns apart, and one at a time takes about two megabytes to be read.
    """
    parts = [columns[k : k + TOGETHER] for k in range(0, width, TOGETHER)]
    paths = [scratch / f"columns{k}" for k in range(len(parts))]
    for path, names in zip(paths, parts, strict=True):
        with path.open("wb") as out:
            for block in _blocks(files, names, len(names), dtype, None):
                np.ascontiguousarray(block).tofile(out)
    count = paths[0].stat().st_size // (len(parts[0]) * dtype.itemsize)
    size = rows_at_once(width)
    for first in range(0, count, size):
        yield np.hstack(
            [
                _part(path, dtype, first, min(size, count - first), len(names))
                for path, names in zip(paths, parts, strict=True)
            ]
        )
    for path in paths:
        path.unlink()


def _part(path: Path, dtype: Any, first: int, count: int, width: int) -> Any:
    row = width * dtype.itemsize
    return np.fromfile(path, dtype, count * width, offset=first * row).reshape(count, width)


def _tables(files: list[Path], columns: list[str], size: int) -> Iterator[tuple[Path, int, Any]]:
    """Go through the rows of all files, so many at a time: the file, the first row, the rows."""
    for file in files:
        start = 0
        with _opened(file) as one:
            for batch in one.iter_batches(batch_size=size, columns=columns, use_threads=False):
                yield file, start, batch.select(columns)
                start += len(batch)


def _numbers(file: Path, batch: Any, width: int) -> Any:
    """Return a batch as an array (rows, features); missing numbers become NaN."""
    if _is_list(batch.schema[0].type):
        flat, rows = batch.column(0).flatten(), batch.column(0)
        lengths = rows.value_lengths().to_numpy(zero_copy_only=False)
        if (lengths != width).any():
            raise ValueError(
                f"{file} must have {width} numbers in every list of {batch.schema[0].name!r}, got "
                f"{lengths[lengths != width][0]:g}"
            )
        return flat.to_numpy(zero_copy_only=False).reshape(len(batch), width)
    columns = [column.to_numpy(zero_copy_only=False) for column in batch.columns]
    return np.stack([np.asarray(one, float) if one.dtype == object else one for one in columns], 1)
