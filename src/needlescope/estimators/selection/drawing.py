"""Some of many bags, drawn in proportion to their weights."""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray, IndexArray

FEWEST = 100  # bags of a class that are kept when some are drawn


def even_count(y: FloatArray, weight: FloatArray) -> float:
    """Return how many bags of equal weight, half of them positive, say as much as these.

    Examples
    --------
    >>> y = np.array([1.0, 1.0, -1.0, -1.0])
    >>> even_count(y, np.ones(4)), even_count(y, np.array([1.0, 0.0, 1.0, 1.0]))
    (4.0, 2.666667)
    """
    sides = (weight[y > 0.0], weight[y < 0.0])
    parts = [side / side.max() for side in sides]
    counts = [float(part.sum()) ** 2 / float(part @ part) for part in parts]
    return round(4.0 / (1.0 / counts[0] + 1.0 / counts[1]), 6)


def draw(
    y: FloatArray, weight: FloatArray, count: int, random: np.random.RandomState
) -> tuple[IndexArray, FloatArray]:
    """Draw about ``count`` bags, in proportion to both classes but not too few of either.

    The chance of a bag is in proportion to its weight, so that those drawn weigh the same; bags
    too heavy for that are all taken, with their own weight. Returns their places, increasing, and
    weights under which each class weighs what it did.
    """
    places, weights = [], []
    for sign in (-1.0, 1.0):
        own = np.flatnonzero(y == sign)
        wanted = max(round(count * len(own) / len(y)), min(FEWEST, len(own)))
        drawn, share = own, weight[own]
        if wanted < len(own):
            chosen, share = _in_proportion(share, wanted, random)
            drawn = own[chosen]
        places.append(drawn)
        weights.append(share)
    result = np.concatenate(places)
    order = np.argsort(result)
    return result[order], np.concatenate(weights)[order]


def _in_proportion(
    weight: FloatArray, count: int, random: np.random.RandomState
) -> tuple[IndexArray, FloatArray]:
    """Choose ``count`` places with chances in proportion to their weights; return new weights.

    The chances are laid end to end, in random order, and a place is taken wherever a grid of unit
    steps with a random start falls into it.
    """
    sure = np.zeros(len(weight), bool)
    while True:
        left = count - int(sure.sum())
        level = float(weight[~sure].sum()) / max(left, 1)
        more = ~sure & (weight >= level)
        if not left or not more.any():
            break
        sure |= more
    order = random.permutation(np.flatnonzero(~sure))
    ends = np.floor(np.cumsum(weight[order]) / level + random.random_sample()).astype(int)
    drawn = order[np.diff(ends, prepend=0) > 0][:left]
    weights = np.concatenate([weight[sure], np.full(len(drawn), level)])
    return np.concatenate([np.flatnonzero(sure), drawn]), weights
