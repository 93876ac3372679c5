"""Stratified folds: parts of the bags with as many of each class, groups in one piece if asked."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from ...arrays import FloatArray, IndexArray


def rarer(y: FloatArray) -> int:
    """Return how many bags the rarer class has."""
    return int(min((y > 0.0).sum(), (y < 0.0).sum()))


def stratified(y: FloatArray, count: int, random: Any) -> list[tuple[IndexArray, IndexArray]]:
    """Cut the bags into ``count`` parts; return for each the other bags, and its own, in order."""
    return in_order(StratifiedKFold(count, shuffle=True, random_state=random), y)


def grouped(
    y: FloatArray, groups: IndexArray, count: int, random: Any
) -> list[tuple[IndexArray, IndexArray]]:
    """Cut the bags into ``count`` parts or fewer, none of which shares a group with another.

    There are as many parts as leave bags of both classes to train on.

    Examples
    --------
    >>> y, groups = np.array([1.0, 1.0, -1.0, -1.0, -1.0]), np.array([0, 1, 0, 1, 1])
    >>> parts = grouped(y, groups, 3, np.random.RandomState(0))
    >>> sorted(groups[rest].tolist() for _, rest in parts)
    [[0, 0], [1, 1, 1]]
    """
    for sign, words in ((1.0, "positive"), (-1.0, "negative")):
        if len(np.unique(groups[y == sign])) < 2:
            raise ValueError(
                f"all bags of the {words} class are in one group, and none are left to train on "
                "when it is held out; leave groups out, or choose parameters and pass cv=0"
            )
    fewest = min(len(np.unique(groups[y == sign])) for sign in (-1.0, 1.0))
    for parts in range(min(count, fewest), 1, -1):
        result = in_order(StratifiedGroupKFold(parts, shuffle=True, random_state=random), y, groups)
        if all(len(rest) and rarer(y[known]) for known, rest in result):
            return result
    raise ValueError(
        "groups cannot be cut into two parts with bags of both classes in each; leave groups out, "
        "or choose parameters and pass cv=0"
    )


def in_order(
    splitter: Any, y: FloatArray, groups: IndexArray | None = None
) -> list[tuple[IndexArray, IndexArray]]:
    """Return the parts of a splitter of scikit-learn's, each in increasing order."""
    return [(np.sort(known), np.sort(rest)) for known, rest in splitter.split(y, y, groups)]


def as_common(weight: FloatArray, y: FloatArray, positive: float) -> FloatArray:
    """Return weights under which positives have this share.

    Where a fold holds out one class, what is left has less of it, and scores counted from their
    mean would tell which it was.

    Examples
    --------
    >>> as_common(np.full(3, 1 / 3), np.array([1.0, 1.0, -1.0]), 0.5)
    array([0.25, 0.25, 0.5 ])
    """
    own, other = (float(weight[y == sign].sum() / weight.sum()) for sign in (1.0, -1.0))
    factors = (positive / own, (1.0 - positive) / other)
    more, less = (round(factor, 12) for factor in factors)  # 1 is 1, whatever rounding says
    return np.asarray(weight * np.where(y > 0.0, more, less))
