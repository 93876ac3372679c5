"""Candidates ranked by their losses on held-out bags.

Standard errors are those of bags, or of sources such as patients that several bags share.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray, IndexArray
from ..candidates.shared.candidate import Candidate, Configuration


class Ranked(NamedTuple):
    """The best configuration of a candidate, by its place, and how far it is behind the best."""

    place: int
    behind: float  # its mean loss, less the best
    error: float  # the standard error of that


def rank(
    configurations: list[Configuration],
    losses: FloatArray,
    weight: FloatArray,
    source: IndexArray | None = None,
) -> list[Ranked]:
    """Return the best configuration of every candidate, the best candidate first.

    ``losses`` has a row for each configuration and a column for each held-out bag; ``source`` is
    what each bag comes from, if several share a source.
    """
    *each, share = by_source(*losses, weight, source=source)
    means = losses @ weight
    tops: dict[Candidate, int] = {}
    for place in np.argsort(means, kind="stable"):
        tops.setdefault(configurations[place].candidate, int(place))
    best = each[next(iter(tops.values()))]
    return [Ranked(place, *apart(each[place], best, share)) for place in tops.values()]


def apart(losses: FloatArray, best: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """Return by how much losses are above others on the same bags, and its standard error."""
    share = weight / weight.sum()
    off = losses - best
    behind = float(share @ off)
    rest = max(1.0 - float(share @ share), 1e-300)
    return behind, float(np.sqrt((share * share) @ (off - behind) ** 2 / rest))


def by_source(*losses: FloatArray, source: IndexArray | None) -> list[FloatArray]:
    """Return the mean losses of each source and, last as they were given, the weights.

    Examples
    --------
    >>> by_source(np.array([1.0, 3.0, 5.0]), np.full(3, 0.25), source=np.array([7, 7, 2]))
    [array([5., 2.]), array([0.25, 0.5 ])]
    """
    if source is None:
        return list(losses)
    *each, weight = losses
    place = np.unique(source, return_inverse=True)[1]
    total: FloatArray = np.bincount(place, weight).astype(float)
    return [*(np.bincount(place, weight * item) / total for item in each), total]
