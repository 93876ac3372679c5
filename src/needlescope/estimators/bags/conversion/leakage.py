"""Label leakage: features that look like labels, row numbers or identifiers.

A row number leaks the label where a table is sorted by bag and bags by label, as one that was
written with its index often is. Such columns are warned of and not refused: sex, scanner or a clock
may be honest features of the instances.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.special import gammaln

from ....arrays import IndexArray

LEAST_LENGTH = 2.0  # mean number of instances from which a constant within bags is suspect
LEAST_BAGS = 2  # bags that share each value of a column that may be a label
FALSE_ALARM = 1e-6  # the probability that any column of noise is named for its order
FEW_BAGS, FEW_ROWS = 8, 64  # checked first: hardly a column passes


def warn_of_leakage(
    instances: Any, starts: IndexArray, names: list[str] | None, y: Any, places: IndexArray
) -> None:
    """Warn of features that look like labels or row numbers; row r of the table is at places[r]."""
    _warn(label_columns(instances, starts, y), names, _label_sentence(y))
    _warn(
        index_columns(instances, starts, places),
        names,
        "numbers the rows of the table, or has a range of its own in every bag, as an index or an "
        "identifier does: a classifier would learn where a bag stands in the table, and not what "
        "is in it; leave it out by drop=, or name the columns to take by features=",
    )


def _warn(columns: list[int], names: list[str] | None, sentence: str) -> None:
    called = [str(k) if names is None else repr(names[k]) for k in columns]
    few = ", ".join(called[:5]) + (f" and {len(called) - 5} more" if len(called) > 5 else "")
    if called:
        which = f"column {few}" if len(called) == 1 else f"columns {few}, each of which"
        warnings.warn(f"{which} {sentence}", UserWarning, stacklevel=4)


def label_columns(instances: Any, starts: IndexArray, y: Any) -> list[int]:
    """Return columns that look like the label of the bags.

    Without labels ``y``: the same in all instances of a bag, with two values in all. With them:
    the same in all instances of a bag, and as different as the labels are.
    """
    count = len(starts) - 1
    if len(instances) < LEAST_LENGTH * count:
        return []
    longest = int(np.argmax(np.diff(starts)))
    some = instances[starts[longest] : starts[longest + 1]]
    labels = None if y is None else np.unique(y, return_inverse=True)[1]
    result = []
    for k in np.flatnonzero((some == some[0]).all(axis=0)).tolist():
        low, high = _ranges(instances[:, k], starts)
        if (low != high).any():
            continue
        code, counts = np.unique(low, return_inverse=True, return_counts=True)[1:]
        if len(counts) < 2 or counts.min() < LEAST_BAGS:
            continue
        if len(counts) == 2 if labels is None else _one_to_one(code, labels):
            result.append(k)
    return result


def _label_sentence(y: Any) -> str:
    same, remedy = (
        ("takes two values", "pass it as label=, or leave it out by drop=")
        if y is None
        else ("tells the labels apart", "leave it out by drop=")
    )
    return (
        f"{same} and is the same in all instances of a bag: is it a label? A classifier would read "
        f"the answer off it; {remedy}"
    )


def _one_to_one(code: IndexArray, labels: IndexArray) -> bool:
    pairs = len(np.unique(np.stack([code, labels]), axis=1).T)
    return pairs == len(np.unique(labels)) == len(np.unique(code))


def index_columns(instances: Any, starts: IndexArray, places: IndexArray) -> list[int]:
    """Return columns that number the rows of the table, or put the bags in an order.

    The first are whole numbers that go strictly up or down with the rows. Of the second no two bags
    have ranges that touch: also what is the same within each bag and different between bags. Where
    noise would have such columns with a chance of more than one in a million, none is named.
    """
    count, d = instances.shape
    lengths = np.diff(starts)
    least = np.log(FALSE_ALARM / d)
    result: set[int] = set()
    if np.log(2.0) - gammaln(count + 1) < least:
        for k in _rising(instances[places[:FEW_ROWS]]):
            if len(_rising(instances[:, [k]][places])):
                result.add(k)
    # Of noise all orders of rows are as likely: those with every bag's rows side by side.
    if gammaln(len(lengths) + 1) + gammaln(lengths + 1).sum() - gammaln(count + 1) < least:
        few = np.linspace(0, len(lengths) - 1, FEW_BAGS).astype(int)
        rows = [instances[starts[k] : starts[k + 1]] for k in np.unique(few)]
        lows = np.stack([part.min(axis=0) for part in rows])
        highs = np.stack([part.max(axis=0) for part in rows])
        for k in range(d):
            if _apart(lows[:, k], highs[:, k]) and _apart(*_ranges(instances[:, k], starts)):
                result.add(k)
    return sorted(result)


def _rising(rows: Any) -> list[int]:
    """Return columns of whole numbers that go strictly up, or strictly down."""
    steps = np.diff(rows, axis=0)
    one_way = (steps > 0).all(axis=0) | (steps < 0).all(axis=0)
    whole = (rows == np.round(rows)).all(axis=0)
    return np.flatnonzero(one_way & whole).tolist()


def _ranges(column: Any, starts: IndexArray) -> tuple[Any, Any]:
    """Return the least and the largest value in each bag."""
    column = np.asarray(column)
    low = np.minimum.reduceat(column, starts[:-1])
    return low, np.maximum.reduceat(column, starts[:-1])


def _apart(low: Any, high: Any) -> bool:
    """Tell whether no two ranges touch."""
    order = np.argsort(low, kind="stable")
    return bool((high[order][:-1] < low[order][1:]).all())
