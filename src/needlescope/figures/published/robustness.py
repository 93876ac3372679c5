"""The errors of attention and of pooling under other laws of the noise."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from ...grid import choice
from ..marks import DOT, make_room, means, note, select
from ..reading import Draws, Rows, nothing, read
from ..style import COLOURS, NAMES, RC

X = "training.alpha1"
MODELS = ("attention", "pooled")
QUANTITIES = {
    "test_error": r"test error, $E_{\mathrm{test}}$",
    "train_loss": r"training loss, $\mathcal{L}_{\mathrm{train}}$",
    "train_error": r"training error, $E_{\mathrm{train}}$",
}
EDGE = {name: DOT[name] for name in ("ms", "mec", "mew")}
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
LEGEND = {"frameon": False, "fontsize": 7, "labelspacing": 0.25, "borderaxespad": 0.0}
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
    choice("model", model, MODELS)
    table = read(table, DRAWS, ax)
    table = table.assign(law=[_law(*row) for row in table[list(NOISE)].itertuples(index=False)])
    odd = table[~table.law.isin(list(LAWS))]
    if len(odd):
        known = "; ".join(LAWS)
        raise ValueError(
            f"figures.robustness draws noise of the laws {known}, got {odd.law.iloc[0]}; leave "
            "those rows out"
        )
    if ax is not None and not len(select(table, [X, "test_error"], model=model)):
        nothing("robustness", f"no test_error of {model}")
    with plt.rc_context(RC):
        if ax is not None:
            _panel(ax, table, model, "test_error")
            ax.set_xlabel(r"readout samples per dimension, $\alpha_1$")
            make_room(ax, ax.legend(handles=_handles(table), loc="upper right", **LEGEND))
            return ax.figure
        figure, panels = plt.subplots(2, 3, figsize=(7.0, 4.4), sharex=True)
        figure.subplots_adjust(
            left=0.085, right=0.965, bottom=0.1, top=0.82, wspace=0.42, hspace=0.3
        )
        for row, one in zip(panels, MODELS, strict=True):
            for panel, name in zip(row, QUANTITIES, strict=True):
                note(panel, _panel(panel, table, one, name))
        for panel in panels[-1]:
            panel.set_xlabel(r"readout samples per dimension, $\alpha_1$")
        figure.legend(handles=_handles(table), loc="upper center", ncols=3, frameon=False)
    return figure


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


def _panel(ax: Any, table: pd.DataFrame, model: str, name: str) -> bool:
    """Draw one quantity of one classifier, theory's line and the dots of each law, if there are."""
    lines = select(table, [X, name], call="predict", model=model).sort_values(X)
    ax.plot(lines[X].astype(float), lines[name].astype(float), color=COLOURS[model])
    drawn = bool(len(lines))
    for rank, (law, (colour, marker)) in enumerate(LAWS.items()):
        trials = select(table, [X, name], call="simulate", model=model, law=law)
        if len(trials):
            drawn = True
            dots = means(trials, X, name)
            aside = dots["x"] * APART ** (rank - (len(LAWS) - 1) / 2)
            look = {**DOT, "fmt": marker, "color": colour}
            ax.errorbar(aside, dots["mean"], yerr=dots["se"], **look)
    ax.set_xscale("log", base=2)
    ticks = sorted(select(table, [X], call="simulate")[X].unique())
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_ylim(bottom=0.0)
    ax.set_ylabel(QUANTITIES[name])
    ax.set_title(NAMES[model], loc="left", color=COLOURS[model])
    return drawn


def _handles(table: pd.DataFrame) -> list[Line2D]:
    """Explain lines and dots, as far as the table has them."""
    sizes = select(table, ["d"], call="simulate")["d"]
    size = f"$d = {sizes.max():g}$, " if len(sizes) else ""
    handles = [Line2D([], [], color="0.3", label="theory, Gaussian noise")]
    seen = set(select(table, ["law"], call="simulate")["law"])
    for law, (colour, marker) in LAWS.items():
        if law in seen:
            look = {"color": colour, "marker": marker, "ls": "none", **EDGE}
            name = f"simulation, {size}{law}" if law == GAUSSIAN else law
            handles.append(Line2D([], [], label=name, **look))
    return handles
