"""Which share of positives to pay for: candidates are compared by studies at the same spend.

All candidates are given the same seeds, so the same signals and the same fresh bags. After each
round the spend moves to where the best of them would meet the target, and candidates that are worse
by more than two standard errors are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import logit

from ...arrays import FloatArray
from .curve import to_t
from .search import Search

STUDIES = 4  # of each candidate in a round
ROUNDS = 3
SHARE = 0.4  # of the studies and of the seconds, at the most
STEPS = -1.4, 1.4  # the longest in x, to the next round
WORSE = 2.0  # standard errors, from which a candidate is left out
APART = 0.25  # in log odds: nearer shares are one candidate


class Race(NamedTuple):
    """The best share of positives, where the next studies should be, and all searches made."""

    balance: float
    x: float
    searches: Mapping[float, Search]

    @property
    def studies(self) -> int:
        """How many studies were made."""
        return sum(len(search.studies) for search in self.searches.values())


def candidates(*shares: float) -> tuple[float, ...]:
    """Return shares of positives, the first of those that are about the same.

    Examples
    --------
    >>> candidates(0.6, 0.1, 0.55)
    (0.6, 0.1)
    """
    result: list[float] = []
    for share in shares:
        if all(abs(logit(share) - logit(other)) > APART for other in result):
            result.append(share)
    return tuple(result)


def compare(
    shares: Sequence[float],
    make: Callable[[float], Search],
    x: float,
    slope: float,
    target: float | None,
    limits: tuple[float, float],
    most: int,
) -> Race:
    """Compare shares of positives at the same spend, with at most this many studies.

    ``make`` returns the search of a share; the target is a t, and without one all rounds are at x.
    """
    searches = {share: make(share) for share in shares}
    values = {share: np.empty(0) for share in shares}
    alive = list(shares)
    for _ in range(ROUNDS):
        made = sum(len(search.studies) for search in searches.values())
        if len(alive) == 1 or made + STUDIES * len(alive) > most:
            break
        for share in tuple(alive):
            try:
                values[share] = _measured(searches[share], x)
            except ValueError:  # it fails on most studies, as with few bags of a class
                alive.remove(share)
                if not alive:
                    raise
        best = _best(alive, values)
        alive = [share for share in alive if not _worse(values[share], values[best])]
        if target is not None:
            step = float(np.clip((target - _mean(values[best][-STUDIES:])) / slope, *STEPS))
            x = float(np.clip(x + step, *limits))
        if searches[best].spent():
            break
    return Race(_best(alive, values), x, searches)


def _measured(search: Search, x: float) -> FloatArray:
    """Make a round of studies at x, and return t of all of the search."""
    search.run(np.full(STUDIES, x))
    return to_t(np.array([study.value for study in search.studies]), search.measure)


def _mean(values: FloatArray) -> float:
    good = values[np.isfinite(values)]
    return float(good.mean()) if len(good) else 0.0


def _best(alive: list[float], values: Mapping[float, FloatArray]) -> float:
    """Return the candidate with the least mean; the first, where nothing was measured."""
    return min(alive, key=lambda share: _mean(values[share]))


def _worse(values: FloatArray, best: FloatArray) -> bool:
    """Return whether a candidate is worse than another, by what the same seeds leave between."""
    gap = values - best
    gap = gap[np.isfinite(gap)]
    if len(gap) < 2:
        return len(gap) == 0
    return bool(gap.mean() > WORSE * gap.std(ddof=1) / np.sqrt(len(gap)) and gap.mean() > 0.0)
