"""A panel in axes: its marks, then its scales, its reach, its ticks and its names."""

from __future__ import annotations

from typing import Any

from matplotlib.ticker import FixedLocator, MaxNLocator, NullFormatter, NullLocator

from ..drawing import Axis, Panel
from ..marks import Line
from .legends import legend, make_room, name_lines
from .marks import colours, draw_mark, own_colour

SIGHT = 0.025  # how far below 0 an axis begins that keeps 0 in sight, as a share of its top


def draw_panel(ax: Any, panel: Panel) -> None:
    """Draw a panel into axes."""
    for mark in panel.marks:
        draw_mark(mark, ax)
    for name, axis in (("x", panel.x), ("y", panel.y)):
        if axis.margin is not None:
            ax.margins(**{name: axis.margin})
        if axis.log:
            getattr(ax, f"set_{name}scale")("log", base=axis.log)
    _dress(ax, "x", panel.x)
    _dress(ax, "y", panel.y)
    ax.set_title(panel.title, loc="left", x=panel.title_at, **own_colour(panel.title_colour))
    if panel.back:
        ax.set_facecolor(panel.back)
    if panel.equal:
        ax.set_aspect("equal")
    if panel.legend is not None:
        found = legend(ax, panel.legend)
        if panel.legend.room:
            make_room(ax, found)
    if panel.beside:
        named = [one for one in panel.marks if isinstance(one, Line) and one.name and len(one.y)]
        name_lines(ax, [(one.y[-1], one.name, one.colour) for one in named])
    if panel.bar is not None:
        ax.figure.colorbar(colours(panel.bar), ax=ax, label=panel.bar.name)


def _dress(ax: Any, name: str, axis: Axis) -> None:
    """Set the reach, the ticks and the name of an axis."""
    own, limit = getattr(ax, f"{name}axis"), getattr(ax, f"set_{name}lim")
    low, high = axis.limits
    if axis.zero:
        high = getattr(ax, f"get_{name}lim")()[1]
        low = -SIGHT * high
    if (low, high) != (None, None):
        limit(low, high)
    if axis.ticks is not None:
        own.set_major_locator(FixedLocator(list(axis.ticks)))
        own.set_major_formatter("{x:g}")
        if axis.labels:
            own.set_ticks(list(axis.ticks), list(axis.labels))
            ax.tick_params(axis=name, length=0)
    if axis.whole:
        own.set_major_locator(MaxNLocator(integer=True))
    if axis.plain:
        own.set_major_formatter("{x:g}")
    if axis.minor == "none":
        own.set_minor_locator(NullLocator())
    elif axis.minor == "ticks":
        own.set_minor_formatter(NullFormatter())
    own.set_label_text(axis.name)
