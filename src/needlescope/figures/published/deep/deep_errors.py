"""Test errors of fuller attention against all samples, beside two steps and what is possible."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ....grid import choice
from ...curves import dots, note
from ...drawing import Axis, Block, Drawing, Key, Panel, single
from ...drawn import drawn
from ...marks import Dots, Mark, Rule, numbers
from ...reading.door import Draws, Rows, nothing, read
from ...reading.rows import select
from ...style import BLACK
from .looks import (
    ALPHA0,
    ALPHA1,
    GROUPS,
    JOINED,
    KNOWN,
    NAMES,
    SETTINGS,
    TWO,
    Y,
    above,
    below,
    best,
    by_attention,
    dot_keys,
    errors_axis,
    inside,
    theory,
    theory_keys,
    told,
    trained,
    unnamed,
)

X = "total"
AMOUNTS = tuple(2.0**k for k in range(-6, 15))
XLABEL = r"all samples per dimension, $\alpha$"
SIMULATED = "the same, two steps (simulation)"
MINIMUM = "the same, trained to a minimum"
TRAINED = Rows((ALPHA0, ALPHA1), (Y,))
DRAWS = Draws(
    "deep_errors",
    {
        "simulate_deep": Rows(("architecture", "alpha"), (Y,)),
        "simulate": TRAINED,
        "predict": TRAINED,
        "bayes_optimal": Rows(("alpha",), (Y,)),
        "oracle": Rows((), ("error",)),
    },
    across=("alpha", ALPHA0, ALPHA1, *SETTINGS, "model", "architecture", "starts", "lengths"),
    only={"architecture": NAMES},
)


def deep_errors(table: pd.DataFrame, ax: Any = None, *, panel: str = "paper") -> Any:
    """Draw test errors of architectures against all samples, with theory's lines.

    Where two steps were asked with several settings (steps on the query, ridges), and training to a
    minimum with several ridges, the best is drawn at each amount of data.

    Parameters
    ----------
    table : DataFrame
        Units as `Store.to_pandas` gives them: dots with standard errors for "simulate_deep" and for
        "simulate" (two steps; to a minimum where it has ``starts``), lines for "predict",
        "bayes_optimal" and "oracle". What is missing is left out; trainings that diverged are
        counted in words.
    ax : matplotlib axes, optional
        Axes to draw a single panel into; a figure of its own with all by default.
    panel : "paper", "attention" or "others", default "paper"
        With ``ax``, which one: the paper's model and linear attention; self-attention,
        transformers and gated attention; or models that do not attend.

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
    >>> table = pd.DataFrame({"call": "simulate_deep", "architecture": "gru", "alpha": [1.0, 8.0],
    ...                       "d": 50, "test_error": [0.4, 0.1]})
    >>> [text.get_text() for text in figures.deep_errors(table).axes[2].get_legend().get_texts()]
    ['recurrent (GRU)']
    """
    return drawn(ax, deep_errors_series, table, alone=ax is not None, panel=panel)


def deep_errors_series(
    table: pd.DataFrame, *, alone: bool = False, panel: str = "paper"
) -> Drawing:
    """Return what `deep_errors` draws: all panels, or one of them alone."""
    choice("panel", panel, tuple(GROUPS))
    table = _with_total(read(table, DRAWS))
    lines, floors = theory(table, X, level=True), _floors(table)
    marks = {name: _dots(table, name) for name in GROUPS}
    every = [*lines, *(one for some in marks.values() for one in some)]
    errors = errors_axis(every, [one.y for one in floors if one.y is not None])
    keys = theory_keys(lines, known=bool(floors))
    if alone:
        if not (marks[panel] or lines or floors):
            nothing("deep_errors", f'the panel "{panel}" has no rows')
        return single(_panel([*floors, *lines], marks[panel], panel, errors, keys))
    panels = [_panel([*floors, *lines], marks[name], name, errors) for name in GROUPS]
    block = Block(panels, 3, (0.062, 0.99, 0.335, 0.865), (0.17, 0.2))
    return Drawing([block], (8.6, 4.1), told(table), above(keys, 0.05))


def _with_total(table: pd.DataFrame) -> pd.DataFrame:
    """Add all samples per dimension, of query and readout or of a learner."""
    return table.assign(**{X: (table[ALPHA0] + table[ALPHA1]).fillna(table["alpha"])})


def _floors(table: pd.DataFrame) -> list[Rule]:
    """Return the level of those who know the signal."""
    known = select(table, ["error"], call="oracle")["error"]
    return [Rule(y=one, layer=-1, **KNOWN) for one in numbers(known.unique())]


def _dots(table: pd.DataFrame, group: str) -> list[Dots]:
    """Return what is trained, in a panel; the paper's model in other ways as well."""
    found = trained(table, X, GROUPS[group][1], apart=1.025)
    if group == "paper":
        rows = select(by_attention(table, "simulate"), [X, Y])
        steps, minimum = rows[rows["starts"] == 0], rows[rows["starts"] > 0]
        if len(steps):
            look: dict[str, Any] = {"marker": "^", "size": 4.4}
            found.insert(1, dots(best(steps, X), TWO, SIMULATED, **look))
        if len(minimum):
            look = {"marker": "D", "joined": JOINED, "size": 3.2}
            found.insert(1, dots(best(minimum, X), BLACK, MINIMUM, **look))
    return found


def _panel(
    lines: list[Mark], marks: list[Dots], group: str, errors: Axis, keys: list[Key] | None = None
) -> Panel:
    own = dot_keys(marks)
    first = keys is not None or group == next(iter(GROUPS))
    return Panel(
        [*lines, *marks, *note([*lines, *marks])],
        Axis(XLABEL, log=2, ticks=AMOUNTS, plain=True, minor="none"),
        errors if first else unnamed(errors),
        GROUPS[group][0],
        legend=below(own, 0.215) if keys is None else inside([*keys, *own]),
    )
