"""The capacity figure: how often data are separable, and how the capacity depends on the task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.published.capacity import QUERY, TASK, WEAK, at_base, fractions
from ..curves import note
from ..drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ..drawn import drawn
from ..marks import Dots, Line, Mark, Rule, numbers
from ..reading.door import Draws, Rows, nothing, read
from ..style import COLOURS, DOTTED, NAMES, WHITE, blend

MARKS = {"attention": "o", "pooled": "s", "vectorized": "^"}
LIGHT = 0.55  # how far the colour of the smaller d is from its model's, towards white
LOOK: Mapping[str, Any] = {"size": 3.2, "edge": 1.0, "bar": 0.9, "joined": 0.7}
MIDDLE = (0.39105263, 0.48736842)  # where the fractions end, and where the capacities begin
SPACES = {"handletextpad": 0.4, "handlelength": 1.3, "borderpad": 0.0, "borderaxespad": 0.0}
PANELS = (
    ("task.L", r"tokens, $L$", True),
    ("task.theta", r"signal strength, $\theta$", False),
    ("task.R", r"signal tokens, $R$ (at $\theta = 2$)", False),
    ("query.cosine", r"alignment of the query, $s$", False),
)
DRAWS = Draws(
    "capacity",
    {
        "capacity": Rows(("model",), ("alpha",)),
        "simulate_separability": Rows(("model", "training.alpha1", "d"), ("fraction",)),
    },
    across=("model", "training.alpha1", *(column for column, _, _ in PANELS)),
    only={"model": tuple(MARKS)},
)
BASE = {f"task.{key}": value for key, value in TASK.items()} | {
    f"query.{key}": value for key, value in QUERY.items()
}


def capacity(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw the fraction of separable datasets, and beside it α* along each axis.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "capacity" and "simulate_separability", as `Store.to_pandas` gives them,
        around the setting of the experiment "capacity" (L = 10, R = 1, θ = 5, π = ½, a query with
        κ = 0.6843 and s = 0.9762): there, or with L, θ, R (at θ = 2) or s changed.
    ax : matplotlib axes, optional
        Draw only the fractions, here; a figure of its own by default.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the table has no such rows or columns, or some at other settings.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> task = {"task.L": 10, "task.R": 1, "task.theta": 5.0, "task.pi": 0.5}
    >>> theory = {"call": "capacity", "model": "pooled", "alpha": 2.95, **task}
    >>> trial = {"call": "simulate_separability", "model": "pooled", "d": 60, "fraction": 1.0}
    >>> table = pd.DataFrame([theory, {**trial, **task, "training.alpha1": 2.0}])
    >>> len(figures.capacity(table).axes)
    5
    """
    return drawn(ax, capacity_series, table, alone=ax is not None)


def capacity_series(table: pd.DataFrame, *, alone: bool = False) -> Drawing:
    """Return what `capacity` draws: the fractions beside α*, or alone."""
    table = read(table, DRAWS)
    _check_settings(table)
    if alone:
        if not (fractions(table).changed == "").any():
            why = "rows of capacity and of simulate_separability at it"
            nothing("capacity", f"the fractions need {why}: {_written(BASE)}")
        return single(_fractions(table))
    along = [_capacity(table, place) for place in range(len(PANELS))]
    blocks = [
        Block([_fractions(table)], 1, (0.07, MIDDLE[0], 0.13, 0.91)),
        Block(along, 2, (MIDDLE[1], 0.985, 0.13, 0.91), (0.48, 0.55)),
    ]
    return Drawing(blocks, (7.0, 3.5))


def _written(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in values.items())


def _check_settings(table: pd.DataFrame) -> None:
    """Refuse rows that no panel draws: those in which more than one quantity is changed."""
    asked = table[list(BASE)].drop_duplicates()
    for values in asked.to_dict("records"):
        changed = {
            str(name): value
            for name, value in values.items()
            if not pd.isna(value) and value != BASE[str(name)]
        }
        weak = changed.get("task.theta") == WEAK and set(changed) <= {"task.theta", "task.R"}
        along = len(changed) < 2 and set(changed) <= {column for column, _, _ in PANELS}
        if not (weak or along):
            first = next(iter(changed))
            raise ValueError(
                f"figures.capacity draws {_written(BASE)}, and one of L, theta, cosine or R (at "
                f"theta = {WEAK:g}) changed, got {_written(changed)}; leave those rows out, as "
                f'table[table["{first}"] == {BASE[first]!r}]'
            )


def _fractions(table: pd.DataFrame) -> Panel:
    found = fractions(table)
    found = found[found.changed == ""]
    low, high = _where_it_falls(found)
    limit = Line((low, 1.0, 1.0, high), (1.0, 1.0, 0.0, 0.0), name=r"$d\to\infty$", width=1.2)
    marks: list[Mark] = [limit]
    keys = [Key(limit.name, Line(width=limit.width))]
    for model in COLOURS:
        sizes = sorted(found[found.model == model].d.unique(), reverse=True)
        for rank, d in enumerate(sizes):
            part = found[(found.model == model) & (found.d == d)]
            p, n = part.fraction.to_numpy(), part.trials.to_numpy()
            colour = blend((COLOURS[model], WHITE), LIGHT if rank else 0.0)
            points = (numbers(part.ratio), numbers(p), tuple(map(numbers, _wilson(p, n))))
            look = {**LOOK, "marker": MARKS[model], "edge_colour": colour, "layer": -rank or 1}
            marks.append(Dots(*points, colour, f"{NAMES[model]}, $d$ = {d}", **look))
            if rank == 0:
                name = f"{NAMES[model]}, $d$ = {', '.join(map(str, sizes))}"
                keys.append(Key(name, dots=Dots(se=(), colour=colour, **look)))
    words = "(the smaller $d$ is lighter)"
    return Panel(
        [*marks, *note(len(found))],
        Axis(r"training set over predicted capacity, $\alpha_1/\alpha^*$", limits=(low, high)),
        Axis("fraction of separable datasets", limits=(-0.04, 1.04)),
        "separable or not",
        legend=Legend(keys, title=words, side="right", spaces=SPACES),
    )


def _where_it_falls(found: pd.DataFrame) -> tuple[float, float]:
    """Return ratios well left of which all datasets are separable, and right of which none is."""
    some = found[(found.fraction > 0.0) & (found.fraction < 1.0)].ratio
    if not len(some):
        return 0.5, 1.5
    return min(0.95, some.min() - 0.1), max(1.05, some.max() + 0.55)


def _wilson(p: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return the reach of Wilson's interval of one standard error below and above p."""
    middle = (p + 0.5 / n) / (1.0 + 1.0 / n)
    half = np.sqrt(p * (1.0 - p) / n + 0.25 / n**2) / (1.0 + 1.0 / n)
    return np.maximum([p - (middle - half), middle + half - p], 0.0)


def _capacity(table: pd.DataFrame, place: int) -> Panel:
    """Return α* of each model along a column, from the rows at the base in everything else."""
    column, words, log = PANELS[place]
    rows, marks = at_base(table, column).dropna(subset=["alpha"]), list[Mark]()
    for model, part in rows.groupby("model"):
        colour = COLOURS[str(model)]
        if column in part and part[column].notna().any():
            part = part.sort_values(column)
            name = NAMES[str(model)]
            marks.append(Line(numbers(part[column]), numbers(part.alpha), colour, name))
        else:
            marks.append(Rule(y=float(part.alpha.iloc[0]), colour=colour))
    base = at_base(table)
    if column != "task.R" and column in base and base[column].notna().any():
        marks.append(Rule(x=float(base[column].dropna().iloc[0]), dash=DOTTED, width=0.7))
    return Panel(
        [*marks, *note(len(rows))],
        Axis(words, log=10 if log else 0, margin=0.03),
        Axis("" if place % 2 else r"$\alpha^*$", log=10, minor="ticks"),
        "" if place else r"predicted capacity $\alpha^*$, one quantity changed",
    )
