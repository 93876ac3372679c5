"""A figure as plain data: panels of marks, and what stands around them, for any renderer to draw.

A `Drawing` has blocks of panels; a `Panel` two axes and marks, drawn in their order.

Nothing here is of matplotlib. Colours are #rrggbb, lengths are points (1/72 inch), texts may hold
formulas between dollars, in TeX.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .marks import Dots, Line, Mark, Scale
from .style import SMALL


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
    by matplotlib's names; a renderer with a layout of its own leaves them out.
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
    """An axis: its name, its scale, its reach and its ticks; what is not said follows the data."""

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
    title_colour: str = ""  # the renderer's own
    title_at: float = 0.0  # as a share of its width
    beside: bool = False  # names of lines stand right of their ends
    legend: Legend | None = None
    bar: Scale | None = None  # colours explained at its right
    equal: bool = False  # both axes have one unit of length
    back: str = ""  # the colour behind all marks, if not the renderer's own


@dataclass(frozen=True)
class Block:
    """Panels in rows of so many columns, between edges: left, right, bottom, top.

    Edges are shares of the drawing; gaps, between columns and between rows, of a panel. Without
    edges the renderer finds room.
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

    def to_dict(self) -> dict[str, Any]:
        """Return dicts, lists, numbers and words, ready for JSON; None for what is not finite.

        Each part has its "kind": drawing, block, panel, axis, line, dots and so on.

        Examples
        --------
        >>> found = Drawing([Block([Panel([Line([1.0, 2.0], [0.5, math.nan])])])]).to_dict()
        >>> mark = found["blocks"][0]["panels"][0]["marks"][0]
        >>> mark["kind"], mark["x"], mark["y"]
        ('line', [1.0, 2.0], [0.5, None])
        """
        found: dict[str, Any] = _plain(self)
        return found


def single(panel: Panel, **more: Any) -> Drawing:
    """Return a drawing of one panel."""
    return Drawing([Block([panel])], **more)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        fields = {one.name: _plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
        return {"kind": type(value).__name__.lower(), **fields}
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
