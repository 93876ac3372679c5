"""Kinds of attention at their best: against data, length, and the tokens that share a signal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ....grid import choice
from ...curves import anyone, dots, explain, heights, note
from ...drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ...drawn import drawn
from ...marks import Dots, Line, Mark, numbers
from ...reading.door import Draws, Rows, nothing, read
from ...reading.rows import means, select
from ...style import ANYONE, COLOURS, DOTTED, LIMIT, NAMES

X, Y = "total", "test_error"
L, R = "task.L", "task.R"
MODELS = ("attention", "hard", "linear", "pooled")
KINDS = {**NAMES, "attention": "softmax attention"}
TRAINED = Rows(("model", L, R, "training.alpha0", "training.alpha1"), (Y,))
SETTINGS = ("training.eta_q", "training.ridge")
PLACE = (L, R, "task.theta", X)
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
DRAWS = Draws(
    "kinds",
    {"predict": TRAINED, "simulate": TRAINED, "bayes_optimal": Rows((L, R, "alpha"), (Y,))},
    across=(
        *(L, R, "task.theta", "model", "data", "alpha", "training.alpha0", "training.alpha1"),
        *SETTINGS,
    ),
    only={"model": MODELS},
    beside=("bayes_optimal",),
)
# What is along each panel, what is fixed there, and its name; a signal's strength goes with R.
PANELS = {
    "data": (X, (L, R), r"all samples per dimension, $\alpha$"),
    "length": (L, (R, X), r"tokens, $L$"),
    "shared": (R, (L, X), r"tokens that share the signal, $R$"),
}


def kinds(table: pd.DataFrame, ax: Any = None, *, panel: str = "data") -> Any:
    """Draw the test errors of kinds of attention against data, length, and tokens with signal.

    Where a kind was asked with several settings (steps on the query, which set κ, and ridges) its
    best is drawn.

    Parameters
    ----------
    table : DataFrame
        Units as `Store.to_pandas` gives them: lines for "predict" of the models "attention",
        "hard", "linear" and "pooled", dots with standard errors for "simulate", a thin line for
        "bayes_optimal". What is missing is left out.
    ax : matplotlib axes, optional
        Axes to draw a single panel into; a figure of its own with all by default.
    panel : "data", "length" or "shared", default "data"
        With ``ax``, which one: along the amount of data, L, or R. What is not along a panel has one
        value in it, the one with most points.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the table has no such rows or columns, or if a parameter changes in it that the figure
        does not draw.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "predict", "model": "hard", "task.L": 10, "task.R": 1,
    ...                       "training.alpha0": [1.0, 4.0], "training.alpha1": [1.0, 4.0],
    ...                       "test_error": [0.04, 0.03]})
    >>> figures.kinds(table).axes[0].lines[0].get_xdata().tolist()
    [2.0, 8.0]
    """
    return drawn(ax, kinds_series, table, alone=ax is not None, panel=panel)


def kinds_series(table: pd.DataFrame, *, alone: bool = False, panel: str = "data") -> Drawing:
    """Return what `kinds` draws: all panels, or one of them alone."""
    choice("panel", panel, tuple(PANELS))
    table = _with_total(read(table, DRAWS))
    parts = {name: _part(table, x, fixed) for name, (x, fixed, _) in PANELS.items()}
    _check_all_drawn(table, parts)
    if alone:
        if not len(select(parts[panel], [PANELS[panel][0], Y])):
            nothing("kinds", f'the panel "{panel}" needs the column {PANELS[panel][0]}')
        return single(_panel(parts[panel], panel))
    block = Block(
        [_panel(parts[one], one) for one in PANELS], 3, (0.065, 0.99, 0.15, 0.8), (0.2, 0.2)
    )
    return Drawing([block], (8.6, 3.0), explain(table, "simulate"), [_legend(table)])


def _with_total(table: pd.DataFrame) -> pd.DataFrame:
    """Add all samples per dimension, of query and readout or of a learner; leave out the rest."""
    both = table["training.alpha0"] + table["training.alpha1"]
    total = both.where(table.call != "bayes_optimal", table["alpha"])
    return table.assign(**{X: total}).dropna(subset=[L, R, X]).reset_index(drop=True)


def _part(table: pd.DataFrame, x: str, fixed: tuple[str, ...]) -> pd.DataFrame:
    """Return the rows along x where all else is what most values of x have."""
    if x != R:  # there a strength of its own belongs to each R
        fixed = (*fixed, "task.theta")
    groups = [part for _, part in table.groupby(list(fixed), dropna=False)]
    return max(groups, key=lambda part: part[x].nunique(), default=table[:0])


def _check_all_drawn(table: pd.DataFrame, parts: dict[str, pd.DataFrame]) -> None:
    """Refuse rows that no panel draws, and two strengths at one R."""
    odd = table.drop(index=np.unique(np.concatenate([part.index for part in parts.values()])))
    if len(odd):
        found = ", ".join(f"{name} = {odd[name].iloc[0]:g}" for name in PLACE if name != X)
        raise ValueError(
            f"figures.kinds draws rows along {X}, {L} or {R}, the rest fixed, got {found} with "
            f"{odd[X].iloc[0]:g} samples per dimension beside them; leave those rows out"
        )
    for value, some in parts["shared"].groupby(R)["task.theta"]:
        if some.nunique() > 1:
            one, other = sorted(some.dropna().unique())[:2]
            raise ValueError(
                f"figures.kinds draws a single task.theta for each task.R, got {one:g} and "
                f"{other:g} for task.R = {value:g}; leave one out"
            )


def _panel(table: pd.DataFrame, name: str) -> Panel:
    x, fixed, words = PANELS[name]
    marks = [*anyone(select(table, [x, Y], call="bayes_optimal"), x), *_trained(table, x)]
    reach = [one for one in heights(marks) if one > 0.0] or [0.5]
    bases = {"data": 10, "length": 2}
    axis = Axis(words, log=bases.get(name, 0), plain=True, whole=name == "shared")
    return Panel(
        [*marks, *note(marks)],
        axis,
        Axis(
            "test error" if name == "data" else "", log=10, ticks=TICKS, minor="ticks",
            limits=(0.88 * min(reach), 1.1 * max(reach)),
        ),
        _title(table, fixed, name),
    )  # fmt: skip


def _title(table: pd.DataFrame, fixed: tuple[str, ...], name: str) -> str:
    """Say what is fixed in a panel, as far as the table tells."""
    symbols = {L: "L", R: "R", X: r"\alpha"}
    if name != "shared":
        symbols["task.theta"], fixed = r"\theta", (*fixed, "task.theta")
    values = {one: select(table, [one])[one].unique() for one in fixed}
    said = [f"${symbols[one]} = {found[0]:g}$" for one, found in values.items() if len(found) == 1]
    strong = (table["task.theta"] * np.sqrt(table[R].astype(float))).dropna()
    if name == "shared" and len(strong) and np.ptp(strong) < 0.01 * strong.mean():
        said.append(f"$\\theta\\sqrt{{R}} = {strong.mean():.3g}$")
    return ", ".join(said)


def _trained(table: pd.DataFrame, x: str) -> list[Mark]:
    """Return each kind at its best: a line from theory, dots from trials."""
    found: list[Mark] = []
    for model in reversed(MODELS):
        rows, look = table[table.model == model], _look(model)
        lines = select(rows, [x, Y], call="predict").astype({Y: float}).groupby(x)[Y].min()
        if len(lines):
            found.append(Line(numbers(lines.index), numbers(lines), name=KINDS[model], **look))
        trials = select(rows, [x, Y], call="simulate")
        if len(trials):
            points = [means(part, x, Y) for _, part in trials.groupby(list(SETTINGS))]
            every = pd.concat(points, ignore_index=True)
            best = every.loc[every.groupby("x")["mean"].idxmin()]
            found.append(dots(best, COLOURS[model], KINDS[model]))
    return found


def _look(model: str) -> dict[str, Any]:
    """Return a line's colour; pooling, for comparison, is thin."""
    thin = {"dash": DOTTED, "width": 1.0, "layer": -1} if model == "pooled" else {}
    return {"colour": COLOURS[model], **thin}


def _legend(table: pd.DataFrame) -> Legend:
    there = [one for one in MODELS if (table.model == one).any()]
    keys = [Key(KINDS[one], Line(**_look(one)), _dot(table, one)) for one in there]
    if (table.call == "bayes_optimal").any():
        keys.append(Key(ANYONE, Line(colour=LIMIT, width=0.9)))
    spaces = {"columnspacing": 1.4, "handlelength": 1.8}
    return Legend(keys, "upper left", (0.06, 0.95), 5, spaces=spaces)


def _dot(table: pd.DataFrame, model: str) -> Dots | None:
    return (
        Dots(colour=COLOURS[model])
        if len(select(table, [Y], call="simulate", model=model))
        else None
    )
