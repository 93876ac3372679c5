"""The axes of a sweep: lists of values, counted before anything is made of them.

An axis is named by its path: ``d``, or ``task.L`` for a field of a table. Axes are combined with
each other, save those that go together: these change in step.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from ..grid import unmasked
from .units.spelling import did_you_mean

MAX_UNITS = 200_000
"""Units of a sweep, or of a run: a quarter of a gigabyte, and half a minute to list and check."""

DEPTHS = {
    **{"signal": 1, "lengths": 1, "rates": 1, "decays": 1, "noise.covariance": 2},
    **dict.fromkeys(("task.signals", "test_task.signals", "query.cosines"), 1),
}
"""How deep the lists of a single value are; all other values are numbers and words."""

PAIRS = ("task.label_noise", "test_task.label_noise")
"""Axes whose values may be numbers or pairs; a list of numbers is a list of values."""


def listed(name: str, value: Any) -> list[Any]:
    """List the values of an axis: of a list, tuple, range or NumPy array, or a single one.

    Examples
    --------
    >>> import numpy as np
    >>> listed("d", np.arange(3)), listed("d", 100), listed("signal", [1.0, 0.0])
    ([0, 1, 2], [100], [[1.0, 0.0]])
    """
    words = shown(name)
    value = unmasked(words, value)
    value = value.tolist() if hasattr(value, "tolist") else value
    depth = DEPTHS.get(name, 0)
    if not isinstance(value, list | tuple | range) or 0 < _depth(value) == depth:
        return [value]
    if not len(value):
        raise ValueError(f"{words} must have at least one value, got {value!r}")
    if len(value) > MAX_UNITS:
        raise ValueError(f"{words} must have at most {MAX_UNITS} values, got {len(value)}")
    for item in value:
        if _depth(item) > max(depth, name in PAIRS):
            raise ValueError(
                f"{words} must be one value or a list of single ones, got {item!r:.80} in its list"
            )
    return list(value)


def shown(name: str) -> str:
    """Return an axis as a file has it: ``[task] L`` for ``task.L``."""
    table, dot, field = name.partition(".")
    return f"[{table}] {field}" if dot else name


def _depth(value: Any) -> int:
    """Count the lists around the first number of a value."""
    depth = 0
    while isinstance(value, list | tuple):
        depth, value = depth + 1, next(iter(value), None)
    return depth + int(getattr(value, "ndim", 0))


def check_together(together: Any, axes: Mapping[str, Sequence[Any]]) -> list[list[str]]:
    """Return the groups of axes that change in step, or refuse them.

    Examples
    --------
    >>> check_together([["task.L", "task.theta"]], {"task.L": [4, 8], "task.theta": [1.0]})
    Traceback (most recent call last):
    ValueError: axes that go together must be equally long, got task.L with 2 values and task.the...
    """
    names: list[str] = []
    if not isinstance(together, list | tuple) or not all(
        isinstance(group, list | tuple) and len(group) > 1 for group in together
    ):
        raise ValueError(
            "together must be a list of lists of two or more axes, such as "
            f'[["task.L", "task.theta"]], got {together!r:.80}'
        )
    for group in together:
        for name in group:
            if not isinstance(name, str) or name not in axes:
                raise ValueError(
                    f"together must name axes of the sweep, which has {', '.join(axes)}, "
                    f"got {name!r:.80}{did_you_mean(name, axes)}"
                )
            if name in names:
                raise ValueError(f"together must name an axis once, got {name!r} again")
            names.append(name)
        sizes = [f"{name} with {len(axes[name])} values" for name in group]
        if len({len(axes[name]) for name in group}) > 1:
            raise ValueError(
                f"axes that go together must be equally long, got {' and '.join(sizes)}"
            )
    return [list(group) for group in together]


class Grid:
    """All points of some axes, in order: the last axis changes first.

    Examples
    --------
    >>> grid = Grid({"d": [1, 2], "L": [4, 8], "R": [1, 2]}, [["d", "R"]])
    >>> grid.count, list(grid)[1]
    (4, {'d': 1, 'R': 1, 'L': 8})
    """

    def __init__(
        self, axes: Mapping[str, Sequence[Any]], together: Sequence[Sequence[str]]
    ) -> None:
        self.axes = axes
        joined = {name: tuple(group) for group in together for name in group}
        groups = dict.fromkeys(joined.get(name, (name,)) for name in axes)
        self.groups = [tuple(name for name in group if name in axes) for group in groups]

    def only(self, wanted: Container[str]) -> Grid:
        """Return the grid of some of the axes."""
        axes = {name: values for name, values in self.axes.items() if name in wanted}
        return Grid(axes, self.groups)

    @property
    def count(self) -> int:
        """How many points there are; none is made."""
        return math.prod(len(self.axes[group[0]]) for group in self.groups)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        groups = (zip(*(self.axes[name] for name in group), strict=True) for group in self.groups)
        names = [name for group in self.groups for name in group]
        for values in product(*groups):
            yield dict(zip(names, (item for part in values for item in part), strict=True))


def check_count(count: int, what: str) -> None:
    """Refuse more units than a run can list.

    Examples
    --------
    >>> check_count(10**9, "the sweep")
    Traceback (most recent call last):
    ValueError: the sweep has 1000000000 units, above 200000, the most that are listed; take ...
    """
    if count > MAX_UNITS:
        raise ValueError(
            f"{what} has {count} units, above {MAX_UNITS}, the most that are listed; take fewer "
            "values or trials, or several sweeps into one store"
        )
