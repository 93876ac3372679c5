"""Values that come with rows or bags (bag ids, labels, groups): read as arrays, gaps refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....grid import unmasked


def row_values(name: str, values: Any, count: int, what: str) -> Any:
    """Return an array of ``count`` values, one for each row; missing ones are refused."""
    result = as_array(unmasked(name, values))
    row = first_missing(result)
    if row is not None:
        raise ValueError(f"{name} must name {what} of each row, got none in row {row}")
    if result.shape != (count,):
        raise ValueError(
            f"{name} must name {what} of each of the {count} rows, got shape {result.shape}"
        )
    if result.dtype != object:
        return result
    kind = common_kind(name, result)
    words = kind == "word" and not isinstance(values, list | tuple)
    return result if words else np.array(result.tolist())


def check_same_index(X: Any, values: Any, name: str) -> None:
    """Refuse values whose index is not that of the table: pandas would align them, or not."""
    rows, others = index_of(X), index_of(values)
    if rows is None or others is None or rows.equals(others):
        return
    raise ValueError(
        f"{name} must have the index of X, got another; pass {name}.loc[X.index] to align them, or "
        f"{name}.to_numpy() to go by position"
    )


def index_of(values: Any) -> Any:
    """Return the index of something of pandas, or None; a list's ``index`` is a method."""
    result = getattr(values, "index", None)
    return None if callable(result) else result


def as_array(values: Any) -> Any:
    """Return an array of values; those of a list as objects, lest 1 beside "a" becomes "1"."""
    if isinstance(values, list | tuple):
        return np.array(values, dtype=object)
    if hasattr(values, "to_numpy") and (hasattr(values, "dtype") or hasattr(values, "dtypes")):
        return np.asarray(values.to_numpy())  # nullable types keep theirs
    return np.asarray(values)


def first_missing(values: Any) -> int | None:
    """Return the index of the first None, NaN, NaT or NA, or None if there is none."""
    if values.dtype == object:
        lost = [not isinstance(value, str) and _missing(value) for value in values.ravel().tolist()]
    else:
        lost = values != values  # NaN and NaT are not themselves
    return int(np.flatnonzero(lost)[0]) if np.any(lost) else None


def _missing(item: Any) -> bool:
    return item is None or type(item).__name__ == "NAType" or bool(np.any(item != item))


def as_python(value: Any) -> Any:
    """Return a scalar of NumPy as one of Python, for messages."""
    return value.item() if isinstance(value, np.generic) else value


def common_kind(what: str, values: Any) -> str:
    """Return "number", "word" or the type of the values; several kinds are refused."""
    types = {type(value) for value in values.tolist()}
    kinds = {_kind(item) for item in types}
    if len(kinds) > 1:
        listed = " and ".join(sorted(item.__name__ for item in types))
        raise ValueError(
            f"{what} must be of one kind, such as all numbers or all words, got {listed}"
        )
    return kinds.pop() if kinds else "number"


def _kind(item: type) -> str:
    if issubclass(item, str):
        return "word"
    numeric = issubclass(item, bool | np.bool_ | int | float | np.integer | np.floating)
    return "number" if numeric else item.__name__
