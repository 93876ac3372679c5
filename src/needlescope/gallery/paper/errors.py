"""Test error, training loss and training error against the amount of data.

The paper's setting: L = 10, R = 1, π = ½, θ = 5, ridge 1e-5, d = 1000 and 8 trials in full.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...experiments.comparison import compare, grid, paired_trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ...figures.from_rows import BAYES_KEY, bayes_line, curve, describe_marks, empty_note, heights
from ...figures.marks import Dots, Line, Mark, Rule, Text
from ...figures.reading.dependence import SYMBOLS
from ...figures.reading.rows import select
from ...figures.reading.validation import RowSpec, TableSpec, read_table, refuse_empty
from ...figures.reading.varying import varying, with_value
from ...figures.rendered import figure_of
from ...figures.style import COLOURS, DOTTED, NAMES, SMALL, TEXT, grey
from ...grid import choice
from ...models import PAPER_MODELS, get_model

ORDER = 1
TITLE = "Errors against the amount of training data"
CAPTION = (
    "Test error, training loss and training error of the three classifiers as the readout gets "
    "more data (α1 samples per dimension). Lines are theory, dots trained classifiers. Grey: the "
    "Bayes-optimal error with all the data, the query's α0 = 4 included. With the square loss "
    "and almost no ridge the test error peaks where the data can no longer be fitted exactly: at "
    "α1 = 1 for attention and pooling, at α1 = L for the flat classifier. On the peak at α1 = 1 "
    "finite dimensions fall short of the limit by more than 1/d (attention's training loss by a "
    "quarter at d = 400); those dots are shown and not scored."
)
TASK: dict[str, Any] = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
LOSSES = ("logistic", "square")
ALPHA0, RIDGE = 4.0, 1e-5
MEMORY = {"vectorized": 4 << 30}  # bytes that a full trial may take, above the default
TRIALS = {"attention": 32, "pooled": 16, "vectorized": 8}  # quick ones, more where errors vary more
BY = ("model", "training.loss", "training.alpha1")
QUANTITIES = {
    "test_error": r"test error, $E_{\mathrm{test}}$",
    "train_loss": r"training loss, $\mathcal{L}_{\mathrm{train}}$",
    "train_error": r"training error, $E_{\mathrm{train}}$",
}


def units(full: bool) -> list[Unit]:
    """Theory on a fine grid of α1, simulation on a coarse one."""
    d = 1000 if full else 200
    fine = np.round(np.geomspace(0.25, 16.0, 41), 3).tolist()
    for kink in (1.0, 2.75, 10.0):  # where fits stop being exact
        fine += (kink * np.array([0.9, 0.95, 0.98, 1.0, 1.02, 1.05, 1.1])).round(3).tolist()
    dots = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0]
    result = []
    for point in grid(model=PAPER_MODELS, loss=LOSSES, alpha1=sorted({*fine, *dots})):
        result.append(Unit("predict", _arguments(**point)))
    for alpha1 in fine[:41:2]:  # Bayes-optimal, with the data of query and readout
        result.append(Unit("bayes_optimal", {"task": TASK, "alpha": ALPHA0 + alpha1}))
    for point in grid(model=PAPER_MODELS, loss=LOSSES, alpha1=dots):
        room = {"memory": MEMORY[point["model"]]} if full and point["model"] in MEMORY else {}
        count = 8 if full else TRIALS[point["model"]]
        result += paired_trials("simulate", {**_arguments(**point), **room}, d, count)
    return result


def _arguments(model: str, loss: str, alpha1: float) -> dict[str, object]:
    training = {"alpha0": ALPHA0, "alpha1": alpha1, "loss": loss, "ridge": RIDGE}
    return {"task": TASK, "training": training, "model": model}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare each dot with its line, except on the peak of the square loss at α1 = 1.

    With this ridge its height is reached only slowly, not as 1/d: with hundreds of trials the mean
    training loss of attention is 67 ± 5, 42 ± 3 and 27 ± 5 % below its limit at d = 100, 200 and
    400, that of pooling 37 ± 6, 18 ± 3 and 10 ± 3 %.
    """
    if "d" in table:
        weights = table["model"].map(
            {name: get_model(name).weights(TASK["L"]) for name in PAPER_MODELS}
        )
        peak = (table["training.loss"] == "square") & (table["training.alpha1"] == weights)
        table = table[~peak]
    return compare(table, BY, tuple(QUANTITIES))


X = "training.alpha1"
LOSS = "training.loss"
XLABEL = r"samples per dimension, $\alpha_1$"
ROWS = RowSpec((X, "model"), tuple(QUANTITIES))
TABLE = TableSpec(
    "errors",
    {"predict": ROWS, "simulate": ROWS, "bayes_optimal": RowSpec(("alpha",), ("test_error",))},
    across=(X, LOSS, "model", "alpha"),
    only={"model": PAPER_MODELS},
    more=1,
    reference_calls=("bayes_optimal",),
)
# A dash and a dot for each value of a further parameter; more could not be distinguished.
CURVE_STYLES: tuple[dict[str, Any], ...] = (
    {"dash": (), "marker": "o"},
    {"dash": (4, 1.5), "marker": "s"},
    {"dash": (1.2, 1.2), "marker": "^"},
    {"dash": (6, 1.5, 1.2, 1.5), "marker": "D"},
)
SPACES = {"columnspacing": 1.4, "handlelength": 1.6}
FLAT = 0.01  # lines that stay below this share of the highest point lie along zero


class Curves(NamedTuple):
    """A further parameter that has a curve for each of its values, or none."""

    column: str = ""
    values: Sequence[Any] = ()


@figure_of(TABLE)
def errors(table: pd.DataFrame, ax: Any = None, *, loss: str = "logistic") -> Drawing:
    """Draw the three errors of the three classifiers against α1, for each loss.

    Where one more parameter has several values, such as θ, there is a curve for each. The
    Bayes-optimal error is a thin grey line, at α − α0 if there is one α0.

    Parameters
    ----------
    ax : matplotlib axes, optional
        Axes to draw the test error into, and nothing else; a figure of its own by default.
    loss : str, default "logistic"
        With ``ax``, whose test error.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": ["predict", "predict", "simulate", "simulate"],
    ...     "model": "pooled", "training.loss": "square", "training.alpha1": [0.5, 2.0, 2.0, 2.0],
    ...     "test_error": [0.4, 0.3, 0.29, 0.32]})
    >>> figure = figures.errors(table)
    >>> [panel.get_ylabel().split(",")[0] for panel in figure.axes]
    ['test error', 'training loss', 'training error']
    """
    table = read_table(table, TABLE)
    trained = table[table.call != "bayes_optimal"]
    curves, result = _curves(trained), list(dict.fromkeys(trained[LOSS]))
    losses = [item for item in dict.fromkeys((*LOSSES, *result)) if item in result]
    choice("loss", loss, tuple(dict.fromkeys((*LOSSES, *losses))))
    if ax is None:
        return _all(table, losses, curves)
    if not len(select(table, [X, "test_error"], **{LOSS: loss})):
        had = ", ".join(losses)
        refuse_empty("errors", f"no test error of the {loss} loss, the table has that of {had}")
    return single(_panel(table, loss, "test_error", curves, words=XLABEL, labels_at_ends=True))


def _curves(table: pd.DataFrame) -> Curves:
    """Find the further parameter that changes, or refuse more values than there are styles."""
    for column, values in varying(table).items():
        if column not in TABLE.across:
            if len(values) > len(CURVE_STYLES):
                raise ValueError(
                    f"figures.errors draws at most {len(CURVE_STYLES)} values of {column}, got "
                    f'{len(values)}; select some, as table[table["{column}"].isin({values[:2]})]'
                )
            return Curves(column, values)
    return Curves()


def _all(table: pd.DataFrame, losses: Sequence[str], curves: Curves) -> Drawing:
    """Return a row of panels for each loss."""
    height = 4.3 if len(losses) > 1 else 2.6
    height += 2.0 * max(len(losses) - 2, 0)
    panels = [
        _panel(table, loss, name, curves, words=XLABEL if loss == losses[-1] else "")
        for loss in losses
        for name in QUANTITIES
    ]
    edge = 4.3 / height  # margins stay as wide as with two losses
    edges = (0.075, 0.985, 0.1 * edge, 1.0 - 0.14 * edge)
    return Drawing(
        [Block(panels, 3, edges, (0.42 if len(losses) > 1 else 0.5, 0.3))],
        (7.0, height),
        describe_marks(table, "simulate"),
        _legends(table, curves, height),
        share_x=True,
    )


def _parts(table: pd.DataFrame, model: str, loss: str, curves: Curves) -> list[Any]:
    """List a model's curves: the value that each is of, its rows and its look."""
    rows = select(table, [], model=model, **{LOSS: loss})
    parts = [(value, rows[with_value(rows, curves.column, value)]) for value in curves.values]
    if curves.column and curves.column in varying(rows):
        return [(item, part, look) for (item, part), look in zip(parts, CURVE_STYLES, strict=False)]
    # It has one value here, or plays no part for this model.
    place = next((k for k, (_, part) in enumerate(parts) if len(part) == len(rows)), 0)
    return [(None, rows, CURVE_STYLES[place])] if len(rows) else []


def _panel(
    table: pd.DataFrame,
    loss: str,
    name: str,
    curves: Curves,
    words: str,
    *,
    labels_at_ends: bool = False,
) -> Panel:
    """Return one quantity for one loss: the models' lines and dots."""
    marks: list[Mark] = []
    for model in PAPER_MODELS:
        for value, rows, look in _parts(table, model, loss, curves):
            lines = select(rows, [X, name], call="predict")
            trials = select(rows, [X, name], call="simulate")
            whose = NAMES[model] + ("" if value is None else f", {_name(curves.column, value)}")
            marks += curve(lines, trials, X, name, COLOURS[model], whose, **look)
    notes = empty_note(marks)
    if marks and name == "test_error":
        marks += _bayes_lines(table, curves)
    if marks and loss == "square" and name == "test_error":
        notes += _peaks(table, marks)
    if name == "train_error":
        notes += _hidden(table, loss, marks)
    return Panel(
        [*marks, *notes],
        Axis(words, log=10, ticks=_ticks(marks), minor="none"),
        # Losses that are nearly zero differ by orders of magnitude.
        Axis(QUANTITIES[name], log=10)
        if name == "train_loss"
        else Axis(QUANTITIES[name], zero=True),
        f"{loss} loss",
        title_at=-0.2,
        labels_at_ends=labels_at_ends,
    )


def _bayes_lines(table: pd.DataFrame, curves: Curves) -> list[Mark]:
    """Return the Bayes-optimal error with all the data, if they are α1 and one α0."""
    rows, given = select(table, ["alpha"], call="bayes_optimal"), table["training.alpha0"].unique()
    spent = [item for item in given if item == item]
    if len(spent) != 1:
        return []
    rows = rows.assign(**{X: rows["alpha"] - spent[0]})
    rows = rows[rows[X] > 0.0]
    if not curves.column.startswith("task."):
        return bayes_line(rows, X)
    parts = zip(curves.values, CURVE_STYLES, strict=False)
    return [
        line
        for value, look in parts
        for line in bayes_line(rows[with_value(rows, curves.column, value)], X, look["dash"])
    ]


def _span(marks: Sequence[Mark]) -> tuple[float, float]:
    """Return the least and the largest α1 that is drawn."""
    result = [item for mark in marks if isinstance(mark, Line | Dots) for item in mark.x] or [1.0]
    return min(result), max(result)


def _ticks(marks: Sequence[Mark]) -> list[float]:
    """Return ¼, 1, 4, 16 and so on, as far as there are data."""
    low, high = (math.log2(item) / 2.0 for item in _span(marks))
    return [4.0**power for power in range(math.floor(low), math.ceil(high) + 1)]


def _peaks(table: pd.DataFrame, marks: Sequence[Mark]) -> list[Mark]:
    """Mark where samples equal weights in number: α1 = 1 and, for the flat model, α1 = L."""
    tokens = select(table, ["task.L"])["task.L"].unique()
    places = {1.0: r"$\alpha_1 = 1$"}
    if len(tokens) == 1:
        places[float(tokens[0])] = r"$\alpha_1 = L$"
    (low, high), result, top = _span(marks), list[Mark](), ("center", "bottom")
    for place, name in places.items():
        if low <= place <= high:
            result.append(Rule(x=place, colour=grey(0.6), dash=DOTTED, width=0.7, layer=-2))
            result.append(
                Text(name, (place, 1.0), ("data", "panel"), top, (0, 1), grey(0.4), SMALL)
            )
    return result


def _hidden(table: pd.DataFrame, loss: str, marks: Sequence[Mark]) -> list[Mark]:
    """Name the models whose lines lie upon each other along zero."""
    top, hidden = heights(marks).max(initial=0.0), []
    for model in PAPER_MODELS:
        where = {"call": "predict", "model": model, "training.loss": loss}
        lines = select(table, [X, "train_error"], **where)
        if len(lines) and lines["train_error"].max() <= FLAT * top:
            hidden.append(NAMES[model])
    if len(hidden) < 2:
        return []
    words, corner = "\n".join(["near zero:", *hidden]), ("left", "bottom")
    return [Text(words, (0.04, 0.0), ("panel", "data"), corner, (0, 5), grey(0.4), SMALL)]


def _name(column: str, value: Any) -> str:
    """Write the value of a parameter in the paper's symbols."""
    symbol = SYMBOLS[column].replace("\u00a0(ridge)", "")
    return f"{symbol} = {value:g}" if isinstance(value, int | float) else f"{symbol} {value}"


def _legends(table: pd.DataFrame, curves: Curves, height: float) -> list[Legend]:
    """Name the models above the panels, and below them what else there is."""
    present = [model for model in PAPER_MODELS if (table["model"] == model).any()]
    keys, values = [Key(NAMES[model], Line(colour=COLOURS[model])) for model in present], []
    corner: dict[str, Any] = {"corner": "upper left", "size": TEXT}
    result = [Legend(keys, anchor=(0.005, 1.0), columns=len(keys), spaces=SPACES, **corner)]
    for value, look in zip(curves.values, CURVE_STYLES, strict=False):
        line = Line(colour=grey(0.3), dash=look["dash"])
        dot = Dots(colour=grey(0.3), marker=look["marker"])
        values.append(Key(_name(curves.column, value), line, dot))
    if _bayes_lines(table, curves):
        values.append(BAYES_KEY)
    if values:
        spaces = SPACES | {"handlelength": 3.0 if curves.values else SPACES["handlelength"]}
        anchor = (0.005, 1.0 - (0.2 if curves.values else 0.16) / height)
        result.append(Legend(values, anchor=anchor, columns=5, spaces=spaces, **corner))
    return result
