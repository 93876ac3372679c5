"""Bags of a table with a row for each instance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .columns import Columns
from .grouping import Grouping, grouping, label_of_each_bag
from .metadata import Metadata
from .numeric import as_float_table
from .parts import Parts
from .values import as_array, first_missing, index_of


def parts_of_table(
    X: Any, bag: Any, label: Any, drop: Any, metadata: Any, features: Any
) -> tuple[Parts, Any, Grouping]:
    """Return the parts of bags, the label of each if there are labels, and the grouping of rows."""
    columns = Columns(X)
    bag = columns.values("bag", bag)
    by_bag = _is_by_bag(label, bag, X, columns.count)
    given = label if label is None or by_bag else columns.values("label", label)
    beside = columns.metadata(metadata)
    columns.drop(drop)
    chosen, names = columns.features(features)
    table = as_float_table(chosen)
    if not len(table):
        raise ValueError("there must be at least one row, got none")
    result = grouping(bag, len(table))
    y = None
    if given is not None:
        y = labels_by_bag(result.ids, given) if by_bag else label_of_each_bag(result, given)
    kept, order = Metadata(beside, len(table)), result.order
    if order is not None:
        table, kept = table[order], kept.rows(order)
    return Parts(table, result.starts, names, result.ids, kept), y, result


def _is_by_bag(label: Any, bag: Any, X: Any, count: int) -> bool:
    """Tell whether labels are by the names of bags: a dict, or a Series that is not one of rows."""
    index = index_of(label)
    if isinstance(label, Mapping) or index is None:
        return isinstance(label, Mapping)
    if len(label) != count:
        return True
    rows = index_of(X)
    of_rows = index.tolist() == list(range(count)) if rows is None else rows.equals(index)
    names = as_array(bag).tolist()
    of_bags = set(names) <= set(index.tolist())
    if of_rows and of_bags and names != index.tolist():
        raise ValueError(
            "label may be that of the rows or, by its index, that of the bags; pass "
            "label.to_numpy() for the first, label.to_dict() for the second"
        )
    return of_bags and not of_rows


def labels_by_bag(ids: Any, labels: Any) -> Any:
    """Return the label of each bag, by the bags' names; more labels than bags do no harm."""
    by_name: dict[Any, Any] = {}
    for name, label in labels.items():
        if name in by_name:
            raise ValueError(f"label must name each bag once, got {name!r} twice")
        by_name[name] = label
    lost = next((item for item in ids.tolist() if item not in by_name), None)
    if lost is not None:
        few = ", ".join(repr(item) for item in list(by_name)[:5])
        raise ValueError(
            f"label must have one for each bag, got none for bag {lost!r}; there are {few}"
        )
    result = np.array([by_name[item] for item in ids.tolist()])
    gap = first_missing(result)
    if gap is not None:
        raise ValueError(f"label must have one for each bag, got none for bag {ids[gap]!r}")
    return result
