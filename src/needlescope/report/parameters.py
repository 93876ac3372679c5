"""The arguments of an experiment's units, in the paper's symbols: a few lines for a caption.

What is the same in all units comes first, in one line; then what changes, for theory and
simulation each. Values that were left to their defaults are shown too, those that play no part
(the step sizes of a query that is given) are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..experiments.units.calls import SIMULATED
from ..experiments.units.unit import Unit, canonical
from ..figures.reading.dependence import SYMBOLS, depends

MOST_VALUES = 6  # that are listed; more are a range
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Parameter(NamedTuple):
    """A symbol and its values, in theory and in simulation; empty where there are none."""

    symbol: str
    theory: str
    simulation: str


def parameters(units: Sequence[Unit]) -> list[Parameter]:
    """List the parameters of an experiment; the first gathers those that never change.

    Examples
    --------
    >>> task = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
    >>> lengths = [{**task, "L": L} for L in (10, 100, 1000)]
    >>> units = [Unit("oracle", {"task": one, "model": "pooled"}) for one in lengths]
    >>> for one in parameters(units):
    ...     print(one.symbol, "|", one.theory)
    fixed | classifier pooled, R = 1, θ = 5, π = 0.5
    L | 10, 100, 1000
    """
    sides: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    points = Counter(_point(unit) for unit in units if unit.call in SIMULATED)
    for unit in units:
        simulated = unit.call in SIMULATED
        count = {"trials": points[_point(unit)]} if simulated else {}
        sides[simulated].append(_fields(unit) | count)
    fixed, result = [], []
    for column, symbol in SYMBOLS.items():
        theory, simulation = (_distinct(rows, column) for rows in sides)
        both = theory + [value for value in simulation if value not in theory]
        shared = all(
            result or not rows for result, rows in zip((theory, simulation), sides, strict=True)
        )
        if len(both) == 1 and shared and (_numeric(both) or _everywhere(sides, column)):
            fixed.append(symbol + (" = " if _numeric(both) else " ") + _format_all(both))
        elif both:
            result.append(Parameter(symbol, _format_all(theory), _format_all(simulation)))
    line = ", ".join(fixed)
    head = Parameter("fixed", line if sides[0] else "", line if sides[1] else "")
    return [head, *result] if fixed else result


def _fields(unit: Unit) -> dict[str, Any]:
    """Return what the answer of a unit depends on, by column."""
    return depends(unit.call, dict(_named(unit.arguments)))


def _named(arguments: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Name what is within tables, and within those."""
    for name, value in arguments.items():
        if isinstance(value, dict):
            yield from _named(value, f"{before}{name}.")
        else:
            yield before + name, tuple(value) if isinstance(value, list) else value


def _point(unit: Unit) -> str:
    """What the trials of a point have in common."""
    rest = {name: value for name, value in unit.arguments.items() if name != "seed"}
    return unit.call + canonical(rest)


def _distinct(rows: Sequence[dict[str, Any]], column: str) -> list[Any]:
    result = list(dict.fromkeys(row[column] for row in rows if column in row))
    return sorted(result) if _numeric(result) else result


def _everywhere(sides: Iterable[Iterable[dict[str, Any]]], column: str) -> bool:
    """Whether all rows have the column, or all that have its table."""
    table = column.partition(".")[0]
    rows = [row for side in sides for row in side]
    if "." in column:
        rows = [row for row in rows if any(name.startswith(f"{table}.") for name in row)]
    return all(column in row for row in rows)


def _numeric(values: Sequence[Any]) -> bool:
    return all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)


def _format_all(values: Sequence[Any]) -> str:
    """Write values: all of a few, the range of many."""
    if len(values) > MOST_VALUES and _numeric(values):
        return f"{_format(values[0])} to {_format(values[-1])} ({len(values)} values)"
    return ", ".join(_format(value) for value in values)


def _format(value: Any) -> str:
    """Write a number as one does by hand.

    Examples
    --------
    >>> [_format(value) for value in (0.5, 100000, 1e-5, 2.5e-7, "none", True)]
    ['0.5', '100000', '10⁻⁵', '2.5·10⁻⁷', 'none', 'yes']
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return str(value)
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    digits, _, power = f"{value:.4g}".partition("e")
    if not power:
        return digits
    raised = "10" + str(int(power)).translate(RAISED)
    return raised if digits == "1" else f"{digits}·{raised}"
