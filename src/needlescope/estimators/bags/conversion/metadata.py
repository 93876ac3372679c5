"""What is known of each instance beside its features: arrays that can be stored as they are."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping
from typing import Any

import numpy as np

from ....grid import unmasked
from .values import common_kind, first_missing


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
        super().__setitem__(name, storable(what, array))

    def rows(self, which: Any) -> Metadata:
        """Return those of some instances: a slice, or their places."""
        count = len(range(*which.indices(self.count))) if isinstance(which, slice) else len(which)
        return Metadata({name: values[which] for name, values in self.items()}, count)


def storable(what: str, values: Any) -> Any:
    """Return an array without objects, which is written to disk as it is; refuse other things."""
    if values.dtype.kind in "biufcSUmM":
        return values
    lost = first_missing(values) if values.dtype == object else None
    if lost is not None:
        raise ValueError(f"{what} must have no gaps, got none in row {lost}; fill it in")
    kind = common_kind(what, values.ravel()) if values.dtype == object else str(values.dtype)
    if kind not in ("word", "number"):
        raise ValueError(f"{what} must be numbers, words or dates, got {kind}")
    return np.array(values.tolist())
