"""The separation figure: oracle errors as the signal grows with L, and the signal needed."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ..experiments.separation import LAWS, along, growth
from .marks import DOT, explain, means, select, whole
from .style import COLOURS, NAMES, RC

STYLES = {"pooled": "-", "attention": "-", "vectorized": (0, (3, 3)), "bayes": (0, (1.5, 1.5))}
BESIDE = {"pooled": 1.0, "attention": 0.92, "bayes": 1.09}  # dots that would hide each other
WORDS = {
    "log": r"$\theta = c\,\log L$",
    "sqrt_log": r"$\theta = c\,\sqrt{2\log L}$",
    "sqrt": r"$\theta = c\,\sqrt{L}$",
}


def separation(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw oracle errors along three laws of growth, and below them detection thresholds.

    Parameters
    ----------
    table
        Of the units of the experiment ``separation``: lines for the rows of "oracle", dots with
        standard errors for the trials of "simulate_oracle".
    ax
        Draw only the thresholds, here.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> row = {"model": "pooled", "task.L": 100}
    >>> table = pd.DataFrame([{**row, "call": "oracle", "task.theta": 5.0, "error": 0.4},
    ...                       {**row, "call": "detection_threshold", "theta": 25.6}])
    >>> len(separation(table).axes)
    5
    """
    table = whole(table).dropna(subset=["task.L"])
    with plt.rc_context(RC):
        if ax is not None:
            _draw_thresholds(ax, table)
            return ax.figure
        figure = plt.figure(figsize=(7.0, 4.6))
        above = figure.add_gridspec(1, 3, left=0.07, right=0.985, bottom=0.6, top=0.89, wspace=0.2)
        below = figure.add_gridspec(1, 2, left=0.07, right=0.985, bottom=0.1, top=0.45, wspace=0.24)
        for number, law in enumerate(LAWS):
            panel = figure.add_subplot(above[number])
            _draw_errors(panel, table, law)
            if number == 0:
                panel.set_ylabel("least possible error")
            if law == "sqrt":
                _name_models(panel)
        _draw_thresholds(figure.add_subplot(below[0]), table)
        _draw_ratio(figure.add_subplot(below[1]), table)
        explain(figure, table, "simulate_oracle")
    return figure


def _draw_errors(ax: Any, table: pd.DataFrame, law: str) -> None:
    for c, width in zip(LAWS[law], (0.9, 1.9), strict=True):
        for model, part in along(table, law, c).groupby("model", sort=False):
            part = part.sort_values("task.L")
            dash = "--" if c == LAWS[law][0] else "-"
            if model == "bayes":  # on top of attention, which it all but equals
                ax.plot(part["task.L"], part.error, "x", ms=3.5, color=COLOURS["bayes"], mew=0.9)
            else:
                ax.plot(part["task.L"], part.error, dash, lw=width, color=COLOURS[str(model)])
        drawn = select(along(table, law, c, "simulate_oracle"), ["task.L", "error"])
        for model, part in drawn.groupby("model", sort=False):
            dots = means(part, "task.L", "error")
            ax.errorbar(
                dots.x * BESIDE[str(model)], dots["mean"], dots["se"],
                color=COLOURS[str(model)], **DOT,
            )  # fmt: skip
    ax.set_xscale("log")
    ax.set_ylim(-0.01, 0.51)
    ax.set_xlabel(r"tokens, $L$")
    few, many = (f"{c:g}" for c in LAWS[law])
    ax.set_title(f"{WORDS[law]},  $c$ = {few} (dashed), {many}", loc="left")


def _name_models(ax: Any) -> None:
    """Say which colour is which model, in a legend without data."""
    for model, mark in (("pooled", "-"), ("attention", "-"), ("bayes", "x")):
        ax.plot([], [], mark, lw=1.9, ms=3.5, mew=0.9, color=COLOURS[model], label=NAMES[model])
    ax.legend(frameon=False, fontsize=7, loc="center right", bbox_to_anchor=(1.0, 0.54))


def _thresholds(table: pd.DataFrame) -> pd.DataFrame:
    return table[table.call == "detection_threshold"].dropna(subset=["theta"])


def _draw_thresholds(ax: Any, table: pd.DataFrame) -> None:
    slopes = growth(table).set_index("model").slope
    for model, part in _thresholds(table).groupby("model", sort=False):
        part = part.sort_values("task.L")
        key = str(model)
        label = NAMES[key] + (rf" $\propto L^{{{slopes[key]:.3f}}}$" if key in slopes else "")
        ax.plot(part["task.L"], part.theta, ls=STYLES[key], color=COLOURS[key], label=label)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel(r"tokens, $L$ (one carries the signal)")
    ax.set_ylabel(r"signal needed, $\theta$")
    ax.set_title(r"weakest signal found with 10 % error (fit: $L \geq 10^3$)", loc="left")
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize=7, loc="upper left")


def _draw_ratio(ax: Any, table: pd.DataFrame) -> None:
    ax.axhline(1.0, color="black", lw=0.7, ls=":")
    rows = _thresholds(table)
    last = growth(table).set_index("model").ratio
    for model, part in rows[rows.model.isin(["attention", "bayes"])].groupby("model", sort=False):
        part = part.sort_values("task.L")
        ratio = part.theta / np.sqrt(2.0 * np.log(part["task.L"]))
        key = str(model)
        label = NAMES[key] + (f", {last[key]:.3f} at the end" if key in last else "")
        ax.plot(part["task.L"], ratio, ls=STYLES[key], color=COLOURS[key], label=label)
    ax.set_xscale("log")
    ax.set_ylim(0.95, None)
    ax.set_xlabel(r"tokens, $L$ (one carries the signal)")
    ax.set_ylabel(r"$\theta\,/\,\sqrt{2\log L}$")
    ax.set_title(r"the same, over $\sqrt{2\log L}$", loc="left")
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize=7, loc="upper right")
