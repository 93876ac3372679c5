"""The marks in a panel: plain data that can draw themselves into matplotlib's axes.

| mark | what it is |
| --- | --- |
| `Line` | points joined: theory |
| `Dots` | points with bars: means over trials and their standard errors |
| `Band` | the area between two curves |
| `Map` | a colour for each point of a grid |
| `Cells` | a colour for each cell of a table |
| `Rings` | points filled with a colour of the map |
| `Rule` | a line across the panel, upright or level, where something stands out |
| `Text` | a note |

They are drawn in their order; a layer says what is drawn above what besides. Colours are #rrggbb,
lengths are points (1/72 inch), texts may hold formulas between dollars, in TeX.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .style import BLACK, SOLID, TEXT, WHITE

Numbers = Sequence[float]
INSIDE = ("panel", "panel")  # a place of words, as shares of their panel
LINE_ZORDER = 2  # matplotlib's zorder of lines


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

    @property
    def look(self) -> dict[str, Any]:
        """The line in matplotlib's words."""
        dash = (0, tuple(self.dash)) if self.dash else "-"
        return {"color": self.colour, "ls": dash, "lw": self.width}

    def draw(self, ax: Any) -> None:
        """Draw it into axes."""
        ax.plot(self.x, self.y, **self.look, zorder=LINE_ZORDER + self.layer)


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

    @property
    def look(self) -> dict[str, Any]:
        """The dots, and the line that joins them, in matplotlib's words."""
        line = {"ls": "-", "lw": self.joined} if self.joined else {"ls": "none"}
        edge = {"mec": self.edge_colour, "mew": self.edge}
        return {"color": self.colour, "marker": self.marker, "ms": self.size, **edge, **line}

    def draw(self, ax: Any) -> None:
        """Draw them into axes."""
        look = {**self.look, "zorder": LINE_ZORDER + self.layer}
        if self.se is None:
            ax.plot(self.x, self.y, **look)
        else:
            bars = {"elinewidth": self.bar, "capsize": 0}
            ax.errorbar(self.x, self.y, yerr=np.asarray(self.se), **bars, **look)


@dataclass(frozen=True)
class Band:
    """The area between two curves."""

    x: Numbers
    low: Numbers
    high: Numbers
    colour: str
    opacity: float = 0.2

    def draw(self, ax: Any) -> None:
        """Draw it into axes."""
        ax.fill_between(self.x, self.low, self.high, color=self.colour, alpha=self.opacity, lw=0)


@dataclass(frozen=True)
class Scale:
    """Colours of numbers: evenly spaced from low to high, with what lies between blended."""

    low: float
    high: float
    colours: Sequence[str]
    name: str = ""

    @property
    def colouring(self) -> dict[str, Any]:
        """The colours in matplotlib's words."""
        from matplotlib.colors import LinearSegmentedColormap  # when something is drawn

        blend = LinearSegmentedColormap.from_list("needlescope", list(self.colours))
        return {"cmap": blend, "vmin": self.low, "vmax": self.high}


@dataclass(frozen=True)
class Map:
    """A colour for each point of a grid: rows of values at y, columns at x."""

    x: Numbers
    y: Numbers
    values: Sequence[Numbers]
    scale: Scale
    crossing: float | None = None  # draw the line along which values cross this one

    def draw(self, ax: Any) -> None:
        """Draw it into axes."""
        flat = {"shading": "nearest", "rasterized": True, **self.scale.colouring}
        ax.pcolormesh(self.x, self.y, self.values, **flat)
        if self.crossing is not None:
            line = {"colors": BLACK, "linewidths": 1.4}
            ax.contour(self.x, self.y, self.values, [self.crossing], **line)


@dataclass(frozen=True)
class Cells:
    """A colour for each cell of a table, its first row on top, its columns counted from first."""

    values: Sequence[Numbers]
    scale: Scale
    first: int = 0
    empty: str = "#ededed"  # where there is no number

    def draw(self, ax: Any) -> None:
        """Draw them into axes."""
        rows, columns = np.shape(self.values)
        extent = (self.first - 0.5, self.first + columns - 0.5, rows - 0.5, -0.5)
        flat = {"aspect": "auto", "interpolation": "none", "extent": extent}
        ax.imshow(self.values, **flat, **self.scale.colouring)
        ax.set_facecolor(self.empty)


@dataclass(frozen=True)
class Rings:
    """Rings, filled with the colours of their values."""

    x: Numbers
    y: Numbers
    values: Numbers
    scale: Scale
    size: float = 34.0  # their area, in square points
    edge: float = 0.8

    def draw(self, ax: Any) -> None:
        """Draw them into axes."""
        ring = {"s": self.size, "edgecolors": BLACK, "linewidths": self.edge}
        above = {"zorder": LINE_ZORDER + 1, "clip_on": False}
        ax.scatter(self.x, self.y, c=self.values, **ring, **above, **self.scale.colouring)


@dataclass(frozen=True)
class Rule:
    """A line across the panel: upright at x, or level at y."""

    x: float | None = None
    y: float | None = None
    colour: str = BLACK
    dash: Sequence[float] = SOLID
    width: float = 1.6
    layer: int = 0

    def draw(self, ax: Any) -> None:
        """Draw it into axes."""
        line = Line(colour=self.colour, dash=self.dash, width=self.width)
        look = {**line.look, "zorder": LINE_ZORDER + self.layer}
        if self.x is not None:  # axvline would add its rounding to the reach of the data
            from matplotlib.lines import Line2D  # when something is drawn

            upright = {"transform": ax.get_xaxis_transform(), **look}
            ax.add_artist(Line2D([self.x, self.x], [0.0, 1.0], **upright))
        if self.y is not None:
            ax.axhline(self.y, **look)


@dataclass(frozen=True)
class Text:
    """A note at a place, on each axis in its own numbers ("data") or a share of the "panel"."""

    text: str
    at: tuple[float, float]
    of: tuple[str, str] = ("data", "data")
    anchor: tuple[str, str] = ("left", "center")  # which point of the text is there
    offset: tuple[float, float] = (0.0, 0.0)
    colour: str = ""  # matplotlib's own
    size: float = TEXT

    def draw(self, ax: Any) -> None:
        """Write it into axes."""
        of = {"data": "data", "panel": "axes fraction"}
        ax.annotate(
            self.text, self.at, xycoords=(of[self.of[0]], of[self.of[1]]), xytext=self.offset,
            textcoords="offset points", ha=self.anchor[0], va=self.anchor[1], fontsize=self.size,
            **own_colour(self.colour),
        )  # fmt: skip


Mark = Line | Dots | Band | Map | Cells | Rings | Rule | Text


def own_colour(colour: str) -> dict[str, str]:
    """Return the colour of a text, in matplotlib's words, if it has one of its own."""
    return {"color": colour} if colour else {}


def numbers(values: Iterable[Any]) -> tuple[float, ...]:
    """Return plain floats."""
    return tuple(np.asarray(values, float).tolist())
