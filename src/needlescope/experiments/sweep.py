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

What is wrong with it is said before any work starts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..grid import choice
from . import checks
from .calls import CALLS, SIMULATED
from .experiment import grid, trials
from .unit import Unit


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
        """Refuse unknown calls, tables and arguments, and what is no number of trials."""
        for name in self.calls:
            choice("call", name, sorted(CALLS))
        for name, fields in self.tables.items():
            choice("table", name, list(checks.TABLES))
            if not isinstance(fields, Mapping):
                raise ValueError(f"[{name}] must be a table of fields, got {name} = {fields!r}")
        for name in self.axes:
            choice("argument", name, sorted(set().union(*map(checks.taken, CALLS))))
        for name, least in (("trials", 1), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ValueError(
                    f"{name} must be a single whole number of at least {least}, got {value!r}"
                )

    @cached_property
    def calls(self) -> list[str]:
        """The calls, as a list."""
        return _listed("call", self.call)

    @property
    def left_out(self) -> list[str]:
        """The arguments and tables that none of the calls takes; only others do."""
        used = set().union(*map(checks.taken, self.calls))
        return [name for name in (*self.axes, *self.tables) if name not in used]

    def units(self) -> list[Unit]:
        """List the units of the grid; a simulated point is as many units as it has trials.

        Raises
        ------
        ValueError
            If a unit lacks an argument, or has one that is no argument of its kind.
        """
        axes = {name: _listed(name, value) for name, value in self.axes.items()}
        tables = {name: self._table(name, fields) for name, fields in self.tables.items()}
        found: list[Unit] = []
        for call in self.calls:
            taken = checks.taken(call)
            for name in checks.needed(call):
                if name not in (*axes, *tables):
                    what = (
                        f"a table [{name}]" if name in checks.TABLES else f"a line `{name} = ...`"
                    )
                    raise ValueError(f"{call} needs {what}")
            own = {name: values for name, values in (axes | tables).items() if name in taken}
            for point in grid(**own):
                pairs = {name: point.pop(name) for name in tables if name in own}
                checks.point(call, point | {name: built for name, (_, built) in pairs.items()})
                arguments = point | {name: fields for name, (fields, _) in pairs.items()}
                if call in SIMULATED:
                    found += trials(call, arguments, self.trials, self.seed)
                else:
                    found.append(Unit(call, arguments))
        return list({unit.key: unit for unit in found}.values())

    def _table(self, name: str, fields: Mapping[str, Any]) -> list[tuple[dict[str, Any], Any]]:
        """List the combinations of a table's fields, each with what it stands for."""
        axes = {key: _listed(f"[{name}] {key}", value) for key, value in fields.items()}
        with_d = "d" in self.axes
        return [(one, checks.table(name, one, with_d=with_d)) for one in grid(**axes)]


def read_sweep(path: str | Path) -> Sweep:
    """Read a sweep from a TOML file, or refuse it with a sentence."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as problem:
        raise ValueError(f"the sweep {path} cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        raise ValueError(
            f"the sweep {path} is not UTF-8 text, as TOML must be: {problem.reason} at byte "
            f"{problem.start}; save it as UTF-8"
        ) from None
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ValueError(f"the sweep {path} is not TOML: {problem}") from None
    if "call" not in given or "task" not in given:
        raise ValueError(f"the sweep {path} needs a line `call = ...` and a table [task]")
    tables = {name: given.pop(name) for name in checks.TABLES if name in given}
    once = {name: given.pop(name) for name in ("call", "trials", "seed") if name in given}
    return Sweep(tables=tables, axes=given, **once)


def _listed(name: str, value: Any) -> list[Any]:
    """List the values of an axis, which are single ones."""
    values = list(value) if isinstance(value, list | tuple) else [value]
    if not values:
        raise ValueError(f"{name} must have at least one value, got {value!r}")
    if not name.endswith(checks.VECTORS):
        for one in values:
            if isinstance(one, list | tuple):
                raise ValueError(
                    f"{name} must be one value or a list of single ones, got {one!r} in its list"
                )
    return values
