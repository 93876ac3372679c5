"""The capacity figure: how often data are separable, and how the capacity depends on the task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb
from matplotlib.ticker import NullFormatter

from ...experiments.published.capacity import QUERY, TASK, WEAK, at_base, fractions
from ..marks import note
from ..reading import Draws, Rows, nothing, read
from ..style import COLOURS, NAMES, RC

MARKS = {"attention": "o", "pooled": "s", "vectorized": "^"}
LIGHT = 0.55  # how far the colour of the smaller d is from its model's, towards white
PANELS = (
    ("task.L", r"tokens, $L$", True),
    ("task.theta", r"signal strength, $\theta$", False),
    ("task.R", r"signal tokens, $R$ (at $\theta = 2$)", False),
    ("query.cosine", r"alignment of the query, $s$", False),
)


DRAWS = Draws(
    "capacity",
    {
        "capacity": Rows(("model",), ("alpha",)),
        "simulate_separability": Rows(("model", "training.alpha1", "d"), ("fraction",)),
    },
    across=("model", "training.alpha1", *(column for column, _, _ in PANELS)),
    only={"model": tuple(MARKS)},
)
BASE = {f"task.{key}": value for key, value in TASK.items()} | {
    f"query.{key}": value for key, value in QUERY.items()
}


def capacity(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw the fraction of separable datasets, and beside it α* along each axis.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "capacity" and "simulate_separability", as `Store.to_pandas` gives them,
        around the setting of the experiment "capacity" (L = 10, R = 1, θ = 5, π = ½, a query with
        κ = 0.6843 and s = 0.9762): there, or with L, θ, R (at θ = 2) or s changed.
    ax : matplotlib axes, optional
        Draw only the fractions, here; a figure of its own by default.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the table has no such rows or columns, or some at other settings.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> task = {"task.L": 10, "task.R": 1, "task.theta": 5.0, "task.pi": 0.5}
    >>> theory = {"call": "capacity", "model": "pooled", "alpha": 2.95, **task}
    >>> trial = {"call": "simulate_separability", "model": "pooled", "d": 60, "fraction": 1.0}
    >>> table = pd.DataFrame([theory, {**trial, **task, "training.alpha1": 2.0}])
    >>> len(figures.capacity(table).axes)
    5
    """
    table = read(table, DRAWS, ax)
    _check_settings(table)
    with plt.rc_context(RC):
        if ax is not None:
            found = fractions(table)
            if not (found.changed == "").any():
                why = "rows of capacity and of simulate_separability at it"
                nothing("capacity", f"the fractions need {why}: {_written(BASE)}")
            _draw_fractions(ax, table)
            return ax.figure
        figure = plt.figure(figsize=(7.0, 3.5))
        layout = figure.add_gridspec(
            2, 3, width_ratios=(1.6, 1, 1), left=0.07, right=0.985, bottom=0.13, top=0.91,
            wspace=0.4, hspace=0.55,
        )  # fmt: skip
        panel = figure.add_subplot(layout[:, 0])
        note(panel, _draw_fractions(panel, table))
        for number, (column, words, log) in enumerate(PANELS):
            panel = figure.add_subplot(layout[number // 2, 1 + number % 2])
            note(panel, _draw_capacity(panel, table, column, words, log))
            if number == 0:
                panel.set_title(r"predicted capacity $\alpha^*$, one quantity changed", loc="left")
            if number % 2 == 0:
                panel.set_ylabel(r"$\alpha^*$")
    return figure


def _written(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in values.items())


def _check_settings(table: pd.DataFrame) -> None:
    """Refuse rows that no panel draws: those in which more than one quantity is changed."""
    asked = table[list(BASE)].drop_duplicates()
    for values in asked.to_dict("records"):
        changed = {
            str(name): value
            for name, value in values.items()
            if not pd.isna(value) and value != BASE[str(name)]
        }
        weak = changed.get("task.theta") == WEAK and set(changed) <= {"task.theta", "task.R"}
        along = len(changed) < 2 and set(changed) <= {column for column, _, _ in PANELS}
        if not (weak or along):
            first = next(iter(changed))
            raise ValueError(
                f"figures.capacity draws {_written(BASE)}, and one of L, theta, cosine or R (at "
                f"theta = {WEAK:g}) changed, got {_written(changed)}; leave those rows out, as "
                f'table[table["{first}"] == {BASE[first]!r}]'
            )


def _draw_fractions(ax: Any, table: pd.DataFrame) -> bool:
    found = fractions(table)
    found = found[found.changed == ""]
    low, high = _where_it_falls(found)
    ax.plot(
        [low, 1.0, 1.0, high], [1.0, 1.0, 0.0, 0.0], color="black", lw=1.2, label=r"$d\to\infty$"
    )
    for model in COLOURS:
        sizes = sorted(found[found.model == model].d.unique(), reverse=True)
        for rank, d in enumerate(sizes):
            part = found[(found.model == model) & (found.d == d)]
            p, n = part.fraction.to_numpy(), part.trials.to_numpy()
            pale = LIGHT if rank else 0.0
            ax.errorbar(
                part.ratio, p, yerr=_wilson(p, n), fmt=MARKS[model] + "-", ms=3.2, lw=0.7,
                elinewidth=0.9, color=[one + pale * (1.0 - one) for one in to_rgb(COLOURS[model])],
                label=None if rank else _label(model, sizes), zorder=2.5 - rank,
            )  # fmt: skip
    ax.legend(
        frameon=False, loc="upper right", fontsize=7, handletextpad=0.4, handlelength=1.3,
        borderpad=0.0, borderaxespad=0.0, title="(the smaller $d$ is lighter)", title_fontsize=7,
        alignment="right",
    )  # fmt: skip
    ax.set_xlim(low, high)
    ax.set_ylim(-0.04, 1.04)
    ax.set_xlabel(r"training set over predicted capacity, $\alpha_1/\alpha^*$")
    ax.set_ylabel("fraction of separable datasets")
    ax.set_title("separable or not", loc="left")
    return bool(len(found))


def _label(model: str, sizes: list[int]) -> str:
    """Name a model and its dimensions, the largest first."""
    return f"{NAMES[model]}, $d$ = {', '.join(map(str, sizes))}"


def _where_it_falls(found: pd.DataFrame) -> tuple[float, float]:
    """Return ratios well left of which all datasets are separable, and right of which none is."""
    some = found[(found.fraction > 0.0) & (found.fraction < 1.0)].ratio
    if not len(some):
        return 0.5, 1.5
    return min(0.95, some.min() - 0.1), max(1.05, some.max() + 0.55)


def _wilson(p: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return the reach of Wilson's interval of one standard error below and above p."""
    middle = (p + 0.5 / n) / (1.0 + 1.0 / n)
    half = np.sqrt(p * (1.0 - p) / n + 0.25 / n**2) / (1.0 + 1.0 / n)
    return np.maximum([p - (middle - half), middle + half - p], 0.0)


def _draw_capacity(ax: Any, table: pd.DataFrame, column: str, words: str, log: bool) -> bool:
    """Draw α* of each model along a column, from the rows at the base in everything else."""
    rows = at_base(table, column).dropna(subset=["alpha"])
    for model, part in rows.groupby("model"):
        colour = COLOURS[str(model)]
        if column in part and part[column].notna().any():
            part = part.sort_values(column)
            ax.plot(part[column], part.alpha, color=colour)
        else:
            ax.axhline(float(part.alpha.iloc[0]), color=colour)
    base = at_base(table)
    if column != "task.R" and column in base and base[column].notna().any():
        ax.axvline(float(base[column].dropna().iloc[0]), color="black", lw=0.7, ls=":")
    ax.set_yscale("log")
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.margins(x=0.03)
    if log:
        ax.set_xscale("log")
    ax.set_xlabel(words)
    return bool(len(rows))
