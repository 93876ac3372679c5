"""A sweep: a grid over calls, tasks, trainings, models, dimensions and seeds, in Python or TOML.

In a file a list stands for the values of an axis, and everything is combined with everything, save
what goes together:

    call = ["predict", "simulate"]
    model = ["attention", "pooled"]
    d = 200
    trials = 8
    together = [["task.L", "task.theta"]]

    [task]
    L = [10, 100]
    R = 1
    theta = [3.0, 4.2]
    pi = 0.5

    [training]
    alpha0 = 4.0
    alpha1 = [1.0, 2.0, 4.0]

What is wrong with it is reported before any work starts.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..losses import Loss
from . import checks
from .axes import Grid, check_count, check_together, listed
from .comparison import trials
from .units.calls import CALLS, SIMULATED, TABLES
from .units.calls import fields as fields_of
from .units.spelling import check_choice, did_you_mean
from .units.unit import Unit

SWEEP_ONLY = ("call", "trials", "seed", "together")  # what a sweep says once, and no call takes


@dataclass(frozen=True)
class Sweep:
    """What to run: calls and their arguments, each a value or a list of values.

    Everything is combined with everything; axes that go ``together`` change in step.

    Parameters
    ----------
    call : str or list of str
        Names of calls, as in `needlescope.experiments.units.calls`: "predict", "simulate", ...
    tables : mapping
        ``task``, ``training``, ``query``, ``test_task``, ``noise``: the objects, or their fields by
        name. A field is a value, or a list or NumPy array of values.
    axes : mapping, optional
        Further arguments of the calls: ``model``, ``d``, ``data``, ...; values or lists again. None
        by default. What a call or a model does not take (pooling has no query) is left out of its
        units.
    trials : int, default 8
        Trials of each simulated point, at least 1. Each is a unit of its own.
    seed : int, default 0
        The first number of the trials' seeds, at least 0.
    together : list of lists of str, optional
        Axes of equal length that change in step, each group named by paths such as
        ``"task.L"`` and ``"d"``. None by default.

    Raises
    ------
    ValueError
        If there is no such call, table, field or argument, an axis is empty, those that go together
        are not equally long, or there are more than 200,000 units.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = {"L": 10, "R": 1, "theta": [1.0, 2.0], "pi": 0.5}
    >>> sweep = ns.Sweep("oracle", {"task": task}, {"model": ["pooled", "attention"]})
    >>> len(sweep.units())
    4

    A signal that grows with the number of tokens, θ = 2 √log L:

    >>> import numpy as np
    >>> L = np.array([10, 100, 1000])
    >>> task = {"L": L, "R": 1, "theta": 2.0 * np.sqrt(np.log(L)), "pi": 0.5}
    >>> sweep = ns.Sweep("oracle", {"task": task}, {"model": "pooled"},
    ...                  together=[["task.L", "task.theta"]])
    >>> [round(unit.run()["error"], 3) for unit in sweep.units()]
    [0.316, 0.415, 0.467]
    """

    call: Any
    tables: Mapping[str, Any]
    axes: Mapping[str, Any] = field(default_factory=dict)
    trials: int = 8
    seed: int = 0
    together: Any = ()

    def __post_init__(self) -> None:
        """Refuse what a sweep cannot be made of, and more units than can be listed."""
        for name in self.calls:
            check_choice("call", name, sorted(CALLS))
        for name in ("tables", "axes"):
            given = getattr(self, name)
            if not isinstance(given, Mapping):
                raise ValueError(f"{name} must be a dict of arguments by name, got {given!r:.80}")
        for name in self.tables:
            check_choice("table", name, TABLES)
        for name in self.axes:
            _check_argument(name)
        for name, least in (("trials", 1), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise ValueError(
                    f"{name} must be a single whole number of at least {least}, got {value!r:.80}"
                )
        check_count(self.count, "the sweep")

    @cached_property
    def calls(self) -> list[str]:
        """The calls, as a list."""
        return listed("call", self.call)

    @cached_property
    def fields(self) -> dict[str, dict[str, Any]]:
        """The tables, as dicts of their fields."""
        return {name: _fields(name, given) for name, given in self.tables.items()}

    @cached_property
    def grid(self) -> Grid:
        """All axes, named by their paths, and how they are combined."""
        given = {
            f"{name}.{key}": value
            for name, fields in self.fields.items()
            for key, value in fields.items()
        }
        result = {name: listed(name, value) for name, value in (dict(self.axes) | given).items()}
        return Grid(result, check_together(self.together, result))

    def grid_of(self, call: str) -> Grid:
        """Return the grid of the axes that a call takes."""
        taken = checks.accepted_arguments(call)
        return self.grid.only([axis for axis in self.grid.axes if axis.partition(".")[0] in taken])

    @property
    def count(self) -> int:
        """How many units there are at most, without making them: equal ones are one."""
        each = {call: self.trials if call in SIMULATED else 1 for call in self.calls}
        return sum(self.grid_of(call).count * int(trials) for call, trials in each.items())

    @property
    def left_out(self) -> list[str]:
        """The arguments and tables that none of the calls takes; only others do."""
        used = set().union(*map(checks.accepted_arguments, self.calls))
        return [name for name in (*self.axes, *self.tables) if name not in used]

    def units(self) -> list[Unit]:
        """List the units of the grid; a simulated point has a unit for each of its trials.

        Raises
        ------
        ValueError
            If a unit lacks an argument, or has one that is no argument of its kind.
        """
        tables = _Tables(self)
        result: list[Unit] = []
        for call in self.calls:
            for name in checks.required_arguments(call):
                if name not in (*self.axes, *self.tables):
                    line = f"a table [{name}]" if name in TABLES else f"a line `{name} = ...`"
                    raise ValueError(f"{call} needs {line}")
            for point in self.grid_of(call):
                rest = {name: value for name, value in point.items() if name in self.axes}
                taken = checks.accepted_arguments(call, rest.get("model"))
                pairs = {name: tables.at(name, point) for name in self.tables if name in taken}
                checks.check_point(call, rest | {name: built for name, (_, built) in pairs.items()})
                arguments = rest | {name: fields for name, (fields, _) in pairs.items()}
                if call in SIMULATED:
                    result += trials(call, arguments, self.trials, self.seed)
                else:
                    result.append(Unit(call, arguments))
        return list({unit.key: unit for unit in result}.values())


class _Tables:
    """The tables of a sweep at each of its points; each combination is checked and built once."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep = sweep
        self.built: dict[tuple[Any, ...], Any] = {}
        for name, fields in sweep.fields.items():  # also those that no call takes
            for point in sweep.grid.only([f"{name}.{key}" for key in fields]):
                self.at(name, point)

    def at(self, name: str, point: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
        """Return a table's fields at a point, and what they stand for."""
        fields = {key: point[f"{name}.{key}"] for key in self.sweep.fields[name]}
        place = (name, *map(id, fields.values()))  # the values stay alive in the sweep's grid
        if place not in self.built:
            loss = fields.get("loss")
            self.built[place] = checks.build_table(
                name,
                fields,
                with_d="d" in self.sweep.axes,
                loss=loss if isinstance(loss, Loss) else None,
            )
        return fields, self.built[place]


def read_sweep(path: str | Path) -> Sweep:
    """Read a sweep from a TOML file, or refuse it with a sentence."""
    given = _toml(path)
    tables = {name: given.pop(name) for name in TABLES if name in given}
    once = {name: given.pop(name) for name in SWEEP_ONLY if name in given}
    for name in given:
        _check_argument(name)
    if "call" not in once or "task" not in tables:
        raise ValueError(f"the sweep {path} needs a line `call = ...` and a table [task]")
    return Sweep(tables=tables, axes=given, **once)


def _toml(path: str | Path) -> dict[str, Any]:
    if not isinstance(path, str | os.PathLike):
        raise ValueError(f"a sweep is named by the path of its file, got {path!r:.80}")
    try:
        text = Path(path).read_text(encoding="utf-8-sig")  # some editors begin with a mark
    except (OSError, ValueError) as problem:
        if isinstance(problem, UnicodeDecodeError):
            raise ValueError(
                f"the sweep {path} is not UTF-8 text, as TOML must be: {problem.reason} at byte "
                f"{problem.start}; save it as UTF-8"
            ) from None
        reason = getattr(problem, "strerror", None) or problem
        raise ValueError(f"the sweep {path!s:.200} cannot be read: {reason}") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ValueError(f"the sweep {path} is not TOML: {problem}") from None
    except RecursionError:
        raise ValueError(
            f"the sweep {path} is nested too deeply: its fields are values and lists of them"
        ) from None


def _fields(name: str, given: Any) -> dict[str, Any]:
    """Return a table's fields; of an object, those that differ from their defaults."""
    kind = TABLES[name]
    if isinstance(given, kind):
        usual = {key: value.default for key, value in fields_of(name).items()}
        result = {key: getattr(given, key) for key in usual if hasattr(given, key)}
        return {key: value for key, value in result.items() if value is not usual[key]}
    if not isinstance(given, Mapping):
        raise ValueError(f"[{name}] must be a table of fields, got {name} = {given!r:.80}")
    return dict(given)


def _check_argument(name: Any) -> None:
    """Refuse an argument that no call takes; a field of a table belongs there."""
    known = sorted(set().union(*map(checks.accepted_arguments, CALLS)) - set(TABLES))
    if name in known:
        return
    if name in TABLES:
        raise ValueError(f"{name} is a table: put it among the tables, got it among the arguments")
    for table in TABLES:
        if name in fields_of(table):
            raise ValueError(f"{name} is a field of a table: put it in [{table}]")
    hint = did_you_mean(name, (*known, *TABLES, *SWEEP_ONLY))
    words = ", ".join(map(repr, known))
    raise ValueError(f"argument must be one of {words}, got {name!r:.80}{hint}")
