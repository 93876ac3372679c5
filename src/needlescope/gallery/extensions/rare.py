"""Rare positives: the query after two steps, plain and with balanced slopes.

L = 10, R = 1, θ = 4, logistic loss, 10 samples per dimension for the query and 10 for the readout.
The share π of positives goes from 0.02 to 0.9.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import compare, grid, paired_trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Panel, single
from ...figures.from_rows import (
    bayes_line,
    describe_marks,
    empty_note,
    frequent_label,
    heights,
    line,
    trial_dots,
)
from ...figures.marks import INSIDE, Line, Mark, Rule, Text
from ...figures.reading.rows import select
from ...figures.reading.validation import RowSpec, TableSpec, read_table, refuse_empty
from ...figures.rendered import figure_of
from ...figures.style import BAYES_COLOUR, BAYES_OPTIMAL, COLOURS, DOTTED, grey
from ...grid import choice

ORDER = 15
TITLE = "Rare positives: balance the slopes between the two steps"
CAPTION = (
    "Left: the cosine between the signal and the query after two steps, against the share of "
    "positives. After the first step the slopes of the loss do not sum to zero, unless half of "
    "the labels are positive, and their sum pulls the query along the readout: against the "
    "signal where positives are rare. Where the bias moves between the steps such that the "
    "slopes balance, nothing pulls. Right: the test error of the resulting classifier, with the "
    "best of six steps η_q from 10 to 3,000. With a tenth of positives the plain steps leave a "
    "cosine of −0.26, and a classifier that always predicts the negative label (error 0.100); "
    "balanced steps reach 0.84 and 0.039, where the Bayes-optimal error is 0.029 with the same "
    "samples. With a fifth the errors are 0.189 and 0.053 (Bayes-optimal 0.043). Below 4 % "
    "neither finds much: the readout after one step, on which all of this rests, hardly sees the "
    "signal. From one half on the pull is towards the signal and does no harm: with nine tenths "
    "of positives the plain query is better, 0.045 against 0.047. Balanced queries are shorter, "
    "and need larger steps where positives are rare."
)
TASK = {"L": 10, "R": 1, "theta": 4.0}
ALPHA, RIDGE = 10.0, 0.01  # of each stage; of its readout
STEPS = (10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)
PI_RANGE = (0.02, 0.9)
# At each π where training is simulated, the step of least error in theory: plain, balanced.
DOTS = {
    0.05: (10.0, 3000.0),
    0.1: (10.0, 1000.0),
    0.2: (10.0, 100.0),
    0.3: (100.0, 100.0),
    0.5: (30.0, 30.0),
    0.8: (10.0, 30.0),
}
PREDICT_TOL = 2e-3  # tolerance of errors: thinner than their lines
BY = ("task.pi", "training.balanced", "training.eta_q")
QUANTITIES = ("cosine_q", "kappa", "test_error")


def units(full: bool) -> list[Unit]:
    """Theory on a grid of π, errors with several steps; training at a few π, with the best."""
    d, count = (1000, 16) if full else (200, 8)
    fine, coarse = (np.round(np.geomspace(*PI_RANGE, number), 4).tolist() for number in (49, 29))
    coarse = sorted({*coarse, *DOTS})
    result = [bayes_unit(pi) for pi in sorted({*fine, *coarse})]
    for point in grid(pi=sorted({*fine, *coarse}), balanced=(False, True)):
        result.append(Unit("align", arguments(**point)))
    for point in grid(pi=coarse, balanced=(False, True), eta_q=STEPS):
        result.append(Unit("predict", {**arguments(**point), "tol": PREDICT_TOL}))
    for pi, steps in DOTS.items():
        for balanced, eta_q in zip((False, True), steps, strict=True):
            result += paired_trials("simulate", arguments(pi, balanced, eta_q), d, count)
    return result


def bayes_unit(pi: float) -> Unit:
    """Return the unit of the Bayes-optimal error with all of the data."""
    return Unit("bayes_optimal", {"task": {**TASK, "pi": pi}, "alpha": 2.0 * ALPHA})


def arguments(pi: float, balanced: bool, eta_q: float | None = None) -> dict[str, Any]:
    """Return the arguments of a point; the alignment does not depend on the step."""
    training = {"alpha0": ALPHA, "alpha1": ALPHA, "ridge": RIDGE, "balanced": balanced}
    training |= {} if eta_q is None else {"eta_q": eta_q}
    return {"task": {**TASK, "pi": pi}, "training": training}


scores = partial(compare, by=BY, names=QUANTITIES)
X, COSINE, ERROR = "task.pi", "cosine_q", "test_error"
BALANCED, STEP = "training.balanced", "training.eta_q"
XLABEL = r"share of positives, $\pi$"
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.9)
COSINES = (-0.4, -0.2, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
PROTOCOLS = {  # a name, a colour and dots; where the name stands beside the cosines
    False: ("two steps,\nbias left alone", COLOURS["attention"], "o", (0.985, 0.46, "right")),
    True: ("slopes balanced\nbetween them", "#882255", "s", (0.035, 0.88, "left")),
}
GAPS = (0.24, 0.2)  # between the panels
GUESS = grey(0.45)
TRAINED = RowSpec((X,), (COSINE, ERROR))
TABLE = TableSpec(
    "rare",
    {
        "align": RowSpec((X,), (COSINE,)),
        "simulate_alignment": RowSpec((X,), (COSINE,)),
        "predict": TRAINED,
        "simulate": TRAINED,
        "bayes_optimal": RowSpec((X,), (ERROR,)),
    },
    across=(X, BALANCED, STEP),
    only={"model": ("attention",)},
    reference_calls=("bayes_optimal",),
)


@figure_of(TABLE)
def rare(table: pd.DataFrame, ax: Any = None, *, panel: str = "cosine") -> Drawing:
    """Draw the query's cosine with the signal, and the test error, against the share of positives.

    The units have ``balanced`` slopes, and not. Where errors have several steps on the query, the
    best is drawn at each share. The Bayes-optimal error is a thin grey line.

    Parameters
    ----------
    panel : "cosine" or "error", default "cosine"
        With ``ax``, which one.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "align", "task.pi": [0.1, 0.5] * 2, "cosine_q": [-0.3, 0.9,
    ...                       0.8, 0.9], "training.balanced": [False, False, True, True]})
    >>> [line.get_ydata().tolist() for line in figures.rare(table).axes[0].lines[1:]]
    [[-0.3, 0.9], [0.8, 0.9]]
    """
    panels = {"cosine": _cosines, "error": _errors}
    choice("panel", panel, tuple(panels))
    table = read_table(table, TABLE)
    if ax is None:
        call = "simulate" if len(select(table, ["d"], call="simulate")) else "simulate_alignment"
        block = Block(
            [panel(table) for panel in panels.values()], 2, (0.085, 0.985, 0.155, 0.84), GAPS
        )
        return Drawing([block], (7.0, 2.9), describe_marks(table, call))
    if panel == "error" and not len(select(table, [X, ERROR])):
        refuse_empty("rare", 'the panel "error" needs the column test_error')
    return single(panels[panel](table))


def _cosines(table: pd.DataFrame) -> Panel:
    """Return the cosines; the rows of "align" are the finer ones, if there are any."""
    marks: list[Mark] = []
    for balanced, (name, colour, marker, (x, y, side)) in PROTOCOLS.items():
        own = table[table[BALANCED] == balanced]
        lines = select(own, [X, COSINE], call="align")
        lines = lines if len(lines) else select(own, [X, COSINE], call="predict")
        marks += line(lines, X, COSINE, colour, name)
        drawn_at = own[own["call"].isin(("simulate", "simulate_alignment"))]
        trials = select(drawn_at, [X, COSINE])
        marks += trial_dots(trials, X, COSINE, colour=colour, name=name, marker=marker)
        if len(lines) or len(trials):
            marks.append(Text(name, (x, y), INSIDE, (side, "center"), colour=colour))
    return Panel(
        [Rule(y=0.0, colour=grey(0.75), width=0.8, layer=-2), *marks, *empty_note(marks)],
        _shares(),
        Axis(r"cosine with the signal, $s_q$", limits=(-0.45, 1.04), ticks=COSINES),
        "rare positives turn the query away",
    )


def _errors(table: pd.DataFrame) -> Panel:
    marks: list[Mark] = bayes_line(select(table, [X, ERROR], call="bayes_optimal"), X)
    for balanced, (name, colour, marker, _) in PROTOCOLS.items():
        own = table[table[BALANCED] == balanced]
        marks += line(select(own, [X, ERROR], call="predict"), X, ERROR, colour, name, "min")
        trials = select(own, [X, ERROR], call="simulate")
        look = {"colour": colour, "name": name, "marker": marker}
        marks += trial_dots(trials, X, ERROR, (STEP,), **look)
    span = heights(marks)
    low = 0.8 * span[span > 0.0].min(initial=0.5)
    notes = [*_guess(table), *_limit(marks)] if marks else []
    return Panel(
        [*notes, *marks, *empty_note(marks)],
        _shares(),
        Axis("test error", log=10, limits=(low, 0.6), ticks=TICKS, minor="ticks"),
        "and the classifier predicts no positives",
    )


def _shares() -> Axis:
    return Axis(XLABEL, log=10, ticks=SHARES, plain=True, minor="none")


def _guess(table: pd.DataFrame) -> list[Mark]:
    """Return the error of the more frequent label, and its name."""
    shares = select(table, [X, ERROR])[X].astype(float)
    line = frequent_label(shares, colour=GUESS, dash=DOTTED, width=1.0, layer=-2)
    place = int(0.7 * np.searchsorted(line.x, 0.5))
    at = (line.x[place], line.y[place])
    words = Text("always the more\nfrequent label", at, anchor=("right", "bottom"), colour=GUESS)
    return [line, words]


def _limit(marks: list[Mark]) -> list[Mark]:
    """Name the Bayes-optimal line, below its end."""
    for mark in marks:
        if isinstance(mark, Line) and mark.colour == BAYES_COLOUR:
            place = len(mark.x) // 3
            at = (mark.x[place], mark.y[place])
            return [
                Text(BAYES_OPTIMAL, at, anchor=("left", "top"), offset=(2, -4), colour=BAYES_COLOUR)
            ]
    return []
