"""Rare positives: test errors against the share of positives.

L = 10, R = 1, θ = 5, α = 16.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Key, Panel
from ...figures.drawn import drawn
from ...figures.from_rows import note
from ...figures.marks import Line, Mark, numbers
from ...figures.reading.door import Draws, Rows, read
from ...figures.style import DASHED, grey
from ..deep_style import (
    NAMES,
    SETTINGS,
    Y,
    beside,
    dot_keys,
    errors_axis,
    theory,
    theory_keys,
    told,
    trained,
)
from ..deep_units import (
    TASK,
    Size,
    bayes_unit,
    compare_with_bayes,
    fine,
    oracle_unit,
    trial_units,
    two_step_units,
)
from ..record import PublishedFigure
from .deep_errors import TESTED, at

TRAINED_SHARES = (0.02, 0.05, 0.15)
DRAWN = ("solvable", "multihead", "block", "gated", "max", "gru")


def units(full: bool) -> list[Unit]:
    """Theory at many shares, architectures at a few; those at one half are of `deep_errors`.

    Examples
    --------
    >>> sorted({unit.arguments["task"]["pi"] for unit in units(False)})[:3]
    [0.02, 0.0256, 0.0328]
    """
    size = Size.of(full)
    found = []
    for pi in fine(0.02, 0.5, 14, *TRAINED_SHARES):
        found += [
            oracle_unit(task(pi)),
            bayes_unit(task(pi), TESTED),
            *two_step_units(task(pi), TESTED),
        ]
    for name in DRAWN:
        for pi in TRAINED_SHARES:
            found += trial_units(size, name, TESTED, task(pi))
        found += at(size, name, TESTED)
    return found


def task(pi: float) -> dict[str, Any]:
    """Return the task with that share of positives."""
    return {**TASK, "pi": pi}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Hold every architecture against the limit of learning."""
    return compare_with_bayes(table, ("task.pi",))


X = "task.pi"
SHARE_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.9)
GUESS = "always the more frequent label"
LOOK: dict[str, Any] = {"colour": grey(0.45), "dash": DASHED, "width": 1.0, "layer": -2}
ROWS = Rows((X,), (Y,))
DRAWS = Draws(
    "deep_rare",
    {
        "simulate_deep": Rows((X, "architecture"), (Y,)),
        "predict": ROWS,
        "bayes_optimal": ROWS,
        "oracle": Rows((X,), ("error",)),
    },
    across=(X, *SETTINGS, "model", "architecture", "lengths"),
    only={"architecture": NAMES},
)


def deep_rare(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw test errors of architectures against the share of positives, with theory's lines.

    Where two steps were asked with several settings, the best is drawn at each share.

    Parameters
    ----------
    table : DataFrame
        Units as `Store.to_pandas` gives them: dots with standard errors for "simulate_deep", lines
        for "predict", "bayes_optimal" and "oracle". What is missing is left out; trainings that
        diverged are counted in words.
    ax : matplotlib axes, optional
        Axes to draw into; a figure of its own by default.

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
    >>> table = pd.DataFrame({"call": "predict", "model": "attention", "task.pi": [0.1, 0.5],
    ...                       "test_error": [0.05, 0.1]})
    >>> figures.deep_rare(table).axes[0].lines[1].get_ydata().tolist()
    [0.05, 0.1]
    """
    return drawn(ax, drawing, table)


def drawing(table: pd.DataFrame) -> Drawing:
    """Return what `deep_rare` draws."""
    table = read(table, DRAWS)
    marks: list[Mark] = [*theory(table, X), *trained(table, X, NAMES)]
    guess = _guess(table)
    keys = [*theory_keys(marks), Key(GUESS, Line(**LOOK)), *dot_keys(marks)]
    panel = Panel(
        [guess, *marks, *note(marks)],
        Axis(r"share of positives, $\pi$", log=10, ticks=SHARE_TICKS, plain=True, minor="none"),
        errors_axis([guess, *marks]),
        legend=beside(keys),
    )
    return Drawing([Block([panel], 1, (0.1, 0.65, 0.145, 0.9))], (6.4, 3.4), told(table))


def _guess(table: pd.DataFrame) -> Line:
    """Return what the more frequent label alone errs."""
    shares = table[X][table[Y].notna() | table["error"].notna()].astype(float)
    x = np.unique([*np.geomspace(shares.min(), shares.max(), 99), 0.5])
    x = x[(x >= shares.min()) & (x <= shares.max())]
    y = np.minimum(x, 1.0 - x)
    return Line(numbers(x), numbers(y), name=GUESS, **LOOK)


FIGURE = PublishedFigure(
    23,
    "Rare positives",
    "Test error against the share of positives, α = 16, one token of ten. Nothing is reweighted: "
    "what is minimised is the mean loss of all samples. Dashed: always the more frequent label. "
    "Two steps (theory) are the paper's, best of five steps and three ridges.",
    units,
    scores,
    drawing,
    deep_rare,
)
