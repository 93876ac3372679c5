"""All that a unit's number rests on: its arguments, and the defaults of those left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import Parameter
from typing import Any

from ..units.calls import TABLES, fields, parameters
from ..units.plain_data import plain
from ..units.unit import Unit

STANDARD = ("noise",)  # tables that stand for a standard object if they are left out


def settings(unit: Unit) -> dict[str, Any]:
    """Return a unit's arguments with all defaults written out; what is None is left out.

    Examples
    --------
    >>> task = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
    >>> training = {"alpha0": 4.0, "alpha1": 1.0}
    >>> result = settings(Unit("predict", {"task": task, "training": training}))
    >>> result["training"]["ridge"], result["data"], result["task"]["positions"], "query" in result
    (0.01, 'D1', 'uniform', False)
    """
    usual = {name: parameter.default for name, parameter in parameters(unit.call).items()}
    usual |= {name: {} for name in STANDARD if name in usual}
    given = {name: argument for name, argument in unit.arguments.items() if argument is not None}
    result = {**_present(usual), **given}
    return {
        name: _present({key: field.default for key, field in fields(name).items()}) | value
        if name in TABLES and isinstance(value, dict)
        else value
        for name, value in result.items()
    }


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that there are, as plain data."""
    known = {k: v for k, v in values.items() if v is not None and v is not Parameter.empty}
    return {name: plain(value) for name, value in known.items()}


def columns(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments by their path, as the columns of a table: ``task.L``.

    A table inside a table has a word in the column of its own name: its name, or "given".

    Examples
    --------
    >>> columns({"task": {"L": 2, "positions": {"sets": [[0], [1]]}}, "d": 5})
    {'task.L': 2, 'task.positions': 'given', 'task.positions.sets': [[0], [1]], 'd': 5}
    """
    return dict(_paths(arguments, ()))


def _paths(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        yield ".".join(path), value
        return
    if len(path) > 1 and path[-1] != "parameters":
        yield ".".join(path), value.get("name", "given")
    for name, inner in value.items():
        if len(path) < 2 or name != "name":
            yield from _paths(inner, (*path, name))
