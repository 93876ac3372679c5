"""Length generalisation: train on sequences of L tokens, test on shorter and longer ones.

Training at L = 16, R = 1, π = ½, θ = 5; tests from L/4 to 64 L, the signal still in one token.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...experiments.comparison import compare, paired_trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Key, Legend, Panel
from ...figures.from_rows import curve, trained_length
from ...figures.marks import Dots, Line, Mark
from ...figures.reading.rows import select, signal_tokens
from ...figures.reading.validation import RowSpec, TableSpec, read_table
from ...figures.rendered import figure_of
from ...figures.style import BLACK, COLOURS, NAMES, TEXT, WHITE, blend, grey
from ...models import get_model

ORDER = 7
TITLE = "Length generalisation: trained on 16 tokens, tested on 4 to 1024"
CAPTION = (
    "Test error of classifiers trained on L = 16 tokens, on sequences of another length L′ with "
    "the signal still in one token. Lines are theory, dots trained classifiers. The query is "
    "given (cosine 0.95 with the signal) at several strengths κ. Every further noise token takes "
    "weight from the signal while the fitted threshold stays: mean pooling and weak queries come "
    "to miss every signal, an error of ½, while strong queries still find it among 64 times the "
    "number of tokens. At the training length κ = 1, 2 and 4 differ little, and on shorter "
    "sequences κ = 1 is best; κ = 0.5, whose threshold is fitted to 16 tokens, gets worse there "
    "too."
)
L = 16
TRAINING = {"alpha0": 4.0, "alpha1": 4.0, "loss": "logistic", "ridge": 1e-2}
COSINE = 0.95
KAPPAS = (0.5, 1.0, 2.0, 4.0)
TOL = 1e-3
BY = ("model", "query.kappa", "test_task.L")
QUANTITIES = ("test_error",)


def units(full: bool) -> list[Unit]:
    """Theory on a fine grid of test lengths, simulation on a coarse one."""
    d, count = (1000, 8) if full else (200, 6)
    dots = [L // 4, L, 4 * L, 16 * L, 64 * L]
    fine = np.unique(np.round(np.geomspace(L / 4, 64 * L, 31)).astype(int)).tolist()
    result = []
    places = [("attention", kappa) for kappa in KAPPAS] + [("pooled", 0.0)]
    for model, kappa in places:
        for length in sorted({*fine, *dots}):
            arguments = {**_arguments(model, kappa, length), "tol": TOL}
            result.append(Unit("predict", arguments))
    for model, kappa in places:
        for length in dots:
            arguments = _arguments(model, kappa, length)
            result += paired_trials("simulate", arguments, d, count)
    return result


def _arguments(model: str, kappa: float, length: int) -> dict[str, object]:
    result: dict[str, object]
    result = {"task": _task(L), "training": TRAINING, "model": model, "test_task": _task(length)}
    query = {"query": {"cosine": COSINE, "kappa": kappa}}
    return result | (query if get_model(model).has_query else {})


def _task(length: int) -> dict[str, object]:
    return {"L": length, "R": 1, "theta": 5.0, "pi": 0.5}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare each dot with its line."""
    if "query.kappa" in table:  # pooling has no query: it is attention at κ = 0
        table = table.assign(**{"query.kappa": table["query.kappa"].fillna(0.0)})
    return compare(table, BY, QUANTITIES)


X, Y = "test_task.L", "test_error"
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
ROWS = RowSpec((X, "model"), (Y,))
TABLE = TableSpec(
    "length",
    {"predict": ROWS, "simulate": ROWS},
    across=(X, "model", "query.kappa"),
    only={"model": ("attention", "pooled")},
)


@figure_of(TABLE)
def length(table: pd.DataFrame, ax: Any = None) -> Drawing:
    """Draw test error against test length: a line for each strength of the query, and pooling.

    The units have a ``test_task``.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "predict", "model": "attention", "task.L": 16,
    ...                       "query.kappa": 2.0, "test_task.L": [16, 64],
    ...                       "test_error": [0.03, 0.05]})
    >>> figure = figures.length(table)
    >>> figure.axes[0].lines[0].get_ydata().tolist()
    [0.03, 0.05]
    """
    table = read_table(table, TABLE)
    marks: list[Mark] = []
    for name, colour, part in _parts(table):
        lines = select(part, [X, Y], call="predict")
        marks += curve(lines, select(part, [X, Y], call="simulate"), X, Y, colour, name)
    rows = select(table, [X, Y])
    trained = rows["task.L"].dropna()[:1].tolist()
    ticks = [item * 4.0**power for item in trained for power in range(-1, 4)]
    tokens = rf"tokens of a test sequence, $L'$ {signal_tokens(rows)}"
    span = (rows[X].min() / 1.15, rows[X].max() * 1.15)
    least = min([0.05, *rows[Y][rows[Y] > 0.0]])
    panel = Panel(
        [*marks, *(mark for item in trained for mark in trained_length(item, 0.97, 4))],
        Axis(tokens, log=2, limits=span, ticks=ticks or None),
        Axis("test error", log=10, limits=(0.8 * least, 0.6), ticks=TICKS, minor="ticks"),
        "trained on one length, tested on another",
        labels_at_ends=True,
        legend=_legend(table),
    )
    return Drawing([Block([panel], 1, (0.115, 0.74, 0.145, 0.93))], (4.6, 3.1))


def _parts(table: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """List what is drawn: its name, its colour (the sharper the query the darker), its rows."""
    groups = list(select(table, ["query.kappa"], model="attention").groupby("query.kappa"))
    result = [
        (f"attention, $\\kappa = {kappa:g}$", _shade((rank + 1) / len(groups)), part)
        for rank, (kappa, part) in enumerate(groups)
    ]
    attends = select(table, [], model="attention")
    trained = attends[attends["query.kappa"].isna()]
    return [
        *result,
        (NAMES["attention"], COLOURS["attention"], trained),
        (NAMES["pooled"], COLOURS["pooled"], select(table, [], model="pooled")),
    ]


def _shade(darkness: float) -> str:
    """Mix attention's colour with white up to ¾, with black beyond."""
    if darkness < 0.75:
        return blend((COLOURS["attention"], WHITE), 1.15 * (0.75 - darkness))
    return blend((COLOURS["attention"], BLACK), 2.1 * (darkness - 0.75))


def _legend(table: pd.DataFrame) -> Legend:
    """Explain lines and dots where there are none; colours are named beside their lines."""
    dark = grey(0.3)
    sizes = select(table, ["d"], call="simulate")["d"]
    size = f", $d = {sizes.max():g}$" if len(sizes) else ""
    words = f"simulation{size}\nmean ± standard error"
    dots = Dots(colour=dark, edge=1.0, edge_colour=dark)
    keys = [Key("theory", Line(colour=dark)), Key(words, dots=dots)]
    return Legend(keys, "lower right", size=TEXT, spaces={"handlelength": 1.4})
