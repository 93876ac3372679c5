"""A figure as plain data: panels of marks, and what stands around them.

A `Drawing` has blocks of panels; a `Panel` two axes and marks, drawn in their order. `render` draws
it by matplotlib, and `Drawing.curves` returns its curves as a table, for anything else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .marks import Cells, Dots, Line, Map, Mark, Rings, Scale
from .style import SMALL

CURVE_COLUMNS = ("panel", "role", "label", "x", "y", "se", "value")


@dataclass(frozen=True)
class Key:
    """A line of a legend: a name beside a line, a dot or both, without points."""

    name: str
    line: Line | None = None
    dots: Dots | None = None


@dataclass(frozen=True)
class Legend:
    """Keys in a corner.

    With ``room``, the panel grows until no data lie behind them. Spaces are in sizes of the text,
    by matplotlib's names.
    """

    keys: Sequence[Key]
    corner: str = "upper right"
    anchor: tuple[float, float] | None = None  # where that corner is, as shares
    columns: int = 1
    title: str = ""
    side: str = "center"  # where the title stands
    size: float = SMALL
    room: bool = False
    spaces: Mapping[str, float] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class Axis:
    """An axis: its name, its scale, its limits and its ticks; what is left out follows the data."""

    name: str = ""
    log: int = 0  # the base of a logarithmic scale
    limits: tuple[float | None, float | None] = (None, None)
    zero: bool = False  # begin a little below 0, so that lines along it stay in sight
    margin: float | None = None  # free at either end, as a share
    ticks: Sequence[float] | None = None
    labels: Sequence[str] = ()  # of the ticks, if not their numbers
    plain: bool = False  # 100, and not 10²
    minor: str = "labels"  # smaller ticks have "labels" where there is room, are "ticks", or "none"
    whole: bool = False  # ticks at whole numbers only


@dataclass(frozen=True)
class Panel:
    """Two axes and what is drawn between them."""

    marks: Sequence[Mark]
    x: Axis = Axis()
    y: Axis = Axis()
    title: str = ""
    title_colour: str = ""  # matplotlib's own
    title_at: float = 0.0  # as a share of its width
    labels_at_ends: bool = False  # names of lines stand right of their ends
    legend: Legend | None = None
    bar: Scale | None = None  # colours explained at its right
    equal: bool = False  # both axes have one unit of length
    back: str = ""  # the colour behind all marks, if not matplotlib's own


@dataclass(frozen=True)
class Block:
    """Panels in rows of some columns, between edges: left, right, bottom, top.

    Edges are shares of the drawing; gaps, between columns and between rows, of a panel. Without
    edges matplotlib lays them out.
    """

    panels: Sequence[Panel]
    columns: int = 1
    edges: tuple[float, float, float, float] | None = None
    gaps: tuple[float, float] = (0.2, 0.2)


@dataclass(frozen=True)
class Drawing:
    """A figure: blocks of panels, its size in inches, and what stands around them."""

    blocks: Sequence[Block]
    size: tuple[float, float] = (4.6, 3.1)
    words: str = ""  # above, at the right
    legends: Sequence[Legend] = ()
    bar: Scale | None = None  # colours explained at the right
    share_x: bool = False  # all panels have one x axis

    @property
    def panels(self) -> list[Panel]:
        """All panels, in reading order."""
        return [panel for block in self.blocks for panel in block.panels]

    def curves(self) -> pd.DataFrame:
        """Return what is drawn as a table: a row for each point of a line, of dots, of a map.

        The columns are ``panel`` (a number, from 0), ``role`` ("theory" for lines and maps,
        "simulation" for means over trials), ``label``, ``x``, ``y``, ``se`` (the standard error of
        a mean over trials) and ``value`` (the number behind a colour).

        Examples
        --------
        >>> drawing = single(Panel([Line([1.0, 2.0], [0.5, 0.4], name="attention")]))
        >>> drawing.curves()[["role", "label", "x", "y"]].values.tolist()
        [['theory', 'attention', 1.0, 0.5], ['theory', 'attention', 2.0, 0.4]]
        """
        rows = [
            (number, *point)
            for number, panel in enumerate(self.panels)
            for mark in panel.marks
            for point in _points(mark)
        ]
        return pd.DataFrame(rows, columns=list(CURVE_COLUMNS))


def single(panel: Panel, **more: Any) -> Drawing:
    """Return a drawing of one panel."""
    return Drawing([Block([panel])], **more)


def _points(mark: Mark) -> list[tuple[Any, ...]]:
    """Return the role, label, x, y, standard error and value of each point of a mark."""
    if isinstance(mark, Line | Dots):
        bars, missing = getattr(mark, "se", None), np.full(len(mark.x), np.nan)
        role = "theory" if bars is None else "simulation"
        se = missing if bars is None else np.max(np.atleast_2d(bars), axis=0)
        return [(role, mark.name, *item) for item in zip(mark.x, mark.y, se, missing, strict=True)]
    if isinstance(mark, Rings):
        points = zip(mark.x, mark.y, mark.values, strict=True)
        return [("simulation", "", x, y, np.nan, value) for x, y, value in points]
    if isinstance(mark, Map | Cells):
        first = mark.first if isinstance(mark, Cells) else 0
        values = np.asarray(mark.values, float)
        x = mark.x if isinstance(mark, Map) else range(first, first + values.shape[1])
        y = mark.y if isinstance(mark, Map) else range(values.shape[0])
        return [
            ("theory", "", at_x, at_y, np.nan, value)
            for at_y, row in zip(y, values, strict=True)
            for at_x, value in zip(x, row, strict=True)
        ]
    return []  # what explains the curves
