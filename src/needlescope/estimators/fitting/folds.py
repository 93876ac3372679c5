"""Stratified folds: parts of the bags with as many of each class."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from ...arrays import FloatArray, IndexArray


def rarer(y: FloatArray) -> int:
    """Return how many bags the rarer class has.

    Examples
    --------
    >>> rarer(np.array([1.0, -1.0, -1.0]))
    1
    """
    return int(min((y > 0.0).sum(), (y < 0.0).sum()))


def stratified(y: FloatArray, count: int, random: Any) -> list[tuple[IndexArray, IndexArray]]:
    """Cut the bags into ``count`` parts; return for each the other bags, and its own, in order.

    Examples
    --------
    >>> y = np.array([1.0, 1.0, -1.0, -1.0])
    >>> [sorted(y[rest].tolist()) for _, rest in stratified(y, 2, np.random.RandomState(0))]
    [[-1.0, 1.0], [-1.0, 1.0]]
    """
    return in_order(StratifiedKFold(count, shuffle=True, random_state=random), y)


def in_order(splitter: Any, y: FloatArray) -> list[tuple[IndexArray, IndexArray]]:
    """Return the parts of a splitter of scikit-learn's, each in increasing order."""
    return [(np.sort(known), np.sort(rest)) for known, rest in splitter.split(y, y)]
