"""The figure on rates: the test error's distance from its limit, and from its asymptote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.published.rates import DRAWN_ERRORS, excess, slopes
from ..curves import note
from ..drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ..drawn import drawn
from ..marks import Band, Dots, Line, Mark, Rule, numbers
from ..reading.door import Draws, Rows, nothing, read
from ..style import COLOURS, DASHED, NAMES

MARKS = {"attention": "o", "pooled": "s", "vectorized": "^"}
LOOK: Mapping[str, Any] = {"size": 3.5, "edge": 0.4, "bar": 0.9}
ROWS = Rows(("model", "training.alpha1"), ("test_error",))
DRAWS = Draws(
    "rates",
    {"predict": ROWS, "simulate": ROWS, "asymptote": Rows(("model",), ("limit",))},
    across=("model", "training.alpha1"),
    only={"model": tuple(MARKS), "training.loss": ("square",)},
)


def rates(table: pd.DataFrame, ax: Any = None) -> Any:
    """Draw E − E^∞ against α1, and beside it the same over its asymptote.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "asymptote" (the limits), "predict" (lines) and "simulate" (dots), as
        `Store.to_pandas` gives them, with the square loss.
    ax : matplotlib axes, optional
        Draw only E − E^∞, here; a figure of its own by default.

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
    >>> limit = {"call": "asymptote", "model": "pooled", "limit": 0.2, "limit_se": 0.0, "rate": 0.3}
    >>> point = {"call": "predict", "model": "pooled", "test_error_se": 0.0}
    >>> points = [{**point, "training.alpha1": a, "test_error": 0.2 + 0.3 / a} for a in (25., 50.)]
    >>> len(figures.rates(pd.DataFrame([limit, *points])).axes)
    2
    """
    return drawn(ax, rates_series, table, alone=ax is not None)


def rates_series(table: pd.DataFrame, *, alone: bool = False) -> Drawing:
    """Return what `rates` draws: both panels, or the distance from the limit alone."""
    table = read(table, DRAWS)
    table = table[(table.call != "simulate") | table.d.notna()]
    lines, trials = _sure(excess(table)), excess(table, "simulate")
    if not len(lines) and not len(trials):
        nothing("rates", _reason(table))
    if alone:
        return single(_excess(table, lines, trials))
    panels = [_excess(table, lines, trials), _ratio(lines, trials)]
    return Drawing([Block(panels, 2, (0.09, 0.985, 0.15, 0.91), (0.25, 0.2))], (7.0, 3.0))


def _reason(table: pd.DataFrame) -> str:
    """Say why there is nothing to draw."""
    if len(excess(table)):
        return (
            f"no error differs from its limit by more than {DRAWN_ERRORS:g} of its standard errors"
        )
    return (
        "it draws errors above their limits, and needs rows of asymptote, and of predict or "
        "simulate, of the same model"
    )


def _sure(found: pd.DataFrame) -> pd.DataFrame:
    """Keep what differs from zero by more than its numerical uncertainty."""
    return found[found.excess > DRAWN_ERRORS * found.excess_se].sort_values("alpha1")


def _excess(table: pd.DataFrame, lines: pd.DataFrame, trials: pd.DataFrame) -> Panel:
    fitted, marks, keys = slopes(table), list[Mark](), []
    for model, part in lines.groupby("model"):
        key, rate = str(model), float(part.rate.iloc[0])
        slope = f", slope {fitted[key]:.2f}" if key in fitted else ""
        name, colour = f"{NAMES[key]}: {rate:#.3g}$/\\alpha_1$", COLOURS[key]
        marks.append(Line(numbers(part.alpha1), numbers(part.excess), colour, NAMES[key]))
        reach = np.array([part.alpha1.min(), part.alpha1.max()])
        marks.append(Line(numbers(reach), numbers(rate / reach), colour, name, DASHED, 0.8))
        keys.append(Key(name + slope.replace("-", "−"), Line(colour=colour)))
    for model, part in trials.groupby("model"):
        marks.append(_dots(part.alpha1, part.excess, part.excess_se, str(model)))
    return Panel(
        [*marks, *note(marks)],
        Axis(r"readout samples per dimension, $\alpha_1$", log=10),
        Axis(r"test error above its limit, $E - E^\infty$", log=10, limits=(5e-5, 2.0)),
        r"approach to the limit (dashed: predicted $1/\alpha_1$)",
        legend=Legend(keys, spaces={"borderpad": 0.1}),
    )


def _ratio(lines: pd.DataFrame, trials: pd.DataFrame) -> Panel:
    marks: list[Mark] = []
    for model, part in lines.groupby("model"):
        scale, x = part.alpha1 / part.rate, numbers(part.samples)
        colour, name = COLOURS[str(model)], NAMES[str(model)]
        dash = (3, 3) if model == "vectorized" else ()
        marks.append(Line(x, numbers(part.excess * scale), colour, name, dash))
        low, high = ((part.excess + sign * part.excess_se) * scale for sign in (-1.0, 1.0))
        marks.append(Band(x, numbers(low), numbers(high), colour))
    for model, part in trials.groupby("model"):
        scale = part.alpha1 / part.rate
        marks.append(_dots(part.samples, part.excess * scale, part.excess_se * scale, str(model)))
    return Panel(
        [Rule(y=1.0, dash=DASHED, width=0.8), *marks, *note(marks)],
        Axis("samples per weight", log=10),
        Axis(r"$(E - E^\infty)$ / predicted $1/\alpha_1$ law", limits=(0.6, 2.4)),
        "over the predicted law",
    )


def _dots(x: Any, y: Any, error: Any, model: str) -> Dots:
    name, marker = NAMES[model], MARKS[model]
    points = (numbers(x), numbers(y), numbers(error))
    return Dots(*points, COLOURS[model], name, marker, **LOOK)
