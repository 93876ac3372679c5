"""How many examples per dimension a classifier can still fit without a mistake.

The paper's task with the query that 4 samples per dimension give: κ = 0.6843, s = 0.9762.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import COMPARED, trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ...figures.from_rows import empty_note
from ...figures.marks import Dots, Line, Mark, Rule, numbers
from ...figures.reading.validation import RowSpec, TableSpec, read_table, refuse_empty
from ...figures.rendered import figure_of
from ...figures.style import COLOURS, DOTTED, NAMES, WHITE, blend
from ...models import PAPER_MODELS, get_model

ORDER = 3
TITLE = "How much data can be fitted without a mistake"
CAPTION = (
    "Left: the fraction of random training sets that a classifier separates perfectly, against "
    "their size in units of the predicted capacity α* (a conjecture), at two dimensions d (bars: "
    "one standard error). In the limit the fraction drops from one to zero at α1 = α*. At finite "
    "d it falls gradually, over a width proportional to 1/√d, and its midpoint lies above one by "
    "an amount proportional to 1/d: the score is of the midpoint extrapolated from both "
    "dimensions. Right: α* as one quantity changes and the others stay fixed, the query among "
    "them (dotted: the setting on the left; R changes at θ = 2); trials at one other point of "
    "each panel are scored as well. At the dotted line the order is flat > attention > pooling. "
    "Attention overtakes the flat classifier when the signal is stronger or the tokens fewer. It "
    "falls below pooling when its query is misaligned, or when most tokens carry the signal, so "
    "that averaging all of them is better."
)
TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
QUERY = {"kappa": 0.6843, "cosine": 0.9762}
BASE = {f"task.{key}": value for key, value in TASK.items()}
BASE |= {f"query.{key}": value for key, value in QUERY.items()}
CAPACITIES = {
    "attention": 22.31,
    "pooled": 2.95,
    "vectorized": 29.5,
}  # α*, to place the dots around it
WIDTH = {"attention": 1.65, "pooled": 1.0, "vectorized": 0.33}  # of the fall at d, times √d
STEPS = np.linspace(-4.0, 6.0, 16)  # in such widths: from where all are separable to where none is
WEAK_THETA = 2.0  # the θ of the sweep over R
# Where else trials are drawn, so that every panel is checked: what is changed, α*, and the width.
OTHER_POINTS: tuple[tuple[str, dict[str, float], float, float], ...] = (
    ("attention", {"L": 50}, 9.51, 1.5),
    ("attention", {"R": 6, "theta": WEAK_THETA}, 13.5, 1.3),
    ("pooled", {"R": 6, "theta": WEAK_THETA}, 16.6, 1.3),
    ("attention", {"theta": 3.0}, 3.55, 1.1),
    ("attention", {"cosine": 0.5}, 6.68, 1.4),
)
SWEPT: dict[str, list[float]] = {
    "L": [2, 3, 5, 7, 10, 20, 50, 100, 200, 500, 1000],
    "R": list(range(1, 11)),  # at WEAK: at θ = 5 all but everything can be fitted
    "theta": [1.0, 2.0, 3.0, 4.0, 4.5, 5.0, 5.5, 6.0],
    "cosine": [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, QUERY["cosine"], 1.0],
}


def units(full: bool) -> list[Unit]:
    """Capacities along each axis, and trials at d and d/2 where separability is lost."""
    large, flat, count = (300, 50, 40) if full else (60, 20, 33)
    result = [Unit("capacity", _arguments(model)) for model in PAPER_MODELS]
    for name, values in SWEPT.items():
        for value in values:
            changed = {name: value} | ({"theta": WEAK_THETA} if name == "R" else {})
            models = ("attention",) if name == "cosine" else PAPER_MODELS
            result += [Unit("capacity", _arguments(model, **changed)) for model in models]
    for model, d in {"attention": large, "pooled": large, "vectorized": flat}.items():
        result += _trials(_arguments(model), d, CAPACITIES[model], WIDTH[model], count)
    for model, changed, near, width in OTHER_POINTS:
        result += _trials(_arguments(model, **changed), 2 * large // 3, near, width, count)
    return list({unit.key: unit for unit in result}.values())


def _trials(base: dict[str, Any], d: int, near: float, width: float, count: int) -> list[Unit]:
    """Return trials around a capacity at d and d/2; d samples or fewer are always separable."""
    result = []
    for size in (d, d // 2):
        counts = np.maximum(np.round((1.0 + width / np.sqrt(size) * STEPS) * near * size), size)
        for n in sorted({int(n) for n in counts}):
            training = {"alpha0": 1.0, "alpha1": round(n / size, 6)}
            result += trials(
                "simulate_separability", {**base, "training": training, "d": size}, count
            )
    return result


def _arguments(model: str, **changed: Any) -> dict[str, Any]:
    task = {**TASK, **{key: value for key, value in changed.items() if key in TASK}}
    query = {**QUERY, **{key: value for key, value in changed.items() if key in QUERY}}
    return {"task": task, "model": model} | ({"query": query} if get_model(model).has_query else {})


def fractions(table: pd.DataFrame) -> pd.DataFrame:
    """Return how often the data were separable at each α1/α*, with α* from the table.

    Examples
    --------
    >>> theory = {"call": "capacity", "model": "pooled", "alpha": 2.0, "task.L": 10, "task.R": 1,
    ...           "task.theta": 5.0, "task.pi": 0.5}
    >>> trial = {**theory, "call": "simulate_separability", "training.alpha1": 1.0, "d": 60}
    >>> rows = [theory, {**trial, "fraction": 1.0}, {**trial, "fraction": 0.0}]
    >>> fractions(pd.DataFrame(rows)).drop(columns="limit_se").to_dict("records")
    [{'model': 'pooled', 'changed': '', 'd': 60, 'ratio': 0.5, 'fraction': 0.5, 'trials': 2}]
    """
    names = ["model", "changed", "d", "ratio", "fraction", "trials", "limit_se"]
    needed = {"call", "model", "alpha", "fraction", "training.alpha1", "d"}
    if not needed <= set(table):
        return pd.DataFrame(columns=names)
    table = table.assign(changed=_changed(table))
    limits = table[(table.call == "capacity") & table.alpha.notna()]
    limits = limits.drop_duplicates(["model", "changed"]).set_index(["model", "changed"])
    drawn = table[(table.call == "simulate_separability") & table.fraction.notna()]
    rows = []
    for (model, changed, alpha1, d), part in drawn.groupby(
        ["model", "changed", "training.alpha1", "d"]
    ):
        if (model, changed) in limits.index:
            limit = limits.loc[(model, changed)]
            own = float(np.nan_to_num(limit.get("alpha_se", 0.0)) / limit.alpha)
            share, ratio = float(part.fraction.mean()), float(alpha1 / limit.alpha)
            rows.append((model, changed, int(d), ratio, share, len(part), own))
    result = pd.DataFrame(rows, columns=names)
    return result.sort_values(["model", "changed", "d", "ratio"], ignore_index=True)


def _changed(table: pd.DataFrame) -> list[str]:
    """Say of each row how its setting differs from the base setting."""
    known = [name for name in BASE if name in table]
    return [
        ", ".join(
            f"{name.split('.')[1]}={value:g}"
            for name, value in zip(known, values, strict=True)
            if not pd.isna(value) and value != BASE[name]
        )
        for values in table[known].itertuples(index=False)
    ]


def at_base(table: pd.DataFrame, free: str = "") -> pd.DataFrame:
    """Return the capacities at the base setting, or along a column that may differ from it.

    Along R, θ is weak.
    """
    rows = table[table.call == "capacity"]
    for column, value in {
        **BASE,
        **({"task.theta": WEAK_THETA} if free == "task.R" else {}),
    }.items():
        if column in rows and column != free:
            rows = rows[(rows[column] == value) | rows[column].isna()]
    return rows


def half_point(part: pd.DataFrame) -> tuple[float, float]:
    """Return the mean ratio at which separability is lost, and its standard error.

    The Spearman–Kärber estimate: the fall of the fraction between two ratios is put halfway
    between them, so no curve is fitted. The error is binomial, each ratio having its own trials,
    and at least what one trial more or less would change. Both are NaN unless the fraction falls
    from one to zero: a part of the fall that lies beyond the ratios would be misplaced.

    Examples
    --------
    >>> part = pd.DataFrame({"ratio": [0.8, 1.0, 1.2], "fraction": [1.0, 0.5, 0.0], "trials": 26})
    >>> middle, error = half_point(part)
    >>> round(middle, 3), round(error, 3)
    (1.0, 0.02)
    >>> half_point(part[:2])
    (nan, nan)
    """
    part = part.sort_values("ratio")
    x, p, n = (part[name].to_numpy(float) for name in ("ratio", "fraction", "trials"))
    if p[0] < 1.0 or p[-1] > 0.0:
        return np.nan, np.nan
    middle = float(np.sum(-np.diff(p) * (x[1:] + x[:-1]) / 2.0))
    span = np.diff(np.r_[x[0], (x[1:] + x[:-1]) / 2.0, x[-1]])
    error = np.sqrt(np.sum(span**2 * p * (1.0 - p) / np.maximum(n - 1.0, 1.0)))
    return middle, float(max(error, (span / n).min()))


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare the ratio at which separability is lost with one.

    At d and d/2 it is measured, and ``2 m(d) − m(d/2)`` compared: what finite dimension adds is
    proportional to 1/d. The error is the trials' and that of α*; where the ratios do not cover the
    whole fall there is no score.
    """
    rows: list[tuple[Any, ...]] = []
    for (model, changed), part in fractions(table).groupby(["model", "changed"]):
        sizes = sorted(part.d.unique())
        if len(sizes) != 2:
            continue
        half, whole = (part[part.d == d] for d in sizes)
        (small, small_se), (large, large_se) = half_point(half), half_point(whole)
        middle, error = 2.0 * large - small, float(np.hypot(2.0 * large_se, small_se))
        own = float(part.limit_se.iloc[0])
        z = (middle - 1.0) / float(np.hypot(error, own))
        where = (
            f"model={model}, {changed}, d={sizes[1]}" if changed else f"{model=!s}, d={sizes[1]}"
        )
        flag = "" if np.isfinite(z) else " (not compared: the dots do not cover the whole fall)"
        rows.append((f"α1/α* where separability is lost, {where}{flag}", 1.0, own, middle, error,
                     int(part.trials.sum()), z, f"α*, {model}"))  # fmt: skip
    return pd.DataFrame(rows, columns=list(COMPARED))


MARKS = {"attention": "o", "pooled": "s", "vectorized": "^"}
LIGHT = 0.55  # how far the colour of the smaller d is from its model's, towards white
DOT_STYLE: Mapping[str, Any] = {"size": 3.2, "edge": 1.0, "bar": 0.9, "joined": 0.7}
MIDDLE = (0.39105263, 0.48736842)  # where the fractions end, and where the capacities begin
SPACES = {"handletextpad": 0.4, "handlelength": 1.3, "borderpad": 0.0, "borderaxespad": 0.0}
PANELS = (
    ("task.L", r"tokens, $L$", True),
    ("task.theta", r"signal strength, $\theta$", False),
    ("task.R", r"signal tokens, $R$ (at $\theta = 2$)", False),
    ("query.cosine", r"alignment of the query, $s$", False),
)
TABLE = TableSpec(
    "capacity",
    {
        "capacity": RowSpec(("model",), ("alpha",)),
        "simulate_separability": RowSpec(("model", "training.alpha1", "d"), ("fraction",)),
    },
    across=("model", "training.alpha1", *(column for column, _, _ in PANELS)),
    only={"model": tuple(MARKS)},
)


@figure_of(TABLE)
def capacity(table: pd.DataFrame, ax: Any = None) -> Drawing:
    """Draw the fraction of separable datasets, and beside it α* along each axis.

    The units are around the setting of the published figure (L = 10, R = 1, θ = 5, π = ½, a query
    with κ = 0.6843 and s = 0.9762): there, or with L, θ, R (at θ = 2) or s changed.

    Parameters
    ----------
    ax : matplotlib axes, optional
        Draw only the fractions, here; a figure of its own by default.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> task = {"task.L": 10, "task.R": 1, "task.theta": 5.0, "task.pi": 0.5}
    >>> theory = {"call": "capacity", "model": "pooled", "alpha": 2.95, **task}
    >>> trial = {"call": "simulate_separability", "model": "pooled", "d": 60, "fraction": 1.0}
    >>> table = pd.DataFrame([theory, {**trial, **task, "training.alpha1": 2.0}])
    >>> len(figures.capacity(table).axes)
    5
    """
    table = read_table(table, TABLE)
    _check_settings(table)
    if ax is not None:
        if not (fractions(table).changed == "").any():
            why = "rows of capacity and of simulate_separability at it"
            refuse_empty("capacity", f"the fractions need {why}: {_written(BASE)}")
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
    settings = table[list(BASE)].drop_duplicates()
    for values in settings.to_dict("records"):
        changed = {
            str(name): value
            for name, value in values.items()
            if not pd.isna(value) and value != BASE[str(name)]
        }
        weak = changed.get("task.theta") == WEAK_THETA and set(changed) <= {"task.theta", "task.R"}
        along = len(changed) < 2 and set(changed) <= {column for column, _, _ in PANELS}
        if not (weak or along):
            first = next(iter(changed))
            raise ValueError(
                f"figures.capacity draws {_written(BASE)}, and one of L, theta, cosine or R (at "
                f"theta = {WEAK_THETA:g}) changed, got {_written(changed)}; leave those rows out, "
                f'as table[table["{first}"] == {BASE[first]!r}]'
            )


def _fractions(table: pd.DataFrame) -> Panel:
    result = fractions(table)
    result = result[result.changed == ""]
    low, high = _where_it_falls(result)
    limit = Line((low, 1.0, 1.0, high), (1.0, 1.0, 0.0, 0.0), name=r"$d\to\infty$", width=1.2)
    marks: list[Mark] = [limit]
    keys = [Key(limit.name, Line(width=limit.width))]
    for model in COLOURS:
        sizes = sorted(result[result.model == model].d.unique(), reverse=True)
        for rank, d in enumerate(sizes):
            part = result[(result.model == model) & (result.d == d)]
            p, n = part.fraction.to_numpy(), part.trials.to_numpy()
            colour = blend((COLOURS[model], WHITE), LIGHT if rank else 0.0)
            points = (numbers(part.ratio), numbers(p), tuple(map(numbers, _wilson(p, n))))
            look = {**DOT_STYLE, "marker": MARKS[model], "edge_colour": colour, "layer": -rank or 1}
            marks.append(Dots(*points, colour, f"{NAMES[model]}, $d$ = {d}", **look))
            if rank == 0:
                name = f"{NAMES[model]}, $d$ = {', '.join(map(str, sizes))}"
                keys.append(Key(name, dots=Dots(se=(), colour=colour, **look)))
    words = "(the smaller $d$ is lighter)"
    return Panel(
        [*marks, *empty_note(len(result))],
        Axis(r"training set over predicted capacity, $\alpha_1/\alpha^*$", limits=(low, high)),
        Axis("fraction of separable datasets", limits=(-0.04, 1.04)),
        "separable or not",
        legend=Legend(keys, title=words, side="right", spaces=SPACES),
    )


def _where_it_falls(result: pd.DataFrame) -> tuple[float, float]:
    """Return ratios well left of which all datasets are separable, and right of which none is."""
    some = result[(result.fraction > 0.0) & (result.fraction < 1.0)].ratio
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
        [*marks, *empty_note(len(rows))],
        Axis(words, log=10 if log else 0, margin=0.03),
        Axis("" if place % 2 else r"$\alpha^*$", log=10, minor="ticks"),
        "" if place else r"predicted capacity $\alpha^*$, one quantity changed",
    )
