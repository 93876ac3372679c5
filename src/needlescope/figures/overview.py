"""The picture at the head of the README: what training reaches, and what is possible at all."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

from .reading import check_columns, check_only
from .style import COLOURS, RC, label_end


def overview(curves: pd.DataFrame, thresholds: pd.DataFrame) -> Any:
    """Draw learning curves beside detection thresholds.

    Parameters
    ----------
    curves : DataFrame
        Columns model, alpha1, test_error, floor (the model's oracle error).
    thresholds : DataFrame
        Columns model, L, theta: the signal at which the model's oracle error reaches 10 %.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If a table has no rows, lacks a column, or holds something else in it.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> curves = pd.DataFrame({"model": ["pooled"] * 2, "alpha1": [1.0, 9.0],
    ...                        "test_error": [0.3, 0.2], "floor": [0.2, 0.2]})
    >>> thresholds = pd.DataFrame({"model": ["pooled"] * 2, "L": [10, 100], "theta": [3.0, 9.0]})
    >>> len(figures.overview(curves, thresholds).axes)
    2
    """
    curves = check_columns("curves", curves, ("model", "alpha1", "test_error", "floor"))
    thresholds = check_columns("thresholds", thresholds, ("model", "L", "theta"))
    for table in (curves, thresholds):
        check_only("overview", "model", table["model"], tuple(COLOURS))
    with plt.rc_context(RC):
        figure, (left, right) = plt.subplots(1, 2, figsize=(7.0, 2.8))
        figure.subplots_adjust(left=0.07, right=0.88, bottom=0.17, top=0.92, wspace=0.75)
        _draw_curves(left, curves)
        _draw_thresholds(right, thresholds)
    return figure


def _draw_curves(ax: Any, curves: pd.DataFrame) -> None:
    for model, part in curves.groupby("model", sort=False):
        part = part.sort_values("alpha1")
        ax.plot(part.alpha1, part.test_error, color=COLOURS[str(model)])
        last = part.iloc[-1]
        lift = {"vectorized": 4, "pooled": -2}.get(str(model), 0)
        label_end(ax, last.alpha1, last.test_error, str(model), xytext=(4, lift))
        ax.axhline(last.floor, color=COLOURS[str(model)], lw=0.8, ls=":")
    ax.set_xscale("log")
    ax.set_ylim(0.0, 0.5)
    ax.set_xlim(curves.alpha1.min(), curves.alpha1.max())
    ax.set_xlabel(r"readout samples per dimension, $\alpha_1$")
    ax.set_ylabel("test error")
    ax.set_title("what training reaches (dotted: best possible)", loc="left")


def _draw_thresholds(ax: Any, thresholds: pd.DataFrame) -> None:
    shift = {"bayes": -6, "attention": 6, "pooled": 6, "vectorized": -6}
    for model, part in thresholds.groupby("model", sort=False):
        part = part.sort_values("L")
        style = "--" if model in ("bayes", "pooled") else "-"
        ax.plot(part.L, part.theta, color=COLOURS[str(model)], ls=style)
        last = part.iloc[-1]
        label_end(ax, last.L, last.theta, str(model), xytext=(4, shift[str(model)]))
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(thresholds.L.min(), thresholds.L.max())
    ax.set_xlabel(r"tokens, $L$ (one carries the signal)")
    ax.set_ylabel(r"signal needed, $\theta$")
    ax.set_title("weakest signal found with 10 % error", loc="left")
