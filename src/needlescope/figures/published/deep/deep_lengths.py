"""Test errors of fuller attention against the number of tokens, beyond that of dimensions."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...curves import note
from ...drawing import Axis, Block, Drawing, Panel
from ...drawn import drawn
from ...marks import Band, Mark, Words
from ...reading.door import Draws, Rows, check_strengths, read
from ...reading.rows import select
from ...style import grey
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

X = "task.L"
ROWS = Rows((X,), (Y,))
DRAWS = Draws(
    "deep_lengths",
    {
        "simulate_deep": Rows((X, "architecture"), (Y,)),
        "predict": ROWS,
        "bayes_optimal": ROWS,
        "oracle": Rows((X,), ("error",)),
    },
    across=(X, "task.theta", *SETTINGS, "model", "architecture", "lengths"),
    only={"architecture": NAMES},
)


def deep_lengths(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw test errors of architectures against the number of tokens, with theory's lines.

    Where two steps were asked with several settings, the best is drawn at each length. The part
    that has more tokens than dimensions is shaded.

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
        If the table has no such rows or columns, if a parameter changes in it that the figure does
        not draw, or if an L comes with two θ.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "bayes_optimal", "task.L": [4, 64], "alpha": 16.0,
    ...                       "test_error": [0.1, 0.05]})
    >>> figures.deep_lengths(table).axes[0].lines[0].get_xdata().tolist()
    [4.0, 64.0]
    """
    return drawn(ax, deep_lengths_series, table)


def deep_lengths_series(table: pd.DataFrame) -> Drawing:
    """Return what `deep_lengths` draws."""
    table = read(table, DRAWS)
    check_strengths("deep_lengths", table)
    marks: list[Mark] = [*theory(table, X), *trained(table, X, NAMES)]
    errors = errors_axis(marks)
    keys = [*theory_keys(marks), *dot_keys(marks)]
    panel = Panel(
        [*_longer(table, errors), *marks, *note(marks)],
        Axis(r"tokens, $L$", log=2, plain=True, minor="none", limits=_reach(table)),
        errors,
        legend=beside(keys),
    )
    block = Block([panel], 1, (0.1, 0.65, 0.145, 0.9))
    return Drawing([block], (6.4, 3.4), told(table))


def _reach(table: pd.DataFrame) -> tuple[float, float]:
    rows = table[table[Y].notna() | table["error"].notna()]
    return float(rows[X].min()) / 1.15, float(rows[X].max()) * 1.15


def _longer(table: pd.DataFrame, errors: Axis) -> list[Mark]:
    """Shade the part that has more tokens than dimensions, if there is one."""
    sizes = select(table, ["d"], call="simulate_deep")["d"]
    low, high = errors.limits
    if not len(sizes) or low is None or high is None or sizes.max() >= _reach(table)[1]:
        return []
    d, end = float(sizes.max()), _reach(table)[1]
    words = "more tokens\nthan dimensions"
    place = ((d, 0.02), ("data", "panel"), ("left", "bottom"), (4, 0))  # below all lines
    return [
        Band((d, end), (low, low), (high, high), grey(0.5), 0.1),
        Words(words, *place, grey(0.4)),
    ]
