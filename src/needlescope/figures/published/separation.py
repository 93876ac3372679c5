"""The separation figure: oracle errors as the signal grows with L, and the signal needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.published.separation import ERROR, LAWS, along, growth
from ..curves import dots, explain, note
from ..drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ..drawn import drawn
from ..marks import Dots, Line, Mark, Rule, numbers
from ..reading.door import Draws, Rows, nothing, read
from ..reading.rows import carriers, means, select
from ..style import COLOURS, DASHED, DOTTED, NAMES, SOLID

DASHES = {"pooled": (), "attention": (), "vectorized": (3, 3), "bayes": (1.5, 1.5)}
# On top of attention's line, which it all but equals.
CROSS: Mapping[str, Any] = {"marker": "x", "size": 3.5, "edge": 0.9, "layer": 0} | dict.fromkeys(
    ("colour", "edge_colour"), COLOURS["bayes"]
)
PLAIN = dict(zip(("c log L", "c √(2 log L)", "c √L"), LAWS.values(), strict=True))
BESIDE = {"pooled": 1.0, "attention": 0.92, "bayes": 1.09}  # dots that would hide each other
NEEDS = ("model", "task.L")
DRAWS = Draws(
    "separation",
    {
        "oracle": Rows((*NEEDS, "task.theta"), ("error",)),
        "simulate_oracle": Rows((*NEEDS, "task.theta"), ("error",)),
        "oracle_threshold": Rows(NEEDS, ("theta",)),
    },
    across=("model", "task.L", "task.theta"),
    only={"model": tuple(DASHES)},
)
WORDS = {
    "log": r"$\theta = c\,\log L$",
    "sqrt_log": r"$\theta = c\,\sqrt{2\log L}$",
    "sqrt": r"$\theta = c\,\sqrt{L}$",
}


def separation(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw oracle errors along three laws of growth, and below them detection thresholds.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "oracle" (lines), "simulate_oracle" (dots with standard errors) and
        "oracle_threshold", as `Store.to_pandas` gives them. Of the first two, θ follows one of
        the laws of the experiment "separation".
    ax : matplotlib axes, optional
        Draw only the thresholds, here; a figure of its own by default.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the table has no such rows or columns, or if a parameter changes in it that the figure
        does not draw, such as R.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> row = {"model": "pooled", "task.L": 100}
    >>> table = pd.DataFrame([{**row, "call": "oracle", "task.theta": 5.0, "error": 0.4},
    ...                       {**row, "call": "oracle_threshold", "theta": 25.6}])
    >>> len(figures.separation(table).axes)
    5
    """
    return drawn(ax, separation_series, table, alone=ax is not None)


def separation_series(table: pd.DataFrame, *, alone: bool = False) -> Drawing:
    """Return what `separation` draws: errors above thresholds, or the thresholds alone."""
    table = read(table, DRAWS).dropna(subset=["task.L"])
    _check_laws(table)
    if alone:
        if not len(_thresholds(table)):
            nothing("separation", "the thresholds need rows of oracle_threshold")
        return single(_needed(table))
    above = Block([_errors(table, law) for law in LAWS], 3, (0.07, 0.985, 0.6, 0.89))
    below = Block([_needed(table), _ratio(table)], 2, (0.07, 0.985, 0.1, 0.45), (0.24, 0.2))
    return Drawing([above, below], (7.0, 4.6), explain(table, "simulate_oracle"))


def _check_laws(table: pd.DataFrame) -> None:
    """Refuse errors at signals that follow none of the laws."""
    rows = table[table.call.isin(["oracle", "simulate_oracle"])].dropna(subset=["task.theta"])
    found = [
        along(rows, law, c, call).index
        for call in ("oracle", "simulate_oracle")
        for law, factors in LAWS.items()
        for c in factors
    ]
    odd = rows.drop(index=np.concatenate(found))
    if len(odd):
        laws = ", ".join(f"{name} (c = {c[0]:g}, {c[1]:g})" for name, c in PLAIN.items())
        row = odd.iloc[0]
        raise ValueError(
            f"figures.separation draws errors at task.theta {laws}, got {row['task.theta']:g} with "
            f"task.L = {row['task.L']:g}; leave those rows out, or choose such signals"
        )


def _errors(table: pd.DataFrame, law: str) -> Panel:
    marks: list[Mark] = []
    for c, width, dash in zip(LAWS[law], (0.9, 1.9), (DASHED, SOLID), strict=True):
        for model, part in along(table, law, c).groupby("model", sort=False):
            part = part.sort_values("task.L")
            points, name = (numbers(part["task.L"]), numbers(part.error)), NAMES[str(model)]
            line = Line(*points, COLOURS[str(model)], name, dash, width)
            marks.append(Dots(*points, name=name, **CROSS) if model == "bayes" else line)
        found = select(along(table, law, c, "simulate_oracle"), ["task.L", "error"])
        for model, part in found.groupby("model", sort=False):
            key, aside = str(model), BESIDE.get(str(model), 1.0)
            marks.append(
                dots(means(part, "task.L", "error"), COLOURS[key], NAMES[key], aside=aside)
            )
    few, many = (f"{c:g}" for c in LAWS[law])
    return Panel(
        [*marks, *note(marks)],
        Axis(r"tokens, $L$", log=10),
        Axis("least possible error" if law == next(iter(LAWS)) else "", limits=(-0.01, 0.51)),
        f"{WORDS[law]},  $c$ = {few} (dashed), {many}",
        legend=_models() if law == "sqrt" else None,
    )


def _models() -> Legend:
    """Say which colour is which model."""
    lines = [
        Key(NAMES[one], Line(colour=COLOURS[one], width=1.9)) for one in ("pooled", "attention")
    ]
    cross = Key(NAMES["bayes"], dots=Dots(**CROSS))
    return Legend([*lines, cross], "center right", anchor=(1.0, 0.54))


def _thresholds(table: pd.DataFrame) -> pd.DataFrame:
    return table[table.call == "oracle_threshold"].dropna(subset=["theta"])


def _lines(
    rows: pd.DataFrame, y: pd.Series, said: Mapping[str, str], corner: str
) -> tuple[list[Mark], Legend]:
    """Return a line for each model, and a legend in which more is said of some."""
    marks, keys = list[Mark](), []
    for model, part in rows.assign(y=y).groupby("model", sort=False):
        part, key = part.sort_values("task.L"), str(model)
        look: dict[str, Any] = {"colour": COLOURS[key], "dash": DASHES[key]}
        marks.append(Line(numbers(part["task.L"]), numbers(part.y), name=NAMES[key], **look))
        keys.append(Key(NAMES[key] + said.get(key, ""), Line(**look)))
    return marks, Legend(keys, corner)


def _needed(table: pd.DataFrame) -> Panel:
    rows, slopes = _thresholds(table), growth(table).set_index("model").slope
    said = {str(model): rf" $\propto L^{{{slope:.3f}}}$" for model, slope in slopes.items()}
    marks, legend = _lines(rows, rows.theta, said, "upper left")
    target = 100.0 * float(rows["error"].dropna().min() if rows["error"].notna().any() else ERROR)
    return Panel(
        [*marks, *note(marks)],
        Axis(rf"tokens, $L$ {carriers(rows)}", log=10),
        Axis(r"signal needed, $\theta$", log=10),
        rf"weakest signal found with {target:g} % error (fit: $L \geq 10^3$)",
        legend=legend,
    )


def _ratio(table: pd.DataFrame) -> Panel:
    rows = _thresholds(table)
    rows = rows[rows.model.isin(["attention", "bayes"]) & (rows["task.L"] > 1)]  # log 1 = 0
    last = growth(table).set_index("model").ratio
    said = {str(model): f", {ratio:.3f} at the end" for model, ratio in last.items()}
    ratio = rows.theta / np.sqrt(2.0 * np.log(rows["task.L"]))
    marks, legend = _lines(rows, ratio, said, "upper right")
    return Panel(
        [Rule(y=1.0, dash=DOTTED, width=0.7), *marks, *note(marks)],
        Axis(rf"tokens, $L$ {carriers(rows)}", log=10),
        Axis(r"$\theta\,/\,\sqrt{2\log L}$", limits=(0.95, None)),
        r"the same, over $\sqrt{2\log L}$",
        legend=legend,
    )
