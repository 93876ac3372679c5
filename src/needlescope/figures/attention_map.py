"""Where attention goes as the query sees more data: signal tokens, noise tokens, the largest."""

from __future__ import annotations

from typing import Any

import pandas as pd

from .marks import draw, label_lines, select, two_panels, whole
from .style import COLOURS

X = "training.alpha0"
STEP, SIGNAL = "training.eta_q", "task.theta"
XLABEL = r"query samples per dimension, $\alpha_0$"
# Attention's blue, and grey, from light to dark as the step or the signal grows.
SHADES = ("#56B4E9", COLOURS["attention"], "#003A5C")
NOISE = ("0.72", "0.5", "0.2")


def attention_map(table: pd.DataFrame, ax: Any = None, *, panel: str = "weights") -> Any:
    """Draw the mean attention on a signal and on a noise token, and where the largest weight is.

    Parameters
    ----------
    table
        The units of the experiment "attention_map", as `Store.to_pandas` gives them: lines for the
        rows of "focus", dots with standard errors for the trials of "simulate_focus". What is
        missing is left out.
    ax
        Axes to draw a single panel into; a figure of its own with both by default.
    panel
        With ``ax``, which one: "weights", or "largest" for the chance that the largest weight lies
        on a signal token.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> table = pd.DataFrame({"call": "focus", "training.alpha0": [1.0, 9.0], "task.L": 10,
    ...                       "training.eta_q": 10.0, "task.theta": 5.0,
    ...                       "signal": [0.4, 0.7], "noise": [0.07, 0.03], "largest": [0.8, 0.99]})
    >>> [len(one.lines) for one in attention_map(table).axes]
    [3, 1]
    """
    panels = {"weights": _weights, "largest": _largest}
    return two_panels(whole(table), ax, panel, panels, "simulate_focus", right=0.935, wspace=0.72)


def _curves(
    ax: Any, table: pd.DataFrame, column: str, by: str, shades: tuple[str, ...], name: str
) -> None:
    """Draw a column for every value of another, and write their names at the right."""
    fixed = SIGNAL if by == STEP else STEP  # at the value that most rows have
    rows = select(table, [X, by, fixed, column])
    rows = rows[rows[fixed].isin(rows[fixed].mode()[:1])]
    ends = []
    for value, colour in zip(sorted(rows[by].unique()), shades, strict=False):
        lines = select(rows, [X, column], call="focus", **{by: value}).sort_values(X)
        dots = select(rows, [X, column], call="simulate_focus", **{by: value})
        draw(ax, lines, dots, X, column, colour)
        if len(lines):
            ends.append((float(lines[column].iloc[-1]), name.format(f"{value:g}"), colour))
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel(XLABEL)
    label_lines(ax, ends)


def _weights(ax: Any, table: pd.DataFrame) -> None:
    tokens = select(table, ["task.L"])["task.L"]
    if len(tokens):
        ax.axhline(1.0 / float(tokens.iloc[0]), color="0.6", lw=0.8, ls=":", zorder=1)
    _curves(ax, table, "signal", STEP, SHADES, r"signal, $\eta_q = {}$")
    _curves(ax, table, "noise", STEP, NOISE, r"noise, $\eta_q = {}$")
    ax.set_ylabel("mean attention weight of a token")
    ax.set_title("attention in positive samples", loc="left")


def _largest(ax: Any, table: pd.DataFrame) -> None:
    _curves(ax, table, "largest", SIGNAL, SHADES, r"$\theta = {}$")
    ax.set_ylabel("chance that it is the largest")
    ax.set_title("the signal token's weight is the largest", loc="left")
