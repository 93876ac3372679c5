"""Metadata of instances: arrays with a row for each, which can be stored as they are."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping
from typing import Any

import numpy as np

from ....grid import unmasked
from .values import common_kind, first_missing


class Metadata(UserDict[str, Any]):
    """A dict of arrays with a row for each of ``count`` instances.

    Arrays of Python strings become arrays of NumPy strings, which can be written to disk.

    Examples
    --------
    >>> metadata = Metadata({"time": [0.5, 1.0]}, 2)
    >>> metadata["kind"] = np.array(["a", "b"], object)
    >>> metadata
    {'time': array([0.5, 1. ]), 'kind': array(['a', 'b'], dtype='<U1')}
    >>> metadata["time"] = [0.5, 1.0, 1.5]
    Traceback (most recent call last):
    ValueError: metadata 'time' must have a row for each of the 2 instances, got shape (3,)
    """

    def __init__(self, given: Any, count: int) -> None:
        """Take the arrays that are given, if they fit."""
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
        super().__setitem__(name, storable(what, array))

    def rows(self, which: Any) -> Metadata:
        """Return the metadata of some instances: a slice, or their indices."""
        count = len(range(*which.indices(self.count))) if isinstance(which, slice) else len(which)
        return Metadata({name: values[which] for name, values in self.items()}, count)


def storable(what: str, values: Any) -> Any:
    """Return an array without Python objects, or refuse it."""
    if values.dtype.kind in "biufcSUmM":
        return values
    lost = first_missing(values) if values.dtype == object else None
    if lost is not None:
        raise ValueError(f"{what} must have no gaps, got none in row {lost}; fill it in")
    kind = common_kind(what, values.ravel()) if values.dtype == object else str(values.dtype)
    if kind not in ("word", "number"):
        raise ValueError(f"{what} must be numbers, words or dates, got {kind}")
    return np.array(values.tolist())
