"""The query's cosines with two signals, and the test error, against the share of the first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ....grid import choice
from ...curves import dots, explain, heights, note
from ...drawing import Axis, Block, Drawing, Panel, single
from ...drawn import drawn
from ...marks import INSIDE, Line, Mark, Words, numbers
from ...reading.columns import missing
from ...reading.door import Draws, Rows, nothing, read
from ...reading.rows import means, select
from ...style import COLOURS, DOTTED, grey

SIGNALS, SHARE, ERROR = "task.signals", "share", "test_error"
XLABEL = "share of the first signal, $p$"
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
LOOKS = {  # a column, a name, a colour and dots; where the name stands
    "cosines_q_1": ("with the first signal", "#332288", "o", (0.97, 0.86)),
    "cosines_q_2": ("with the second", "#CC6677", "s", (0.97, 0.33)),
}
MODELS = {  # a name, and on which side of its line it stands
    "attention": ("two-step attention", ("left", "top"), (2, -5)),
    "pooled": ("mean pooling", ("left", "bottom"), (2, 3)),
}
SQUARES = grey(0.2)
GAPS = (0.24, 0.2)  # between the panels
DRAWS = Draws(
    "signals",
    {
        "align": Rows((SIGNALS,), tuple(LOOKS)),
        "simulate_alignment": Rows((SIGNALS,), tuple(LOOKS)),
        "predict": Rows((SIGNALS,), (ERROR,)),
        "simulate": Rows((SIGNALS,), (ERROR, *LOOKS)),
    },
    across=(SIGNALS, "model"),
    only={"model": tuple(MODELS)},
)


def signals(table: pd.DataFrame, ax: Any = None, *, panel: str = "cosines") -> Any:
    """Draw the query's cosines with two signals, and test errors, against the share of the first.

    Parameters
    ----------
    table : DataFrame
        Units as `Store.to_pandas` gives them, of tasks with two ``signals``: lines for "align" and
        "predict", dots with standard errors for "simulate" and "simulate_alignment". Dotted: the
        squares of the shares, on the scale of the cosines. What is missing is left out.
    ax : matplotlib axes, optional
        Axes to draw a single panel into; a figure of its own with both by default.
    panel : "cosines" or "error", default "cosines"
        With ``ax``, which one.

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
    >>> table = pd.DataFrame({"call": "align", "task.signals": [[0.5, 0.5], [0.8, 0.2]],
    ...                       "cosines_q_1": [0.7, 0.9], "cosines_q_2": [0.7, 0.1]})
    >>> [line.get_ydata().tolist() for line in figures.signals(table).axes[0].lines[:2]]
    [[0.7, 0.9], [0.7, 0.1]]
    """
    return drawn(ax, signals_series, table, alone=ax is not None, panel=panel)


def signals_series(table: pd.DataFrame, *, alone: bool = False, panel: str = "cosines") -> Drawing:
    """Return what `signals` draws: both panels, or one of them alone."""
    panels = {"cosines": _cosines, "error": _errors}
    choice("panel", panel, tuple(panels))
    table = _shared(read(table, DRAWS))
    if not alone:
        block = Block([one(table) for one in panels.values()], 2, (0.085, 0.985, 0.155, 0.84), GAPS)
        return Drawing([block], (7.0, 2.9), explain(table, "simulate"))
    if panel == "error" and not len(select(table, [ERROR])):
        nothing("signals", 'the panel "error" needs the column test_error')
    return single(panels[panel](table))


def _shared(table: pd.DataFrame) -> pd.DataFrame:
    """Add the share of the first of two signals; others are left out."""
    given: Any = table[SIGNALS] if SIGNALS in table else [None] * len(table)
    shares = [np.nan if missing(one) or len(one) != 2 else float(one[0]) for one in given]
    return table.assign(**{SHARE: shares})


def _cosines(table: pd.DataFrame) -> Panel:
    marks: list[Mark] = []
    for column, (name, colour, marker, at) in LOOKS.items():
        lines = select(table, [SHARE, column], call="align").astype({column: float})
        if len(lines):
            line = lines.groupby(SHARE)[column].mean()
            marks.append(Line(numbers(line.index), numbers(line), colour, name))
        simulated = table[table["call"].isin(("simulate", "simulate_alignment"))]
        trials = select(simulated, [SHARE, column])
        if len(trials):
            marks.append(dots(means(trials, SHARE, column), colour, name, marker=marker))
        if len(lines) or len(trials):
            marks.append(Words(name, at, INSIDE, ("right", "center"), colour=colour))
    return Panel(
        [*marks, *_squares(table), *note(marks)],
        _shares(),
        Axis("cosine of the query", limits=(-0.03, 1.04)),
        "the query drops the rarer signal",
    )


def _squares(table: pd.DataFrame) -> list[Mark]:
    """Return p² and (1 − p)², scaled to the length that the query has in the signals' plane."""
    rows = select(table, [SHARE, *LOOKS], call="align")
    if not len(rows):
        return []
    rows = rows.astype(dict.fromkeys(LOOKS, float)).groupby(SHARE)[list(LOOKS)].mean()
    squares = np.stack([rows.index.to_numpy() ** 2, (1.0 - rows.index.to_numpy()) ** 2])
    size = np.linalg.norm(rows.to_numpy(), axis=1) / np.linalg.norm(squares, axis=0)
    lines: list[Mark] = [
        Line(numbers(rows.index), numbers(size * one), SQUARES, "", DOTTED, 0.9, layer=2)
        for one in squares
    ]
    words = r"dotted: $\propto p^2$ and $(1-p)^2$"
    return [*lines, Words(words, (0.97, 0.55), INSIDE, ("right", "center"), colour=SQUARES)]


def _errors(table: pd.DataFrame) -> Panel:
    marks: list[Mark] = []
    for model, (name, anchor, offset) in MODELS.items():
        colour, own = COLOURS[model], table[table["model"] == model]
        lines = select(own, [SHARE, ERROR], call="predict").astype({ERROR: float})
        if len(lines):
            line = lines.groupby(SHARE)[ERROR].mean()
            marks.append(Line(numbers(line.index), numbers(line), colour, name))
            at = (float(line.index[0]), float(line.iloc[0]))
            marks.append(Words(name, at, anchor=anchor, offset=offset, colour=colour))
        trials = select(own, [SHARE, ERROR], call="simulate")
        if len(trials):
            marks.append(dots(means(trials, SHARE, ERROR), colour, name))
    top = 1.15 * float(heights(marks).max(initial=0.1))
    return Panel(
        [*marks, *note(marks)],
        _shares(),
        Axis("test error", limits=(0.0, top)),
        "and the test error pays for it",
    )


def _shares() -> Axis:
    return Axis(XLABEL, ticks=SHARES)
