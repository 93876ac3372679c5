"""Parquet files with the same columns: their schema, and their rows a batch at a time.

The memory of a column follows from the number of rows, which the footer of a file declares. Strings
are read with their dictionary, so that a long one in many rows is in memory once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..files import check_fits, reading, regular_file
from .content import precision


class ParquetFiles:
    """A file, or those of a folder in the order of their names, as one table."""

    def __init__(self, path: Path, memory: int) -> None:
        """Look at the columns and the number of rows."""
        self.path, self.memory = path, memory
        self.files = _files(path)
        self.schema: dict[str, Any] = {}
        self.count = 0
        for file in self.files:
            with self._opened(file) as item:
                result = {field.name: field.type for field in item.schema_arrow}
                self.count += self._rows(file, item.metadata)
            self.schema = self.schema or result
            if result != self.schema:
                odd = {name for name, _ in set(result.items()) ^ set(self.schema.items())}
                raise ValueError(
                    f"{file} must have the columns of {self.files[0]}, of the same types, and "
                    f"differs in {', '.join(sorted(odd))}"
                )
        if not self.count:
            raise ValueError(f"there must be at least one row, got none in {path}")
        check_fits(f"{path}: the places of {self.count} rows", 16 * self.count, memory)

    @contextmanager
    def _opened(self, file: Path, words: tuple[str, ...] = ()) -> Iterator[Any]:
        """Open a file such that row groups are not read completely in advance."""
        import pyarrow.parquet as pq

        with reading(file, "Parquet"):
            how = {"pre_buffer": False, "buffer_size": 1 << 16, "read_dictionary": list(words)}
            with pq.ParquetFile(regular_file(file), page_checksum_verification=True, **how) as item:
                yield item

    def _rows(self, file: Path, about: Any) -> int:
        """Return the number of rows of a file, if its row groups agree."""
        groups = [about.row_group(k).num_rows for k in range(about.num_row_groups)]
        if min(groups, default=0) < 0 or sum(groups) != about.num_rows:
            raise ValueError(
                f"{file} says that it has {about.num_rows} rows, and {sum(groups)} by its row "
                "groups; it is damaged"
            )
        return int(about.num_rows)

    def check_names(self, names: list[str]) -> None:
        """Refuse the first name that no column has."""
        for name in names:
            if name not in self.schema:
                raise ValueError(
                    f"{self.files[0]} has no column {name!r}; there are "
                    f"{', '.join(list(self.schema)[:10])}"
                )

    def index(self) -> list[str]:
        """Return the columns that are the index of a DataFrame written by pandas."""
        with self._opened(self.files[0]) as item:
            about = item.schema_arrow.pandas_metadata or {}
            return [name for name in about.get("index_columns", []) if isinstance(name, str)]

    def column(self, name: str) -> Any:
        """Return a column of all files, in memory."""
        import pandas as pd
        import pyarrow as pa

        kind = self.schema[name]
        if pa.types.is_nested(kind):
            raise ValueError(f"{self.files[0]} has {kind} in column {name!r}, got no single values")
        words = not pa.types.is_primitive(kind)
        parts = []
        for file in self.files:
            with self._opened(file, (name,) if words else ()) as item:
                for chunk in item.read(columns=[name]).column(0).chunks:
                    parts.append(self._decoded(name, chunk))
        result = pd.concat(parts, ignore_index=True)
        if len(result) != self.count:
            raise ValueError(
                f"{self.path} has {len(result)} values in column {name!r}, and {self.count} rows "
                "by what it says; it is damaged"
            )
        return result

    def _decoded(self, name: str, chunk: Any) -> Any:
        """Return the values of a chunk; equal strings share the one of the dictionary."""
        import pandas as pd
        import pyarrow as pa

        if not pa.types.is_dictionary(chunk.type):
            return chunk.to_pandas()
        chunk.validate(full=True)
        known = chunk.dictionary.to_pylist()
        longest = max((len(item) for item in known if isinstance(item, str | bytes)), default=1)
        check_fits(f"{self.path}, {name!r}", 4 * longest * self.count, self.memory)
        places = chunk.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
        values = np.empty(len(known) + 1, object)
        values[:-1] = known
        return pd.Series(values[places]).infer_objects()

    def width(self, wanted: list[str], not_numbers: Callable[..., str]) -> tuple[int, Any]:
        """Return the number of features, and their precision."""
        import pyarrow as pa

        first, kinds = self.files[0], [self.schema[name] for name in wanted]
        if not wanted:
            raise ValueError(f"{first} has no column left for features")
        lists = [name for name in wanted if is_list(self.schema[name])]
        if lists and len(wanted) > 1:
            others = [name for name in wanted if name != lists[0]]
            raise ValueError(
                f"column {lists[0]!r} of {first} holds lists, and a list is all features of an "
                f"instance: pass features={lists[0]!r}, or leave it out by drop={lists[0]!r}; "
                f"there is {others[0]!r} beside it"
            )
        kinds = [kind.value_type if is_list(kind) else kind for kind in kinds]
        words = [name for name, kind in zip(wanted, kinds, strict=True) if not _is_number(kind)]
        if words:
            raise ValueError(f"{first}: {not_numbers(words, self.schema[words[0]])}")
        plain = [
            kind.to_pandas_dtype() if not pa.types.is_decimal(kind) else float for kind in kinds
        ]
        dtype = precision([np.dtype(kind) for kind in plain])
        return (len(wanted) if not lists else self._length(lists[0])), dtype

    def _length(self, name: str) -> int:
        """Return the length of the first list of a column, if all lists fit into memory."""
        for file in self.files:
            with self._opened(file) as item:
                for k in range(item.metadata.num_row_groups):
                    group = item.metadata.row_group(k)
                    leaves = [group.column(j) for j in range(group.num_columns)]
                    size = sum(
                        8 * leaf.num_values
                        for leaf in leaves
                        if leaf.path_in_schema.startswith(f"{name}.")
                    )
                    check_fits(f"a row group of {file}, {name!r}", size, self.memory)
        batch = next(self.batches([name], 1))[2]
        if batch.column(0).null_count:
            raise ValueError(f"{self.files[0]} has no list in row 0 of {name!r}")
        return len(batch.column(0).flatten())

    def batches(self, columns: list[str], size: int) -> Iterator[tuple[Path, int, Any]]:
        """Yield the rows of all files in batches: file, first row, rows."""
        for file in self.files:
            start = 0
            with self._opened(file) as item:
                for batch in item.iter_batches(batch_size=size, columns=columns, use_threads=False):
                    batch.validate(full=True)
                    yield file, start, batch.select(columns)
                    start += len(batch)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [regular_file(path)]
    result = sorted(path.glob("*.parquet"))
    if not result:
        raise ValueError(f"{path} has no files that end in .parquet")
    return [regular_file(item) for item in result]


def is_list(kind: Any) -> bool:
    """Tell whether a column holds lists."""
    import pyarrow as pa

    return bool(
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    return any(test(kind) for test in tests)
