"""The picture at the head of the README: trained, Bayes-optimal, and with a known signal."""

from __future__ import annotations

import pandas as pd

from .drawing import Axis, Block, Drawing, Panel
from .marks import Line, Mark, Rule, numbers
from .reading.columns import check_columns
from .reading.validation import check_values
from .rendered import rendered
from .style import BAYES_COLOUR, COLOURS, DASHED, DOTTED, NAMES, SOLID

THIN = 0.9
CURVES = ("model", "alpha1", "test_error", "floor", "bayes_optimal")
# Solid is trained, grey Bayes-optimal, dotted with a known signal: as in the curves.
LEARNERS = {
    "pooled": ("pooling, trained", COLOURS["pooled"], SOLID, Line.width),
    "attention": ("attention, trained", COLOURS["attention"], SOLID, Line.width),
    "amp": (NAMES["amp"], BAYES_COLOUR, SOLID, THIN),
    "bayes_optimal": (NAMES["bayes_optimal"], BAYES_COLOUR, DASHED, THIN),
    "oracle": ("signal known", COLOURS["attention"], DOTTED, THIN),
}


@rendered
def overview(curves: pd.DataFrame, thresholds: pd.DataFrame) -> Drawing:
    """Draw learning curves beside the weakest signals that are found.

    Parameters
    ----------
    curves : DataFrame
        Columns model, alpha1, test_error, floor (the error of a model that knows the signal),
        bayes_optimal (the Bayes-optimal error with all the samples).
    thresholds : DataFrame
        Columns learner, L, theta: the signal at which the test error is 10 %. Learners are
        "pooled" and "attention" (trained), "amp", "bayes_optimal", and "oracle" (which knows the
        signal).

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
    ...                        "test_error": [0.3, 0.2], "floor": 0.2,
    ...                        "bayes_optimal": [0.1, 0.0]})
    >>> thresholds = pd.DataFrame({"learner": "amp", "L": [10, 100], "theta": [3.0, 9.0]})
    >>> len(figures.overview(curves, thresholds).axes)
    2
    """
    curves = check_columns("curves", curves, CURVES)
    thresholds = check_columns("thresholds", thresholds, ("learner", "L", "theta"))
    check_values("overview", "model", curves["model"], tuple(COLOURS))
    check_values("overview", "learner", thresholds["learner"], tuple(LEARNERS))
    edges = (0.07, 0.84, 0.17, 0.92)
    block = Block([_curves(curves), _thresholds(thresholds)], 2, edges, (0.85, 0.2))
    return Drawing([block], (7.0, 2.8))


def _curves(curves: pd.DataFrame) -> Panel:
    marks: list[Mark] = []
    for model, part in curves.groupby("model", sort=False):
        part, colour, name = part.sort_values("alpha1"), COLOURS[str(model)], NAMES[str(model)]
        marks.append(Line(numbers(part.alpha1), numbers(part.test_error), colour, name))
        marks.append(Rule(y=float(part.floor.iloc[-1]), colour=colour, dash=DOTTED, width=0.8))
    best = curves.groupby("alpha1")["bayes_optimal"].first().sort_index()
    marks.append(
        Line(numbers(best.index), numbers(best), BAYES_COLOUR, NAMES["bayes_optimal"], width=THIN)
    )
    span = (float(curves.alpha1.min()), float(curves.alpha1.max()))
    return Panel(
        marks,
        Axis(r"readout samples per dimension, $\alpha_1$", log=10, limits=span),
        Axis("test error", limits=(0.0, 0.5)),
        "what training reaches (dotted: signal known)",
        labels_at_ends=True,
    )


def _thresholds(thresholds: pd.DataFrame) -> Panel:
    marks: list[Mark] = []
    for learner, (name, colour, dash, width) in LEARNERS.items():
        part = thresholds[thresholds["learner"] == learner].sort_values("L")
        if len(part):
            line = Line(numbers(part.L), numbers(part.theta), colour, name, dash, width=width)
            marks.append(line)
    span = (float(thresholds.L.min()), float(thresholds.L.max()))
    return Panel(
        marks,
        Axis(r"tokens, $L$ (one carries the signal)", log=10, limits=span),
        Axis(r"signal needed, $\theta$", log=10),
        "weakest signal found with 10 % error",
        labels_at_ends=True,
    )
