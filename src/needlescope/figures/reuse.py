"""Test error against all data, for splitting, reusing and end-to-end training."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter, NullLocator

from .marks import DOT, make_room, means, select, whole
from .style import COLOURS, RC

X, Y = "alpha", "test_error"
TICKS = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5)
THIN = 0.7
EDGE = {name: DOT[name] for name in ("ms", "mec", "mew")}
# One model throughout: attention's blue is the protocol with a theory, the others have their own.
SPLIT = ("half and half, 1 query step (line: theory)", COLOURS["attention"], "o")
REUSED = {
    1: ("all data twice, 1 query step", "#56B4E9", "s"),
    5: ("all data twice, 5 query steps", "#E69F00", "^"),
    20: ("all data twice, 20 query steps", "#CC79A7", "v"),
}
END = ("end to end", "#000000", "D")


def reuse(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw the test error of attention against the total of its data, for each protocol.

    Parameters
    ----------
    table
        The units of the experiment "reuse", as `Store.to_pandas` gives them: a line for the rows
        of "predict" (splitting), a dot with its standard error for the trials of "simulate".
        Dots without a theory are joined by thin lines.
    ax
        Axes to draw into; a figure of its own by default.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> table = pd.DataFrame({"call": "predict", "training.alpha0": [1.0, 2.0],
    ...                       "training.alpha1": [1.0, 2.0], "test_error": [0.1, 0.05]})
    >>> reuse(table).axes[0].lines[0].get_xdata().tolist()
    [2.0, 4.0]
    """
    table = _with_total(whole(table))
    with plt.rc_context(RC):
        if ax is None:
            figure, ax = plt.subplots(figsize=(4.2, 3.1))
            figure.subplots_adjust(left=0.125, right=0.97, bottom=0.145, top=0.93)
        lines = select(table, [X, Y], call="predict").sort_values(X)
        if len(lines):
            ax.plot(lines[X], lines[Y], color=SPLIT[1])
        trials = select(table, [X, Y, "reuse", "query_steps", "starts"], call="simulate")
        _dots(ax, trials[(trials.reuse == "none") & (trials.starts == 0)], *SPLIT[1:])
        for steps, look in REUSED.items():
            part = trials[(trials.reuse == "D0") & (trials.query_steps == steps)]
            _dots(ax, part, *look[1:], joined=True)
        _dots(ax, trials[trials.starts > 0], *END[1:], joined=True)
        _dress(ax, table)
    return ax.figure


def _with_total(table: pd.DataFrame) -> pd.DataFrame:
    """Add the column alpha, all samples per dimension: reused data count once."""
    both = table["training.alpha0"] + table["training.alpha1"]
    return table.assign(**{X: both.where(table["reuse"] != "D0", table["training.alpha0"])})


def _dots(ax: Any, trials: pd.DataFrame, colour: str, marker: str, *, joined: bool = False) -> None:
    """Draw a protocol's means over trials, joined where no theory leads the eye."""
    if not len(trials):
        return
    dots = means(trials, X, Y)
    look = {**DOT, "fmt": marker, "color": colour}
    if joined:
        look |= {"ls": "-", "lw": THIN}
    ax.errorbar(dots["x"], dots["mean"], yerr=dots["se"], **look)


def _dress(ax: Any, table: pd.DataFrame) -> None:
    """Set axes, ticks and legend."""
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    ax.yaxis.set_minor_formatter(NullFormatter())
    if ax.dataLim.y1 > 0.0:
        ax.set_ylim(0.85 * ax.dataLim.minposy, ax.dataLim.y1)
    ax.set_xlabel(r"all samples per dimension, $\alpha$")
    ax.set_ylabel("test error")
    rows = select(table, ["d"], call="simulate")
    size = f"dots: $d = {rows['d'].max():g}$, mean ± standard error" if len(rows) else None
    ax.set_title("what to do with the data", loc="left")
    lw = {SPLIT: RC["lines.linewidth"]}
    handles = [
        Line2D([], [], label=look[0], color=look[1], marker=look[2], lw=lw.get(look, THIN), **EDGE)
        for look in (SPLIT, *REUSED.values(), END)
    ]
    legend = ax.legend(
        handles=handles, loc="upper right", frameon=False, fontsize=7, handlelength=1.6,
        labelspacing=0.25, borderaxespad=0.0, title=size, title_fontsize=7, alignment="left",
    )  # fmt: skip
    make_room(ax, legend)
