"""Instances with labels: given as arrays, or sets that come with scikit-learn."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays import FloatArray, IndexArray
from ..grid import choice, unmasked

SETS = ("digits", "breast_cancer")
LEAST = 10  # instances of each kind: with fewer a covariance says nothing
LEAST_DEVIATION = 0.3  # of a pixel of the digits, from 0 to 16: others are blank in nearly all
THREE, MALIGNANT = 3, 0


@lru_cache(maxsize=len(SETS))
def load_instances(name: str) -> tuple[FloatArray, IndexArray]:
    """Return a set by name: standardised features, and which instances are signal.

    "digits" are 1,797 handwritten digits with the 54 pixels that vary, a three the signal;
    "breast_cancer" 569 tumours with 30 features, a malignant one the signal.

    >>> X, is_signal = load_instances("digits")
    >>> X.shape, int(is_signal.sum())
    ((1797, 54), 183)
    """
    from sklearn import datasets

    choice("instances", name, SETS)
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    X = X[:, X.std(axis=0) > (LEAST_DEVIATION if name == "digits" else 0.0)]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    is_signal = np.asarray(y == (THREE if name == "digits" else MALIGNANT))
    for array in (X, is_signal):
        array.setflags(write=False)
    return X, is_signal


def read_instances(instances: Any, is_signal: Any) -> tuple[FloatArray, IndexArray]:
    """Return a table of instances and which of them are signal, or refuse them."""
    if isinstance(instances, str):
        if is_signal is not None:
            raise ValueError(
                f"is_signal must be left out with the set {instances!r}, which has its own"
            )
        return load_instances(choice("instances", instances, SETS))
    return table(instances), _marks(is_signal, len(instances))


def table(instances: Any) -> FloatArray:
    """Return a table of finite numbers, or refuse it."""
    unmasked("instances", instances)
    try:
        X = np.asarray(instances, float)
    except (TypeError, ValueError):
        raise ValueError(
            "instances must be a table of numbers, a row for each instance, got "
            f"{type(instances).__name__}"
        ) from None
    if X.ndim != 2 or X.shape[1] == 0:
        raise ValueError(
            "instances must be a table of numbers, a row for each instance, got an array of "
            f"shape {X.shape}; np.concatenate(bags) makes one of bags"
        )
    if not np.isfinite(X).all():
        raise ValueError(
            f"instances must be finite, got NaN or infinity in row {_first(~np.isfinite(X))}; "
            "drop such rows, or fill them in"
        )
    return X


def _first(bad: Any) -> int:
    return int(np.flatnonzero(bad.any(axis=1))[0])


def _marks(is_signal: Any, count: int) -> IndexArray:
    marks = np.asarray(is_signal)
    if marks.shape != (count,):
        raise ValueError(
            f"is_signal must say for each of the {count} instances whether it is one, True or "
            f"False, got an array of shape {marks.shape}"
        )
    odd = ~np.isin(marks, (0, 1))
    if odd.any():
        raise ValueError(
            "is_signal must be True or False for each instance, got "
            f"{marks[odd][0]!r}; compare labels with that of the signal, such as y == 2"
        )
    marks = marks.astype(bool)
    for name, found in (("background", ~marks), ("signal", marks)):
        if found.sum() < LEAST:
            raise ValueError(
                f"is_signal must leave at least {LEAST} {name} instances to estimate a covariance "
                f"from, got {int(found.sum())} of {count}"
            )
    return np.asarray(marks)
