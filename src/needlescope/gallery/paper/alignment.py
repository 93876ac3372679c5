"""How well two gradient steps align the query and the readout with the signal.

The paper's setting: L = 10, R = 3, π = 0.2, θ = 6, step sizes ½, logistic loss, d = 1000 and
10 trials in full.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import compare, trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Drawing, Panel, single
from ...figures.from_rows import curve, describe_marks, empty_note, two_panels
from ...figures.marks import Line, Text, numbers
from ...figures.reading.rows import select
from ...figures.reading.validation import RowSpec, TableSpec, read_table, refuse_empty
from ...figures.rendered import figure_of
from ...figures.style import COLOURS, DASHED, grey
from ...grid import choice

ORDER = 2
TITLE = "Alignment of query and readout with the signal"
CAPTION = (
    "Cosine between the signal ξ and the readout w after one gradient step, and between ξ and "
    "the query q after two, as the steps use more data (α0 samples per dimension). Lines are "
    "theory, dots are steps on sampled data. The query misses perfect alignment by C/α0: on "
    "log–log axes the gap falls along a line of slope −1."
)
TASK = {"L": 10, "R": 3, "theta": 6.0, "pi": 0.2}
STEPS = {"eta_w": 0.5, "eta_b": 0.5, "eta_q": 0.5}
LOSS = "logistic"
BY = ("training.loss", "training.alpha0")
QUANTITIES = ("cosine_w", "cosine_q")


def units(full: bool) -> list[Unit]:
    """Theory on a fine grid of α0, simulation on a coarse one."""
    d, count = (1000, 10) if full else (300, 10)
    fine = np.unique(np.round(np.geomspace(0.1, 100.0, 61), 4)).tolist()
    dots = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
    result = [Unit("align", _arguments(alpha0)) for alpha0 in sorted({*fine, *dots})]
    for place, alpha0 in enumerate(dots):  # seeds of their own: errors of the dots are independent
        result += trials("simulate_alignment", {**_arguments(alpha0), "d": d}, count, seed=place)
    return result


def _arguments(alpha0: float) -> dict[str, object]:
    # The readout's data play no part in the two steps; a training has to have some.
    training = {"alpha0": alpha0, "alpha1": 1.0, "loss": LOSS, **STEPS}
    return {"task": TASK, "training": training}


scores = partial(compare, by=BY, names=QUANTITIES, theory="align", simulation="simulate_alignment")
X = "training.alpha0"
XLABEL = r"query samples per dimension, $\alpha_0$"
READOUT = "#AA4499"  # no model's colour: every model has a readout
VECTORS = {
    "cosine_q": (r"query, $s_q$", COLOURS["attention"]),
    "cosine_w": (r"readout, $s_w$", READOUT),
}
LIMIT = grey(0.35)
ROWS = RowSpec((X,), tuple(VECTORS))
TABLE = TableSpec("alignment", {"align": ROWS, "simulate_alignment": ROWS}, across=(X,))


@figure_of(TABLE)
def alignment(table: pd.DataFrame, ax: Any = None, *, panel: str = "cosines") -> Drawing:
    """Draw the cosines of query and readout with the signal, and how the query's approaches one.

    Parameters
    ----------
    panel : "cosines" or "gap", default "cosines"
        With ``ax``, which one; "gap" is 1 − s_q beside C/α0.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "align", "training.alpha0": [1.0, 9.0],
    ...                       "cosine_w": [0.5, 0.9], "cosine_q": [0.6, 0.95], "constant": 0.45})
    >>> [len(item.lines) for item in figures.alignment(table).axes]
    [2, 2]
    """
    panels = {"cosines": _cosines, "gap": _gap}
    choice("panel", panel, tuple(panels))
    table = read_table(table, TABLE)
    if ax is None:
        words = describe_marks(table, "simulate_alignment")
        return two_panels([panel(table) for panel in panels.values()], words, right=0.985, gap=0.58)
    if panel == "gap" and not len(select(table, [X, "cosine_q"])):
        refuse_empty("alignment", 'the panel "gap" needs the column cosine_q')
    return single(panels[panel](table))


def _rows(table: pd.DataFrame, *columns: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what the lines and what the dots are drawn from."""
    lines = select(table, [X, *columns], call="align")
    return lines.sort_values(X), select(table, [X, columns[0]], call="simulate_alignment")


def _cosines(table: pd.DataFrame) -> Panel:
    marks = [
        mark
        for column, (name, colour) in VECTORS.items()
        for mark in curve(*_rows(table, column), X, column, colour, name)
    ]
    return Panel(
        [*marks, *empty_note(marks)],
        Axis(XLABEL, log=10, plain=True),
        Axis(r"cosine with the signal, $s_q$ and $s_w$", limits=(0.0, 1.02)),
        "readout after one step, query after two",
        labels_at_ends=True,
    )


def _gap(table: pd.DataFrame) -> Panel:
    """Return 1 − s_q on log–log axes, beside the C/α0 it comes to."""
    name, colour = "$1 - s_q$", VECTORS["cosine_q"][1]
    lines, trials = _rows(table, "cosine_q")
    marks = curve(lines, trials, X, "cosine_q", colour, name, change=lambda cosine: 1.0 - cosine)
    notes = empty_note(marks)
    if len(lines):
        notes.append(_name(lines[X], 1.0 - lines["cosine_q"], name, colour, above=False))
    limits, _ = _rows(table, "constant")
    if len(limits):
        limit, known = limits["constant"] / limits[X], limits["constant"].unique()
        name = r"$C/\alpha_0$" + (f", $C = {known[0]:.3g}$" if len(known) == 1 else "")
        line = Line(numbers(limits[X]), numbers(limit), LIMIT, name, DASHED, 1.0, layer=-1)
        marks.append(line)
        notes.append(_name(limits[X], limit, name, LIMIT, above=True))
    return Panel(
        [*marks, *notes],
        Axis(XLABEL, log=10, plain=True),
        Axis("missing alignment, $1 - s_q$", log=10),
        r"the query's gap closes like $C/\alpha_0$",
    )


def _name(x: pd.Series, y: pd.Series, name: str, colour: str, *, above: bool) -> Text:
    """Write a name above or below a falling line, a fifth of the way along."""
    place = len(x) // 5
    at = (float(x.iloc[place]), float(y.iloc[place]))
    if above:
        return Text(name, at, anchor=("left", "bottom"), offset=(5, 3), colour=colour)
    return Text(name, at, anchor=("right", "top"), offset=(-4, -5), colour=colour)
