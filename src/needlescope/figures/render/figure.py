"""A drawing as a matplotlib figure."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...errors import shortened
from ..drawing import Block, Drawing
from ..style import RC, grey
from .legends import legend
from .marks import colours
from .panel import draw_panel

CORNER = (0.985, 0.975)  # of a drawing's words
BAR = (0.017, 0.015)  # how far a bar of colours stands from the panels, and how wide it is


def render(drawing: Drawing, ax: Any = None) -> Any:
    """Draw into axes of one's own, if the drawing has one panel, or as a new pyplot figure.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from needlescope.figures.drawing import Panel, single
    >>> from needlescope.figures.marks import Line
    >>> figure = render(single(Panel([Line([1.0, 2.0], [0.3, 0.2])], title="a line")))
    >>> figure.axes[0].get_title(loc="left")
    'a line'
    """
    with plt.rc_context(RC):
        if ax is None:
            return _fill(plt.figure(figsize=drawing.size), drawing)
        [panel] = drawing.panels
        draw_panel(ax, panel)
    return ax.figure


def picture(drawing: Drawing) -> Figure:
    """Draw a figure that pyplot does not know: a server need not close it, or choose a backend."""
    with plt.rc_context(RC):
        return _fill(Figure(figsize=drawing.size), drawing)


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


def _fill(figure: Figure, drawing: Drawing) -> Figure:
    """Draw everything into an empty figure."""
    for block in drawing.blocks:
        _block(figure, block, drawing)
    for one in drawing.legends:
        legend(figure, one)
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
