"""The marks in a panel, as plain data.

| mark | what it is |
| --- | --- |
| `Line` | points joined: theory |
| `Dots` | points with bars: means over trials and their standard errors |
| `Band` | the area between two curves |
| `Map` | a colour for each point of a grid |
| `Cells` | a colour for each cell of a table |
| `Rings` | points filled with a colour of the map |
| `Rule` | a line across the panel, upright or level, where something stands out |
| `Words` | a note |

They are drawn in their order; a layer says what is drawn above what besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .style import BLACK, SOLID, TEXT, WHITE

Numbers = Sequence[float]
INSIDE = ("panel", "panel")  # a place of words, as shares of their panel


@dataclass(frozen=True)
class Line:
    """Points joined by a line; its name may be written beside its end."""

    x: Numbers = ()
    y: Numbers = ()
    colour: str = BLACK
    name: str = ""
    dash: Sequence[float] = SOLID
    width: float = 1.6
    layer: int = 0


@dataclass(frozen=True)
class Dots:
    """Points with bars: one standard error each, or two rows, below and above; None for no bars."""

    x: Numbers = ()
    y: Numbers = ()
    se: Numbers | Sequence[Numbers] | None = None
    colour: str = BLACK
    name: str = ""
    marker: str = "o"  # o, s, ^, v, D, > or x
    size: float = 3.6
    edge: float = 0.5
    edge_colour: str = WHITE
    bar: float = 1.0
    joined: float = 0.0  # the width of a line that joins them
    layer: int = 1


@dataclass(frozen=True)
class Band:
    """The area between two curves."""

    x: Numbers
    low: Numbers
    high: Numbers
    colour: str
    opacity: float = 0.2


@dataclass(frozen=True)
class Scale:
    """Colours of numbers: evenly spaced from low to high, with what lies between blended."""

    low: float
    high: float
    colours: Sequence[str]
    name: str = ""


@dataclass(frozen=True)
class Map:
    """A colour for each point of a grid: rows of values at y, columns at x."""

    x: Numbers
    y: Numbers
    values: Sequence[Numbers]
    scale: Scale
    crossing: float | None = None  # draw the line along which values cross this one


@dataclass(frozen=True)
class Cells:
    """A colour for each cell of a table, its first row on top, its columns counted from first."""

    values: Sequence[Numbers]
    scale: Scale
    first: int = 0
    empty: str = "#ededed"  # where there is no number


@dataclass(frozen=True)
class Rings:
    """Rings, filled with the colours of their values."""

    x: Numbers
    y: Numbers
    values: Numbers
    scale: Scale
    size: float = 34.0  # their area, in square points
    edge: float = 0.8


@dataclass(frozen=True)
class Rule:
    """A line across the panel: upright at x, or level at y."""

    x: float | None = None
    y: float | None = None
    colour: str = BLACK
    dash: Sequence[float] = SOLID
    width: float = 1.6
    layer: int = 0


@dataclass(frozen=True)
class Words:
    """A note at a place, on each axis in its own numbers ("data") or a share of the "panel"."""

    text: str
    at: tuple[float, float]
    of: tuple[str, str] = ("data", "data")
    anchor: tuple[str, str] = ("left", "center")  # which point of the text is there
    offset: tuple[float, float] = (0.0, 0.0)
    colour: str = ""  # the renderer's own
    size: float = TEXT


Mark = Line | Dots | Band | Map | Cells | Rings | Rule | Words


def numbers(values: Iterable[Any]) -> tuple[float, ...]:
    """Return plain floats."""
    return tuple(np.asarray(values, float).tolist())
