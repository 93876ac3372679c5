"""How query and readout align with the signal as the two gradient steps see more data."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...grid import choice
from ..marks import draw, label_lines, select, two_panels
from ..reading import Draws, Rows, nothing, read
from ..style import COLOURS

X = "training.alpha0"
XLABEL = r"query samples per dimension, $\alpha_0$"
READOUT = "#AA4499"  # no model's colour: every model has a readout
VECTORS = {
    "cosine_q": (r"query, $s_q$", COLOURS["attention"]),
    "cosine_w": (r"readout, $s_w$", READOUT),
}
LIMIT = "0.35"
ROWS = Rows((X,), tuple(VECTORS))
DRAWS = Draws("alignment", {"align": ROWS, "simulate_alignment": ROWS}, across=(X,))


def alignment(table: pd.DataFrame, ax: Any = None, *, panel: str = "cosines") -> Any:
    """Draw the cosines of query and readout with the signal, and how the query's nears one.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "align" and "simulate_alignment", as `Store.to_pandas` gives them: a
        line for the rows of "align", a dot with its standard error for the trials of
        "simulate_alignment". What is missing is left out.
    ax : matplotlib axes, optional
        Axes to draw a single panel into; a figure of its own with both by default.
    panel : "cosines" or "gap", default "cosines"
        With ``ax``, which one; "gap" is 1 − s_q beside C/α0.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the table has no such rows or columns, or if a parameter other than α0 changes in it.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "align", "training.alpha0": [1.0, 9.0],
    ...                       "cosine_w": [0.5, 0.9], "cosine_q": [0.6, 0.95], "constant": 0.45})
    >>> [len(one.lines) for one in figures.alignment(table).axes]
    [2, 2]
    """
    panels = {"cosines": _cosines, "gap": _gap}
    choice("panel", panel, tuple(panels))
    table = read(table, DRAWS, ax)
    if ax is not None and panel == "gap" and not len(select(table, [X, "cosine_q"])):
        nothing("alignment", 'the panel "gap" needs the column cosine_q')
    return two_panels(table, ax, panel, panels, "simulate_alignment", right=0.985, wspace=0.58)


def _rows(table: pd.DataFrame, *columns: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what the lines and what the dots are drawn from."""
    lines = select(table, [X, *columns], call="align")
    return lines.sort_values(X), select(table, [X, columns[0]], call="simulate_alignment")


def _cosines(ax: Any, table: pd.DataFrame) -> bool:
    ends, drawn = [], False
    for column, (name, colour) in VECTORS.items():
        lines, dots = _rows(table, column)
        drawn |= draw(ax, lines, dots, X, column, colour)
        if len(lines):
            ends.append((float(lines[column].iloc[-1]), name, colour))
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_ylim(0.0, 1.02)
    ax.set_xlabel(XLABEL)
    ax.set_ylabel(r"cosine with the signal, $s_q$ and $s_w$")
    ax.set_title("readout after one step, query after two", loc="left")
    label_lines(ax, ends)
    return drawn


def _gap(ax: Any, table: pd.DataFrame) -> bool:
    """Draw 1 − s_q on log–log axes, beside the C/α0 it comes to."""
    colour = VECTORS["cosine_q"][1]
    lines, dots = _rows(table, "cosine_q")
    drawn = draw(ax, lines, dots, X, "cosine_q", colour, lambda cosine: 1.0 - cosine)
    if len(lines):
        _name(ax, lines[X], 1.0 - lines["cosine_q"], "$1 - s_q$", colour, above=False)
    limits, _ = _rows(table, "constant")
    if len(limits):
        limit, known = limits["constant"] / limits[X], limits["constant"].unique()
        value = f", $C = {known[0]:.3g}$" if len(known) == 1 else ""
        ax.plot(limits[X], limit, color=LIMIT, lw=1.0, ls="--", zorder=1)
        _name(ax, limits[X], limit, rf"$C/\alpha_0${value}", LIMIT, above=True)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_xlabel(XLABEL)
    ax.set_ylabel("missing alignment, $1 - s_q$")
    ax.set_title(r"the query's gap closes like $C/\alpha_0$", loc="left")
    return drawn


def _name(ax: Any, x: pd.Series, y: pd.Series, name: str, colour: str, *, above: bool) -> None:
    """Write a name above or below a falling line, a fifth of the way along."""
    place = len(x) // 5
    ax.annotate(
        name,
        (x.iloc[place], y.iloc[place]),
        xytext=(5, 3) if above else (-4, -5),
        textcoords="offset points",
        ha="left" if above else "right",
        va="bottom" if above else "top",
        color=colour,
    )
