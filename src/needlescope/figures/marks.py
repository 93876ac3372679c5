"""What figures share: lines from theory's rows, dots with bars from trials, names beside lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from .parameters import DEFAULTS
from .style import RC

LEFT_OUT: Mapping[str, Any] = {
    **DEFAULTS,
    **{"reuse": "none", "query_steps": 1, "starts": 0, "noise.entries": "gaussian"},
    **{"noise.df": 0.0, "noise.token_correlation": 0.0, "noise.covariance_decay": 0.0},
}
"""What units were asked that do not say so."""

COLUMNS = (
    *("call", "model", "task.L", "task.R", "task.theta", "task.pi", "test_task.L", "d", "data"),
    *("training.alpha0", "training.alpha1", "query.kappa", "query.cosine", "kappa"),
    *("test_error", "test_error_se", "train_loss", "train_error", "cosine_w", "cosine_q"),
    *("constant", "signal", "noise", "largest", "alpha", "alpha_se", "fraction", "error"),
    *("theta", "cosine", "limit", "limit_se", "rate"),
)
"""What figures read besides; a table lacks the numbers of a call that failed."""

GAP = 5.0  # points between a legend and the data
DOT: Mapping[str, Any] = {
    "fmt": "o",
    "ms": 3.6,
    "mec": "white",
    "mew": 0.5,
    "elinewidth": 1.0,
    "capsize": 0,
    "zorder": 3,
}


def whole(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with every column that a figure may ask for, defaults filled in.

    Examples
    --------
    >>> table = whole(pd.DataFrame({"call": ["predict"], "training.alpha1": [2.0]}))
    >>> table[["training.alpha1", "training.loss", "test_error"]].values.tolist()
    [[2.0, 'logistic', nan]]
    """
    columns = {}
    for name, default in {**dict.fromkeys(COLUMNS, np.nan), **LEFT_OUT}.items():
        found = table[name] if name in table else pd.Series(default, index=table.index)
        columns[name] = found.where(found.notna(), default)
    return table.assign(**columns)


def select(table: pd.DataFrame, columns: Sequence[str], **where: Any) -> pd.DataFrame:
    """Return the rows with the given values that have all of ``columns``; none if one is missing.

    Units that failed, and tables that do not hold what is asked, leave an empty table.

    Examples
    --------
    >>> table = pd.DataFrame({"call": ["predict", "predict"], "test_error": [0.1, None]})
    >>> len(select(table, ["test_error"], call="predict")), len(select(table, ["margin"]))
    (1, 0)
    """
    if any(name not in table for name in (*columns, *where)):
        return pd.DataFrame(columns=list(columns))
    kept = np.ones(len(table), dtype=bool)
    for name, value in where.items():
        kept &= (table[name] == value).to_numpy()
    return table[kept].dropna(subset=list(columns))


def means(trials: pd.DataFrame, x: str, y: str) -> pd.DataFrame:
    """Average over trials: the columns x, mean, se (NaN for a single trial) and count.

    Where a point was simulated in several dimensions d, the largest is shown.

    Examples
    --------
    >>> trials = pd.DataFrame({"alpha0": [1.0, 1.0, 2.0], "cosine_q": [0.5, 0.7, 0.9]})
    >>> means(trials, "alpha0", "cosine_q").round(3)
         x  mean   se  count
    0  1.0   0.6  0.1      2
    1  2.0   0.9  NaN      1
    """
    if "d" in trials and trials["d"].notna().any():
        trials = trials[trials["d"] == trials.groupby(x)["d"].transform("max")]
    values = trials.astype({y: float}).groupby(x)[y]
    found = pd.DataFrame({"mean": values.mean(), "se": values.sem(), "count": values.count()})
    return found.rename_axis("x").reset_index()


def draw(
    ax: Any,
    lines: pd.DataFrame,
    trials: pd.DataFrame,
    x: str,
    y: str,
    colour: str,
    change: Callable[[Any], Any] = lambda value: value,
    **look: Any,
) -> bool:
    """Draw theory as a line and simulation as dots with standard errors; say if there are any.

    ``change`` is what is drawn of y; it must be a shift or a reflection, so that bars stay right.
    ``look`` goes to the line, and its marker to the dots.
    """
    marker = look.pop("marker", DOT["fmt"])
    if len(lines):
        lines = lines.sort_values(x)
        ax.plot(lines[x].astype(float), change(lines[y].astype(float)), color=colour, **look)
    if len(trials):
        dots = means(trials, x, y)
        form = {**DOT, "fmt": marker}
        ax.errorbar(dots["x"], change(dots["mean"]), yerr=dots["se"], color=colour, **form)
    return bool(len(lines) or len(trials))


def note(ax: Any, drawn: bool) -> None:
    """Say in a panel that it is empty, if nothing was drawn."""
    if not drawn:
        where = {"transform": ax.transAxes, "ha": "center", "va": "center"}
        ax.text(0.5, 0.5, "not in the table", color="0.5", **where)


def carriers(table: pd.DataFrame) -> str:
    """Say how many tokens carry the signal; one, where the table does not.

    Examples
    --------
    >>> carriers(pd.DataFrame({"task.R": [3, 3]})), carriers(pd.DataFrame())
    ('(3 carry the signal)', '(one carries the signal)')
    """
    counts = select(table, ["task.R"])["task.R"].unique()
    one = not len(counts) or counts[0] == 1
    return "(one carries the signal)" if one else f"({counts[0]:g} carry the signal)"


def simulated(table: pd.DataFrame, call: str) -> str:
    """Say what the dots are, as far as the table tells.

    Examples
    --------
    >>> table = pd.DataFrame({"call": ["simulate", "simulate"], "d": [100, 200]})
    >>> simulated(table, "simulate")
    'simulation at $d = 200$, mean ± standard error'
    """
    sizes = select(table, ["d"], call=call)["d"]
    size = f" at $d = {sizes.max():g}$" if len(sizes) else ""
    return f"simulation{size}, mean ± standard error"


def explain(figure: Any, table: pd.DataFrame, call: str) -> None:
    """Say in the upper right corner of a figure what lines and dots are."""
    words = f"lines: theory    dots: {simulated(table, call)}"
    figure.text(0.985, 0.975, words, ha="right", va="top", color="0.3")


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


def label_lines(ax: Any, ends: Sequence[tuple[float, str, str]], gap: float = 9.5) -> None:
    """Write names right of the axes, at the heights where lines end: (y, name, colour) each.

    Names that would touch are moved apart to ``gap`` points. To be called when the limits and the
    scales of the axes are final.
    """
    points = 72.0 / ax.figure.dpi
    heights = [points * float(ax.transData.transform((1.0, y))[1]) for y, _, _ in ends]
    for (y, name, colour), height, to in zip(ends, heights, spread(heights, gap), strict=True):
        ax.annotate(
            name,
            (1.0, y),
            xycoords=("axes fraction", "data"),
            xytext=(4, to - height),
            textcoords="offset points",
            color=colour,
            va="center",
            ha="left",
            annotation_clip=False,
        )


def blank(words: str) -> Any:
    """Return a figure that says why there is none."""
    with plt.rc_context(RC):
        figure = plt.figure(figsize=(7.0, 1.0))
        figure.text(0.5, 0.5, words, ha="center", va="center", color="0.3", wrap=True)
    return figure


def two_panels(
    table: pd.DataFrame,
    ax: Any,
    panel: str,
    panels: Mapping[str, Callable[[Any, pd.DataFrame], bool]],
    call: str,
    **spacing: float,
) -> Any:
    """Draw one of two panels into given axes, or both side by side in a figure of their own.

    A panel returns whether there was anything to draw. ``call`` is what the dots are trials of;
    ``spacing`` goes to ``subplots_adjust``.
    """
    with plt.rc_context(RC):
        if ax is not None:
            panels[panel](ax, table)
            return ax.figure
        figure, both = plt.subplots(1, 2, figsize=(7.0, 2.9))
        figure.subplots_adjust(left=0.075, bottom=0.155, top=0.84, **spacing)
        for one, draw_panel in zip(both, panels.values(), strict=True):
            note(one, draw_panel(one, table))
        explain(figure, table, call)
    return figure
