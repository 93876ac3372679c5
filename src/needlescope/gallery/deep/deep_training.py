"""What training finds, and when: alignment and attention over the epochs.

The trainings of `deep_errors` at α = 8.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ...deep.catalogue import ARCHITECTURES
from ...experiments.comparison import trials
from ...experiments.units.unit import Unit
from ...figures.attended import SCALE
from ...figures.drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ...figures.from_rows import dots, empty_note
from ...figures.marks import INSIDE, Cells, Dots, Line, Mark, Rule, Text
from ...figures.reading.numbered_columns import numbered_columns, row_for_each
from ...figures.reading.rows import describe_trials, means, select
from ...figures.reading.validation import RowSpec, TableSpec, read_table, refuse_empty
from ...figures.rendered import figure_of
from ...figures.style import BLACK, DASHED, grey
from ...grid import choice
from .. import deep_style as style
from .. import deep_units as base
from .deep_errors import END_RIDGES, WATCHED, at

ORDER = 21
TITLE = "What training finds, epoch by epoch"
CAPTION = (
    "Against the epoch, for one signal token of ten and α = 8. Left: the cosine with the signal "
    "of the mean gradient of the score in a signal token, which for a linear classifier is its "
    "readout. Right: that of the query itself, where there is one; the level lines are the query "
    "of two steps (theory) and of the paper's model trained to a minimum. Below: attention maps, "
    "the mean attention at each epoch (from top to bottom) on the signal token, at the left, and "
    "on the other nine tokens, the most attended first; of several heads, that of the head with "
    "most weight on the signal."
)


def units(full: bool) -> list[Unit]:
    """The watched trainings, and the queries of two steps and of a minimum with the same data."""
    size = base.Size.of(full)
    result = [base.bayes_unit(base.TASK, WATCHED)]
    arguments = base.two_step_arguments(base.TASK, WATCHED, 100.0, 1.0)
    result.append(Unit("align", {"task": base.TASK, "training": arguments["training"]}))
    for ridge in END_RIDGES:
        arguments = {
            **base.two_step_arguments(base.TASK, WATCHED, 10.0, ridge),
            "starts": 2,
            "d": size.d,
        }
        result += trials("simulate", arguments, size.trials)
    for name in base.ARCHITECTURE_NAMES:
        result += at(size, name, WATCHED)
    return result


scores = partial(base.compare_with_bayes, by=("alpha",))
X, COSINE, QUERY, MAP = "path_epochs", "path_cosine", "path_cosine_q", "path_map"
TINY = 6.4  # points, of the names above small maps
START = 0.5  # where epoch 0 is drawn, on a logarithmic axis
MINIMUM = "trained to a minimum"
MAPS = tuple(name for name in style.NAMES if ARCHITECTURES[name].attention)
COSINES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
TABLE = TableSpec(
    "deep_training",
    {
        "simulate_deep": RowSpec(("architecture", f"{X}_1"), (f"{X}_1",)),
        "align": RowSpec((), ("cosine_q",)),
        "simulate": RowSpec(("starts",), ("cosine_q",)),
    },
    across=(style.ALPHA0, style.ALPHA1, "starts", *style.ACROSS),
    only={"architecture": style.NAMES},
    reference_calls=("align", "simulate"),
)


@figure_of(TABLE)
def deep_training(table: pd.DataFrame, ax: Any = None, *, panel: str = "cosine") -> Drawing:
    """Draw the alignment with the signal over the epochs of training, and where attention goes.

    The units of "simulate_deep" are those that were watched. Level lines are "align" (two steps)
    and "simulate" with ``starts`` (trained to a minimum, with the ridge of least error).

    Parameters
    ----------
    panel : str, default "cosine"
        With ``ax``, which one: "cosine" of the gradient, "query" for that of the query, or the
        name of an architecture that attends, for its map.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "simulate_deep", "architecture": ["gru"], "alpha": 8.0,
    ...                       "path_epochs_1": 0, "path_epochs_2": 1, "path_cosine_1": 0.1,
    ...                       "path_cosine_2": 0.7})
    >>> figures.deep_training(table).axes[0].lines[0].get_ydata().tolist()
    [0.1, 0.7]
    """
    choice("panel", panel, ("cosine", "query", *MAPS))
    table = read_table(table, TABLE)
    if ax is not None:
        return single(_lone(table, panel))
    lines = [_cosines(table, COSINE), _cosines(table, QUERY)]
    maps = [name for name in MAPS if _map(table, name) is not None]
    panels = [_attention(table, name, first=name == maps[0]) for name in maps]
    text = "\n".join((describe_trials(table, "simulate_deep"), *style.count_lost(table)))
    height, low = (5.0, 0.545) if maps else (2.9, 0.16)
    blocks = [Block(lines, 2, (0.062, 0.755, low, 0.925 if maps else 0.87), (0.22, 0.2))]
    if maps:
        right = 0.062 + 0.835 * len(maps) / len(MAPS)
        blocks.append(Block(panels, len(maps), (0.062, right, 0.085, 0.375), (0.12, 0.2)))
    drawing = Drawing(blocks, (8.6, height), text, [_legend(table, lines, low)])
    return drawing if not maps else _with_bar(drawing)


def _with_bar(drawing: Drawing) -> Drawing:
    return Drawing(drawing.blocks, drawing.size, drawing.words, drawing.legends, SCALE)


def _lone(table: pd.DataFrame, panel: str) -> Panel:
    """Return one panel, or refuse a map that the table does not have."""
    if panel in ("cosine", "query"):
        return _cosines(table, COSINE if panel == "cosine" else QUERY, alone=True)
    if _map(table, panel) is None:
        refuse_empty("deep_training", f'the panel "{panel}" needs its columns {MAP}_1_1 and so on')
    return _attention(table, panel, alone=True)


def _cosines(table: pd.DataFrame, column: str, *, alone: bool = False) -> Panel:
    """Return a cosine over the epochs, a curve for each architecture."""
    rows = row_for_each(table[table["call"] == "simulate_deep"], X, column)
    rows[X] = rows[X].clip(lower=START)
    marks: list[Mark] = []
    for name in style.NAMES:
        trials = select(rows, [X, column], architecture=name)
        if len(trials):
            result = means(trials, X, column)
            marks.append(
                dots(
                    result,
                    name=style.label(name),
                    joined=style.JOIN_WIDTH,
                    **style.ARCHITECTURE_STYLES[name]._asdict(),
                )
            )
    epochs = sorted(rows[X].unique()) or [START, 1.0]
    levels = _levels(table) if column == QUERY else []
    gradient = column == COSINE
    title = "gradient of the score in a signal token" if gradient else "query"
    keys = _keys([*marks], levels)
    legend = Legend(keys, "lower right", size=6.0, spaces={"labelspacing": 0.2})
    rules = [Rule(y=y, **look, layer=-1) for _, y, look in levels]
    return Panel(
        [*rules, *marks, *empty_note(marks or levels)],
        Axis(
            "epoch", log=2, ticks=epochs,
            labels=[f"{0 if epoch < 1 else epoch:g}" for epoch in epochs],
            minor="none",
        ),
        Axis("cosine with the signal" if gradient or alone else "", limits=_span(marks)),
        title,
        legend=legend if alone else None,
    )  # fmt: skip


def _span(marks: list[Mark]) -> tuple[float, float]:
    """Return from where to where cosines are drawn: from zero, or below."""
    least = min((min(mark.y) for mark in marks if isinstance(mark, Dots)), default=0.0)
    return min(-0.03, least - 0.05), 1.03


def _levels(table: pd.DataFrame) -> list[tuple[str, float, dict[str, Any]]]:
    """Return the query's cosine after two steps, and at a minimum, with their looks."""
    result: list[tuple[str, float, dict[str, Any]]] = []
    steps = select(table, ["cosine_q"], call="align")["cosine_q"]
    if len(steps):
        result.append((style.TWO_STEPS, float(steps.mean()), {"colour": style.TWO_STEPS_COLOUR}))
    rows = select(table, ["cosine_q"], call="simulate")
    parts = [part for _, part in rows[rows["starts"] > 0].groupby(list(style.SETTINGS))]
    if parts:
        least = min(parts, key=lambda part: float(np.nan_to_num(part[style.Y].mean(), nan=1.0)))
        look = {"colour": BLACK, "dash": DASHED, "width": 1.2}
        result.append((MINIMUM, float(least["cosine_q"].mean()), look))
    return result


def _keys(marks: Sequence[Mark], levels: list[tuple[str, float, dict[str, Any]]]) -> list[Key]:
    return style.dot_keys(marks) + [Key(f"{name}, query", Line(**look)) for name, _, look in levels]


def _legend(table: pd.DataFrame, panels: list[Panel], low: float) -> Legend:
    """Name the curves of both panels, at their right."""
    marks = {mark.name: mark for panel in panels for mark in panel.marks if isinstance(mark, Dots)}
    order = [marks[style.label(name)] for name in style.NAMES if style.label(name) in marks]
    spaces = {"handlelength": 2.0, "labelspacing": 0.35}
    keys = _keys(order, _levels(table))
    return Legend(keys, "upper left", (0.763, 0.935 if low > 0.5 else 0.88), spaces=spaces)


def _map(table: pd.DataFrame, name: str) -> tuple[np.ndarray, list[float]] | None:
    """Return the mean attention at each epoch on each token, and the epochs; None without."""
    rows = select(table, [f"{X}_1"], call="simulate_deep", architecture=name)
    columns = [
        numbered_columns(rows, f"{MAP}_{k}") for k in range(1, len(numbered_columns(rows, X)) + 1)
    ]
    width = max((len(column) for column in columns), default=0)
    if not width or rows[[item for some in columns for item in some]].isna().all(axis=None):
        return None
    means_of = [rows[column].astype(float).mean().tolist() for column in columns]
    values = [item + [float("nan")] * (width - len(item)) for item in means_of]
    return np.array(values), rows[numbered_columns(rows, X)].astype(float).mean().tolist()


def _attention(
    table: pd.DataFrame, name: str, *, first: bool = False, alone: bool = False
) -> Panel:
    """Return the map of an architecture: a row for each epoch, a column for each token."""
    result = _map(table, name)
    assert result is not None
    values, epochs = result
    text = (
        style.label(name).replace(", ", ",\n")
        if "," in style.label(name)
        else textwrap.fill(style.label(name), 15)
    )
    title = Text(text, (0.0, 1.0), INSIDE, ("left", "bottom"), (0, 3), size=TINY)
    shown = first or alone
    places = list(range(len(epochs)))
    return Panel(
        [Cells(values.tolist(), SCALE, first=1), *([] if alone else [title])],
        Axis("token" if not alone else "token, the signal first", ticks=(1, values.shape[1])),
        Axis(
            "epoch" if shown else "", ticks=places if shown else (),
            labels=[f"{epoch:g}" for epoch in epochs] if shown else (),
        ),
        style.label(name) if alone else "",
        bar=SCALE if alone else None,
        back=grey(0.9),
    )  # fmt: skip
