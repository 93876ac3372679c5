"""From rows to marks, as figures share it: lines from theory, dots with bars from trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .drawing import Axis, Block, Drawing, Key, Panel
from .marks import INSIDE, Dots, Line, Map, Mark, Rings, Rule, Scale, Text, numbers
from .reading.rows import describe_trials, means, select
from .style import BAYES_COLOUR, BAYES_OPTIMAL, DOTTED, grey

BAYES_KEY = Key(BAYES_OPTIMAL, Line(colour=BAYES_COLOUR, width=0.9))


def curve(
    lines: pd.DataFrame,
    trials: pd.DataFrame,
    x: str,
    y: str,
    colour: str,
    name: str = "",
    *,
    change: Callable[[Any], Any] = lambda value: value,
    dash: Sequence[float] = (),
    marker: str = "o",
) -> list[Mark]:
    """Return theory's rows as a line and trials as dots with standard errors, as far as there are.

    ``change`` is what is drawn of y; it must be a shift or a reflection, so that bars stay right.

    Examples
    --------
    >>> theory = pd.DataFrame({"alpha1": [2.0, 1.0], "test_error": [0.1, 0.2]})
    >>> [line] = curve(theory, theory[:0], "alpha1", "test_error", "#0072B2")
    >>> line.x, line.y
    ((1.0, 2.0), (0.2, 0.1))
    """
    result: list[Mark] = []
    if len(lines):
        lines = lines.sort_values(x)
        heights = numbers(change(lines[y].astype(float)))
        result.append(Line(numbers(lines[x]), heights, colour, name, dash))
    if len(trials):
        result.append(dots(means(trials, x, y), colour, name, change=change, marker=marker))
    return result


def dots(
    result: pd.DataFrame,
    colour: str,
    name: str = "",
    *,
    change: Callable[[Any], Any] = lambda value: value,
    aside: float = 1.0,
    **look: Any,
) -> Dots:
    """Return the means over trials as dots, a factor ``aside`` from where they are."""
    heights = numbers(change(result["mean"]))
    return Dots(numbers(result["x"] * aside), heights, numbers(result["se"]), colour, name, **look)


def line(
    rows: pd.DataFrame, x: str, y: str, colour: str, name: str = "", how: str = "mean", **look: Any
) -> list[Line]:
    """Return theory's rows as a line: the mean, or the "min", of those at one x; none without rows.

    Examples
    --------
    >>> rows = pd.DataFrame({"alpha": [2.0, 1.0, 1.0], "test_error": [0.1, 0.2, 0.3]})
    >>> line(rows, "alpha", "test_error", "#0072B2", how="min")[0].y
    (0.2, 0.1)
    """
    points = rows.astype({y: float}).groupby(x)[y].agg(how)
    if not len(points):
        return []
    return [Line(numbers(points.index), numbers(points), colour, name, **look)]


def trial_dots(
    trials: pd.DataFrame, x: str, y: str, settings: Sequence[str] = (), **look: Any
) -> list[Dots]:
    """Return the means over trials as dots, in the setting of the least mean at each x, if any."""
    if not len(trials):
        return []
    parts = [part for _, part in trials.groupby(list(settings))] if settings else [trials]
    every = pd.concat([means(part, x, y) for part in parts], ignore_index=True)
    return [dots(every.loc[every.groupby("x")["mean"].idxmin()], **look)]


def bayes_line(rows: pd.DataFrame, x: str, dash: Sequence[float] = ()) -> list[Mark]:
    """Return the rows of "bayes_optimal" as a thin line below the others: their test errors."""
    rows = rows.dropna(subset=[x, "test_error"]).sort_values(x)
    if not len(rows):
        return []
    points = numbers(rows[x]), numbers(rows["test_error"])
    return [Line(*points, BAYES_COLOUR, BAYES_OPTIMAL, dash, width=0.9, layer=-1)]


def heights(marks: Sequence[Mark]) -> np.ndarray:
    """Return how high lines, dots and the ends of their bars are; what is not finite is left out.

    Examples
    --------
    >>> heights([Line([1.0], [0.5]), Dots([1.0], [0.25], [0.125])]).tolist()
    [0.5, 0.125, 0.375]
    """
    result = [np.zeros(0)]
    for mark in marks:
        if isinstance(mark, Line | Dots):
            y = np.asarray(mark.y, float)
            se = np.nan_to_num(mark.se) if isinstance(mark, Dots) and mark.se is not None else 0.0
            result += [y - se, y + se] if isinstance(mark, Dots) else [y]
    every = np.concatenate(result)
    kept: np.ndarray = every[np.isfinite(every)]
    return kept


def error_axis(
    marks: Sequence[Mark],
    margins: tuple[float, float],
    ticks: Sequence[float],
    more: Sequence[float] = (),
    name: str = "test error",
) -> Axis:
    """Return a logarithmic axis with room for marks and some more heights, times the margins.

    Examples
    --------
    >>> axis = error_axis([Line([1.0, 2.0], [0.5, 0.25])], (0.8, 1.1), (0.1, 0.5), [0.125])
    >>> [round(float(end), 2) for end in axis.limits]
    [0.1, 0.55]
    """
    above = [item for item in (*heights(marks), *more) if item > 0.0] or [0.5]
    span = (margins[0] * min(above), margins[1] * max(above))
    return Axis(name, log=10, limits=span, ticks=ticks, minor="ticks")


def grid_map(grid: pd.DataFrame, scale: Scale, crossing: float | None = None) -> Map:
    """Return a grid of numbers, rows by y and columns by x, as a map of colours."""
    rows = tuple(map(numbers, grid.to_numpy()))
    return Map(numbers(grid.columns), numbers(grid.index), rows, scale, crossing)


def ends(values: pd.Index) -> tuple[float, float]:
    """Return the least and the largest of some numbers: where a map ends."""
    return float(values.min()), float(values.max())


def rings(means: pd.Series, scale: Scale) -> list[Mark]:
    """Return numbers by (y, x) as rings, filled on the colour scale of a map; none without any."""
    y, x = (numbers(means.index.get_level_values(level)) for level in (0, 1))
    return [Rings(x, y, numbers(means), scale)] if len(means) else []


def frequent_label(shares: pd.Series, **look: Any) -> Line:
    """Return the error of always predicting the more frequent label, min(π, 1 − π)."""
    low, high = ends(shares)
    x = np.unique([*np.geomspace(low, high, 99), 0.5])
    x = x[(x >= low) & (x <= high)]
    return Line(numbers(x), numbers(np.minimum(x, 1.0 - x)), **look)


def trained_length(L: float, height: float, left: float) -> list[Mark]:
    """Mark the length of the training sequences on an axis of lengths."""
    place = ((L, height), ("data", "panel"), ("right", "top"), (-left, 0))
    return [
        Rule(x=L, colour=grey(0.6), dash=DOTTED, width=0.8, layer=-2),
        Text(f"trained\nat $L = {L:g}$", *place, grey(0.4)),
    ]


def length_title(table: pd.DataFrame, L: int) -> str:
    """Return the title of a panel of one L, with its θ if the table says it."""
    strength = select(table, ["task.theta"])["task.theta"]
    return f"$L = {L}$" + (f", $\\theta = {strength.iloc[0]:g}$" if len(strength) else "")


def empty_note(drawn: object) -> list[Mark]:
    """Say in a panel that it is empty, if nothing is drawn."""
    middle, words = ("center", "center"), "not in the table"
    return [] if drawn else [Text(words, (0.5, 0.5), INSIDE, middle, colour=grey(0.5))]


def describe_marks(table: pd.DataFrame, call: str) -> str:
    """Say what lines and dots are; the dots are trials of the call."""
    return f"lines: theory    dots: {describe_trials(table, call)}"


def two_panels(panels: Sequence[Panel], words: str, right: float, gap: float) -> Drawing:
    """Return two panels side by side, and what they share in words."""
    block = Block(panels, 2, (0.075, right, 0.155, 0.84), (gap, 0.2))
    return Drawing([block], (7.0, 2.9), words)
