"""From rows to bags: which rows make a bag, which label it has, and labels among the features."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from ....arrays import IndexArray
from ..tables import value_of_each_row

LEAST_LENGTH = 2.0  # mean instances of a bag from which to be the same in all of them is odd
LEAST_BAGS = 2  # with each value of a column that may be a label


class Grouping(NamedTuple):
    """The bag of each row, counted in the order in which bags first appear."""

    ids: Any  # (n,), what bags are called
    bag: IndexArray  # (N,)
    first: IndexArray  # (n,), the first row of each

    @property
    def starts(self) -> IndexArray:
        """Where each bag begins, once its rows are together."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.bag))])

    @property
    def order(self) -> IndexArray | None:
        """Rows in the order of bags, or None if they are already."""
        together = bool((np.diff(self.bag) >= 0).all())
        return None if together else np.argsort(self.bag, kind="stable")

    @property
    def places(self) -> IndexArray:
        """Where each row goes."""
        order = self.order
        found = np.arange(len(self.bag))
        if order is not None:
            found[order] = np.arange(len(self.bag))
        return found


def grouping(groups: Any, count: int, name: str = "groups") -> Grouping:
    """Put rows with the same value into a bag.

    Examples
    --------
    >>> found = grouping(["b", "a", "b"], 3)
    >>> found.ids.tolist(), found.bag.tolist(), found.starts.tolist(), found.places.tolist()
    (['b', 'a'], [0, 1, 0], [0, 2, 3], [0, 2, 1])
    """
    ids, first, bag = np.unique(
        value_of_each_row(name, groups, count, "the bag"),
        return_index=True,
        return_inverse=True,
    )
    order = np.argsort(first)
    rank = np.empty(len(ids), int)
    rank[order] = np.arange(len(ids))
    return Grouping(ids[order], rank[bag], first[order])


def label_of_each_bag(rows: Grouping, labels: Any, name: str = "labels") -> Any:
    """Return the label of each bag, in their order; all rows of a bag must have the same.

    Examples
    --------
    >>> label_of_each_bag(grouping(["b", "a", "b"], 3), [1, 0, 1])
    array([1, 0])
    >>> label_of_each_bag(grouping(["b", "a", "b"], 3), [1, 0, 0])
    Traceback (most recent call last):
    ValueError: labels must be the same for all rows of a bag, got 1 in row 0 and 0 in row 2 of bag
    'b'
    """
    if np.shape(labels) == rows.ids.shape != rows.bag.shape:
        raise ValueError(
            f"{name} must be one for each of the {len(rows.bag)} rows, got as many as there are "
            f"bags, {len(rows.ids)}: labels of bags need no table; leave them out here, and put "
            "them in the order of bags.ids, as y.loc[bags.ids] does"
        )
    found = value_of_each_row(name, labels, len(rows.bag), "the label of the bag")
    code = np.unique(found, return_inverse=True)[1]
    odd = np.flatnonzero(code != code[rows.first][rows.bag])
    if len(odd):
        row, bag = int(odd[0]), int(rows.bag[odd[0]])
        one, other, called = _plain(found[rows.first[bag]]), _plain(found[row]), rows.ids[bag]
        raise ValueError(
            f"{name} must be the same for all rows of a bag, got {one!r} in row {rows.first[bag]} "
            f"and {other!r} in row {row} of bag {_plain(called)!r}"
        )
    return found[rows.first]


def warn_of_labels(instances: Any, starts: IndexArray, names: list[str] | None, y: Any) -> None:
    """Warn if a feature looks like the label of the bags.

    Without labels ``y``: the same in all instances of a bag, with two values in all. With them:
    the same in all instances of a bag, and as different as the labels are. It is not refused: sex
    or scanner may be honest features of a bag's instances, and only the user knows.
    """
    count = len(starts) - 1
    if len(instances) < LEAST_LENGTH * count:
        return
    longest = int(np.argmax(np.diff(starts)))
    some = instances[starts[longest] : starts[longest + 1]]
    labels = None if y is None else np.unique(y, return_inverse=True)[1]
    found = []
    for k in np.flatnonzero((some == some[0]).all(axis=0)):
        column = instances[:, k]
        low = np.minimum.reduceat(column, starts[:-1])
        if (low != np.maximum.reduceat(column, starts[:-1])).any():
            continue
        code, counts = np.unique(low, return_inverse=True, return_counts=True)[1:]
        if len(counts) < 2 or counts.min() < LEAST_BAGS:
            continue
        if len(counts) == 2 if labels is None else _one_to_one(code, labels):
            found.append(str(k) if names is None else repr(names[k]))
    if found:
        which = f"column {found[0]}" if len(found) == 1 else f"columns {', '.join(found)}"
        same, remedy = (
            ("takes two values", "pass it as labels=, or leave it out by drop=")
            if y is None
            else ("tells the labels apart", "leave it out by drop=")
        )
        warnings.warn(
            f"{which} {same} and is the same in all instances of a bag: is it a label? A "
            f"classifier would read the answer off it; {remedy}",
            UserWarning,
            stacklevel=3,
        )


def _one_to_one(code: IndexArray, labels: IndexArray) -> bool:
    pairs = len(np.unique(np.stack([code, labels]), axis=1).T)
    return pairs == len(np.unique(labels)) == len(np.unique(code))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
