"""Rows of a table put into bags, and the label of each bag."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ....arrays import IndexArray
from .metadata import Metadata
from .values import as_python, row_values


class Grouping(NamedTuple):
    """The bag of each row, counted in the order in which bags first appear."""

    ids: Any  # (n,), the names of the bags
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
        order, result = self.order, np.arange(len(self.bag))
        if order is not None:
            result[order] = np.arange(len(self.bag))
        return result

    def arranged(self, metadata: Metadata) -> Metadata:
        """Return the metadata of the rows in the order of bags."""
        order = self.order
        return metadata if order is None else metadata.rows(order)


def grouping(values: Any, count: int, name: str = "bag") -> Grouping:
    """Put rows with the same value into a bag.

    Examples
    --------
    >>> rows = grouping(["b", "a", "b"], 3)
    >>> rows.ids.tolist(), rows.bag.tolist(), rows.starts.tolist(), rows.places.tolist()
    (['b', 'a'], [0, 1, 0], [0, 2, 3], [0, 2, 1])
    """
    values = row_values(name, values, count, "the bag")
    ids, first, bag = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(ids), int)
    rank[order] = np.arange(len(ids))
    return Grouping(ids[order], rank[bag], first[order])


def group_rows(
    column: Callable[[str], Any], count: int, where: Any, bag: str, *labels: str | None
) -> tuple[Any, ...]:
    """Return the grouping by one column of a file, and the values that others have for each bag."""
    rows = grouping(column(bag), count, f"{where}, {bag!r}")
    return rows, *(
        None if name is None else label_of_each_bag(rows, column(name), f"{where}, {name!r}")
        for name in labels
    )


def label_of_each_bag(rows: Grouping, labels: Any, name: str = "label") -> Any:
    """Return the label of each bag, in their order; all rows of a bag must have the same."""
    if np.shape(labels) == rows.ids.shape != rows.bag.shape:
        raise ValueError(
            f"{name} must be one for each of the {len(rows.bag)} rows, got as many as there are "
            f"bags, {len(rows.ids)}: labels of bags need no table; leave them out here, and put "
            "them in the order of bags.ids, as y.loc[bags.ids] does"
        )
    result = row_values(name, labels, len(rows.bag), "the label of the bag")
    code = np.unique(result, return_inverse=True)[1]
    odd = np.flatnonzero(code != code[rows.first][rows.bag])
    if len(odd):
        row, bag = int(odd[0]), int(rows.bag[odd[0]])
        item, other, called = (
            as_python(result[rows.first[bag]]),
            as_python(result[row]),
            rows.ids[bag],
        )
        raise ValueError(
            f"{name} must be the same for all rows of a bag, got {item!r} in row {rows.first[bag]} "
            f"and {other!r} in row {row} of bag {as_python(called)!r}"
        )
    return result[rows.first]
