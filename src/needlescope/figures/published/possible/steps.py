"""Test error and alignment against the number of gradient steps, at so much data in all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ....grid import choice
from ...curves import dots, heights, note
from ...drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ...drawn import drawn
from ...marks import Dots, Line, Mark, numbers
from ...reading.door import Draws, Rows, check_strengths, read, tokens_of
from ...reading.rows import means, select
from ...style import ANYONE, COLOURS, DASHED, DOTTED, blend

X, TOTAL = "training.schedule.steps", "total"
PANELS = {"error": "test_error", "cosine": "cosine_q"}
AXES = {"error": "test error", "cosine": "cosine of query and signal"}
TRAINED = Rows(("task.L", "training.alpha0", "training.alpha1"), ("test_error", "cosine_q"))
DRAWS = Draws(
    "steps",
    {
        "predict": TRAINED,
        "simulate": TRAINED,
        "bayes_optimal": Rows(("task.L", "alpha"), ("test_error", "overlap")),
    },
    across=(
        *("task.L", "task.theta", "alpha", "training.alpha0", "training.alpha1", X),
        *("training.schedule", "training.ridge", "training.eta_w", "training.eta_q"),
    ),
    only={"model": ("attention",)},
)
TICKS = (0.1, 0.12, 0.15, 0.2, 0.3, 0.4, 0.5)
SHADES = ("#56B4E9", COLOURS["attention"], "#003A5C")  # from light to dark as data grow
TWO = "two steps on the same data"
FRESH = "steps on fresh batches"


def steps(
    table: pd.DataFrame, ax: Any = None, *, panel: str = "error", L: int | None = None
) -> Any:
    """Draw test errors and cosines against the number of steps; a column of panels for each L.

    Where a number of steps was asked with several settings (step sizes, ridges), the one that errs
    least is drawn at each amount of data.

    Parameters
    ----------
    table : DataFrame
        Units as `Store.to_pandas` gives them: of "predict", lines for attention after a schedule,
        and dashed levels for attention after two steps; dots with standard errors for "simulate";
        dotted levels for "bayes_optimal". What is missing is left out.
    ax : matplotlib axes, optional
        Axes to draw a single panel into; a figure of its own by default.
    panel : "error" or "cosine", default "error"
        With ``ax``, which one.
    L : int, optional
        With ``ax``, of how many tokens: the fewest by default.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the table has no such rows or columns, if a parameter changes in it that the figure does
        not draw, or if an L comes with two θ.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pandas as pd
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=4.0, pi=0.5)
    >>> training = ns.Training(4.0, 4.0, eta_w=0.5, eta_b=4.0, eta_q=5.0)
    >>> schedules = [None, ns.Schedule.even(2), ns.Schedule.even(4)]
    >>> found = [ns.predict(task, training.replace(schedule=one), tol=1e-2)
    ...          for one in schedules]
    >>> figure = ns.figures.steps(pd.concat([one.to_pandas() for one in found]))
    >>> [len(one.lines) for one in figure.axes]
    [2, 2]
    """
    return drawn(ax, steps_series, table, alone=ax is not None, panel=panel, L=L)


def steps_series(
    table: pd.DataFrame, *, alone: bool = False, panel: str = "error", L: int | None = None
) -> Drawing:
    """Return what `steps` draws: both panels of each L, or one of them alone."""
    choice("panel", panel, tuple(PANELS))
    table = _with_total(read(table, DRAWS))
    check_strengths("steps", table)
    parts = {int(one): part for one, part in table.groupby("task.L")}
    colours = _colours(table)
    if alone:
        tokens = tokens_of(L, list(parts))
        return single(_panel(parts[tokens], tokens, panel, colours))
    panels = [
        _panel(part, tokens, one, colours) for one in PANELS for tokens, part in parts.items()
    ]
    columns = len(parts)
    left, width = (0.085, 7.0) if columns > 1 else (0.14, 4.2)
    block = Block(panels, columns, (left, 0.985, 0.085, 0.87), (0.22, 0.22))
    return Drawing([block], (width, 4.9), "", _legends(table, colours, columns))


def _with_total(table: pd.DataFrame) -> pd.DataFrame:
    """Add all samples per dimension, the number of steps if no row has one, and the cosine."""
    both = table["training.alpha0"] + table["training.alpha1"]
    learned = table.call == "bayes_optimal"
    found = table.assign(**{TOTAL: both.where(~learned, table["alpha"]).astype(float)})
    found["cosine_q"] = found["cosine_q"].where(~learned, np.sqrt(found["overlap"].astype(float)))
    return found if X in found else found.assign(**{X: np.nan})


def _colours(table: pd.DataFrame) -> dict[float, str]:
    totals = np.sort(table[TOTAL].dropna().unique())
    last = max(len(totals) - 1, 2)  # of one or two the lighter shades
    shades = [blend(SHADES, k / last) for k in range(len(totals))]
    return dict(zip(totals.tolist(), shades, strict=True))


def _panel(table: pd.DataFrame, tokens: int, panel: str, colours: dict[float, str]) -> Panel:
    y = PANELS[panel]
    marks = [
        mark
        for total, colour in colours.items()
        for mark in _curves(table[table[TOTAL] == total], y, colour)
    ]
    strength = select(table, ["task.theta"])["task.theta"]
    at = f", $\\theta = {strength.iloc[0]:g}$" if len(strength) else ""
    return Panel(
        [*marks, *note(marks)],
        Axis("gradient steps" if panel == "cosine" else "", log=2, plain=True, minor="none"),
        _height(panel, marks),
        f"$L = {tokens}${at}" if panel == "error" else "",
    )


def _height(panel: str, marks: list[Mark]) -> Axis:
    if panel == "cosine":
        return Axis(AXES[panel], limits=(0.0, 1.02))
    above = [one for one in heights(marks) if one > 0.0] or [0.5]
    reach = (0.92 * min(above), 1.06 * max(above))
    return Axis(AXES[panel], log=10, limits=reach, ticks=TICKS, minor="ticks")


def _curves(table: pd.DataFrame, y: str, colour: str) -> list[Mark]:
    """Return the curve of one amount of data, and the levels that it stands between."""
    told = _best(select(table, [X, y], call="predict"))
    trials = select(table, [X, y], call="simulate")
    reach = pd.concat([told[X], trials[X]]).astype(float)
    ends = (2.0, 32.0) if not len(reach) else (float(reach.min()), float(reach.max()))
    two = _best(select(table[table[X].isna()], [y], call="predict"))
    anyone = select(table, [y], call="bayes_optimal")
    found: list[Mark] = []
    for rows, name, dash in ((two, TWO, DASHED), (anyone, ANYONE, DOTTED)):
        if len(rows):
            level = float(rows[y].iloc[0])
            found.append(Line(ends, (level, level), colour, name, dash, 1.1, -1))
    if len(told):
        found.append(Line(numbers(told[X]), numbers(told[y]), colour, FRESH))
    if len(trials):
        found.append(dots(means(trials, X, y), colour, FRESH))
    return found


def _best(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that err least, one for each number of steps."""
    return rows.sort_values("test_error").drop_duplicates(X).sort_values(X)


def _legends(table: pd.DataFrame, colours: dict[float, str], columns: int) -> list[Legend]:
    """Name lines and colours above the panels."""
    dark = SHADES[-1]
    keys = [Key(f"$\\alpha = {one:g}$ in all", Line(colour=c)) for one, c in colours.items()]
    trials = select(table, ["d"], call="simulate")
    words = " (dots: simulation)" if len(trials) else ""
    keys.append(Key(FRESH + words, Line(colour=dark), Dots(colour=dark) if len(trials) else None))
    keys.append(Key(TWO, Line(colour=dark, dash=DASHED, width=1.1)))
    keys.append(Key(ANYONE, Line(colour=dark, dash=DOTTED, width=1.1)))
    spaces = {"columnspacing": 1.4, "handlelength": 2.0, "labelspacing": 0.3}
    return [Legend(keys, "upper left", (0.005, 1.0), 3 if columns > 1 else 1, spaces=spaces)]
