"""First and second moments of instances, by groups of bags: one pass serves all folds.

A fold trains on some groups of bags, whose moments add up. They are those of differences from a
shift near the mean, in double precision, so that squares do not cancel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, IndexArray
from .bags import CHUNK, Bags

ROWS_OF_SHIFT = 200  # instances whose median is the shift


class Moments(NamedTuple):
    """Weighted sums of x − shift over groups of bags; instances share the weight of their bag."""

    shift: FloatArray
    totals: FloatArray  # weights (groups,)
    first: FloatArray  # (groups, d)
    second: FloatArray  # (groups, d), or (groups, d, d) if deep
    means: FloatArray  # of each bag that is used, (bags, d), from the shift too

    def of(self, groups: Any) -> tuple[FloatArray, FloatArray]:
        """Return mean and second moments of some groups, relative to the shift."""
        total, first = self.totals[groups].sum(), self.first[groups].sum(axis=0)
        return first / total, self.second[groups].sum(axis=0) / total


def moments(
    bags: Bags, used: IndexArray, weight: FloatArray, group: IndexArray, *, deep: bool
) -> Moments:
    """Return the moments of the bags ``used``, each with its weight and group (0, 1, ...).

    Examples
    --------
    >>> bags = Bags.from_array(np.array([[[1.0], [3.0]], [[0.0], [6.0]]]))
    >>> result = moments(bags, np.arange(2), np.ones(2), np.array([0, 1]), deep=False)
    >>> mean, square = result.of([1])
    >>> float(mean[0] + result.shift[0]), round(float(square[0] - mean[0] ** 2), 9)
    (3.0, 9.0)
    """
    d, G = bags.d, int(group.max()) + 1
    totals: FloatArray = np.bincount(group, weight, G).astype(float)
    first, means = np.zeros((G, d)), np.zeros((len(used), d))
    second = np.zeros((G, d, d) if deep else (G, d))
    shift: Any = None
    for members in chunks(bags, used):
        table = bags.rows(members)
        if shift is None:
            shift = _middle(table)
        lengths, own = bags.lengths[members], np.searchsorted(used, members)
        bag = np.repeat(own, lengths)
        share = np.repeat(weight[own] / lengths, lengths)
        step = max(1, CHUNK // d)
        for at in range(0, len(table), step):  # a bag may be larger than a chunk
            inside = slice(at, at + step)
            wide = (table[inside] - shift).astype(float, copy=False)
            starts = np.flatnonzero(np.diff(bag[inside], prepend=-1))
            means[bag[inside][starts]] += np.add.reduceat(wide, starts, axis=0)
            wide *= np.sqrt(share[inside])[:, None]
            for g in np.unique(group[bag[inside]]):
                part = wide if G == 1 else wide[group[bag[inside]] == g]
                second[g] += part.T @ part if deep else np.einsum("ij,ij->j", part, part)
    means /= bags.lengths[used][:, None]
    for g in range(G):
        first[g] = weight[group == g] @ means[group == g]
    return Moments(shift, totals, first, second, means)


def _middle(rows: Any) -> Any:
    """Return the median of a few rows: near the mean, and robust to outlying bags."""
    few = rows[:: max(1, len(rows) // ROWS_OF_SHIFT)]
    return np.median(few, axis=0).astype(rows.dtype)


def chunks(bags: Bags, used: IndexArray, size: int = CHUNK) -> list[IndexArray]:
    """Cut the bags ``used`` (in increasing order) into parts of about ``size`` numbers.

    Examples
    --------
    >>> [len(part) for part in chunks(Bags.from_array(np.zeros((5, 2, 3))), np.arange(5), 12)]
    [2, 2, 1]
    """
    numbers = np.cumsum(bags.lengths[used]) * bags.d
    part = np.maximum(numbers - 1, 0) // size
    return np.split(used, np.flatnonzero(np.diff(part)) + 1)
