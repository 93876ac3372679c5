"""Test error against the length of the test sequences."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.colors import to_hex, to_rgb
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from ..marks import DOT, carriers, draw, select
from ..reading import Draws, Rows, read
from ..style import COLOURS, NAMES, RC

X, Y = "test_task.L", "test_error"
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
APART = 1.25  # least ratio of the heights of two names
ROWS = Rows((X, "model"), (Y,))
DRAWS = Draws(
    "length",
    {"predict": ROWS, "simulate": ROWS},
    across=(X, "model", "query.kappa"),
    only={"model": ("attention", "pooled")},
)


def length(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw test error against test length: a line for each strength of the query, and pooling.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "predict" and "simulate" with a ``test_task``, as `Store.to_pandas` gives
        them: a line for the rows of "predict", a dot with its standard error for the trials of
        "simulate".
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
    >>> table = pd.DataFrame({"call": "predict", "model": "attention", "task.L": 16,
    ...                       "query.kappa": 2.0, "test_task.L": [16, 64],
    ...                       "test_error": [0.03, 0.05]})
    >>> figure = figures.length(table)
    >>> figure.axes[0].lines[0].get_ydata().tolist()
    [0.03, 0.05]
    """
    table = read(table, DRAWS, ax)
    with plt.rc_context(RC):
        if ax is None:
            figure, ax = plt.subplots(figsize=(4.6, 3.1))
            figure.subplots_adjust(left=0.115, right=0.74, bottom=0.145, top=0.93)
        ends = []
        for name, colour, part in _series(table):
            lines = select(part, [X, Y], call="predict").sort_values(X)
            draw(ax, lines, select(part, [X, Y], call="simulate"), X, Y, colour)
            if len(lines):
                ends.append((float(lines[Y].iloc[-1]), name, colour))
        _dress(ax, select(table, [X, Y]))
        _label(ax, ends)
        _legend(ax, table)
    return ax.figure


def _series(table: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """List what is drawn: its name, its colour (the sharper the query the darker), its rows."""
    groups = list(select(table, ["query.kappa"], model="attention").groupby("query.kappa"))
    found = [
        (f"attention, $\\kappa = {kappa:g}$", _shade((rank + 1) / len(groups)), part)
        for rank, (kappa, part) in enumerate(groups)
    ]
    attends = select(table, [], model="attention")
    trained = attends[attends["query.kappa"].isna()]
    return [
        *found,
        (NAMES["attention"], COLOURS["attention"], trained),
        (NAMES["pooled"], COLOURS["pooled"], select(table, [], model="pooled")),
    ]


def _shade(darkness: float) -> str:
    """Mix attention's colour with white up to ¾, with black beyond."""
    white = darkness < 0.75
    part = 1.15 * (0.75 - darkness) if white else 2.1 * (darkness - 0.75)
    red, green, blue = ((1.0 - part) * one + part * white for one in to_rgb(COLOURS["attention"]))
    return to_hex((red, green, blue))


def _dress(ax: Any, drawn: pd.DataFrame) -> None:
    """Set axes, ticks and titles."""
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    for trained in drawn["task.L"].dropna()[:1]:
        _mark(ax, float(trained))
    ax.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_ylim(0.8 * min([0.05, *drawn[Y][drawn[Y] > 0.0]]), 0.6)
    ax.set_xlim(drawn[X].min() / 1.15, drawn[X].max() * 1.15)
    ax.set_xlabel(rf"tokens of a test sequence, $L'$ {carriers(drawn)}")
    ax.set_ylabel("test error")
    ax.set_title("trained on one length, tested on another", loc="left")


def _mark(ax: Any, trained: float) -> None:
    """Mark the length of the training sequences, and count from there in steps of four."""
    ax.axvline(trained, color="0.6", lw=0.8, ls=":", zorder=0)
    ax.annotate(
        f"trained\nat $L = {trained:g}$",
        (trained, 0.97),
        xycoords=("data", "axes fraction"),
        xytext=(-4, 0),
        textcoords="offset points",
        ha="right",
        va="top",
        color="0.4",
    )
    ticks = [trained * 4.0**power for power in range(-1, 4)]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])


def _label(ax: Any, ends: list[tuple[float, str, str]]) -> None:
    """Name each line beside its end, from the top down, no two on one another."""
    height = float("inf")
    for error, name, colour in sorted(ends, reverse=True):
        height = min(error, height / APART)
        ax.annotate(
            name,
            (1.0, height),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            annotation_clip=False,
        )


def _legend(ax: Any, table: pd.DataFrame) -> None:
    """Explain lines and dots where there are none; colours are named beside their lines."""
    dot = {"marker": "o", "ms": DOT["ms"], "ls": "none", "color": "0.3"}
    sizes = select(table, ["d"], call="simulate")["d"]
    size = f", $d = {sizes.max():g}$" if len(sizes) else ""
    label = f"simulation{size}\nmean ± standard error"
    handles = [Line2D([], [], color="0.3", label="theory"), Line2D([], [], label=label, **dot)]
    ax.legend(handles=handles, loc="lower right", frameon=False, handlelength=1.4)
