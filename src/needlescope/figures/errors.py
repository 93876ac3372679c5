"""Test error, training loss and training error against the amount of training data."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator

from .marks import draw, explain, label_lines, select, whole
from .style import COLOURS, NAMES, RC

X = "training.alpha1"
XLABEL = r"samples per dimension, $\alpha_1$"
MODELS = ("attention", "pooled", "vectorized")
LOSSES = ("logistic", "square")
QUANTITIES = {
    "test_error": r"test error, $E_{\mathrm{test}}$",
    "train_loss": r"training loss, $\mathcal{L}_{\mathrm{train}}$",
    "train_error": r"training error, $E_{\mathrm{train}}$",
}


def errors(table: pd.DataFrame, ax: Any = None, *, loss: str = "logistic") -> Any:
    """Draw the three errors of the three classifiers against α1, for both losses.

    Parameters
    ----------
    table
        The units of the experiment "errors", as `Store.to_pandas` gives them: a line for the rows
        of "predict", a dot with its standard error for the trials of "simulate". What is missing
        is left out.
    ax
        Axes to draw the test error into, and nothing else; a figure of its own by default.
    loss
        With ``ax``, whose test error.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> table = pd.DataFrame({"call": ["predict", "predict", "simulate", "simulate"],
    ...     "model": "pooled", "training.loss": "square", "training.alpha1": [0.5, 2.0, 2.0, 2.0],
    ...     "test_error": [0.4, 0.3, 0.29, 0.32]})
    >>> figure = errors(table)
    >>> [panel.get_ylabel().split(",")[0] for panel in figure.axes[:3]]
    ['test error', 'training loss', 'training error']
    """
    table = whole(table)
    with plt.rc_context(RC):
        if ax is not None:
            _panel(ax, table, loss, "test_error")
            ax.set_xlabel(XLABEL)
            _name_lines(ax, table, loss)
            return ax.figure
        figure, panels = plt.subplots(2, 3, figsize=(7.0, 4.3), sharex=True)
        figure.subplots_adjust(
            left=0.075, right=0.985, bottom=0.1, top=0.86, wspace=0.42, hspace=0.3
        )
        for row, one in zip(panels, LOSSES, strict=True):
            for panel, name in zip(row, QUANTITIES, strict=True):
                _panel(panel, table, one, name)
        for panel in panels[-1]:
            panel.set_xlabel(XLABEL)
        _legend(figure, table)
    return figure


def _panel(ax: Any, table: pd.DataFrame, loss: str, name: str) -> None:
    """Draw one quantity for one loss: the models' lines and dots."""
    rows = {"training.loss": loss}
    for model in MODELS:
        lines = select(table, [X, name], call="predict", model=model, **rows)
        dots = select(table, [X, name], call="simulate", model=model, **rows)
        draw(ax, lines, dots, X, name, COLOURS[model])
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(base=4, numticks=9))  # ¼, 1, 4, 16
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter("{x:g}")
    if name == "train_loss":
        ax.set_yscale("log")  # losses that are nearly zero differ by orders of magnitude
    else:
        top = ax.get_ylim()[1]
        ax.set_ylim(-0.025 * top, top)  # lines along zero stay in sight
    ax.set_ylabel(QUANTITIES[name])
    ax.set_title(f"{loss} loss", loc="left", x=-0.2)
    if loss == "square" and name == "test_error":
        _mark_peaks(ax, table)
    if name == "train_error":
        _name_hidden(ax, table, loss)


def _mark_peaks(ax: Any, table: pd.DataFrame) -> None:
    """Mark where as many samples as weights are fitted: α1 = 1 and, for the flat model, α1 = L."""
    tokens = select(table, ["task.L"])["task.L"].unique()
    places = {1.0: r"$\alpha_1 = 1$"}
    if len(tokens) == 1:
        places[float(tokens[0])] = r"$\alpha_1 = L$"
    low, high = ax.get_xlim()
    for place, name in places.items():
        if low < place < high:
            ax.axvline(place, color="0.6", lw=0.7, ls=":", zorder=0)
            ax.annotate(
                name,
                (place, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(0, 1),
                textcoords="offset points",
                ha="center",
                va="bottom",
                color="0.4",
                fontsize=7,
            )


def _name_hidden(ax: Any, table: pd.DataFrame, loss: str) -> None:
    """Name the models whose lines lie upon each other along zero."""
    top, hidden = ax.get_ylim()[1], []
    for model in MODELS:
        where = {"call": "predict", "model": model, "training.loss": loss}
        lines = select(table, [X, "train_error"], **where)
        if len(lines) and lines["train_error"].max() < 0.01 * top:
            hidden.append(NAMES[model])
    if len(hidden) > 1:
        ax.annotate(
            "\n".join(["near zero:", *hidden]),
            (0.04, 0.0),
            xycoords=("axes fraction", "data"),
            xytext=(0, 5),
            textcoords="offset points",
            va="bottom",
            color="0.4",
            fontsize=7,
        )


def _name_lines(ax: Any, table: pd.DataFrame, loss: str) -> None:
    """Write each model's name beside the end of its line."""
    ends = []
    for model in MODELS:
        where = {"call": "predict", "model": model, "training.loss": loss}
        lines = select(table, [X, "test_error"], **where)
        if len(lines):
            last = lines.loc[lines[X].idxmax(), "test_error"]
            ends.append((float(last), NAMES[model], COLOURS[model]))
    label_lines(ax, ends)


def _legend(figure: Any, table: pd.DataFrame) -> None:
    """Name the models above the panels; lines and dots are explained beside."""
    handles = [Line2D([], [], color=COLOURS[model], label=NAMES[model]) for model in MODELS]
    figure.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(0.005, 1.0),
        ncols=len(handles),
        frameon=False,
        columnspacing=1.4,
        handlelength=1.6,
    )
    explain(figure, table, "simulate")
