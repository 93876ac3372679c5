"""The style of each curve: its colour, dash and marker, the same for theory and simulation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from .reading.choose_columns import QUESTION, CurveRows
from .reading.columns import is_missing
from .style import COLOURS, DASHED, DOTTED, SOLID, blend

DASHES: Sequence[Sequence[float]] = (SOLID, DASHED, DOTTED, (6.0, 1.5, 1.0, 1.5))
MARKERS = ("o", "s", "^", "v", "D", ">")
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#785EF0", "#E69F00", "#56B4E9", "#000000")
RAMP = ("#440154", "#31688E", "#35B779", "#E8B900")  # for numbers, in their order


class CurveStyle(NamedTuple):
    """The colour, dash and marker of a curve."""

    colour: str
    dash: Sequence[float]
    marker: str


def curve_styles(chosen: CurveRows) -> dict[tuple[Any, ...], CurveStyle]:
    """Return a look for each curve.

    Columns that theory and simulation share decide the colours, in their order: the first one is
    the colour, the others dash and marker. What simulation alone has, such as d, is the marker.
    """
    rows, by = chosen.rows, chosen.by
    theory = rows[~chosen.simulated]
    shared = [name for name in by if not len(theory) or theory[name].notna().any()]
    first = [name for name in shared if name != QUESTION][:1]
    hues = [name for name in shared if name == QUESTION] + first
    colours = _colours(rows, hues)
    dashes: dict[tuple[Any, ...], int] = {}
    markers: dict[tuple[Any, ...], int] = {}
    result = {}
    for key in _values(rows, by):
        values = dict(zip(by, key, strict=True))
        hue = tuple(values[name] for name in hues)
        dash = tuple(values[name] for name in shared if name not in hues)
        marker = tuple(values[name] for name in by if name not in hues)
        dash_at = dashes.setdefault(dash, len(dashes))
        marker_at = markers.setdefault(marker, len(markers))
        result[key] = CurveStyle(
            colours[hue], DASHES[dash_at % len(DASHES)], MARKERS[marker_at % len(MARKERS)]
        )
    return result


def _colours(rows: pd.DataFrame, hues: Sequence[str]) -> dict[tuple[Any, ...], str]:
    """Return a colour for each value: a model's own, a ramp for numbers, or one after the other."""
    values = _values(rows, hues)
    if list(hues) == ["model"] and all(value[0] in COLOURS for value in values):
        return {value: COLOURS[value[0]] for value in values}
    if (
        len(hues) == 1
        and len(values) > 2
        and all(isinstance(value[0], int | float) for value in values)
    ):
        return {value: blend(RAMP, place / (len(values) - 1)) for place, value in enumerate(values)}
    return {value: PALETTE[place % len(PALETTE)] for place, value in enumerate(values)}


def _values(rows: pd.DataFrame, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the different values of some columns, in order; without columns there is one."""
    if not columns:
        return [()]
    different = rows[list(columns)].drop_duplicates().itertuples(index=False)
    return sorted({key_of(tuple(item)) for item in different}, key=_order)


def key_of(place: Any) -> tuple[Any, ...]:
    """Return values that can be compared: a missing one is None."""
    values = place if isinstance(place, tuple) else (place,)
    return tuple(None if is_missing(value) else value for value in values)


def _order(key: Sequence[Any]) -> list[tuple[bool, bool, Any]]:
    """Order what is missing first, then numbers, then words."""
    return [(item is not None, isinstance(item, str), 0 if item is None else item) for item in key]
