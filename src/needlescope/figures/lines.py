"""Any stored table as curves: theory as lines, simulation as dots with standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..experiments.stores.summary import mean_and_error
from ..grid import choice
from .curve_styles import CurveStyle, curve_styles, key_of
from .drawing import Axis, Drawing, Key, Legend, Panel, single
from .from_rows import heights
from .marks import Dots, Line, numbers
from .reading.choose_columns import QUESTION, CurveRows, choose_columns
from .reading.columns import is_missing
from .reading.dependence import SYMBOLS
from .reading.validation import refuse_empty
from .rendered import rendered
from .style import NAMES

SCALES = ("linear", "log")
LOG_FROM_RATIO = {
    "x": 10.0,
    "y": 30.0,
}  # the ratio of largest to smallest from which an axis may be a log
FEW_TICKS = 8  # values of x, each with a tick of its own on a log axis
MOST_CURVES = 40
SAME_WITHIN = 1e-6  # relative difference up to which numbers of theory for one point are one
AXES = {
    "task.L": "tokens, $L$",
    "task.R": "signal tokens, $R$",
    "task.theta": r"signal strength, $\theta$",
    "task.pi": r"share of positives, $\pi$",
    "training.alpha0": r"query samples per dimension, $\alpha_0$",
    "training.alpha1": r"readout samples per dimension, $\alpha_1$",
    "training.ridge": r"ridge, $\lambda$",
    "alpha": r"samples per dimension, $\alpha$",
    "d": "dimension, $d$",
}


@rendered
def lines(
    table: Any,
    x: str | None = None,
    y: str | None = None,
    by: str | Sequence[str] | None = None,
    *,
    xscale: str | None = None,
    yscale: str | None = None,
    ax: Any = None,
) -> Drawing:
    """Draw any stored table: lines for theory, dots with standard errors for simulation.

    Trials of a point are pooled. Each column that separates curves has its own colour, dash or
    marker. Axes of a sweep that go together need no curves of their own.

    Parameters
    ----------
    table : Store or DataFrame
        A store, or a table of `Store.to_pandas`: single trials, or their summary.
    x : str, optional
        The column of the x axis, such as "task.L"; by default the parameter with most values.
    y : str, optional
        The column of the y axis; by default the main number of the table's calls, such as
        "test_error".
    by : str or list of str, optional
        The columns that separate curves; by default all parameters that change and that x does
        not determine.
    xscale, yscale : {"linear", "log"}, optional
        The scales of the axes. By default an axis is logarithmic if its numbers are positive, span
        a factor of 10 (x; 30 for y), and for x are spaced more evenly so.
    ax : matplotlib axes, optional
        Axes to draw into; a figure of its own by default.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If there is no such column, it holds no numbers, or if a parameter changes that ``by`` does
        not name: two problems would be drawn as one.

    Examples
    --------
    A signal that grows with the number of tokens, in a table made by hand:

    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "oracle", "model": "pooled", "task.L": [10, 100, 1000],
    ...                       "task.theta": [3.0, 4.2, 5.2], "error": [0.32, 0.42, 0.47]})
    >>> axes = figures.lines(table, x="task.L").axes[0]
    >>> axes.get_ylabel(), axes.lines[0].get_xdata().tolist()
    ('error', [10.0, 100.0, 1000.0])
    """
    for name, given in (("xscale", xscale), ("yscale", yscale)):
        if given is not None:
            choice(name, given, SCALES)
    chosen = choose_columns("lines", table, x, y, by)
    marks, keys = _curves(chosen)
    across = np.unique(np.concatenate([mark.x for mark in marks]))
    span = heights(marks)
    if not len(span):
        refuse_empty("lines", f"its numbers in {chosen.y} are not finite")
    legend = Legend(keys, "upper left", (1.01, 1.0)) if len(keys) > 1 else None
    panel = Panel(
        marks,
        _axis("x", chosen.x, across, xscale),
        _axis("y", chosen.y, span, yscale),
        _title(chosen, keys),
        legend=legend,
    )
    return single(panel, size=(6.2 if legend else 4.6, max(3.1, 0.9 + 0.17 * len(keys))))


def _curves(chosen: CurveRows) -> tuple[list[Line | Dots], list[Key]]:
    """Return the marks of each curve, and its line of the legend."""
    by = list(chosen.by)
    groups = chosen.rows.groupby(by, sort=False, dropna=False) if by else [((), chosen.rows)]
    parts = {key_of(place): part for place, part in groups}
    if len(parts) > MOST_CURVES:
        raise ValueError(
            f"figures.lines draws at most {MOST_CURVES} curves, got {len(parts)}, by "
            f"{', '.join(by)}; select some of the rows, or draw one of these as x"
        )
    marks: list[Line | Dots] = []
    keys = []
    for key, look in curve_styles(chosen).items():
        part, name = parts[key], _name(by, key)
        trials = chosen.simulated.loc[part.index]
        line = _line(chosen, part[~trials], look, name)
        dots = _dots(chosen, part[trials], look, name)
        marks += [item for item in (line, dots) if item is not None]
        shown = Line(colour=look.colour, dash=look.dash)
        shown_dots = Dots(
            se=None if dots is None else dots.se, colour=look.colour, marker=look.marker
        )
        keys.append(Key(name, line and shown, dots and shown_dots))
    return marks, keys


def _line(chosen: CurveRows, rows: pd.DataFrame, look: CurveStyle, name: str) -> Line | None:
    """Return theory's rows as a line; several of one point must say the same."""
    if not len(rows):
        return None
    groups = rows.groupby(chosen.x)[chosen.y]
    low, high = groups.min(), groups.max()
    far = (high - low) > SAME_WITHIN * np.maximum(low.abs(), high.abs())
    if far.any():
        at = far.index[far.to_numpy()][0]
        raise ValueError(
            f"figures.lines draws one {chosen.y} of theory at each point, got {low[at]:g} and "
            f"{high[at]:g} at {chosen.x} = {at:g}; name the column that changes there in by, or "
            "select one of its values"
        )
    return Line(numbers(low.index), numbers(groups.mean()), look.colour, name, look.dash)


def _dots(chosen: CurveRows, rows: pd.DataFrame, look: CurveStyle, name: str) -> Dots | None:
    """Return the means over trials as dots, with their standard errors."""
    if not len(rows):
        return None
    own = f"{chosen.y}_se"
    errors = rows[own] if own in rows else pd.Series(np.nan, index=rows.index)
    points = [
        (at, *mean_and_error(part.to_numpy(), errors[part.index[0]]))
        for at, part in rows.groupby(chosen.x)[chosen.y]
    ]
    at, mean, error = (numbers(column) for column in zip(*points, strict=True))
    se = error if np.isfinite(error).any() else None
    return Dots(at, mean, se, look.colour, name, marker=look.marker)


def _name(by: Sequence[str], key: Sequence[Any]) -> str:
    """Name a curve by its values; those that it does not depend on are left out."""
    words = []
    for column, value in zip(by, key, strict=True):
        if value is None:
            continue
        if column in ("model", QUESTION):
            words.append(NAMES.get(value, plain(str(value)).replace("_", " ")))
        else:
            shown = f"{value:g}" if isinstance(value, int | float) else plain(str(value))
            words.append(f"{SYMBOLS.get(column, plain(column))} = {shown}")
    return ", ".join(words)


def plain(words: str, most: int = 60) -> str:
    r"""Return words from a table for a drawing, in which dollars would begin a formula.

    Examples
    --------
    >>> plain("costs 5$")
    'costs 5\\$'
    """
    short = words if len(words) <= most else f"{words[: most - 1]}…"
    return short.replace("\\", "\\\\").replace("$", r"\$")


def _axis(which: str, column: str, values: np.ndarray, scale: str | None) -> Axis:
    """Return an axis with its name and scale."""
    positive = bool((values > 0.0).all())
    if scale == "log" and not positive:
        raise ValueError(
            f"{which}scale must be 'linear' for {column}, which has {values.min():g}: a log axis "
            "takes numbers above 0"
        )
    wide = positive and values.max() >= LOG_FROM_RATIO[which] * values.min()
    log = scale == "log" or (scale is None and wide and (which == "y" or _even_in_logs(values)))
    symbol = SYMBOLS.get(column) if which == "x" else None  # of an argument
    name = AXES.get(column) or symbol or plain(column).replace("_", " ")
    if log and which == "x" and len(values) <= FEW_TICKS:
        return Axis(name, log=10, ticks=numbers(values), minor="none")
    return Axis(name, log=10 if log else 0)


def _even_in_logs(values: np.ndarray) -> bool:
    """Say whether sorted values are spaced more evenly by ratio than by difference."""
    if len(values) < 3:
        return True
    gaps, ratios = np.diff(values), np.diff(np.log(values))
    return bool(ratios.std() / ratios.mean() < gaps.std() / gaps.mean())


def _title(chosen: CurveRows, keys: Sequence[Key]) -> str:
    """Say what lines and dots are, and what changes along x besides."""
    parts = ["lines: theory"] if any(key.line for key in keys) else []
    if any(key.dots for key in keys):
        bars = any(key.dots is not None and key.dots.se is not None for key in keys)
        parts.append(f"dots: simulation{_size(chosen)}{', mean ± standard error' if bars else ''}")
    along = [SYMBOLS.get(name, name) for name in chosen.along]
    if along:
        verb = "changes" if len(along) == 1 else "change"
        parts.append(f"{', '.join(along)} {verb} with {SYMBOLS.get(chosen.x, plain(chosen.x))}")
    return "    ".join(parts)


def _size(chosen: CurveRows) -> str:
    """Say the dimension of all trials, where there is one."""
    trials = chosen.rows[chosen.simulated]
    sizes = trials["d"].unique() if "d" in trials else []
    return f" at $d = {sizes[0]:g}$" if len(sizes) == 1 and not is_missing(sizes[0]) else ""
