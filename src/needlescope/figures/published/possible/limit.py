"""Test error against all data: of those who train, of anyone, and of those who know the signal."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...curves import dots, heights, note
from ...drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ...drawn import drawn
from ...marks import Band, Dots, Line, Mark, Rule, numbers
from ...reading.door import Draws, Rows, check_strengths, read, tokens_of
from ...reading.rows import means, select
from ...style import ANYONE, BLACK, COLOURS, DASHED, DOTTED, LIMIT, NAMES

X, Y = "total", "test_error"
TICKS = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5)
TRAINED = Rows(("model", "training.alpha1", "task.L"), (Y,))
LEARNED = Rows(("alpha", "task.L"), (Y,))
SETTINGS = ("training.ridge", "training.eta_q", "training.alpha0")
DRAWS = Draws(
    "limit",
    {
        "predict": TRAINED,
        "simulate": TRAINED,
        "bayes_optimal": LEARNED,
        "simulate_amp": LEARNED,
        "oracle": Rows(("task.L",), ("error",)),
    },
    across=(
        *("task.L", "task.theta", "model", "data", "starts", "alpha", "training.alpha1"),
        *SETTINGS,
    ),
    only={"model": ("attention", "pooled", "bayes")},
)
# Colours are those of the models; end to end is drawn as in `reuse`.
PROTOCOLS = {
    "pooled": (NAMES["pooled"], COLOURS["pooled"], "o", 0.0),
    "two steps": ("attention, two steps", COLOURS["attention"], "o", 0.0),
    "end to end": ("attention, end to end", BLACK, "D", 0.7),
}
STRONG = 2.2  # the width of the limit, which this figure is about
ITERATED: dict[str, Any] = {
    "colour": LIMIT,
    "edge_colour": BLACK,
    "edge": 0.6,
    "size": 4.2,
    "layer": 2,
}
FLOOR: dict[str, Any] = {"colour": COLOURS["bayes"], "dash": DOTTED, "width": 1.0}


def limit(table: pd.DataFrame, ax: Any = None, *, L: int | None = None) -> Any:
    """Draw test errors against all data, with what anyone could learn; a panel for each L.

    Where a protocol was asked with several settings (steps, ridges, splits of the data) its best is
    drawn at each amount of data.

    Parameters
    ----------
    table : DataFrame
        Units as `Store.to_pandas` gives them: lines for "predict" (pooling, and attention after two
        steps) and for "bayes_optimal" (solid what the iteration finds, dashed what is possible),
        dots with standard errors for "simulate" (end to end where it has ``starts``) and
        "simulate_amp", a level for "oracle" of the model "bayes". What is missing is left out.
    ax : matplotlib axes, optional
        Axes to draw a single panel into; a figure of its own by default.
    L : int, optional
        With ``ax``, which one: the fewest tokens by default.

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
    >>> table = pd.DataFrame({"call": "bayes_optimal", "task.L": 10, "task.theta": 5.0,
    ...                       "alpha": [1.0, 2.0], "test_error": [0.023, 0.020]})
    >>> figures.limit(table).axes[0].lines[0].get_ydata().tolist()
    [0.023, 0.02]
    """
    return drawn(ax, limit_series, table, alone=ax is not None, L=L)


def limit_series(table: pd.DataFrame, *, alone: bool = False, L: int | None = None) -> Drawing:
    """Return what `limit` draws: a panel for each L, or one of them alone."""
    table = _with_total(read(table, DRAWS))
    check_strengths("limit", table)
    panels = {int(one): part for one, part in table.groupby("task.L")}
    if not alone:
        return _all([_panel(part, tokens) for tokens, part in panels.items()], table)
    tokens = tokens_of(L, list(panels))
    return single(_panel(panels[tokens], tokens))


def _with_total(table: pd.DataFrame) -> pd.DataFrame:
    """Add all samples per dimension, whoever has them: baselines may do without the query's."""
    with_query = (table.model == "attention") | (table["data"] == "all")
    both = table["training.alpha1"] + table["training.alpha0"].where(with_query, 0.0)
    learned = table.call.isin(("bayes_optimal", "simulate_amp"))
    return table.assign(**{X: both.where(~learned, table["alpha"])})


def _all(panels: list[Panel], table: pd.DataFrame) -> Drawing:
    """Return panels in pairs, below the names that they share."""
    rows, columns = -(-len(panels) // 2), min(len(panels), 2)
    height = 0.5 + 2.75 * rows
    edges = (
        0.08 if columns == 2 else 0.125,
        0.985,
        0.42 / height,
        1.0 - (0.62 if columns == 2 else 0.95) / height,
    )
    block = Block(panels, columns, edges, (0.2, 0.35))
    return Drawing([block], (7.0 if columns == 2 else 4.2, height), "", _legends(table, columns))


def _panel(table: pd.DataFrame, tokens: int) -> Panel:
    marks = [*_limit(table), *_trained(table), *_iterated(table)]
    floors = numbers(select(table, ["error"], call="oracle", model="bayes")["error"])
    reach = [*heights(marks), *floors]
    above = [one for one in reach if one > 0.0] or [0.5]
    strength = select(table, ["task.theta"])["task.theta"]
    at = f", $\\theta = {strength.iloc[0]:g}$" if len(strength) else ""
    return Panel(
        [*(Rule(y=one, layer=-2, **FLOOR) for one in floors), *marks, *note(marks or floors)],
        Axis(r"all samples per dimension, $\alpha$", log=10, plain=True, minor="ticks"),
        Axis(
            "test error", log=10, limits=(0.88 * min(above), 1.1 * max(above)), ticks=TICKS,
            minor="ticks",
        ),
        f"$L = {tokens}${at}",
    )  # fmt: skip


def _limit(table: pd.DataFrame) -> list[Mark]:
    """Return what is possible, dashed, under what is easy; the two part where learning is hard."""
    rows = select(table, [X, Y], call="bayes_optimal").sort_values(X)
    easy = rows.dropna(subset=["amp_test_error"])
    found: list[Mark] = []
    if len(easy):
        area = numbers(easy[X]), numbers(easy[Y]), numbers(easy["amp_test_error"])
        found.append(Band(*area, LIMIT))
    if len(rows):
        points = numbers(rows[X]), numbers(rows[Y])
        found.append(Line(*points, LIMIT, "possible", DASHED, 1.4))
    if len(easy):
        points = numbers(easy[X]), numbers(easy["amp_test_error"])
        found.append(Line(*points, LIMIT, ANYONE, width=STRONG))
    return found


def _trained(table: pd.DataFrame) -> list[Mark]:
    """Return each protocol at its best: a line from theory, dots from trials."""
    found: list[Mark] = []
    for protocol, (name, colour, marker, joined) in PROTOCOLS.items():
        model = "pooled" if protocol == "pooled" else "attention"
        rows = table[(table.model == model) & ((table.starts > 0) == (protocol == "end to end"))]
        lines = select(rows, [X, Y], call="predict").astype({Y: float}).groupby(X)[Y].min()
        if len(lines):
            found.append(Line(numbers(lines.index), numbers(lines), colour, name))
        trials = select(rows, [X, Y], call="simulate")
        if len(trials):
            points = _best(trials)
            found.append(dots(points, colour, name, marker=marker, joined=joined))
    return found


def _best(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the means at the settings that err least, for each amount of data."""
    parts = [means(part, X, Y) for _, part in trials.groupby(list(SETTINGS[:2]))]
    every = pd.concat(parts, ignore_index=True)
    return every.loc[every.groupby("x")["mean"].idxmin()]


def _iterated(table: pd.DataFrame) -> list[Mark]:
    trials = select(table, [X, Y], call="simulate_amp")
    return [dots(means(trials, X, Y), name="iteration", **ITERATED)] if len(trials) else []


def _legends(table: pd.DataFrame, columns: int) -> list[Legend]:
    """Name the curves above the panels: those who train, then those who need not."""
    keys = []
    for protocol, (name, colour, marker, joined) in PROTOCOLS.items():
        own = select(table, ["d"], call="simulate", model="attention")
        own = own[own.starts > 0] if protocol == "end to end" else own[:0]
        size = f" ($d = {own['d'].max():g}$)" if len(own) else ""
        line = Line(colour=colour, width=joined or Line.width)
        dot = Dots(colour=colour, marker=marker) if joined else None
        keys.append(Key(name + size, line, dot))
    sizes = select(table, ["d"], call="simulate_amp")["d"]
    size = f" ($d = {sizes.max():g}$)" if len(sizes) else ""
    keys.append(Key(ANYONE, Line(colour=LIMIT, width=STRONG)))
    keys.append(Key("possible, but hard", Line(colour=LIMIT, dash=DASHED, width=1.4)))
    keys.append(Key(f"attention iterated{size}", dots=Dots(**ITERATED)))
    keys.append(Key("signal known (Bayes)", Line(**FLOOR)))
    spaces = {"columnspacing": 1.4, "handlelength": 1.8, "labelspacing": 0.3}
    return [Legend(keys, "upper left", (0.005, 1.0), 4 if columns == 2 else 2, spaces=spaces)]
