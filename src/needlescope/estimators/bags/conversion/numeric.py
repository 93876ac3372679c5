"""Arrays and DataFrames read as tables of numbers; what would be read in part only is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....arrays import IndexArray
from ....grid import unmasked
from .values import as_python

# Up to here sums of squares are finite; single precision is squared in double.
LARGEST_NUMBER = {np.dtype(np.float32): 1e18, np.dtype(np.float64): 1e150}


def check_dense(X: Any) -> Any:
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


def as_float_table(X: Any) -> Any:
    """Return a table of float32 or float64; single precision is kept."""
    X = unmasked("instances", check_dense(X))
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
        if not is_numeric(dtype):
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


def is_numeric(kind: Any) -> bool:
    """Tell whether a column of this type, of NumPy, pandas or polars, holds numbers."""
    if hasattr(kind, "is_numeric"):  # of polars
        return bool(kind.is_numeric()) or str(kind) == "Boolean"
    return getattr(kind, "kind", "O") in "fiub"


def check_finite(
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
        who = f"bag {bag}" if ids is None else f"bag {bag} ({as_python(ids[bag])!r})"
        what = f"feature {column if names is None else repr(names[column])}"
        where = f"in instance {first + row - starts[bag]}, {what}"
        size = abs(float(part[row, column]))
        if not np.isfinite(size):
            how = ", as InstanceTransformer(SimpleImputer()) does in a pipeline"
            how *= bool(np.isnan(size))
            raise ValueError(
                f"{who} has a NaN or infinity {where}; drop the instance, or fill it in{how}"
            )
        raise ValueError(
            f"{who} has a number of size {size:.0e} {where}, more than {largest:.0e}, up to where "
            f"{instances.dtype} holds sums of squares; divide all instances by a constant, or, if "
            "it stands for a missing value, fill it in"
        )
    return lost


def stack_vectors(what: str, cells: Any) -> Any:
    """Return the vectors of a column as a table; all must be numbers, of the same length."""
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


def as_bag(place: int, bag: Any) -> Any:
    """Return bag number ``place`` of a list as an array (instances, features)."""
    bag = unmasked(f"bag {place}", check_dense(bag))
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


def shared_columns(bags: Sequence[Any]) -> list[str] | None:
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
