"""Test errors of fuller attention against the share of positives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...curves import note
from ...drawing import Axis, Block, Drawing, Key, Panel
from ...drawn import drawn
from ...marks import Line, Mark, numbers
from ...reading.door import Draws, Rows, read
from ...style import DASHED, grey
from .looks import (
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

X = "task.pi"
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.9)
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
    return drawn(ax, deep_rare_series, table)


def deep_rare_series(table: pd.DataFrame) -> Drawing:
    """Return what `deep_rare` draws."""
    table = read(table, DRAWS)
    marks: list[Mark] = [*theory(table, X), *trained(table, X, NAMES)]
    guess = _guess(table)
    keys = [*theory_keys(marks), Key(GUESS, Line(**LOOK)), *dot_keys(marks)]
    panel = Panel(
        [guess, *marks, *note(marks)],
        Axis(r"share of positives, $\pi$", log=10, ticks=SHARES, plain=True, minor="none"),
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
