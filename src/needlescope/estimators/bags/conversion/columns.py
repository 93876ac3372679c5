"""Columns of a table: those of bags, labels and metadata, and the features that are left.

Tables are DataFrames, of pandas or polars, or arrays, whose columns are named by their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .numeric import is_numeric, stack_vectors
from .values import as_array, check_same_index


class Columns:
    """A table with a row for each instance; columns that were taken are no features.

    Examples
    --------
    >>> import pandas as pd
    >>> table = Columns(pd.DataFrame({"bag": [7, 7], "u": [0.5, 1.0], "day": [1, 2]}))
    >>> table.values("bag", "bag").tolist()
    [7, 7]
    >>> table.drop("day")
    >>> table.features()[1]
    ['u']
    """

    def __init__(self, X: Any) -> None:
        """Keep the table, if it can be read."""
        if hasattr(X, "collect"):
            raise ValueError(f"a {type(X).__name__} is not read yet: pass X.collect()")
        self.X, self.framed = X, hasattr(X, "columns")
        if self.framed and hasattr(X, "column_names"):
            raise ValueError(
                f"a {type(X).__name__} of pyarrow is not taken: pass X.to_pandas(), or the Parquet "
                "file itself to read_parquet"
            )
        self.taken: list[Any] = []

    def values(self, what: str, given: Any) -> Any:
        """Return the column of a name, or the given values, one for each row."""
        if self.framed and isinstance(given, str | int | np.integer):
            return self.X[self._take(what, given)]
        if isinstance(given, str):
            raise ValueError(
                f"{what} must be one for each row of an array, got the name {given!r}; a column "
                "has a name in a DataFrame"
            )
        if self.framed:
            check_same_index(self.X, given, what)
        return given

    def metadata(self, given: Any) -> dict[str, Any]:
        """Return the metadata of each row, by name."""
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            listed = [given] if isinstance(given, str) else given
            if not isinstance(listed, list | tuple) or not self.framed:
                raise ValueError(
                    "metadata must be a list of columns of a DataFrame, or a dict from names to "
                    f"columns or arrays with a row for each instance, got {given!r:.80}"
                )
            given = {str(name): name for name in listed}
        return {str(name): self._one(str(name), values) for name, values in given.items()}

    def _one(self, name: str, given: Any) -> Any:
        what = f"metadata {name!r}"
        several = self.framed and isinstance(given, list | tuple) and len(given) > 0
        if several and all(isinstance(item, str) and item in self.X.columns for item in given):
            parts = [as_array(self.X[self._take(what, item)]) for item in given]
            return np.stack(parts, axis=1)
        return as_array(self.values(what, given))

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.X)

    def drop(self, given: Any) -> None:
        """Leave columns out: a name, or a list of names; numbers for an array."""
        for item in _listed(given):
            self._take("drop", item)

    def _take(self, what: str, name: Any) -> Any:
        known = list(self.X.columns) if self.framed else range(*np.shape(self.X)[1:2])
        if name not in known:
            few = ", ".join(repr(item) for item in list(known)[:5])
            more = ", ..." if len(known) > 5 else ""
            raise ValueError(f"{what} must name a column, got {name!r}; there are {few}{more}")
        self.taken.append(name)
        return name

    def features(self, wanted: Any = None) -> tuple[Any, list[str] | None]:
        """Return the wanted columns, by default all that are left, and their names.

        They hold numbers, or a single column holds vectors.
        """
        chosen = self._rest() if wanted is None else self._chosen(_listed(wanted))
        if not self.framed:
            return chosen, None
        names = list(chosen.columns)
        kinds = list(zip(names, chosen.dtypes, strict=True))
        words = [(name, kind) for name, kind in kinds if not is_numeric(kind)]
        vectors = [name for name, _ in words if _is_vector(self.X[name])]
        if vectors and len(names) > 1:
            other = next(name for name in names if name != vectors[0])
            raise ValueError(
                f"column {vectors[0]!r} holds vectors, and a vector is all features of an instance:"
                f" pass features={vectors[0]!r}, or leave it out by drop={vectors[0]!r}; there is "
                f"{other!r} beside it"
            )
        if vectors:
            return stack_vectors(f"column {vectors[0]!r}", as_array(self.X[vectors[0]])), None
        if words:
            raise ValueError(not_numbers([name for name, _ in words], words[0][1]))
        return chosen, [str(name) for name in names]

    def _rest(self) -> Any:
        """Return the columns that were not taken."""
        taken = list(dict.fromkeys(self.taken))
        if not self.framed:
            return np.delete(self.X, taken, axis=1) if taken else self.X
        rest = self.X.drop(columns=taken) if hasattr(self.X, "iloc") else self.X.drop(taken)
        if not len(rest.columns):
            raise ValueError(f"no column is left for features: {taken!r} are none")
        return rest

    def _chosen(self, wanted: list[Any]) -> Any:
        """Return the named columns; none may be taken for something else."""
        if not wanted:
            raise ValueError(
                "features must name at least one column, got none; leave it out for the default"
            )
        taken = list(self.taken)
        for k, item in enumerate(wanted):
            self._take("features", item)
            if item in taken or item in wanted[:k]:
                raise ValueError(
                    f"features must be columns that are named nowhere else, got {item!r}, which is "
                    "named before"
                )
        return self.X[wanted] if self.framed else np.asarray(self.X)[:, wanted]


def _listed(given: Any) -> list[Any]:
    """Return one name, or several, as a list."""
    if given is None:
        return []
    several = isinstance(given, Iterable) and not isinstance(given, str | bytes)
    return list(given) if several else [given]


def _is_vector(column: Any) -> bool:
    """Tell whether a column holds lists or arrays, by its first value."""
    result = as_array(column)
    return result.ndim == 2 or (
        len(result) > 0 and isinstance(result[0], list | tuple | np.ndarray)
    )


def not_numbers(words: list[Any], kind: Any) -> str:
    """Say that columns must hold numbers, and what can be done about it."""
    if len(words) == 1:
        return (
            f"column {words[0]!r} must hold numbers, got {kind}; leave it out by drop={words[0]!r},"
            f" or encode it as numbers first; a label goes by label={words[0]!r}"
        )
    return (
        f"columns {', '.join(repr(word) for word in words[:-1])} and {words[-1]!r} must hold "
        f"numbers, got {kind}; leave them out by drop={words!r}, or encode them as numbers "
        f"first; a label goes by label={words[0]!r}"
    )
