"""Test error against all data, for splitting, reusing and end-to-end training."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter, NullLocator

from ..marks import DOT, make_room, means, select
from ..reading import Draws, Rows, read
from ..style import COLOURS, RC

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
ROWS = Rows(("training.alpha0", "training.alpha1"), (Y,))
DRAWS = Draws(
    "reuse",
    {"predict": ROWS, "simulate": ROWS},
    across=("training.alpha0", "training.alpha1", "reuse", "query_steps", "starts"),
    only={"model": ("attention",)},
)


def reuse(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw the test error of attention against the total of its data, for each protocol.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "predict" and "simulate" with α0 = α1, as `Store.to_pandas` gives them: a
        line for the rows of "predict" (splitting), a dot with its standard error for the trials of
        "simulate". Protocols are those of the experiment "reuse": split, ``reuse="D0"`` after 1, 5
        or 20 steps on the query, and end to end (``starts``). Dots without a theory are joined by
        thin lines.
    ax : matplotlib axes, optional
        Axes to draw into; a figure of its own by default.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the table has no such rows or columns, or if a parameter changes in it that the figure
        does not draw, such as θ.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "predict", "training.alpha0": [1.0, 2.0],
    ...                       "training.alpha1": [1.0, 2.0], "test_error": [0.1, 0.05]})
    >>> figures.reuse(table).axes[0].lines[0].get_xdata().tolist()
    [2.0, 4.0]
    """
    table = read(table, DRAWS, ax)
    _check_protocols(table)
    table = _with_total(table)
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


def _check_protocols(table: pd.DataFrame) -> None:
    """Refuse rows of protocols that have no dots of their own."""
    split = (table.reuse == "none") & (table.query_steps == 1) & (table.starts == 0)
    twice = (table.reuse == "D0") & table.query_steps.isin(list(REUSED)) & (table.starts == 0)
    ends = table[(table.reuse == "none") & (table.query_steps == 1) & (table.starts > 0)]
    odd = table[~(split | twice | table.index.isin(ends.index))]
    if len(odd):
        row = odd.iloc[0]
        steps = ", ".join(map(str, REUSED))
        raise ValueError(
            f"figures.reuse draws the split, reuse 'D0' after {steps} query_steps, and starts on "
            f"their own, got reuse {row.reuse!r}, query_steps {row.query_steps:g} and starts "
            f"{row.starts:g}; leave those rows out"
        )
    if ends.starts.nunique() > 1:
        few, *_, many = sorted(ends.starts.unique().tolist())
        raise ValueError(
            f"figures.reuse draws a single number of starts, got {few:g} to {many:g}; leave the "
            f'others out, as table[table["starts"] != {few!r}]'
        )
    uneven = table[(table["training.alpha0"] - table["training.alpha1"]).abs() > 0.0]
    if len(uneven):
        row = uneven.iloc[0]
        raise ValueError(
            "figures.reuse draws as many samples for the query as for the readout, got "
            f"training.alpha0 {row['training.alpha0']:g} with training.alpha1 "
            f"{row['training.alpha1']:g}; leave the rest out, as "
            'table[table["training.alpha0"] == table["training.alpha1"]]'
        )


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
