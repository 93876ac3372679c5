"""The picture at the head of the README: trained so, learnable by anyone, known."""

from __future__ import annotations

from typing import Any

import pandas as pd

from .drawing import Axis, Block, Drawing, Panel
from .drawn import drawn
from .marks import Line, Mark, Rule, numbers
from .reading.columns import check_columns
from .reading.door import check_only
from .style import COLOURS, DASHED, DOTTED, LIMIT, NAMES, SOLID

THIN = 0.9
CURVES = ("model", "alpha1", "test_error", "floor", "limit")
# Solid is trained, grey anyone, dotted known: as in the curves.
FOUND = {
    "pooled": ("pooling, trained", COLOURS["pooled"], SOLID, Line.width),
    "attention": ("attention, trained", COLOURS["attention"], SOLID, Line.width),
    "quick": ("anyone, quickly", LIMIT, SOLID, THIN),
    "anyone": ("anyone", LIMIT, DASHED, THIN),
    "known": ("signal known", COLOURS["attention"], DOTTED, THIN),
}


def overview(curves: pd.DataFrame, thresholds: pd.DataFrame) -> Any:
    """Draw learning curves beside the weakest signals that are found.

    Parameters
    ----------
    curves : DataFrame
        Columns model, alpha1, test_error, floor (the error of a model that knows the signal), limit
        (that of the best learner with all the samples).
    thresholds : DataFrame
        Columns who, L, theta: the signal at which the test error is 10 %. Those who find it are
        "pooled" and "attention" (trained), "quick" and "anyone" (the iteration and the best of all
        learners), and "known".

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If a table has no rows, lacks a column, or holds something else in it.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> curves = pd.DataFrame({"model": ["pooled"] * 2, "alpha1": [1.0, 9.0],
    ...                        "test_error": [0.3, 0.2], "floor": [0.2, 0.2], "limit": [0.1, 0.0]})
    >>> thresholds = pd.DataFrame({"who": ["anyone"] * 2, "L": [10, 100], "theta": [3.0, 9.0]})
    >>> len(figures.overview(curves, thresholds).axes)
    2
    """
    return drawn(None, overview_drawing, curves, thresholds)


def overview_drawing(curves: pd.DataFrame, thresholds: pd.DataFrame) -> Drawing:
    """Return what `overview` draws."""
    curves = check_columns("curves", curves, CURVES)
    thresholds = check_columns("thresholds", thresholds, ("who", "L", "theta"))
    check_only("overview", "model", curves["model"], tuple(COLOURS))
    check_only("overview", "who", thresholds["who"], tuple(FOUND))
    edges = (0.07, 0.84, 0.17, 0.92)
    block = Block([_curves(curves), _thresholds(thresholds)], 2, edges, (0.85, 0.2))
    return Drawing([block], (7.0, 2.8))


def _curves(curves: pd.DataFrame) -> Panel:
    marks: list[Mark] = []
    for model, part in curves.groupby("model", sort=False):
        part, colour, name = part.sort_values("alpha1"), COLOURS[str(model)], NAMES[str(model)]
        marks.append(Line(numbers(part.alpha1), numbers(part.test_error), colour, name))
        marks.append(Rule(y=float(part.floor.iloc[-1]), colour=colour, dash=DOTTED, width=0.8))
    best = curves.groupby("alpha1")["limit"].first().sort_index()
    marks.append(Line(numbers(best.index), numbers(best), LIMIT, "anyone", width=THIN))
    reach = (float(curves.alpha1.min()), float(curves.alpha1.max()))
    return Panel(
        marks,
        Axis(r"readout samples per dimension, $\alpha_1$", log=10, limits=reach),
        Axis("test error", limits=(0.0, 0.5)),
        "what training reaches (dotted: signal known)",
        beside=True,
    )


def _thresholds(thresholds: pd.DataFrame) -> Panel:
    marks: list[Mark] = []
    for who, (name, colour, dash, width) in FOUND.items():
        part = thresholds[thresholds["who"] == who].sort_values("L")
        if len(part):
            line = Line(numbers(part.L), numbers(part.theta), colour, name, dash, width=width)
            marks.append(line)
    reach = (float(thresholds.L.min()), float(thresholds.L.max()))
    return Panel(
        marks,
        Axis(r"tokens, $L$ (one carries the signal)", log=10, limits=reach),
        Axis(r"signal needed, $\theta$", log=10),
        "weakest signal found with 10 % error",
        beside=True,
    )
