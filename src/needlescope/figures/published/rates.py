"""The figure on rates: the test error's distance from its limit, and from its asymptote."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ...experiments.published.rates import SURE, excess, slopes
from ..marks import note
from ..reading import Draws, Rows, nothing, read
from ..style import COLOURS, NAMES, RC

MARKS = {"attention": "o", "pooled": "s", "vectorized": "^"}
ROWS = Rows(("model", "training.alpha1"), ("test_error",))
DRAWS = Draws(
    "rates",
    {"predict": ROWS, "simulate": ROWS, "asymptote": Rows(("model",), ("limit",))},
    across=("model", "training.alpha1"),
    only={"model": tuple(MARKS), "training.loss": ("square",)},
)


def rates(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw E − E^∞ against α1, and beside it the same over its asymptote.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "asymptote" (the limits), "predict" (lines) and "simulate" (dots), as
        `Store.to_pandas` gives them, with the square loss.
    ax : matplotlib axes, optional
        Draw only E − E^∞, here; a figure of its own by default.

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
    >>> limit = {"call": "asymptote", "model": "pooled", "limit": 0.2, "limit_se": 0.0, "rate": 0.3}
    >>> point = {"call": "predict", "model": "pooled", "test_error_se": 0.0}
    >>> points = [{**point, "training.alpha1": a, "test_error": 0.2 + 0.3 / a} for a in (25., 50.)]
    >>> len(figures.rates(pd.DataFrame([limit, *points])).axes)
    2
    """
    table = read(table, DRAWS, ax)
    table = table[(table.call != "simulate") | table.d.notna()]
    if not len(_sure(excess(table))) and not len(excess(table, "simulate")):
        nothing("rates", _reason(table))
    with plt.rc_context(RC):
        if ax is not None:
            _draw_excess(ax, table)
            return ax.figure
        figure, (left, right) = plt.subplots(1, 2, figsize=(7.0, 3.0))
        figure.subplots_adjust(left=0.09, right=0.985, bottom=0.15, top=0.91, wspace=0.25)
        note(left, _draw_excess(left, table))
        note(right, _draw_ratio(right, table))
    return figure


def _reason(table: pd.DataFrame) -> str:
    """Say why there is nothing to draw."""
    if len(excess(table)):
        return f"no error differs from its limit by more than {SURE:g} of its standard errors"
    return (
        "it draws errors above their limits, and needs rows of asymptote, and of predict or "
        "simulate, of the same model"
    )


def _sure(found: pd.DataFrame) -> pd.DataFrame:
    """Keep what differs from zero by more than its numerical uncertainty."""
    return found[found.excess > SURE * found.excess_se].sort_values("alpha1")


def _draw_excess(ax: Any, table: pd.DataFrame) -> bool:
    fitted = slopes(table)
    lines, dots = _sure(excess(table)), excess(table, "simulate")
    for model, part in lines.groupby("model"):
        key = str(model)
        rate = float(part.rate.iloc[0])
        slope = f", slope {fitted[key]:.2f}" if key in fitted else ""
        label = f"{NAMES[key]}: {rate:#.3g}$/\\alpha_1$" + slope.replace("-", "−")
        ax.plot(part.alpha1, part.excess, color=COLOURS[key], label=label)
        reach = np.array([part.alpha1.min(), part.alpha1.max()])
        ax.plot(reach, rate / reach, color=COLOURS[key], lw=0.8, ls="--")
    for model, part in dots.groupby("model"):
        _dots(ax, part.alpha1, part.excess, part.excess_se, str(model))
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_ylim(5e-5, 2.0)
    ax.set_xlabel(r"readout samples per dimension, $\alpha_1$")
    ax.set_ylabel(r"test error above its limit, $E - E^\infty$")
    ax.set_title(r"approach to the limit (dashed: predicted $1/\alpha_1$)", loc="left")
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize=7, loc="upper right", borderpad=0.1)
    return bool(len(lines) or len(dots))


def _draw_ratio(ax: Any, table: pd.DataFrame) -> bool:
    ax.axhline(1.0, color="black", lw=0.8, ls="--")
    lines, dots = _sure(excess(table)), excess(table, "simulate")
    for model, part in lines.groupby("model"):
        scale = part.alpha1 / part.rate
        dash = (0, (3, 3)) if model == "vectorized" else "-"
        colour = COLOURS[str(model)]
        ax.plot(part.samples, part.excess * scale, color=colour, ls=dash)
        low, high = (part.excess - part.excess_se) * scale, (part.excess + part.excess_se) * scale
        ax.fill_between(part.samples, low, high, color=colour, alpha=0.2, lw=0)
    for model, part in dots.groupby("model"):
        scale = part.alpha1 / part.rate
        _dots(ax, part.samples, part.excess * scale, part.excess_se * scale, str(model))
    ax.set_xscale("log")
    ax.set_ylim(0.6, 2.4)
    ax.set_xlabel("samples per weight")
    ax.set_ylabel(r"$(E - E^\infty)$ / predicted $1/\alpha_1$ law")
    ax.set_title("over the predicted law", loc="left")
    return bool(len(lines) or len(dots))


def _dots(ax: Any, x: Any, y: Any, error: Any, model: str) -> None:
    ax.errorbar(
        x, y, yerr=error, fmt=MARKS[model], ms=3.5, lw=0.9, color=COLOURS[model], mec="white",
        mew=0.4,
    )  # fmt: skip
