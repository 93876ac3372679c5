"""A drawing as a matplotlib figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, MaxNLocator, NullFormatter, NullLocator

from ..errors import shortened
from .drawing import Axis, Block, Drawing, Key, Legend, Panel
from .marks import Line, Scale, own_colour
from .style import RC, grey

CORNER = (0.985, 0.975)  # of a drawing's words
BAR = (0.017, 0.015)  # how far a bar of colours stands from the panels, and how wide it is
BELOW_ZERO = 0.025  # how far below 0 an axis begins that keeps 0 in sight, as a share of its top
GAP = 5.0  # points between a legend and the data
APART = 9.5  # points between names beside lines


def render(drawing: Drawing, ax: Any = None) -> Any:
    """Draw into given axes, if the drawing has one panel, or as a new pyplot figure.

    Examples
    --------
    >>> from needlescope.figures.drawing import single
    >>> figure = render(single(Panel([Line([1.0, 2.0], [0.3, 0.2])], title="a line")))
    >>> figure.axes[0].get_title(loc="left")
    'a line'
    """
    with plt.rc_context(RC):
        if ax is None:
            return _draw_all(plt.figure(figsize=drawing.size), drawing)
        [panel] = drawing.panels
        draw_panel(ax, panel)
    return ax.figure


def picture(drawing: Drawing) -> Figure:
    """Draw a figure that pyplot does not know: a server need not close it, or choose a backend."""
    with plt.rc_context(RC):
        return _draw_all(Figure(figsize=drawing.size), drawing)


def blank(words: str) -> Figure:
    """Return a picture that says why there is none, in words that are no formula."""
    with plt.rc_context(RC):
        figure = Figure(figsize=(7.0, 1.0))
        look: dict[str, Any] = {"ha": "center", "va": "center", "color": grey(0.3), "wrap": True}
        figure.text(0.5, 0.5, shortened(words), parse_math=False, **look)
    return figure


def check_ax(ax: Any) -> None:
    """Refuse what is neither None nor axes of a figure."""
    if ax is not None and (not isinstance(ax, Axes) or ax.figure is None):
        raise ValueError(f"ax must be axes of a figure, as plt.subplots() makes them, got {ax!r}")


def _draw_all(figure: Figure, drawing: Drawing) -> Figure:
    """Draw everything into an empty figure."""
    for block in drawing.blocks:
        _block(figure, block, drawing)
    for item in drawing.legends:
        legend(figure, item)
    if drawing.words:
        figure.text(*CORNER, drawing.words, ha="right", va="top", color=grey(0.3))
    edges = drawing.blocks[-1].edges
    if drawing.bar is not None and edges is not None:
        _, right, bottom, top = edges
        place = figure.add_axes((right + BAR[0], bottom, BAR[1], top - bottom))
        bar = figure.colorbar(colours(drawing.bar), cax=place, label=drawing.bar.name)
        bar.outline.set_visible(False)
    return figure


def _block(figure: Figure, block: Block, drawing: Drawing) -> None:
    """Draw the panels of a block in their rows."""
    rows = -(-len(block.panels) // block.columns)
    grid = figure.add_gridspec(rows, block.columns)
    if block.edges is None:
        figure.set_layout_engine("constrained")
    else:
        names = ("left", "right", "bottom", "top", "wspace", "hspace")
        edges = dict(zip(names, (*block.edges, *block.gaps), strict=True))
        # One block is the figure's own, which `subplots_adjust` still moves.
        (grid.update if len(drawing.blocks) > 1 else figure.subplots_adjust)(**edges)
    first: Any = None
    for place, panel in enumerate(block.panels):
        ax = figure.add_subplot(grid[place // block.columns, place % block.columns], sharex=first)
        first = ax if drawing.share_x and first is None else first
        draw_panel(ax, panel)
        if drawing.share_x and place // block.columns < rows - 1:
            ax.tick_params(axis="x", which="both", labelbottom=False)


def draw_panel(ax: Any, panel: Panel) -> None:
    """Draw a panel into axes."""
    for mark in panel.marks:
        mark.draw(ax)
    for name, axis in (("x", panel.x), ("y", panel.y)):
        if axis.margin is not None:
            ax.margins(**{name: axis.margin})
        if axis.log:
            getattr(ax, f"set_{name}scale")("log", base=axis.log)
    _format_axis(ax, "x", panel.x)
    _format_axis(ax, "y", panel.y)
    ax.set_title(panel.title, loc="left", x=panel.title_at, **own_colour(panel.title_colour))
    if panel.back:
        ax.set_facecolor(panel.back)
    if panel.equal:
        ax.set_aspect("equal")
    if panel.legend is not None:
        result = legend(ax, panel.legend)
        if panel.legend.room:
            make_room(ax, result)
    if panel.labels_at_ends:
        named = [
            mark for mark in panel.marks if isinstance(mark, Line) and mark.name and len(mark.y)
        ]
        name_lines(ax, [(item.y[-1], item.name, item.colour) for item in named])
    if panel.bar is not None:
        ax.figure.colorbar(colours(panel.bar), ax=ax, label=panel.bar.name)


def _format_axis(ax: Any, name: str, axis: Axis) -> None:
    """Set the reach, the ticks and the name of an axis."""
    own, limit = getattr(ax, f"{name}axis"), getattr(ax, f"set_{name}lim")
    low, high = axis.limits
    if axis.zero:
        high = getattr(ax, f"get_{name}lim")()[1]
        low = -BELOW_ZERO * high
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


def legend(on: Any, result: Legend) -> Any:
    """Draw a legend on axes or on a figure, and return it."""
    if not result.keys:
        return None
    more: dict[str, Any] = dict(result.spaces)
    if result.anchor is not None:
        more["bbox_to_anchor"] = result.anchor
    if result.title:
        more |= {"title": result.title, "title_fontsize": result.size}
    return on.legend(
        handles=[_handle(key) for key in result.keys], loc=result.corner, ncols=result.columns,
        fontsize=result.size, alignment=result.side, frameon=False, **more,
    )  # fmt: skip


def _handle(key: Key) -> Any:
    """Return what matplotlib draws beside a key's name."""
    dots = {} if key.dots is None else key.dots.look
    line = {} if key.line is None else key.line.look
    shown = Line2D([], [], label=key.name, **{**dots, **line})
    if key.dots is None or key.dots.se is None:
        return shown
    bars = LineCollection([], colors=key.dots.colour, linewidths=key.dots.bar)
    return ErrorbarContainer((shown, (), (bars,)), has_yerr=True, label=key.name)


def make_room(ax: Any, legend: Any) -> None:
    """Raise the top of the axes until a legend along it, unpadded, lies above all data.

    To be called when the scales of the axes are final.
    """
    height = legend.get_window_extent().height + GAP * ax.figure.dpi / 72.0
    share = 1.0 - height / ax.bbox.height
    scale = ax.yaxis.get_transform()
    low, high = scale.transform([ax.get_ylim()[0], ax.dataLim.y1])
    if share > 0.0 and high > low:  # there is room, and there are data
        ax.set_ylim(top=float(scale.inverted().transform(low + (high - low) / share)))


def name_lines(ax: Any, ends: Sequence[tuple[float, str, str]]) -> None:
    """Write names right of the axes, at the heights where lines end: (y, name, colour) each.

    Names that would touch are moved apart. To be called when the limits and the scales of the axes
    are final.
    """
    points = 72.0 / ax.figure.dpi
    heights = [points * float(ax.transData.transform((1.0, y))[1]) for y, _, _ in ends]
    for (y, name, colour), height, to in zip(ends, heights, spread(heights, APART), strict=True):
        ax.annotate(
            name, (1.0, y), xycoords=("axes fraction", "data"), xytext=(4, to - height),
            textcoords="offset points", color=colour, va="center", annotation_clip=False,
        )  # fmt: skip


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Move places apart until neighbours are ``gap`` from each other, as little as needed.

    Examples
    --------
    >>> spread([0.0, 1.0, 20.0], 9.0)
    [-4.0, 5.0, 20.0]
    """
    order = np.argsort(places, kind="stable")
    blocks: list[list[float]] = []  # mean of the shifted places, and how many they are
    for rank, index in enumerate(order):
        blocks.append([places[index] - rank * gap, 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, count = blocks.pop()
            before, number = blocks[-1]
            blocks[-1] = [(before * number + mean * count) / (number + count), number + count]
    shifted = [mean for mean, count in blocks for _ in range(int(count))]
    moved = np.empty(len(order))
    for rank, index in enumerate(order):
        moved[index] = shifted[rank] + rank * gap
    return [float(place) for place in moved]


def colours(scale: Scale) -> ScalarMappable:
    """Return what a bar of colours is drawn from."""
    return ScalarMappable(Normalize(scale.low, scale.high), scale.colouring["cmap"])
