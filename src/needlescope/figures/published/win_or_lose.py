"""The maps of attention's error minus mean pooling's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.published.win_or_lose import difference
from ..curves import note
from ..drawing import Axis, Block, Drawing, Panel, single
from ..drawn import drawn
from ..marks import INSIDE, Line, Map, Mark, Rings, Scale, Words, numbers
from ..reading.door import Draws, Rows, nothing, read
from ..reading.rows import simulated
from ..style import BLACK, COLOURS, DASHED, WHITE

ROWS = Rows(("model",), ("test_error",))
DRAWS = Draws(
    "win_or_lose",
    {"predict": ROWS, "simulate": ROWS, "crossover": Rows(("kappa",), ("cosine",))},
    across=(
        *("model", "data", "query.kappa", "query.cosine"),
        *("training.alpha0", "training.eta_q"),
    ),
    only={"model": ("attention", "pooled")},
)
BLEND = (COLOURS["attention"], WHITE, COLOURS["pooled"])


def win_or_lose(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw E[attention] − E[pooled] by the query, and beside it by how the query is trained.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "predict", "simulate" and "crossover", as `Store.to_pandas` gives them,
        of attention and of pooling: maps for the rows of "predict", rings for the trials of
        "simulate", filled with the colour of their mean, lines for "crossover".
    ax : matplotlib axes, optional
        Draw only the map by the query, here; a figure of its own by default.

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
    >>> base = {"call": "predict", "training.alpha0": 1.0, "test_error": 0.2}
    >>> rows = [{**base, "model": "pooled"}]
    >>> rows += [{**base, "model": "attention", "query.kappa": kappa, "query.cosine": cosine}
    ...          for kappa in (0.1, 1.0) for cosine in (0.0, 1.0)]
    >>> len(figures.win_or_lose(pd.DataFrame(rows)).axes)
    3
    """
    return drawn(ax, win_or_lose_series, table, alone=ax is not None)


def win_or_lose_series(table: pd.DataFrame, *, alone: bool = False) -> Drawing:
    """Return what `win_or_lose` draws: both maps, or the one by the query alone."""
    table = read(table, DRAWS)
    given, trained = difference(table), difference(table, trained=True)
    drawn = [difference(table, one, "simulate") for one in (False, True)]
    if given.empty and drawn[0].empty and (alone or (trained.empty and drawn[1].empty)):
        nothing(
            "win_or_lose",
            "the difference of attention and pooling needs rows of both, and a query.kappa and "
            'query.cosine, or data="all" for pooling at the training.alpha0 of attention',
        )
    values = np.concatenate([one.to_numpy().ravel() for one in (given, trained, *drawn)])
    limit = max(float(np.abs(values[np.isfinite(values)]).max(initial=0.0)), 1e-3)
    scale = Scale(-limit, limit, BLEND, "error of attention − error of pooling")
    left = _given(table, given, drawn[0], scale)
    if alone:
        return single(left)
    words = f"maps: theory    rings: {simulated(table, 'simulate').partition(',')[0]}, mean"
    panels = [left, _trained(trained, drawn[1], scale)]
    block = Block(panels, 2, (0.085, 0.875, 0.145, 0.86), (0.28, 0.2))
    return Drawing([block], (7.0, 3.1), words, bar=scale)


def _map(found: pd.DataFrame, scale: Scale, crossing: float | None = None) -> Map:
    """Colour a cell around each point of the grid."""
    rows = tuple(map(numbers, found.to_numpy()))
    return Map(numbers(found.columns), numbers(found.index), rows, scale, crossing)


def _rings(found: pd.DataFrame, scale: Scale) -> list[Mark]:
    """Return simulated differences as rings, filled on the colour scale of the map."""
    points = found.stack().dropna()
    y, x = (numbers(points.index.get_level_values(level)) for level in (0, 1))
    return [Rings(x, y, numbers(points), scale)] if len(points) else []


def _axes(x: Axis, y: Axis, found: pd.DataFrame) -> tuple[Axis, Axis]:
    """Let axes end where a map does, if it has several points."""
    if found.size < 2:
        return x, y
    reach = [(float(one.min()), float(one.max())) for one in (found.columns, found.index)]
    return replace(x, limits=reach[0]), replace(y, limits=reach[1])


def _given(table: pd.DataFrame, found: pd.DataFrame, drawn: pd.DataFrame, scale: Scale) -> Panel:
    marks: list[Mark] = [] if found.empty else [_map(found, scale)]
    lines = table[table.call == "crossover"].dropna(subset=["cosine"]).sort_values("kappa")
    after = lines["training.alpha1"].notna()
    for own, name, width, dash in (
        (after, "equal errors", 1.4, ()),
        (~after, "equal errors, unlimited data", 0.9, DASHED),
    ):
        if len(lines):
            points = numbers(lines.cosine[own]), numbers(lines.kappa[own])
            marks.append(Line(*points, BLACK, name, dash, width))
    x = Axis(r"alignment of the query, $s$")
    y = Axis(r"strength of the query, $\kappa$", log=10)
    marks.append(Words("attention wins", (0.97, 0.95), INSIDE, ("right", "top"), colour=WHITE))
    marks.append(Words("pooling wins", (0.03, 0.95), INSIDE, ("left", "top")))
    said = note(not found.empty or not drawn.empty)
    title = "a given query (dashed: unlimited data)"
    return Panel([*marks, *said, *_rings(drawn, scale)], *_axes(x, y, found), title)


def _trained(found: pd.DataFrame, drawn: pd.DataFrame, scale: Scale) -> Panel:
    marks: list[Mark] = []
    x = Axis(r"query samples per dimension, $\alpha_0$", log=10)
    y = Axis(r"step size of the query, $\eta_q$", log=10)
    if min(found.shape, default=0) > 1:
        crosses = found.to_numpy().min() < 0.0 < found.to_numpy().max()
        marks, (x, y) = [_map(found, scale, 0.0 if crosses else None)], _axes(x, y, found)
    said = note(marks or not drawn.empty)
    title = "a trained query, pooling given all the data"
    return Panel([*marks, *said, *_rings(drawn, scale)], x, y, title)
