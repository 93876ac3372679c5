"""Each mark in matplotlib's terms."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.lines import Line2D

from ..marks import Band, Cells, Dots, Line, Map, Rings, Rule, Scale, Words
from ..style import BLACK

ABOVE = 2  # matplotlib's zorder of lines


@singledispatch
def draw_mark(mark: Any, ax: Any) -> None:
    """Draw a mark into axes."""
    raise TypeError(f"no mark: {mark!r}")


@draw_mark.register
def _(mark: Line, ax: Any) -> None:
    ax.plot(mark.x, mark.y, **line_look(mark), zorder=ABOVE + mark.layer)


@draw_mark.register
def _(mark: Dots, ax: Any) -> None:
    look = {**dot_look(mark), **joined_look(mark), "zorder": ABOVE + mark.layer}
    if mark.se is None:
        ax.plot(mark.x, mark.y, **look)
    else:
        bars = {"elinewidth": mark.bar, "capsize": 0}
        ax.errorbar(mark.x, mark.y, yerr=np.asarray(mark.se), **bars, **look)


@draw_mark.register
def _(mark: Band, ax: Any) -> None:
    ax.fill_between(mark.x, mark.low, mark.high, color=mark.colour, alpha=mark.opacity, lw=0)


@draw_mark.register
def _(mark: Map, ax: Any) -> None:
    ax.pcolormesh(
        mark.x, mark.y, mark.values, shading="nearest", rasterized=True, **_colouring(mark.scale)
    )
    if mark.crossing is not None:
        line = {"colors": BLACK, "linewidths": 1.4}
        ax.contour(mark.x, mark.y, mark.values, [mark.crossing], **line)


@draw_mark.register
def _(mark: Cells, ax: Any) -> None:
    rows, columns = np.shape(mark.values)
    extent = (mark.first - 0.5, mark.first + columns - 0.5, rows - 0.5, -0.5)
    flat = {"aspect": "auto", "interpolation": "none", "extent": extent}
    ax.imshow(mark.values, **flat, **_colouring(mark.scale))
    ax.set_facecolor(mark.empty)


@draw_mark.register
def _(mark: Rings, ax: Any) -> None:
    ring = {"s": mark.size, "edgecolors": BLACK, "linewidths": mark.edge}
    above = {"zorder": ABOVE + 1, "clip_on": False}
    ax.scatter(mark.x, mark.y, c=mark.values, **ring, **above, **_colouring(mark.scale))


@draw_mark.register
def _(mark: Rule, ax: Any) -> None:
    look = {**line_look(mark), "zorder": ABOVE + mark.layer}
    if mark.x is not None:  # axvline would add its rounding to the reach of the data
        upright = {"transform": ax.get_xaxis_transform(), **look}
        ax.add_artist(Line2D([mark.x, mark.x], [0.0, 1.0], **upright))
    if mark.y is not None:
        ax.axhline(mark.y, **look)


@draw_mark.register
def _(mark: Words, ax: Any) -> None:
    of = {"data": "data", "panel": "axes fraction"}
    ax.annotate(
        mark.text, mark.at, xycoords=(of[mark.of[0]], of[mark.of[1]]), xytext=mark.offset,
        textcoords="offset points", ha=mark.anchor[0], va=mark.anchor[1], fontsize=mark.size,
        **own_colour(mark.colour),
    )  # fmt: skip


def own_colour(colour: str) -> dict[str, str]:
    """Return the colour of a text, in matplotlib's words, if it has one of its own."""
    return {"color": colour} if colour else {}


def line_look(line: Line | Rule) -> dict[str, Any]:
    """Return how a line looks, in matplotlib's words."""
    dash = (0, tuple(line.dash)) if line.dash else "-"
    return {"color": line.colour, "ls": dash, "lw": line.width}


def dot_look(dots: Dots) -> dict[str, Any]:
    """Return how dots look, in matplotlib's words."""
    edge = {"mec": dots.edge_colour, "mew": dots.edge}
    return {"color": dots.colour, "marker": dots.marker, "ms": dots.size, **edge}


def joined_look(dots: Dots) -> dict[str, Any]:
    """Return the line that joins dots, or none, in matplotlib's words."""
    return {"ls": "-", "lw": dots.joined} if dots.joined else {"ls": "none"}


def colours(scale: Scale) -> ScalarMappable:
    """Return what a bar of colours is drawn from."""
    return ScalarMappable(Normalize(scale.low, scale.high), _blend(scale))


def _colouring(scale: Scale) -> dict[str, Any]:
    return {"cmap": _blend(scale), "vmin": scale.low, "vmax": scale.high}


def _blend(scale: Scale) -> LinearSegmentedColormap:
    return LinearSegmentedColormap.from_list("needlescope", list(scale.colours))
