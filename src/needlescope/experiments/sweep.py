"""A sweep: a grid over calls, tasks, trainings, models, dimensions and seeds, in Python or TOML.

In a file a list stands for the values of an axis, and everything is combined with everything:

    call = ["predict", "simulate"]
    model = ["attention", "pooled"]
    d = 200
    trials = 8

    [task]
    L = 10
    R = 1
    theta = [4.0, 5.0]
    pi = 0.5

    [training]
    alpha0 = 4.0
    alpha1 = [1.0, 2.0, 4.0]
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from typing import Any

from ..grid import choice
from .calls import CALLS, SIMULATED
from .experiment import grid, trials
from .unit import Unit

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLES = ("task", "training", "query", "test_task", "noise")


@dataclass(frozen=True)
class Sweep:
    """What to run: tables of fields, each a value or a list of values.

    Parameters
    ----------
    call : str or list
        Names of calls, as in `needlescope.experiments.calls`.
    tables : mapping
        ``task``, ``training``, ``query``, ``test_task``, ``noise``: their fields.
    axes : mapping
        Further arguments of the calls: ``model``, ``d``, ``data``, ...
    trials, seed : int
        Trials of each simulated point, and the first number of their seeds.

    Examples
    --------
    >>> task = {"L": 10, "R": 1, "theta": [1.0, 2.0], "pi": 0.5}
    >>> sweep = Sweep("oracle", {"task": task}, {"model": ["pooled", "attention"]})
    >>> len(sweep.units())
    4
    """

    call: Any
    tables: Mapping[str, Mapping[str, Any]]
    axes: Mapping[str, Any] = field(default_factory=dict)
    trials: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse unknown calls and tables, and what is no number of trials."""
        for name in _listed(self.call):
            choice("call", name, sorted(CALLS))
        for name in self.tables:
            choice("table", name, TABLES)
        for name in self.axes:
            choice("argument", name, sorted(set().union(*map(_taken, CALLS))))
        for name in ("trials", "seed"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < (name == "trials"):
                raise ValueError(f"{name} must be a whole number, at least 1 trial, got {value!r}")

    def units(self) -> list[Unit]:
        """List the units of the grid; a simulated point is as many units as it has trials."""
        axes = {name: _listed(value) for name, value in self.axes.items()}
        for table, fields in self.tables.items():
            axes |= {f"{table}.{name}": _listed(value) for name, value in fields.items()}
        found: list[Unit] = []
        for call in _listed(self.call):
            for point in grid(**axes):
                arguments = _arguments(call, point)
                if call in SIMULATED:
                    found += trials(call, arguments, self.trials, self.seed)
                else:
                    found.append(Unit(call, arguments))
        return list({unit.key: unit for unit in found}.values())


def read_sweep(path: str | Path) -> Sweep:
    """Read a sweep from a TOML file, or refuse it with a sentence."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as problem:
        raise ValueError(f"the sweep {path} cannot be read: {problem.strerror}") from None
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ValueError(f"the sweep {path} is not TOML: {problem}") from None
    if "call" not in given or "task" not in given:
        raise ValueError(f"the sweep {path} needs a line `call = ...` and a table [task]")
    tables = {name: given.pop(name) for name in TABLES if name in given}
    once = {name: given.pop(name) for name in ("call", "trials", "seed") if name in given}
    return Sweep(tables=tables, axes=given, **once)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _taken(call: str) -> set[str]:
    """Return the names of a call's arguments; how the work is done is not for a sweep to say."""
    return set(signature(CALLS[call]).parameters) - {"workers", "progress", "trials", "seed"}


def _arguments(call: str, point: Mapping[str, Any]) -> dict[str, Any]:
    """Fold ``task.L`` and its like into tables; leave out what only another call takes."""
    found: dict[str, Any] = {}
    taken = _taken(call)
    for name, value in point.items():
        table, _, key = name.partition(".")
        if table not in taken:
            continue
        if key:
            found.setdefault(table, {})[key] = value
        else:
            found[name] = value
    return found
