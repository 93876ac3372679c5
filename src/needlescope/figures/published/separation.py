"""The separation figure: oracle errors as the signal grows with L, and the signal needed."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ...experiments.published.separation import ERROR, LAWS, along, growth
from ..marks import DOT, carriers, explain, means, note, select
from ..reading import Draws, Rows, nothing, read
from ..style import COLOURS, NAMES, RC

STYLES = {"pooled": "-", "attention": "-", "vectorized": (0, (3, 3)), "bayes": (0, (1.5, 1.5))}
PLAIN = dict(zip(("c log L", "c √(2 log L)", "c √L"), LAWS.values(), strict=True))
BESIDE = {"pooled": 1.0, "attention": 0.92, "bayes": 1.09}  # dots that would hide each other
NEEDS = ("model", "task.L")
DRAWS = Draws(
    "separation",
    {
        "oracle": Rows((*NEEDS, "task.theta"), ("error",)),
        "simulate_oracle": Rows((*NEEDS, "task.theta"), ("error",)),
        "detection_threshold": Rows(NEEDS, ("theta",)),
    },
    across=("model", "task.L", "task.theta"),
    only={"model": tuple(STYLES)},
)
WORDS = {
    "log": r"$\theta = c\,\log L$",
    "sqrt_log": r"$\theta = c\,\sqrt{2\log L}$",
    "sqrt": r"$\theta = c\,\sqrt{L}$",
}


def separation(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw oracle errors along three laws of growth, and below them detection thresholds.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "oracle" (lines), "simulate_oracle" (dots with standard errors) and
        "detection_threshold", as `Store.to_pandas` gives them. Of the first two, θ follows one of
        the laws of the experiment "separation".
    ax : matplotlib axes, optional
        Draw only the thresholds, here; a figure of its own by default.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the table has no such rows or columns, or if a parameter changes in it that the figure
        does not draw, such as R.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> row = {"model": "pooled", "task.L": 100}
    >>> table = pd.DataFrame([{**row, "call": "oracle", "task.theta": 5.0, "error": 0.4},
    ...                       {**row, "call": "detection_threshold", "theta": 25.6}])
    >>> len(figures.separation(table).axes)
    5
    """
    table = read(table, DRAWS, ax).dropna(subset=["task.L"])
    _check_laws(table)
    if ax is not None and not len(_thresholds(table)):
        nothing("separation", "the thresholds need rows of detection_threshold")
    with plt.rc_context(RC):
        if ax is not None:
            _draw_thresholds(ax, table)
            return ax.figure
        figure = plt.figure(figsize=(7.0, 4.6))
        above = figure.add_gridspec(1, 3, left=0.07, right=0.985, bottom=0.6, top=0.89, wspace=0.2)
        below = figure.add_gridspec(1, 2, left=0.07, right=0.985, bottom=0.1, top=0.45, wspace=0.24)
        for number, law in enumerate(LAWS):
            panel = figure.add_subplot(above[number])
            note(panel, _draw_errors(panel, table, law))
            if number == 0:
                panel.set_ylabel("least possible error")
            if law == "sqrt":
                _name_models(panel)
        for place, draw in enumerate((_draw_thresholds, _draw_ratio)):
            panel = figure.add_subplot(below[place])
            note(panel, draw(panel, table))
        explain(figure, table, "simulate_oracle")
    return figure


def _check_laws(table: pd.DataFrame) -> None:
    """Refuse errors at signals that follow none of the laws."""
    rows = table[table.call.isin(["oracle", "simulate_oracle"])].dropna(subset=["task.theta"])
    found = [
        along(rows, law, c, call).index
        for call in ("oracle", "simulate_oracle")
        for law, factors in LAWS.items()
        for c in factors
    ]
    odd = rows.drop(index=np.concatenate(found))
    if len(odd):
        laws = ", ".join(f"{name} (c = {c[0]:g}, {c[1]:g})" for name, c in PLAIN.items())
        row = odd.iloc[0]
        raise ValueError(
            f"figures.separation draws errors at task.theta {laws}, got {row['task.theta']:g} with "
            f"task.L = {row['task.L']:g}; leave those rows out, or choose such signals"
        )


def _draw_errors(ax: Any, table: pd.DataFrame, law: str) -> bool:
    some = False
    for c, width in zip(LAWS[law], (0.9, 1.9), strict=True):
        for model, part in along(table, law, c).groupby("model", sort=False):
            some, part = True, part.sort_values("task.L")
            dash = "--" if c == LAWS[law][0] else "-"
            if model == "bayes":  # on top of attention, which it all but equals
                ax.plot(part["task.L"], part.error, "x", ms=3.5, color=COLOURS["bayes"], mew=0.9)
            else:
                ax.plot(part["task.L"], part.error, dash, lw=width, color=COLOURS[str(model)])
        drawn = select(along(table, law, c, "simulate_oracle"), ["task.L", "error"])
        for model, part in drawn.groupby("model", sort=False):
            some, dots = True, means(part, "task.L", "error")
            ax.errorbar(
                dots.x * BESIDE.get(str(model), 1.0), dots["mean"], dots["se"],
                color=COLOURS[str(model)], **DOT,
            )  # fmt: skip
    ax.set_xscale("log")
    ax.set_ylim(-0.01, 0.51)
    ax.set_xlabel(r"tokens, $L$")
    few, many = (f"{c:g}" for c in LAWS[law])
    ax.set_title(f"{WORDS[law]},  $c$ = {few} (dashed), {many}", loc="left")
    return some


def _name_models(ax: Any) -> None:
    """Say which colour is which model, in a legend without data."""
    for model, mark in (("pooled", "-"), ("attention", "-"), ("bayes", "x")):
        ax.plot([], [], mark, lw=1.9, ms=3.5, mew=0.9, color=COLOURS[model], label=NAMES[model])
    ax.legend(frameon=False, fontsize=7, loc="center right", bbox_to_anchor=(1.0, 0.54))


def _thresholds(table: pd.DataFrame) -> pd.DataFrame:
    return table[table.call == "detection_threshold"].dropna(subset=["theta"])


def _draw_thresholds(ax: Any, table: pd.DataFrame) -> bool:
    slopes = growth(table).set_index("model").slope
    rows = _thresholds(table)
    for model, part in rows.groupby("model", sort=False):
        part = part.sort_values("task.L")
        key = str(model)
        label = NAMES[key] + (rf" $\propto L^{{{slopes[key]:.3f}}}$" if key in slopes else "")
        ax.plot(part["task.L"], part.theta, ls=STYLES[key], color=COLOURS[key], label=label)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel(rf"tokens, $L$ {carriers(rows)}")
    ax.set_ylabel(r"signal needed, $\theta$")
    target = 100.0 * float(rows["error"].dropna().min() if rows["error"].notna().any() else ERROR)
    ax.set_title(rf"weakest signal found with {target:g} % error (fit: $L \geq 10^3$)", loc="left")
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize=7, loc="upper left")
    return bool(len(rows))


def _draw_ratio(ax: Any, table: pd.DataFrame) -> bool:
    ax.axhline(1.0, color="black", lw=0.7, ls=":")
    rows = _thresholds(table)
    rows = rows[rows.model.isin(["attention", "bayes"]) & (rows["task.L"] > 1)]  # log 1 = 0
    last = growth(table).set_index("model").ratio
    for model, part in rows.groupby("model", sort=False):
        part = part.sort_values("task.L")
        ratio = part.theta / np.sqrt(2.0 * np.log(part["task.L"]))
        key = str(model)
        label = NAMES[key] + (f", {last[key]:.3f} at the end" if key in last else "")
        ax.plot(part["task.L"], ratio, ls=STYLES[key], color=COLOURS[key], label=label)
    ax.set_xscale("log")
    ax.set_ylim(0.95, None)
    ax.set_xlabel(rf"tokens, $L$ {carriers(rows)}")
    ax.set_ylabel(r"$\theta\,/\,\sqrt{2\log L}$")
    ax.set_title(r"the same, over $\sqrt{2\log L}$", loc="left")
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize=7, loc="upper right")
    return bool(len(rows))
