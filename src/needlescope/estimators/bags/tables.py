"""Arrays, tables and DataFrames as people hand them over: read as numbers, or refused.

Whatever would be read in part only, such as a masked array without its mask, is refused with a
sentence that says what to pass instead.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...arrays import IndexArray
from ...grid import unmasked

# Up to here sums of squares are finite; single precision is squared in double.
LARGEST_NUMBER = {np.dtype(np.float32): 1e18, np.dtype(np.float64): 1e150}


def plain(X: Any) -> Any:
    """Refuse sparse and masked arrays, of which only a part would be read."""
    if hasattr(X, "tocsr") or hasattr(X, "sparse"):
        raise ValueError(
            f"sparse instances ({type(X).__name__}) are not taken: the classifiers centre them; "
            "pass X.toarray() (of a DataFrame X.sparse.to_dense()), or reduce them first, as with "
            "TruncatedSVD"
        )
    if np.ma.isMaskedArray(X):
        raise ValueError(
            "a masked array is not taken: pass X.data with the masked instances left out, of three "
            "axes as Bags.from_array(X.data, mask=~np.ma.getmaskarray(X).any(axis=2)), or fill "
            "them in with X.filled()"
        )
    return X


def numbers(X: Any) -> Any:
    """Return a table of float32 or float64; single precision is kept."""
    X = unmasked("instances", plain(X))
    array = _from_frame(X) if hasattr(X, "dtypes") else X
    array = array if type(array) in (np.ndarray, np.memmap) else np.asarray(array)
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise ValueError(
            f"instances must be a table of numbers, one row each, got shape {array.shape} and "
            f"type {array.dtype}"
        )
    if array.shape[1] == 0:
        raise ValueError(f"instances must have at least one feature, got shape {array.shape}")
    kept = array.dtype.kind == "f" and array.dtype.itemsize in (4, 8)
    own = array.dtype.newbyteorder("=") if kept else np.dtype(np.float64)
    with np.errstate(over="ignore"):  # too long a double becomes infinite, and is refused later
        return array.astype(own, copy=False)


def _from_frame(X: Any) -> Any:
    """Return the numbers of a DataFrame; missing ones become NaN, and are refused later."""
    for name, dtype in zip(X.columns, X.dtypes, strict=True):
        if not numeric(dtype):
            raise ValueError(
                f"column {name!r} must hold numbers, got {dtype}; drop it, or encode it as "
                "numbers first"
            )
    if hasattr(X, "iloc"):
        single = all(dtype == np.float32 for dtype in X.dtypes)
        return X.to_numpy() if single else X.to_numpy(dtype=float, na_value=np.nan)
    single = all(str(dtype) == "Float32" for dtype in X.dtypes)  # polars from here on
    kind = np.float32 if single else np.float64
    return np.stack([np.asarray(X[name].to_numpy(), kind) for name in X.columns], axis=1)


def numeric(kind: Any) -> bool:
    """Tell whether a column of this type, of NumPy, pandas or polars, holds numbers.

    Examples
    --------
    >>> numeric(np.dtype(int)), numeric(np.dtype(str))
    (True, False)
    """
    if hasattr(kind, "is_numeric"):  # of polars
        return bool(kind.is_numeric()) or str(kind) == "Boolean"
    return getattr(kind, "kind", "O") in "fiub"


def check_numbers(
    instances: Any,
    starts: IndexArray,
    step: int,
    names: Any = None,
    ids: Any = None,
    *,
    missing: bool = False,
) -> bool:
    """Refuse NaN, infinity and numbers too large to be squared, ``step`` rows at a time.

    With ``missing`` NaN is let through; returns whether there is any.

    Examples
    --------
    >>> table = np.array([[0.0, np.nan]])
    >>> check_numbers(table, np.array([0, 1]), 8, ["u", "v"], ["s7"])
    Traceback (most recent call last):
    ValueError: bag 0 ('s7') has a NaN or infinity in instance 0, feature 'v'; drop the instance, or
    fill it in, as InstanceTransformer(SimpleImputer()) does in a pipeline
    >>> check_numbers(table, np.array([0, 1]), 8, missing=True)
    True
    """
    largest, lost = LARGEST_NUMBER[instances.dtype], False
    for first in range(0, len(instances), step):
        part = instances[first : first + step]
        if -largest <= part.min() and part.max() <= largest:  # neither is so if there is a NaN
            continue
        odd = ~(np.abs(part) <= largest)
        if missing:
            gaps = np.isnan(part)
            lost, odd = lost or bool(gaps.any()), odd & ~gaps
            if not odd.any():
                continue
        row, column = np.argwhere(odd)[0].tolist()
        bag = int(np.searchsorted(starts, first + row, side="right")) - 1
        who = f"bag {bag}" if ids is None else f"bag {bag} ({_plain(ids[bag])!r})"
        what = f"feature {column if names is None else repr(names[column])}"
        where = f"in instance {first + row - starts[bag]}, {what}"
        size = abs(float(part[row, column]))
        if not np.isfinite(size):
            how = ", as InstanceTransformer(SimpleImputer()) does in a pipeline" * bool(
                np.isnan(size)
            )
            raise ValueError(
                f"{who} has a NaN or infinity {where}; drop the instance, or fill it in{how}"
            )
        raise ValueError(
            f"{who} has a number of size {size:.0e} {where}, more than {largest:.0e}, up to where "
            f"{instances.dtype} holds sums of squares; divide all instances by a constant, or, if "
            "it stands for a missing value, fill it in"
        )
    return lost


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def stacked(what: str, cells: Any) -> Any:
    """Return vectors, one in each row, as a table: all numbers, and as many in each.

    Examples
    --------
    >>> stacked("column 'z'", np.array([[1.0, 2.0], [3.0]], object))
    Traceback (most recent call last):
    ValueError: column 'z' must hold vectors of 2 numbers, got shape (1,) of float64 in row 1
    """
    if cells.ndim == 2:
        return cells
    rows = [np.asarray(cell) for cell in cells]
    for place, row in enumerate(rows):
        if row.ndim != 1 or row.dtype.kind not in "fiub" or row.shape != rows[0].shape:
            raise ValueError(
                f"{what} must hold vectors of {rows[0].size} numbers, got shape {row.shape} of "
                f"{row.dtype} in row {place}"
            )
    return np.stack(rows)


def one_bag(place: int, bag: Any) -> Any:
    """Return bag number ``place`` of a list as an array (instances, features)."""
    bag = unmasked(f"bag {place}", plain(bag))
    array = np.asarray(_from_frame(bag) if hasattr(bag, "dtypes") else bag)
    if not array.size:
        raise ValueError(
            f"bag {place} is empty; a bag needs at least one instance: drop it and its label"
        )
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise ValueError(
            f"bag {place} must be an array (instances, features) of numbers, got "
            f"{type(bag).__name__} of shape {array.shape} and type {array.dtype}"
        )
    return array


def shared_names(bags: Sequence[Any]) -> list[str] | None:
    """Return the columns of bags that are DataFrames; all must have the same, in one order."""
    if not len(bags) or not all(hasattr(bag, "columns") for bag in bags):
        return None
    names = [str(name) for name in bags[0].columns]
    for place, bag in enumerate(bags):
        if [str(name) for name in bag.columns] != names:
            raise ValueError(
                f"all bags must have the same columns in the same order, got {names} in bag 0 "
                f"and {list(bag.columns)} in bag {place}"
            )
    return names


def value_of_each_row(name: str, values: Any, count: int, what: str) -> Any:
    """Return a value for each of so many rows as an array; rows without one are refused.

    Examples
    --------
    >>> value_of_each_row("bag", ["a", None], 2, "the bag")
    Traceback (most recent call last):
    ValueError: bag must name the bag of each row, got none in row 1
    """
    result = as_given(unmasked(name, values))
    row = first_missing(result)
    if row is not None:
        raise ValueError(f"{name} must name {what} of each row, got none in row {row}")
    if result.shape != (count,):
        raise ValueError(
            f"{name} must name {what} of each of the {count} rows, got shape {result.shape}"
        )
    if result.dtype != object:
        return result
    kind = one_kind(name, result)
    words = kind == "word" and not isinstance(values, list | tuple)
    return result if words else np.array(result.tolist())


def same_rows(X: Any, values: Any, name: str) -> None:
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


def as_given(values: Any) -> Any:
    """Return an array of values; those of a list as objects, lest 1 beside "a" becomes "1"."""
    if isinstance(values, list | tuple):
        return np.array(values, dtype=object)
    if hasattr(values, "to_numpy") and (hasattr(values, "dtype") or hasattr(values, "dtypes")):
        return np.asarray(values.to_numpy())  # nullable types keep theirs
    return np.asarray(values)


def first_missing(values: Any) -> int | None:
    """Return the place of the first None, NaN, NaT or NA, or None if there is none.

    Examples
    --------
    >>> first_missing(np.array([1.0, np.nan])), first_missing(np.array(["a", "b"]))
    (1, None)
    """
    if values.dtype == object:
        lost = [not isinstance(value, str) and _missing(value) for value in values.ravel().tolist()]
    else:
        lost = values != values  # NaN and NaT are not themselves
    return int(np.flatnonzero(lost)[0]) if np.any(lost) else None


def _missing(item: Any) -> bool:
    return item is None or type(item).__name__ == "NAType" or bool(np.any(item != item))


def one_kind(what: str, values: Any) -> str:
    """Return which kind of values there are, "number" or "word"; refuse several kinds.

    Examples
    --------
    >>> one_kind("bag", np.array([1, 2.5], object))
    'number'
    >>> one_kind("bag", np.array([1, "a"], object))
    Traceback (most recent call last):
    ValueError: bag must be of one kind, such as all numbers or all words, got int and str
    """
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


class Metadata(UserDict[str, Any]):
    """What is known of each of so many instances beside its features: arrays with a row for each.

    Words among objects become words of NumPy, which can be written to disk.

    Examples
    --------
    >>> found = Metadata({"time": [0.5, 1.0]}, 2)
    >>> found["kind"] = np.array(["a", "b"], object)
    >>> found
    {'time': array([0.5, 1. ]), 'kind': array(['a', 'b'], dtype='<U1')}
    >>> found["time"] = [0.5, 1.0, 1.5]
    Traceback (most recent call last):
    ValueError: metadata 'time' must have a row for each of the 2 instances, got shape (3,)
    """

    def __init__(self, given: Any, count: int) -> None:
        """Take what is given, if it fits."""
        if given is not None and not isinstance(given, Mapping):
            raise ValueError(
                "metadata must be a dict from names to arrays with a row for each instance, got "
                f"{type(given).__name__}"
            )
        self.count = count
        super().__init__(given)

    def __setitem__(self, name: str, values: Any) -> None:
        what = f"metadata {name!r}"
        if not isinstance(name, str):
            raise ValueError(f"metadata must have words for names, got {name!r}")
        unmasked(what, values)
        array = values if isinstance(values, np.ndarray) else np.asarray(values)
        if array.ndim < 1 or len(array) != self.count:
            raise ValueError(
                f"{what} must have a row for each of the {self.count} instances, got shape "
                f"{array.shape}"
            )
        super().__setitem__(name, writable(what, array))

    def rows(self, which: Any) -> Metadata:
        """Return those of some instances: a slice, or their places."""
        count = len(range(*which.indices(self.count))) if isinstance(which, slice) else len(which)
        return Metadata({name: values[which] for name, values in self.items()}, count)


def writable(what: str, values: Any) -> Any:
    """Return an array without objects, which is written to disk as it is; refuse other things.

    Examples
    --------
    >>> writable("ids", np.array(["a", "bc"], object))
    array(['a', 'bc'], dtype='<U2')
    >>> writable("ids", np.array([{}], object))
    Traceback (most recent call last):
    ValueError: ids must be numbers, words or dates, got dict
    """
    if values.dtype.kind in "biufcSUmM":
        return values
    lost = first_missing(values) if values.dtype == object else None
    if lost is not None:
        raise ValueError(f"{what} must have no gaps, got none in row {lost}; fill it in")
    kind = one_kind(what, values.ravel()) if values.dtype == object else str(values.dtype)
    if kind not in ("word", "number"):
        raise ValueError(f"{what} must be numbers, words or dates, got {kind}")
    return np.array(values.tolist())
