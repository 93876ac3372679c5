"""How many gradient steps, each on a fresh batch, and how long, for a fixed amount of data.

Test errors and cosines against the number of steps at a fixed total α, half of it for the steps
and half for the readout; L = 10, θ = 3.5 and L = 100, θ = 4, R = 1, π = ½, logistic loss. Beside
them the paper's two steps, which share their data, and the Bayes-optimal error.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import compare, paired_trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ...figures.from_rows import dots, empty_note, error_axis, length_title
from ...figures.marks import Dots, Line, Mark, numbers
from ...figures.reading.rows import TOTAL, means, select, with_total
from ...figures.reading.validation import (
    RowSpec,
    TableSpec,
    check_strengths,
    choose_length,
    read_table,
)
from ...figures.rendered import figure_of
from ...figures.style import BAYES_OPTIMAL, COLOURS, DASHED, DOTTED, blend
from ...grid import choice
from .limit import bayes_unit

ORDER = 14
TITLE = "How many gradient steps, each on a fresh batch"
CAPTION = (
    "Test error and alignment of attention against the number of joint gradient steps on (w, b, "
    "q), each on a fresh batch. All data together are fixed: half of them for the steps, in "
    "equal batches, and half for the readout. Dashed: the paper's two steps, both on all data of "
    "the first half. Dotted: Bayes-optimal. Every point has the step size and the ridge of least "
    "error in theory. Two fresh steps use half of the data of two steps on the same data, and "
    "have a larger error. With ten tokens more steps nearly make up for that, and gain no more: "
    "at α = 4 the error is 0.143 after 32 steps and 0.142 after the two, where the Bayes-optimal "
    "error is 0.109. With a hundred tokens and α = 16 more steps do pay: the error falls from "
    "0.203 to 0.150 with eight, three quarters of the way to the Bayes-optimal 0.131, as the "
    "query of one step improves the gradient of the next. More than eight gain nothing. With α = "
    "4 the first steps have too few data: the error is 0.438 after 32 steps, where the "
    "Bayes-optimal error is 0.137. At L = 100 dots approach the lines slowly as d grows: after "
    "eight steps the cosine is 0.80 at d = 120, 0.85 at 240, 0.89 at 500 and 0.910 ± 0.005 at "
    "1000, where theory gives 0.915."
)
TASKS = tuple({"L": L, "R": 1, "theta": theta, "pi": 0.5} for L, theta in ((10, 3.5), (100, 4.0)))
BATCHES = (2, 3, 4, 6, 8, 16, 32)
# All steps of the readout together make 0.3, short enough that slopes stay near ±½ (a longer w and
# a shorter q come to the same), all steps of the query what is written here, beside the ridge.
# Both are those of least error in theory: of 8 lengths a decade from 100 to 5000 at L = 10, from
# 2000 to 300,000 at L = 100 (of 32 a decade around the best at α = 16, where it is narrow), and of
# the ridges 0.1 and 1.
READOUT = 0.3
ETA_B = 4.0  # Newton's step of the logistic loss, which balances the slopes
CHOSEN = {
    (10, 4.0): {
        **{2: (562.3, 1.0), 3: (421.7, 1.0), 4: (316.2, 1.0), 6: (237.1, 1.0), 8: (237.1, 1.0)},
        **{16: (177.8, 1.0), 32: (133.4, 0.1)},
    },
    (10, 16.0): {
        **{2: (1000.0, 0.1), 3: (421.7, 0.1), 4: (316.2, 0.1), 6: (316.2, 0.1), 8: (237.1, 0.1)},
        **{16: (237.1, 0.1), 32: (237.1, 0.1)},
    },
    (100, 4.0): {2: (3548.0, 1.0)} | dict.fromkeys(BATCHES[1:], (2661.0, 1.0)),
    (100, 16.0): {
        **{2: (19950.0, 0.1), 3: (29430.0, 1.0), 4: (17780.0, 1.0), 6: (10000.0, 0.1)},
        **{8: (8058.0, 0.1), 16: (5623.0, 0.1), 32: (4870.0, 0.1)},
    },
}
TOGETHER = {  # of the two steps on the same data
    **{(10, 4.0): (237.1, 1.0), (10, 16.0): (237.1, 0.1)},
    **{(100, 4.0): (2661.0, 1.0), (100, 16.0): (22070.0, 1.0)},
}
DOTS = {(10, 4.0): (2, 4, 8), (10, 16.0): (2, 4, 8, 16), (100, 4.0): (), (100, 16.0): (2, 4, 8)}
TOL = 5e-3  # of trained errors: thinner than their lines
BY = ("task.L", "training.alpha0", "training.schedule.steps")
QUANTITIES = ("test_error", "cosine_q", "kappa")


def units(full: bool) -> list[Unit]:
    """Predictions for each number of steps, the Bayes-optimal error, and trials at d and d/2."""
    result = []
    for task in TASKS:
        L = int(task["L"])
        d, count = {10: (400, 24), 100: (480, 12)}[L] if full else {10: (160, 8), 100: (120, 5)}[L]
        for alpha in (4.0, 16.0):
            result += [bayes_unit(task, alpha), _predict(task, alpha)]
            result += [_predict(task, alpha, number) for number in BATCHES]
            for number in DOTS[L, alpha]:
                result += paired_trials("simulate", _arguments(task, alpha, number), d, count)
    return result


def _predict(task: dict[str, Any], alpha: float, number: int | None = None) -> Unit:
    return Unit("predict", {**_arguments(task, alpha, number), "tol": TOL})


def _arguments(task: dict[str, Any], alpha: float, number: int | None) -> dict[str, Any]:
    """Return a number of steps on fresh batches, or the two that share their data."""
    place = int(task["L"]), alpha
    length, ridge = TOGETHER[place] if number is None else CHOSEN[place][number]
    cut = number or 1
    training: dict[str, Any] = {
        **{"alpha0": alpha / 2.0, "alpha1": alpha / 2.0, "ridge": ridge, "eta_b": ETA_B},
        **{"eta_w": float(f"{READOUT / cut:.4g}"), "eta_q": float(f"{length / cut:.4g}")},
    }
    if number is not None:
        training["schedule"] = {"steps": number}
    return {"task": task, "training": training, "model": "attention"}


scores = partial(compare, by=BY, names=QUANTITIES)
X = "training.schedule.steps"
PANELS = {"error": "test_error", "cosine": "cosine_q"}
TRAINED = RowSpec(("task.L", "training.alpha0", "training.alpha1"), ("test_error", "cosine_q"))
TABLE = TableSpec(
    "steps",
    {
        "predict": TRAINED,
        "simulate": TRAINED,
        "bayes_optimal": RowSpec(("task.L", "alpha"), ("test_error", "overlap")),
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


@figure_of(TABLE)
def steps(
    table: pd.DataFrame, ax: Any = None, *, panel: str = "error", L: int | None = None
) -> Drawing:
    """Draw test errors and cosines against the number of steps; a column of panels for each L.

    Rows of "predict" are lines where they have a schedule, and dashed levels without one; dotted
    levels are Bayes-optimal. Where a number of steps has several settings (step sizes, ridges), the
    one of least error is drawn at each amount of data.

    Parameters
    ----------
    panel : "error" or "cosine", default "error"
        With ``ax``, which one.
    L : int, optional
        With ``ax``, of how many tokens: the fewest by default.

    Examples
    --------
    >>> import pandas as pd
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=4.0, pi=0.5)
    >>> training = ns.Training(4.0, 4.0, eta_w=0.5, eta_b=4.0, eta_q=5.0)
    >>> schedules = [None, ns.Schedule.even(2), ns.Schedule.even(4)]
    >>> result = [ns.predict(task, training.replace(schedule=item), tol=1e-2)
    ...          for item in schedules]
    >>> figure = ns.figures.steps(pd.concat([item.to_pandas() for item in result]))
    >>> [len(item.lines) for item in figure.axes]
    [2, 2]
    """
    choice("panel", panel, tuple(PANELS))
    table = _with_cosines(with_total(read_table(table, TABLE)))
    check_strengths("steps", table)
    parts = {int(value): part for value, part in table.groupby("task.L")}
    colours = _colours(table)
    if ax is not None:
        tokens = choose_length(L, list(parts))
        return single(_panel(parts[tokens], tokens, panel, colours))
    panels = [
        _panel(part, tokens, panel, colours) for panel in PANELS for tokens, part in parts.items()
    ]
    columns = len(parts)
    left, width = (0.085, 7.0) if columns > 1 else (0.14, 4.2)
    block = Block(panels, columns, (left, 0.985, 0.085, 0.87), (0.22, 0.22))
    return Drawing([block], (width, 4.9), "", _legends(table, colours, columns))


def _with_cosines(table: pd.DataFrame) -> pd.DataFrame:
    """Add the cosine of the Bayes-optimal learner, and the number of steps if no row has one."""
    cosine = np.sqrt(table["overlap"].astype(float))
    table = table.assign(cosine_q=table["cosine_q"].where(table.call != "bayes_optimal", cosine))
    return table if X in table else table.assign(**{X: np.nan})


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
    return Panel(
        [*marks, *empty_note(marks)],
        Axis("gradient steps" if panel == "cosine" else "", log=2, plain=True, minor="none"),
        _height(panel, marks),
        length_title(table, tokens) if panel == "error" else "",
    )


def _height(panel: str, marks: list[Mark]) -> Axis:
    if panel == "cosine":
        return Axis("cosine of query and signal", limits=(0.0, 1.02))
    return error_axis(marks, (0.92, 1.06), TICKS)


def _curves(table: pd.DataFrame, y: str, colour: str) -> list[Mark]:
    """Return the curve of one amount of data, and the levels that it stands between."""
    theory = _best(select(table, [X, y], call="predict"))
    trials = select(table, [X, y], call="simulate")
    span = pd.concat([theory[X], trials[X]]).astype(float)
    ends = (2.0, 32.0) if not len(span) else (float(span.min()), float(span.max()))
    two = _best(select(table[table[X].isna()], [y], call="predict"))
    optimal = select(table, [y], call="bayes_optimal")
    result: list[Mark] = []
    for rows, name, dash in ((two, TWO, DASHED), (optimal, BAYES_OPTIMAL, DOTTED)):
        if len(rows):
            level = float(rows[y].iloc[0])
            result.append(Line(ends, (level, level), colour, name, dash, 1.1, -1))
    if len(theory):
        result.append(Line(numbers(theory[X]), numbers(theory[y]), colour, FRESH))
    if len(trials):
        result.append(dots(means(trials, X, y), colour, FRESH))
    return result


def _best(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of least error, one for each number of steps."""
    return rows.sort_values("test_error").drop_duplicates(X).sort_values(X)


def _legends(table: pd.DataFrame, colours: dict[float, str], columns: int) -> list[Legend]:
    """Name lines and colours above the panels."""
    dark = SHADES[-1]
    keys = [Key(f"$\\alpha = {name:g}$ in all", Line(colour=c)) for name, c in colours.items()]
    trials = select(table, ["d"], call="simulate")
    words = " (dots: simulation)" if len(trials) else ""
    keys.append(Key(FRESH + words, Line(colour=dark), Dots(colour=dark) if len(trials) else None))
    keys.append(Key(TWO, Line(colour=dark, dash=DASHED, width=1.1)))
    keys.append(Key(BAYES_OPTIMAL, Line(colour=dark, dash=DOTTED, width=1.1)))
    spaces = {"columnspacing": 1.4, "handlelength": 2.0, "labelspacing": 0.3}
    return [Legend(keys, "upper left", (0.005, 1.0), 3 if columns > 1 else 1, spaces=spaces)]
