"""From folds to tables: means with standard errors, paired differences, ratios of time.

The standard error is over all J folds of all repeats, s / √J. Repeats use the same bags again, so
that it is too small as a statement about bags yet to come; the corrected one of a difference is
s √(1/J + 1/(K − 1)) for K splits (Nadeau and Bengio, 2003).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .contest import Rows, Score
from .entrants import CHEAP, MIL


class Mean(NamedTuple):
    """A mean over folds and its standard errors."""

    value: float
    se: float
    corrected: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ± {self.se:.3f}"


class Pair(NamedTuple):
    """How much better attention is than another entrant on a data set."""

    data: str
    other: str
    accuracy: Mean
    error: Mean
    auc: Mean
    slower: float  # the other's fit time over attention's


def mean(values: Iterable[float], splits: int) -> Mean:
    """Return the mean over folds, and the two standard errors.

    >>> mean([0.0, 1.0, 0.0, 1.0], splits=2)
    Mean(value=0.5, se=0.288..., corrected=0.645...)
    """
    result = np.array(list(values), float)
    spread = result.std(ddof=1) if len(result) > 1 else float("nan")
    each = 1.0 / len(result)
    corrected = spread * np.sqrt(each + 1.0 / (splits - 1))
    return Mean(float(result.mean()), float(spread * np.sqrt(each)), float(corrected))


def scores(rows: Rows) -> dict[str, dict[str, dict[tuple[int, int], Score]]]:
    """Return the scores by data set, entrant, and repeat and fold."""
    result: dict[str, dict[str, dict[tuple[int, int], Score]]] = {}
    for key, score in rows.items():
        folds = result.setdefault(key.data, {}).setdefault(key.entrant, {})
        folds[key.repeat, key.fold] = score
    return result


def means(rows: Rows, splits: int) -> list[dict[str, Any]]:
    """Return a record for each data set and entrant: the mean of every column."""
    return [
        {
            "data": data,
            "entrant": entrant,
            "folds": len(folds),
            **{
                name: mean((getattr(score, name) for score in folds.values()), splits)
                for name in Score._fields
            },
        }
        for data, entrants in scores(rows).items()
        for entrant, folds in entrants.items()
    ]


def pairs(rows: Rows, splits: int) -> list[Pair]:
    """Return attention against everyone else, fold by fold, on every data set."""
    result = []
    for data, entrants in scores(rows).items():
        ours = entrants.get(MIL, {})
        for other, theirs in entrants.items():
            shared = [item for item in ours if item in theirs]
            if other == MIL or not shared:
                continue
            a, b = [ours[item] for item in shared], [theirs[item] for item in shared]
            both = list(zip(a, b, strict=True))
            result.append(
                Pair(
                    data,
                    other,
                    mean((x.accuracy - y.accuracy for x, y in both), splits),
                    mean((x.error - y.error for x, y in both), splits),
                    mean((x.auc - y.auc for x, y in both), splits),
                    float(np.mean([y.seconds for y in b]) / np.mean([x.seconds for x in a])),
                )
            )
    return result


class Rival(NamedTuple):
    """The cheap entrant with the largest AUC on a data set, and how far attention is ahead."""

    data: str
    other: str
    auc: float  # its own
    ahead: Mean

    @property
    def errors(self) -> float:
        """By how many corrected standard errors attention is ahead."""
        return self.ahead.value / self.ahead.corrected if self.ahead.value else 0.0


def rivals(rows: Rows, splits: int) -> list[Rival]:
    """Return the best cheap entrant on each data set, if there are any."""
    own = {(mean["data"], mean["entrant"]): mean["auc"].value for mean in means(rows, splits)}
    result: dict[str, Rival] = {}
    for pair in pairs(rows, splits):
        auc = own[pair.data, pair.other]
        before = result.get(pair.data)
        if pair.other in CHEAP and (before is None or auc > before.auc):
            result[pair.data] = Rival(pair.data, pair.other, auc, pair.auc)
    return list(result.values())


def verdict(difference: Mean) -> str:
    """Say in a word whether a difference is more than one, or two, standard errors.

    >>> [verdict(Mean(value, 0.01, 0.02)) for value in (0.03, 0.015, 0.0, -0.015, -0.03)]
    ['better', 'slightly better', 'equal', 'slightly worse', 'worse']
    """
    value, se = difference[:2]
    if not abs(value) > se:
        return "equal"
    return ("" if abs(value) > 2.0 * se else "slightly ") + ("better" if value > 0.0 else "worse")
