"""Two signals, one of them rarer: what the query after two steps keeps of it.

L = 10, R = 1, θ = 5, π = ½, logistic loss, 4 samples per dimension for the query and 4 for the
readout. A positive carries the first of two signals with probability p, from 0.5 to 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import compare, paired_trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Panel, single
from ...figures.from_rows import describe_marks, empty_note, heights, line, trial_dots
from ...figures.marks import INSIDE, Line, Mark, Text, numbers
from ...figures.reading.columns import is_missing
from ...figures.reading.rows import select
from ...figures.reading.validation import RowSpec, TableSpec, read_table, refuse_empty
from ...figures.rendered import figure_of
from ...figures.style import COLOURS, DOTTED, grey
from ...grid import choice

ORDER = 17
TITLE = "Two signals: the query loses the rarer one"
CAPTION = (
    "A positive carries one of two orthogonal signals, the first with probability p. Left: the "
    "query's cosines with both after two gradient steps. The first step moves the readout along "
    "each signal in proportion to its share, and the second weighs that by the share again, so "
    "the cosines are proportional to p² and (1 − p)² (dotted). Right: the test error of the "
    "resulting classifier, beside mean pooling. It is largest not where the signals are equally "
    "frequent (0.136) but where the second is rare enough to be lost and frequent enough to "
    "matter (0.176 at p = 0.7); with one signal alone it is 0.028."
)
TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
TRAINING = {"alpha0": 4.0, "alpha1": 4.0, "ridge": 0.01, "eta_q": 30.0}
DOTS = (0.5, 0.6, 0.7, 0.8, 0.9)  # shares where training is simulated
SIGNALS, SHARE, ERROR = "task.signals", "share", "test_error"
COSINES = ("cosines_q_1", "cosines_q_2")


def units(full: bool) -> list[Unit]:
    """Theory on a grid of shares, attention and pooling; training at a few of them."""
    d, count = (1000, 16) if full else (200, 8)
    shares = sorted({*np.round(np.linspace(0.5, 1.0, 21), 4).tolist(), *DOTS})
    result = [Unit("align", arguments(p)) for p in shares]
    for model in ("attention", "pooled"):
        result += [Unit("predict", {**arguments(p), "model": model, "tol": 1e-3}) for p in shares]
    for p in DOTS:
        result += paired_trials("simulate", {**arguments(p), "model": "attention"}, d, count)
    return result


def arguments(p: float) -> dict[str, Any]:
    """Return the arguments of a point, at which the first signal has the share p."""
    return {"task": {**TASK, "signals": [p, round(1.0 - p, 4)]}, "training": TRAINING}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare the query's cosines and the test errors with theory's."""
    table = with_share(table)
    if "model" in table:
        table = table[table["model"] != "pooled"]
    cosines = compare(table, (SHARE,), COSINES, theory="align")
    return pd.concat([cosines, compare(table, (SHARE,), ("test_error",))], ignore_index=True)


def with_share(table: pd.DataFrame) -> pd.DataFrame:
    """Add the share of the first signal: one where there is no list of them."""
    given = table[SIGNALS] if SIGNALS in table else pd.Series(None, index=table.index, dtype=object)
    return table.assign(**{SHARE: [item[0] if isinstance(item, list) else 1.0 for item in given]})


XLABEL = "share of the first signal, $p$"
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SIGNAL_STYLES = {  # a column, a name, a colour and dots; where the name stands
    "cosines_q_1": ("with the first signal", "#332288", "o", (0.97, 0.86)),
    "cosines_q_2": ("with the second", "#CC6677", "s", (0.97, 0.33)),
}
MODELS = {  # a name, and on which side of its line it stands
    "attention": ("two-step attention", ("left", "top"), (2, -5)),
    "pooled": ("mean pooling", ("left", "bottom"), (2, 3)),
}
SQUARES = grey(0.2)
GAPS = (0.24, 0.2)  # between the panels
TABLE = TableSpec(
    "signals",
    {
        "align": RowSpec((SIGNALS,), tuple(SIGNAL_STYLES)),
        "simulate_alignment": RowSpec((SIGNALS,), tuple(SIGNAL_STYLES)),
        "predict": RowSpec((SIGNALS,), (ERROR,)),
        "simulate": RowSpec((SIGNALS,), (ERROR, *SIGNAL_STYLES)),
    },
    across=(SIGNALS, "model"),
    only={"model": tuple(MODELS)},
)


@figure_of(TABLE)
def signals(table: pd.DataFrame, ax: Any = None, *, panel: str = "cosines") -> Drawing:
    """Draw the query's cosines with two signals, and test errors, against the share of the first.

    The tasks have two ``signals``. Dotted: the squares of the shares, on the scale of the cosines.

    Parameters
    ----------
    panel : "cosines" or "error", default "cosines"
        With ``ax``, which one.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "align", "task.signals": [[0.5, 0.5], [0.8, 0.2]],
    ...                       "cosines_q_1": [0.7, 0.9], "cosines_q_2": [0.7, 0.1]})
    >>> [line.get_ydata().tolist() for line in figures.signals(table).axes[0].lines[:2]]
    [[0.7, 0.9], [0.7, 0.1]]
    """
    panels = {"cosines": _cosines, "error": _errors}
    choice("panel", panel, tuple(panels))
    table = _shared(read_table(table, TABLE))
    if ax is None:
        block = Block(
            [panel(table) for panel in panels.values()], 2, (0.085, 0.985, 0.155, 0.84), GAPS
        )
        return Drawing([block], (7.0, 2.9), describe_marks(table, "simulate"))
    if panel == "error" and not len(select(table, [ERROR])):
        refuse_empty("signals", 'the panel "error" needs the column test_error')
    return single(panels[panel](table))


def _shared(table: pd.DataFrame) -> pd.DataFrame:
    """Add the share of the first of two signals; others are left out."""
    given: Any = table[SIGNALS] if SIGNALS in table else [None] * len(table)
    shares = [np.nan if is_missing(item) or len(item) != 2 else float(item[0]) for item in given]
    return table.assign(**{SHARE: shares})


def _cosines(table: pd.DataFrame) -> Panel:
    marks: list[Mark] = []
    for column, (name, colour, marker, at) in SIGNAL_STYLES.items():
        lines = select(table, [SHARE, column], call="align")
        marks += line(lines, SHARE, column, colour, name)
        simulated = table[table["call"].isin(("simulate", "simulate_alignment"))]
        trials = select(simulated, [SHARE, column])
        marks += trial_dots(trials, SHARE, column, colour=colour, name=name, marker=marker)
        if len(lines) or len(trials):
            marks.append(Text(name, at, INSIDE, ("right", "center"), colour=colour))
    return Panel(
        [*marks, *_squares(table), *empty_note(marks)],
        _shares(),
        Axis("cosine of the query", limits=(-0.03, 1.04)),
        "the query drops the rarer signal",
    )


def _squares(table: pd.DataFrame) -> list[Mark]:
    """Return p² and (1 − p)², scaled to the length that the query has in the signals' plane."""
    rows = select(table, [SHARE, *SIGNAL_STYLES], call="align")
    if not len(rows):
        return []
    rows = (
        rows.astype(dict.fromkeys(SIGNAL_STYLES, float)).groupby(SHARE)[list(SIGNAL_STYLES)].mean()
    )
    squares = np.stack([rows.index.to_numpy() ** 2, (1.0 - rows.index.to_numpy()) ** 2])
    size = np.linalg.norm(rows.to_numpy(), axis=1) / np.linalg.norm(squares, axis=0)
    lines: list[Mark] = [
        Line(numbers(rows.index), numbers(size * square), SQUARES, "", DOTTED, 0.9, layer=2)
        for square in squares
    ]
    words = r"dotted: $\propto p^2$ and $(1-p)^2$"
    return [*lines, Text(words, (0.97, 0.55), INSIDE, ("right", "center"), colour=SQUARES)]


def _errors(table: pd.DataFrame) -> Panel:
    marks: list[Mark] = []
    for model, (name, anchor, offset) in MODELS.items():
        colour, own = COLOURS[model], table[table["model"] == model]
        lines = select(own, [SHARE, ERROR], call="predict")
        for drawn_line in line(lines, SHARE, ERROR, colour, name):
            at = (drawn_line.x[0], drawn_line.y[0])
            marks += [drawn_line, Text(name, at, anchor=anchor, offset=offset, colour=colour)]
        trials = select(own, [SHARE, ERROR], call="simulate")
        marks += trial_dots(trials, SHARE, ERROR, colour=colour, name=name)
    top = 1.15 * float(heights(marks).max(initial=0.1))
    return Panel(
        [*marks, *empty_note(marks)],
        _shares(),
        Axis("test error", limits=(0.0, top)),
        "and the test error pays for it",
    )


def _shares() -> Axis:
    return Axis(XLABEL, ticks=SHARES)
