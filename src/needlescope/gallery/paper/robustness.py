"""The errors against the amount of data when the noise is not the theory's.

L = 10, R = 1, π = ½, θ = 5, logistic loss, ridge 1e-2, the query trained on α0 = 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import compare, trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ...figures.from_rows import curve, dots, empty_note
from ...figures.marks import Dots, Line
from ...figures.reading.rows import means, select
from ...figures.reading.validation import RowSpec, TableSpec, read_table, refuse_empty
from ...figures.rendered import figure_of
from ...figures.style import COLOURS, NAMES, TEXT, grey
from ...grid import choice
from .errors import QUANTITIES

ORDER = 9
TITLE = "Noise that is not the theory's"
CAPTION = (
    "Test error, training loss and training error of attention (query trained on α0 = 4) and of "
    "mean pooling, when the noise has other laws than the independent Gaussian entries of the "
    "theory (line). Entries ±1 or with heavy tails, of the same variance, do not change pooling, "
    "which averages over dimensions and tokens. They do not change attention either, but for a "
    "slightly larger error under the heaviest tails (Student, 3 degrees of freedom). Correlation "
    "between neighbouring tokens (½, decaying geometrically) does matter: the noise no longer "
    "averages out over tokens. The test error of pooling grows by about ten percentage points, "
    "that of attention, which attends to few tokens, by about one. Correlation between "
    "neighbouring dimensions (also ½) helps once there are data to learn it from (α1 of 1 and "
    "more), since the noise concentrates in some directions and the readout can rely on the "
    "others: at α1 = 4 and 8 the test error of attention is halved, that of pooling is five "
    "percentage points lower."
)
TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
ALPHA0, RIDGE = 4.0, 1e-2
MODELS = ("attention", "pooled")
GAUSSIAN = {"entries": "gaussian"}
OTHERS: tuple[dict[str, Any], ...] = (
    {"entries": "rademacher"},
    {"entries": "student", "df": 5.0},
    {"entries": "student", "df": 3.0},
    {"entries": "gaussian", "token_correlation": 0.5},
    {"entries": "gaussian", "covariance_decay": 0.5},
)
CORRELATED = ("noise.token_correlation", "noise.covariance_decay")
BY = ("model", "training.alpha1")


def units(full: bool) -> list[Unit]:
    """Theory of Gaussian noise on a fine grid of α1, simulation of every law on a coarse one."""
    d, count, n_test = (1000, 8, 10000) if full else (200, 6, 4000)
    fine = np.round(np.geomspace(0.5, 8.0, 25), 3).tolist()
    dots = [0.5, 1.0, 2.0, 4.0, 8.0]
    result = []
    for model in MODELS:
        result += [Unit("predict", _arguments(model, alpha1)) for alpha1 in sorted({*fine, *dots})]
    for noise in (GAUSSIAN, *OTHERS):
        for model in MODELS:
            for alpha1 in dots:
                arguments = {**_arguments(model, alpha1), "noise": noise, "n_test": n_test}
                # Only Gaussian noise has a theory; a smaller d measures what finite d adds to it.
                scored = noise == GAUSSIAN
                for size in (d, d // 2) if scored else (d,):
                    result += trials("simulate", {**arguments, "d": size}, 32 if scored else count)
    return result


def _arguments(model: str, alpha1: float) -> dict[str, Any]:
    training = {"alpha0": ALPHA0, "alpha1": alpha1, "loss": "logistic", "ridge": RIDGE}
    return {"task": TASK, "training": training, "model": model}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare the dots of Gaussian noise with their lines; no theory speaks of the other laws."""
    if "noise.entries" not in table:
        return compare(table.iloc[:0], BY, tuple(QUANTITIES))
    gaussian = table["noise.entries"] == "gaussian"
    for name in CORRELATED:
        if name in table:
            gaussian &= table[name].fillna(0.0) == 0.0
    return compare(table[gaussian | (table.call == "predict")], BY, tuple(QUANTITIES))


X = "training.alpha1"
XLABEL = r"readout samples per dimension, $\alpha_1$"
GAUSSIAN_LABEL = "Gaussian"
CORRELATED_LABEL = "Gaussian, correlated tokens (½)"
COVARIED = "Gaussian, correlated dimensions (½)"
# Lines have the models' colours; dots a colour and a shape for each law, none of them a model's.
LAWS = {
    GAUSSIAN_LABEL: ("#000000", "o"),
    "±1": ("#56B4E9", "s"),
    "Student, 5 d.o.f.": ("#E69F00", "^"),
    "Student, 3 d.o.f.": ("#CC79A7", "v"),
    CORRELATED_LABEL: ("#999933", "D"),
    COVARIED: ("#882255", ">"),
}
NOISE = ("noise.entries", "noise.df", "noise.token_correlation", "noise.covariance_decay")
SPACES = {"labelspacing": 0.25, "borderaxespad": 0.0}
ROWS = RowSpec((X, "model"), tuple(QUANTITIES))
TABLE = TableSpec(
    "robustness",
    {"predict": ROWS, "simulate": ROWS},
    across=(X, "model", *NOISE),
    only={"model": MODELS},
)
HALF = 0.5  # the correlation that two of the laws are named after
APART = 1.05  # neighbouring dots at one α1 stand this factor from each other


@figure_of(TABLE)
def robustness(table: pd.DataFrame, ax: Any = None, *, model: str = "attention") -> Drawing:
    """Draw the three errors against α1 under each law of the noise, for both classifiers.

    The laws of the noise are those of the published figure; lines are Gaussian noise. Dots at one
    α1 are drawn side by side.

    Parameters
    ----------
    ax : matplotlib axes, optional
        Axes to draw one test error into, and nothing else; a figure of its own by default.
    model : "attention" or "pooled", default "attention"
        With ``ax``, whose test error.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": ["predict", "predict", "simulate"], "model": "pooled",
    ...                       "training.alpha1": [1.0, 2.0, 2.0], "test_error": [0.4, 0.3, 0.35],
    ...                       "noise.entries": [None, None, "rademacher"], "d": 100})
    >>> len(figures.robustness(table).axes)
    6
    """
    choice("model", model, MODELS)
    table = read_table(table, TABLE)
    table = table.assign(law=[_law(*row) for row in table[list(NOISE)].itertuples(index=False)])
    odd = table[~table.law.isin(list(LAWS))]
    if len(odd):
        known = "; ".join(LAWS)
        raise ValueError(
            f"figures.robustness draws noise of the laws {known}, got {odd.law.iloc[0]}; leave "
            "those rows out"
        )
    if ax is not None:
        if not len(select(table, [X, "test_error"], model=model)):
            refuse_empty("robustness", f"no test_error of {model}")
        legend = Legend(_keys(table), room=True, spaces=SPACES)
        return single(_panel(table, model, "test_error", XLABEL, legend))
    panels = [
        _panel(table, model, name, XLABEL if model == MODELS[-1] else "")
        for model in MODELS
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
        return (
            CORRELATED_LABEL
            if correlation == HALF
            else f"Gaussian, tokens correlated {correlation:g}"
        )
    if decay:
        return COVARIED if decay == HALF else f"Gaussian, dimensions correlated {decay:g}"
    return GAUSSIAN_LABEL


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
        [*marks, *empty_note(marks)],
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
            name = f"simulation, {size}{law}" if law == GAUSSIAN_LABEL else law
            keys.append(Key(name, dots=Dots(colour=colour, marker=marker)))
    return keys
