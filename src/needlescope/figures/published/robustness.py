"""The errors of attention and of pooling under other laws of the noise."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...grid import choice
from ..curves import curve, dots, note
from ..drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ..drawn import drawn
from ..marks import Dots, Line
from ..reading.door import Draws, Rows, nothing, read
from ..reading.rows import means, select
from ..style import COLOURS, NAMES, TEXT, grey

X = "training.alpha1"
XLABEL = r"readout samples per dimension, $\alpha_1$"
MODELS = ("attention", "pooled")
QUANTITIES = {
    "test_error": r"test error, $E_{\mathrm{test}}$",
    "train_loss": r"training loss, $\mathcal{L}_{\mathrm{train}}$",
    "train_error": r"training error, $E_{\mathrm{train}}$",
}
GAUSSIAN = "Gaussian"
CORRELATED = "Gaussian, correlated tokens (½)"
COVARIED = "Gaussian, correlated dimensions (½)"
# Lines have the models' colours; dots a colour and a shape for each law, none of them a model's.
LAWS = {
    GAUSSIAN: ("#000000", "o"),
    "±1": ("#56B4E9", "s"),
    "Student, 5 d.o.f.": ("#E69F00", "^"),
    "Student, 3 d.o.f.": ("#CC79A7", "v"),
    CORRELATED: ("#999933", "D"),
    COVARIED: ("#882255", ">"),
}
NOISE = ("noise.entries", "noise.df", "noise.token_correlation", "noise.covariance_decay")
SPACES = {"labelspacing": 0.25, "borderaxespad": 0.0}
ROWS = Rows((X, "model"), tuple(QUANTITIES))
DRAWS = Draws(
    "robustness",
    {"predict": ROWS, "simulate": ROWS},
    across=(X, "model", *NOISE),
    only={"model": MODELS},
)
HALF = 0.5  # the correlation that two of the laws are named after
APART = 1.05  # neighbouring dots at one α1 stand this factor from each other


def robustness(table: pd.DataFrame, ax: Any = None, *, model: str = "attention") -> Any:
    """Draw the three errors against α1 under each law of the noise, for both classifiers.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "predict" and "simulate", as `Store.to_pandas` gives them: a line for the
        rows of "predict" (Gaussian noise), a dot with its standard error for the trials of
        "simulate", whose laws of the noise are those of the experiment "robustness". Dots at one
        α1 are drawn side by side.
    ax : matplotlib axes, optional
        Axes to draw one test error into, and nothing else; a figure of its own by default.
    model : "attention" or "pooled", default "attention"
        With ``ax``, whose test error.

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
    >>> table = pd.DataFrame({"call": ["predict", "predict", "simulate"], "model": "pooled",
    ...                       "training.alpha1": [1.0, 2.0, 2.0], "test_error": [0.4, 0.3, 0.35],
    ...                       "noise.entries": [None, None, "rademacher"], "d": 100})
    >>> len(figures.robustness(table).axes)
    6
    """
    return drawn(ax, robustness_series, table, alone=ax is not None, model=model)


def robustness_series(
    table: pd.DataFrame, *, alone: bool = False, model: str = "attention"
) -> Drawing:
    """Return what `robustness` draws: three errors of both classifiers, or one test error alone."""
    choice("model", model, MODELS)
    table = read(table, DRAWS)
    table = table.assign(law=[_law(*row) for row in table[list(NOISE)].itertuples(index=False)])
    odd = table[~table.law.isin(list(LAWS))]
    if len(odd):
        known = "; ".join(LAWS)
        raise ValueError(
            f"figures.robustness draws noise of the laws {known}, got {odd.law.iloc[0]}; leave "
            "those rows out"
        )
    if alone:
        if not len(select(table, [X, "test_error"], model=model)):
            nothing("robustness", f"no test_error of {model}")
        legend = Legend(_keys(table), room=True, spaces=SPACES)
        return single(_panel(table, model, "test_error", XLABEL, legend))
    panels = [
        _panel(table, one, name, XLABEL if one == MODELS[-1] else "")
        for one in MODELS
        for name in QUANTITIES
    ]
    return Drawing(
        [Block(panels, 3, (0.085, 0.965, 0.1, 0.82), (0.42, 0.3))],
        (7.0, 4.4),
        legends=[Legend(_keys(table), "upper center", columns=3, size=TEXT)],
        share_x=True,
    )


def _law(entries: str, df: float, correlation: float, decay: float) -> str:
    """Name a law of the noise; theory's is Gaussian."""
    if entries == "student":
        return f"Student, {df:g} d.o.f."
    if entries == "rademacher":
        return "±1"
    if correlation and decay:
        return "Gaussian, correlated tokens and dimensions"
    if correlation:
        return CORRELATED if correlation == HALF else f"Gaussian, tokens correlated {correlation:g}"
    if decay:
        return COVARIED if decay == HALF else f"Gaussian, dimensions correlated {decay:g}"
    return GAUSSIAN


def _panel(
    table: pd.DataFrame, model: str, name: str, words: str, legend: Legend | None = None
) -> Panel:
    """Return one quantity of one classifier: theory's line, and the dots of each law."""
    lines = select(table, [X, name], call="predict", model=model)
    marks = curve(lines, lines[:0], X, name, COLOURS[model], NAMES[model])
    for rank, (law, (colour, marker)) in enumerate(LAWS.items()):
        trials = select(table, [X, name], call="simulate", model=model, law=law)
        if len(trials):
            aside = APART ** (rank - (len(LAWS) - 1) / 2)
            marks.append(dots(means(trials, X, name), colour, law, aside=aside, marker=marker))
    ticks = sorted(select(table, [X], call="simulate")[X].unique())
    return Panel(
        [*marks, *note(marks)],
        Axis(words, log=2, ticks=ticks, minor="none"),
        Axis(QUANTITIES[name], limits=(0.0, None)),
        NAMES[model],
        title_colour=COLOURS[model],
        legend=legend,
    )


def _keys(table: pd.DataFrame) -> list[Key]:
    """Explain lines and dots, as far as the table has them."""
    sizes = select(table, ["d"], call="simulate")["d"]
    size = f"$d = {sizes.max():g}$, " if len(sizes) else ""
    keys = [Key("theory, Gaussian noise", Line(colour=grey(0.3)))]
    seen = set(select(table, ["law"], call="simulate")["law"])
    for law, (colour, marker) in LAWS.items():
        if law in seen:
            name = f"simulation, {size}{law}" if law == GAUSSIAN else law
            keys.append(Key(name, dots=Dots(colour=colour, marker=marker)))
    return keys
