"""Test error, training loss and training error against the amount of training data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator

from ...grid import choice
from ..marks import DOT, draw, explain, label_lines, note, select
from ..parameters import SYMBOLS
from ..reading import Draws, Rows, nothing, read, varying, with_value
from ..style import COLOURS, NAMES, RC

X = "training.alpha1"
LOSS = "training.loss"
XLABEL = r"samples per dimension, $\alpha_1$"
MODELS = ("attention", "pooled", "vectorized")
LOSSES = ("logistic", "square")
QUANTITIES = {
    "test_error": r"test error, $E_{\mathrm{test}}$",
    "train_loss": r"training loss, $\mathcal{L}_{\mathrm{train}}$",
    "train_error": r"training error, $E_{\mathrm{train}}$",
}
ROWS = Rows((X, "model"), tuple(QUANTITIES))
DRAWS = Draws(
    "errors",
    {"predict": ROWS, "simulate": ROWS},
    across=(X, LOSS, "model"),
    only={"model": MODELS},
    more=1,
)
# A dash and a dot for each value of a further parameter; more could not be told apart.
LOOKS: tuple[dict[str, Any], ...] = (
    {"ls": "-", "marker": "o"},
    {"ls": (0, (4, 1.5)), "marker": "s"},
    {"ls": (0, (1.2, 1.2)), "marker": "^"},
    {"ls": (0, (6, 1.5, 1.2, 1.5)), "marker": "D"},
)


class Curves(NamedTuple):
    """A further parameter that has a curve for each of its values, or none."""

    column: str = ""
    values: Sequence[Any] = ()


def errors(table: pd.DataFrame, ax: Any = None, *, loss: str = "logistic") -> Any:
    """Draw the three errors of the three classifiers against α1, for each loss.

    Where one more parameter has several values, such as θ, there is a curve for each.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "predict" and "simulate", as `Store.to_pandas` gives them: a line for
        the rows of "predict", a dot with its standard error for the trials of "simulate". What
        is missing is left out.
    ax : matplotlib axes, optional
        Axes to draw the test error into, and nothing else; a figure of its own by default.
    loss : str, default "logistic"
        With ``ax``, whose test error.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the table has no such rows or columns, or if two more parameters change in it.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": ["predict", "predict", "simulate", "simulate"],
    ...     "model": "pooled", "training.loss": "square", "training.alpha1": [0.5, 2.0, 2.0, 2.0],
    ...     "test_error": [0.4, 0.3, 0.29, 0.32]})
    >>> figure = figures.errors(table)
    >>> [panel.get_ylabel().split(",")[0] for panel in figure.axes]
    ['test error', 'training loss', 'training error']
    """
    table = read(table, DRAWS, ax)
    curves, found = _curves(table), list(dict.fromkeys(table[LOSS]))
    losses = [one for one in dict.fromkeys((*LOSSES, *found)) if one in found]
    choice("loss", loss, tuple(dict.fromkeys((*LOSSES, *losses))))
    with plt.rc_context(RC):
        if ax is not None:
            if not len(select(table, [X, "test_error"], **{LOSS: loss})):
                had = ", ".join(losses)
                nothing("errors", f"no test error of the {loss} loss, the table has that of {had}")
            _panel(ax, table, loss, "test_error", curves)
            ax.set_xlabel(XLABEL)
            _name_lines(ax, table, loss, curves)
            return ax.figure
        return _figure(table, losses, curves)


def _curves(table: pd.DataFrame) -> Curves:
    """Find the further parameter that changes, or refuse more values than can be told apart."""
    for column, values in varying(table).items():
        if column not in DRAWS.across:
            if len(values) > len(LOOKS):
                raise ValueError(
                    f"figures.errors draws at most {len(LOOKS)} values of {column}, got "
                    f'{len(values)}; select some, as table[table["{column}"].isin({values[:2]})]'
                )
            return Curves(column, values)
    return Curves()


def _figure(table: pd.DataFrame, losses: Sequence[str], curves: Curves) -> Any:
    """Draw a row of panels for each loss."""
    height = 4.3 if len(losses) > 1 else 2.6
    height += 2.0 * max(len(losses) - 2, 0)
    figure, panels = plt.subplots(len(losses), 3, figsize=(7.0, height), sharex=True, squeeze=False)
    edge = 4.3 / height  # margins stay as wide as with two losses
    apart = {"wspace": 0.42 if len(losses) > 1 else 0.5, "hspace": 0.3}
    figure.subplots_adjust(
        left=0.075, right=0.985, bottom=0.1 * edge, top=1.0 - 0.14 * edge, **apart
    )
    for row, one in zip(panels, losses, strict=True):
        for panel, name in zip(row, QUANTITIES, strict=True):
            note(panel, _panel(panel, table, one, name, curves))
    for panel in panels[-1]:
        panel.set_xlabel(XLABEL)
    _legend(figure, table, curves)
    return figure


def _parts(table: pd.DataFrame, model: str, loss: str, curves: Curves) -> list[Any]:
    """List a model's curves: the value that each is of, its rows and its look."""
    rows = select(table, [], model=model, **{LOSS: loss})
    parts = [(one, rows[with_value(rows, curves.column, one)]) for one in curves.values]
    if curves.column in varying(rows):
        return [(one, part, look) for (one, part), look in zip(parts, LOOKS, strict=False)]
    # It has one value here, or plays no part for this model.
    place = next((k for k, (_, part) in enumerate(parts) if len(part) == len(rows)), 0)
    return [(None, rows, LOOKS[place])] if len(rows) else []


def _panel(ax: Any, table: pd.DataFrame, loss: str, name: str, curves: Curves) -> bool:
    """Draw one quantity for one loss, the models' lines and dots; say if there are any."""
    drawn = False
    for model in MODELS:
        for _, rows, look in _parts(table, model, loss, curves):
            lines = select(rows, [X, name], call="predict")
            dots = select(rows, [X, name], call="simulate")
            drawn |= draw(ax, lines, dots, X, name, COLOURS[model], **look)
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(base=4, numticks=9))  # ¼, 1, 4, 16
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter("{x:g}")
    if name == "train_loss":
        ax.set_yscale("log")  # losses that are nearly zero differ by orders of magnitude
    else:
        top = ax.get_ylim()[1]
        ax.set_ylim(-0.025 * top, top)  # lines along zero stay in sight
    ax.set_ylabel(QUANTITIES[name])
    ax.set_title(f"{loss} loss", loc="left", x=-0.2)
    if loss == "square" and name == "test_error":
        _mark_peaks(ax, table)
    if name == "train_error":
        _name_hidden(ax, table, loss)
    return drawn


def _mark_peaks(ax: Any, table: pd.DataFrame) -> None:
    """Mark where as many samples as weights are fitted: α1 = 1 and, for the flat model, α1 = L."""
    tokens = select(table, ["task.L"])["task.L"].unique()
    places = {1.0: r"$\alpha_1 = 1$"}
    if len(tokens) == 1:
        places[float(tokens[0])] = r"$\alpha_1 = L$"
    low, high = ax.get_xlim()
    for place, name in places.items():
        if low < place < high:
            ax.axvline(place, color="0.6", lw=0.7, ls=":", zorder=0)
            ax.annotate(
                name,
                (place, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(0, 1),
                textcoords="offset points",
                ha="center",
                va="bottom",
                color="0.4",
                fontsize=7,
            )


def _name_hidden(ax: Any, table: pd.DataFrame, loss: str) -> None:
    """Name the models whose lines lie upon each other along zero."""
    top, hidden = ax.get_ylim()[1], []
    for model in MODELS:
        where = {"call": "predict", "model": model, "training.loss": loss}
        lines = select(table, [X, "train_error"], **where)
        if len(lines) and lines["train_error"].max() < 0.01 * top:
            hidden.append(NAMES[model])
    if len(hidden) > 1:
        ax.annotate(
            "\n".join(["near zero:", *hidden]),
            (0.04, 0.0),
            xycoords=("axes fraction", "data"),
            xytext=(0, 5),
            textcoords="offset points",
            va="bottom",
            color="0.4",
            fontsize=7,
        )


def _name_lines(ax: Any, table: pd.DataFrame, loss: str, curves: Curves) -> None:
    """Write each model's name beside the end of its line, with the value it is of."""
    ends = []
    for model in MODELS:
        for value, rows, _ in _parts(table, model, loss, curves):
            lines = select(rows, [X, "test_error"], call="predict")
            if len(lines):
                last = lines.loc[lines[X].idxmax(), "test_error"]
                more = "" if value is None else f", {_name(curves.column, value)}"
                ends.append((float(last), NAMES[model] + more, COLOURS[model]))
    label_lines(ax, ends)


def _name(column: str, value: Any) -> str:
    """Write the value of a parameter in the paper's symbols."""
    symbol = SYMBOLS[column].replace("\u00a0(ridge)", "")
    return f"{symbol} = {value:g}" if isinstance(value, int | float) else f"{symbol} {value}"


def _legend(figure: Any, table: pd.DataFrame, curves: Curves) -> None:
    """Name the models above the panels; lines and dots are explained beside."""
    there = [model for model in MODELS if (table["model"] == model).any()]
    handles = [Line2D([], [], color=COLOURS[model], label=NAMES[model]) for model in there]
    place = {"loc": "upper left", "frameon": False, "columnspacing": 1.4, "handlelength": 1.6}
    figure.legend(handles=handles, bbox_to_anchor=(0.005, 1.0), ncols=len(handles), **place)
    explain(figure, table, "simulate")
    if curves.values:
        edge = {name: DOT[name] for name in ("ms", "mec", "mew")}
        handles = [
            Line2D([], [], color="0.3", label=_name(curves.column, value), **edge, **look)
            for value, look in zip(curves.values, LOOKS, strict=False)
        ]
        place |= {"handlelength": 3.0}
        inches = figure.get_size_inches()[1]
        figure.legend(handles=handles, bbox_to_anchor=(0.005, 1.0 - 0.2 / inches), ncols=4, **place)
