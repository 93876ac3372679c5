"""Test error against the length of the test sequences."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..curves import curve
from ..drawing import Axis, Block, Drawing, Key, Legend, Panel
from ..drawn import drawn
from ..marks import Dots, Line, Mark, Rule, Words
from ..reading.door import Draws, Rows, read
from ..reading.rows import carriers, select
from ..style import BLACK, COLOURS, DOTTED, NAMES, TEXT, WHITE, blend, grey

X, Y = "test_task.L", "test_error"
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
ROWS = Rows((X, "model"), (Y,))
DRAWS = Draws(
    "length",
    {"predict": ROWS, "simulate": ROWS},
    across=(X, "model", "query.kappa"),
    only={"model": ("attention", "pooled")},
)


def length(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw test error against test length: a line for each strength of the query, and pooling.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "predict" and "simulate" with a ``test_task``, as `Store.to_pandas` gives
        them: a line for the rows of "predict", a dot with its standard error for the trials of
        "simulate".
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
    >>> table = pd.DataFrame({"call": "predict", "model": "attention", "task.L": 16,
    ...                       "query.kappa": 2.0, "test_task.L": [16, 64],
    ...                       "test_error": [0.03, 0.05]})
    >>> figure = figures.length(table)
    >>> figure.axes[0].lines[0].get_ydata().tolist()
    [0.03, 0.05]
    """
    return drawn(ax, length_series, table)


def length_series(table: pd.DataFrame) -> Drawing:
    """Return what `length` draws."""
    table = read(table, DRAWS)
    marks: list[Mark] = []
    for name, colour, part in _parts(table):
        lines = select(part, [X, Y], call="predict")
        marks += curve(lines, select(part, [X, Y], call="simulate"), X, Y, colour, name)
    rows = select(table, [X, Y])
    trained = rows["task.L"].dropna()[:1].tolist()
    ticks = [one * 4.0**power for one in trained for power in range(-1, 4)]
    tokens = rf"tokens of a test sequence, $L'$ {carriers(rows)}"
    reach = (rows[X].min() / 1.15, rows[X].max() * 1.15)
    least = min([0.05, *rows[Y][rows[Y] > 0.0]])
    panel = Panel(
        [*marks, *(mark for one in trained for mark in _mark(one))],
        Axis(tokens, log=2, limits=reach, ticks=ticks or None),
        Axis("test error", log=10, limits=(0.8 * least, 0.6), ticks=TICKS, minor="ticks"),
        "trained on one length, tested on another",
        beside=True,
        legend=_legend(table),
    )
    return Drawing([Block([panel], 1, (0.115, 0.74, 0.145, 0.93))], (4.6, 3.1))


def _parts(table: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """List what is drawn: its name, its colour (the sharper the query the darker), its rows."""
    groups = list(select(table, ["query.kappa"], model="attention").groupby("query.kappa"))
    found = [
        (f"attention, $\\kappa = {kappa:g}$", _shade((rank + 1) / len(groups)), part)
        for rank, (kappa, part) in enumerate(groups)
    ]
    attends = select(table, [], model="attention")
    trained = attends[attends["query.kappa"].isna()]
    return [
        *found,
        (NAMES["attention"], COLOURS["attention"], trained),
        (NAMES["pooled"], COLOURS["pooled"], select(table, [], model="pooled")),
    ]


def _shade(darkness: float) -> str:
    """Mix attention's colour with white up to ¾, with black beyond."""
    if darkness < 0.75:
        return blend((COLOURS["attention"], WHITE), 1.15 * (0.75 - darkness))
    return blend((COLOURS["attention"], BLACK), 2.1 * (darkness - 0.75))


def _mark(trained: float) -> list[Mark]:
    """Mark the length of the training sequences."""
    words, place = f"trained\nat $L = {trained:g}$", ((trained, 0.97), ("data", "panel"))
    return [
        Rule(x=trained, colour=grey(0.6), dash=DOTTED, width=0.8, layer=-2),
        Words(words, *place, ("right", "top"), (-4, 0), grey(0.4)),
    ]


def _legend(table: pd.DataFrame) -> Legend:
    """Explain lines and dots where there are none; colours are named beside their lines."""
    dark = grey(0.3)
    sizes = select(table, ["d"], call="simulate")["d"]
    size = f", $d = {sizes.max():g}$" if len(sizes) else ""
    words = f"simulation{size}\nmean ± standard error"
    dots = Dots(colour=dark, edge=1.0, edge_colour=dark)
    keys = [Key("theory", Line(colour=dark)), Key(words, dots=dots)]
    return Legend(keys, "lower right", size=TEXT, spaces={"handlelength": 1.4})
