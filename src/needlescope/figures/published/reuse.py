"""Test error against all data, for splitting, reusing and end-to-end training."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..curves import anyone, dots, heights
from ..drawing import Axis, Block, Drawing, Key, Legend, Panel
from ..drawn import drawn
from ..marks import Dots, Line, Mark, numbers
from ..reading.door import Draws, Rows, read
from ..reading.rows import means, select
from ..style import ANYONE, COLOURS, LIMIT

X, Y = "alpha", "test_error"
TICKS = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5)
THIN = 0.7
SPACES = {"handlelength": 1.6, "labelspacing": 0.25, "borderaxespad": 0.0}
# One model throughout: attention's blue is the protocol with a theory, the others have their own.
SPLIT = ("half and half, 1 query step (line: theory)", COLOURS["attention"], "o")
REUSED = {
    1: ("all data twice, 1 query step", "#56B4E9", "s"),
    5: ("all data twice, 5 query steps", "#E69F00", "^"),
    20: ("all data twice, 20 query steps", "#CC79A7", "v"),
}
END = ("end to end", "#000000", "D")
ROWS = Rows(("training.alpha0", "training.alpha1"), (Y,))
STEPS = "training.query_steps"
DRAWS = Draws(
    "reuse",
    {"predict": ROWS, "simulate": ROWS, "bayes_optimal": Rows((X,), (Y,))},
    across=(X, "training.alpha0", "training.alpha1", "reuse", STEPS, "starts"),
    only={"model": ("attention",)},
    beside=("bayes_optimal",),
)


def reuse(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw the test error of attention against the total of its data, for each protocol.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "predict" and "simulate" with α0 = α1, as `Store.to_pandas` gives them: a
        line for the rows of "predict" (splitting), a dot with its standard error for the trials of
        "simulate", a thin grey line for "bayes_optimal". Protocols are those of the experiment
        "reuse": split, ``reuse="D0"`` after 1, 5 or 20 steps on the query, and end to end
        (``starts``). Dots without a theory are joined by thin lines.
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
    >>> table = pd.DataFrame({"call": "predict", "training.alpha0": [1.0, 2.0],
    ...                       "training.alpha1": [1.0, 2.0], "test_error": [0.1, 0.05]})
    >>> figures.reuse(table).axes[0].lines[0].get_xdata().tolist()
    [2.0, 4.0]
    """
    return drawn(ax, reuse_series, table)


def reuse_series(table: pd.DataFrame) -> Drawing:
    """Return what `reuse` draws."""
    table = read(table, DRAWS)
    _check_protocols(table)
    table = _with_total(table)
    marks = _marks(table)
    reach = heights(marks)
    lowest = 0.85 * reach[reach > 0.0].min(initial=1.0)
    panel = Panel(
        marks,
        Axis(r"all samples per dimension, $\alpha$", log=2, plain=True, minor="none"),
        Axis("test error", log=10, limits=(lowest, reach.max()), ticks=TICKS, minor="ticks"),
        "what to do with the data",
        legend=_legend(table),
    )
    return Drawing([Block([panel], 1, (0.125, 0.97, 0.145, 0.93))], (4.2, 3.1))


def _check_protocols(table: pd.DataFrame) -> None:
    """Refuse rows of protocols that have no dots of their own."""
    split = (table.reuse == "none") & (table[STEPS] == 1) & (table.starts == 0)
    twice = (table.reuse == "D0") & table[STEPS].isin(list(REUSED)) & (table.starts == 0)
    ends = table[(table.reuse == "none") & (table[STEPS] == 1) & (table.starts > 0)]
    odd = table[~(split | twice | table.index.isin(ends.index))]
    if len(odd):
        row = odd.iloc[0]
        steps = ", ".join(map(str, REUSED))
        raise ValueError(
            f"figures.reuse draws the split, reuse 'D0' after {steps} query_steps, and starts on "
            f"their own, got reuse {row.reuse!r}, query_steps {row[STEPS]:g} and starts "
            f"{row.starts:g}; leave those rows out"
        )
    if ends.starts.nunique() > 1:
        few, *_, many = sorted(ends.starts.unique().tolist())
        raise ValueError(
            f"figures.reuse draws a single number of starts, got {few:g} to {many:g}; leave the "
            f'others out, as table[table["starts"] != {few!r}]'
        )
    uneven = table[(table["training.alpha0"] - table["training.alpha1"]).abs() > 0.0]
    if len(uneven):
        row = uneven.iloc[0]
        raise ValueError(
            "figures.reuse draws as many samples for the query as for the readout, got "
            f"training.alpha0 {row['training.alpha0']:g} with training.alpha1 "
            f"{row['training.alpha1']:g}; leave the rest out, as "
            'table[table["training.alpha0"] == table["training.alpha1"]]'
        )


def _with_total(table: pd.DataFrame) -> pd.DataFrame:
    """Add the column alpha, all samples per dimension: reused data count once."""
    both = table["training.alpha0"] + table["training.alpha1"]
    both = both.where(table["reuse"] != "D0", table["training.alpha0"])
    return table.assign(**{X: both.where(table.call != "bayes_optimal", table[X])})


def _marks(table: pd.DataFrame) -> list[Mark]:
    """Return theory's line and each protocol's dots, joined where no theory leads the eye."""
    found: list[Mark] = []
    lines = select(table, [X, Y], call="predict").sort_values(X)
    if len(lines):
        found.append(Line(numbers(lines[X]), numbers(lines[Y]), SPLIT[1], SPLIT[0]))
    found += anyone(select(table, [X, Y], call="bayes_optimal"), X)
    trials = select(table, [X, Y, "reuse", STEPS, "starts"], call="simulate")
    parts = [(SPLIT, (trials.reuse == "none") & (trials.starts == 0))]
    for steps, look in REUSED.items():
        parts.append((look, (trials.reuse == "D0") & (trials[STEPS] == steps)))
    for (name, colour, marker), own in (*parts, (END, trials.starts > 0)):
        if own.any():
            joined = 0.0 if name == SPLIT[0] else THIN
            points = means(trials[own], X, Y)
            found.append(dots(points, colour, name, marker=marker, joined=joined))
    return found


def _legend(table: pd.DataFrame) -> Legend:
    rows = select(table, ["d"], call="simulate")
    size = f"dots: $d = {rows['d'].max():g}$, mean ± standard error" if len(rows) else ""
    keys = [
        Key(
            name,
            Line(colour=colour, width=Line.width if name == SPLIT[0] else THIN),
            Dots(colour=colour, marker=marker),
        )
        for name, colour, marker in (SPLIT, *REUSED.values(), END)
    ]
    if (table.call == "bayes_optimal").any():
        keys.append(Key(ANYONE, Line(colour=LIMIT, width=0.9)))
    return Legend(keys, title=size, side="left", room=True, spaces=SPACES)
