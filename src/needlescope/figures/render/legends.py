"""Names: legends, which may make room for themselves, and names beside the ends of lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import Line2D

from ..drawing import Key, Legend
from .marks import dot_look, joined_look, line_look

GAP = 5.0  # points between a legend and the data
APART = 9.5  # points between names beside lines


def legend(on: Any, found: Legend) -> Any:
    """Draw a legend on axes or on a figure, and return it."""
    if not found.keys:
        return None
    more: dict[str, Any] = dict(found.spaces)
    if found.anchor is not None:
        more["bbox_to_anchor"] = found.anchor
    if found.title:
        more |= {"title": found.title, "title_fontsize": found.size}
    return on.legend(
        handles=[_handle(key) for key in found.keys], loc=found.corner, ncols=found.columns,
        fontsize=found.size, alignment=found.side, frameon=False, **more,
    )  # fmt: skip


def _handle(key: Key) -> Any:
    """Return what matplotlib draws beside a key's name."""
    dots = {} if key.dots is None else {**joined_look(key.dots), **dot_look(key.dots)}
    line = {} if key.line is None else line_look(key.line)
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
