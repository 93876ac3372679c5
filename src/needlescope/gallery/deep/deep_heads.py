"""How many heads are needed where positives carry one of several signals.

L = 10, R = 1, θ = 5, π = ½, α = 16: one, two or four orthogonal signals, equally frequent.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ...figures.from_rows import BAYES_KEY, dots, empty_note
from ...figures.marks import Dots, Line, Rule
from ...figures.reading.columns import is_missing
from ...figures.reading.rows import means, select
from ...figures.reading.validation import RowSpec, TableSpec, read_table, refuse_empty
from ...figures.rendered import figure_of
from ...figures.style import BAYES_COLOUR, DASHED, grey
from ...grid import choice
from .. import deep_style as style
from .. import deep_units as base

ORDER = 24
TITLE = "Heads against signals"
CAPTION = (
    "Test error against the number of heads, where positives carry one of one, two or four "
    "orthogonal signals, equally frequent; one token of ten, α = 16. Left: one layer of "
    "self-attention; right: a transformer block. Dashed, in the colour of the same number of "
    "signals: the least error of a single query with a readout, both chosen knowing the signals "
    "(theory). Thin: the Bayes-optimal error with one signal."
)
ALPHA = 16.0
SIGNAL_COUNTS, HEADS = (1, 2, 4), (1, 2, 4, 8)
KINDS = ("multihead", "block")


def units(full: bool) -> list[Unit]:
    """Self-attention of 1 to 8 heads for each number of signals, and what one query could reach."""
    size = base.Size.of(full)
    result = [base.bayes_unit(base.TASK, ALPHA)]
    several = [task(signals) for signals in SIGNAL_COUNTS if signals > 1]
    result += [Unit("best_query", {"task": item}) for item in several]
    for name in KINDS:
        for signals in SIGNAL_COUNTS:
            for heads in HEADS:
                result += base.trial_units(size, name, ALPHA, task(signals), heads=heads)
    return result


def task(signals: int) -> dict[str, Any]:
    """Return the task with that number of signals."""
    return base.TASK if signals == 1 else {**base.TASK, "signals": [1.0 / signals] * signals}


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Compare those of one signal with the Bayes-optimal error, which is not known for more."""
    item = table[table["task.signals"].isna()] if "task.signals" in table else table
    return base.compare_with_bayes(item, ("alpha",))


X, SIGNALS = "heads", "signals"
PANELS = ("multihead", "block")
SIGNAL_COUNT_STYLES = {
    1: ("#332288", "o"),
    2: ("#44AA99", "s"),
    4: ("#CC6677", "D"),
}  # by the number of signals
OTHER = ("#999933", "^")
ONE_QUERY = "one query that knows the\nsignals (theory), as coloured"
TABLE = TableSpec(
    "deep_heads",
    {
        "simulate_deep": RowSpec(("architecture", X), (style.Y,)),
        "best_query": RowSpec(("task.signals",), ("error",)),
        "bayes_optimal": RowSpec((), (style.Y,)),
    },
    across=("architecture", "heads", "task.signals", "model", "lengths"),
    only={"architecture": PANELS},
    reference_calls=("bayes_optimal",),
)


@figure_of(TABLE)
def deep_heads(table: pd.DataFrame, ax: Any = None, *, panel: str = "multihead") -> Drawing:
    """Draw test errors against the number of heads, a curve for each number of signals.

    Dashed levels are "best_query", what a single query can reach; a thin one is Bayes-optimal, with
    one signal.

    Parameters
    ----------
    panel : "multihead" or "block", default "multihead"
        With ``ax``, which one: a layer of self-attention, or a transformer block.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "simulate_deep", "architecture": "multihead", "alpha": 32.0,
    ...                       "task.signals": [[0.5, 0.5]] * 2, "heads": [1, 2],
    ...                       "test_error": [0.1, 0.05]})
    >>> figures.curves("deep_heads", table, alone=True)[["label", "x", "y"]].values.tolist()
    [['2 signals', 1.0, 0.1], ['2 signals', 2.0, 0.05]]
    """
    choice("panel", panel, PANELS)
    table = _counted(read_table(table, TABLE))
    levels = [*_limit(table), *_single(table)]
    marks = {name: _dots(table, name) for name in PANELS}
    heights = [level.y for level in levels if level.y is not None]
    errors = style.errors_axis([item for some in marks.values() for item in some], heights)
    if ax is not None:
        if not (marks[panel] or levels):
            refuse_empty("deep_heads", f'the panel "{panel}" has no rows')
        legend = style.legend_inside(_keys(table, marks[panel]), room=True)
        return single(_panel(levels, marks[panel], panel, errors, legend))
    first, second = PANELS
    legend = style.legend_beside(_keys(table, [item for some in marks.values() for item in some]))
    panels = [
        _panel(levels, marks[first], first, errors),
        _panel(levels, marks[second], second, style.unnamed(errors), legend),
    ]
    block = Block(panels, 2, (0.075, 0.72, 0.15, 0.83), (0.2, 0.2))
    return Drawing([block], (7.8, 3.0), style.describe_table(table))


def _counted(table: pd.DataFrame) -> pd.DataFrame:
    """Add the number of signals: one where there is no list of them."""
    given: Any = table["task.signals"] if "task.signals" in table else [None] * len(table)
    counts = [1 if is_missing(item) else len(item) for item in given]
    return table.assign(**{SIGNALS: counts})


def _look(signals: int) -> dict[str, Any]:
    """Return the colour and the dots of a number of signals."""
    colour, marker = SIGNAL_COUNT_STYLES.get(signals, OTHER)
    return {"colour": colour, "marker": marker}


def _named(signals: int) -> str:
    return "1 signal" if signals == 1 else f"{signals} signals"


def _dots(table: pd.DataFrame, name: str) -> list[Dots]:
    """Return a curve for each number of signals."""
    rows = select(table, [X, style.Y], call="simulate_deep", architecture=name)
    return [
        dots(
            means(part, X, style.Y),
            name=_named(int(signals)),
            joined=style.JOIN_WIDTH,
            **_look(int(signals)),
        )
        for signals, part in rows.groupby(SIGNALS)
    ]


def _single(table: pd.DataFrame) -> list[Rule]:
    """Return what one query can reach, for each number of signals."""
    rows = select(table, ["error"], call="best_query").astype({"error": float})
    return [
        Rule(y=float(y), colour=_look(int(n))["colour"], dash=DASHED, width=1.1, layer=-1)
        for n, y in rows.groupby(SIGNALS)["error"].mean().items()
    ]


def _limit(table: pd.DataFrame) -> list[Rule]:
    """Return the Bayes-optimal error with one signal."""
    rows = select(table, [style.Y], call="bayes_optimal", signals=1)[style.Y].astype(float)
    return [Rule(y=float(y), colour=BAYES_COLOUR, width=0.9, layer=-1) for y in rows.unique()]


def _panel(
    levels: list[Rule], marks: list[Dots], name: str, errors: Axis, legend: Legend | None = None
) -> Panel:
    heads = sorted({x for mark in marks for x in mark.x})
    return Panel(
        [*levels, *marks, *empty_note([*levels, *marks])],
        Axis("heads", log=2, ticks=heads or None, plain=True, minor="none", limits=_span(heads)),
        errors,
        "one layer of self-attention" if name == "multihead" else style.label(name),
        legend=legend,
    )


def _span(heads: list[float]) -> tuple[float, float]:
    return (min(heads) / 1.25, max(heads) * 1.25) if heads else (0.8, 10.0)


def _keys(table: pd.DataFrame, marks: list[Dots]) -> list[Key]:
    ordered = sorted(marks, key=lambda item: item.name)
    keys = style.dot_keys(ordered)
    dark = grey(0.3)
    if len(select(table, ["error"], call="best_query")):
        keys.append(Key(ONE_QUERY, Line(colour=dark, dash=DASHED, width=1.1)))
    if len(select(table, [style.Y], call="bayes_optimal", signals=1)):
        keys.append(Key(f"{BAYES_KEY.name},\none signal", BAYES_KEY.line))
    return keys
