"""Arrays, tables and DataFrames as people hand them over: read as numbers, or refused.

Whatever would be read in part only, such as a masked array without its mask, is refused with a
sentence that says what to pass instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


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
            "a masked array is not taken: pass Bags.from_array(X.data, mask=~X.mask.any(axis=2)), "
            "true where an instance is there"
        )
    return X


def numbers(X: Any) -> Any:
    """Return a table of float32 or float64; single precision is kept."""
    X = plain(X)
    array = _from_frame(X) if hasattr(X, "dtypes") else X
    array = array if isinstance(array, np.ndarray) else np.asarray(array)
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        raise ValueError(
            f"instances must be a table of numbers, one row each, got shape {array.shape} and "
            f"type {array.dtype}"
        )
    if array.shape[1] == 0:
        raise ValueError(f"instances must have at least one feature, got shape {array.shape}")
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def _from_frame(X: Any) -> Any:
    """Return the numbers of a DataFrame; missing ones become NaN, and are refused later."""
    for name, dtype in X.dtypes.items():
        if getattr(dtype, "kind", "O") not in "fiub":
            raise ValueError(
                f"column {name!r} must hold numbers, got {dtype}; drop it, or encode it as "
                "numbers first"
            )
    if all(dtype == np.float32 for dtype in X.dtypes):
        return X.to_numpy()
    return X.to_numpy(dtype=float, na_value=np.nan)


def one_bag(place: int, bag: Any) -> Any:
    """Return bag number ``place`` of a list as an array (instances, features)."""
    array = np.asarray(plain(bag))
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


def bag_of_each_row(groups: Any) -> Any:
    """Return groups as an array; rows without one are refused."""
    found = np.asarray(groups)
    if found.dtype == object:
        lost = [one is None or one != one for one in found.tolist()]
        if not any(lost) and len({type(one) for one in found.tolist()}) > 1:
            raise ValueError("groups must be of one kind, such as all numbers or all words")
    else:
        lost = found != found  # NaN and NaT are not themselves
    if np.any(lost):
        row = int(np.flatnonzero(lost)[0])
        raise ValueError(f"groups must name the bag of each row, got none in row {row}")
    return found
