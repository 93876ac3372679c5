"""Rare positives: test errors against the share of positives.

L = 10, R = 1, θ = 5, α = 16.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Drawing, Key
from ...figures.from_rows import empty_note, frequent_label
from ...figures.marks import Line, Mark
from ...figures.reading.validation import RowSpec, TableSpec, read_table
from ...figures.rendered import figure_of
from ...figures.style import DASHED, grey
from .. import deep_style as style
from .. import deep_units as base
from .deep_errors import TESTED, at

ORDER = 25
TITLE = "Rare positives"
CAPTION = (
    "Test error against the share of positives, α = 16, one token of ten. Nothing is reweighted: "
    "what is minimised is the mean loss of all samples. Dashed: always the more frequent label. "
    "Two steps (theory) are the paper's, best of five steps and three ridges."
)
TRAINED_SHARES = (0.02, 0.05, 0.15)
DRAWN = ("solvable", "multihead", "block", "gated", "max", "gru")


def units(full: bool) -> list[Unit]:
    """Theory at many shares, architectures at a few; those at one half are of `deep_errors`."""
    size = base.Size.of(full)
    result = []
    for pi in base.fine_grid(0.02, 0.5, 14, *TRAINED_SHARES):
        result += [
            base.oracle_unit(task(pi)),
            base.bayes_unit(task(pi), TESTED),
            *base.two_step_units(task(pi), TESTED),
        ]
    for name in DRAWN:
        for pi in TRAINED_SHARES:
            result += base.trial_units(size, name, TESTED, task(pi))
        result += at(size, name, TESTED)
    return result


def task(pi: float) -> dict[str, Any]:
    """Return the task with that share of positives."""
    return {**base.TASK, "pi": pi}


scores = partial(base.compare_with_bayes, by=("task.pi",))
X = "task.pi"
SHARE_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.9)
GUESS = "always the more frequent label"
GUESS_STYLE: dict[str, Any] = {"colour": grey(0.45), "dash": DASHED, "width": 1.0, "layer": -2}
ROWS = RowSpec((X,), (style.Y,))
TABLE = TableSpec(
    "deep_rare",
    {
        "simulate_deep": RowSpec((X, "architecture"), (style.Y,)),
        "predict": ROWS,
        "bayes_optimal": ROWS,
        "oracle": RowSpec((X,), ("error",)),
    },
    across=(X, *style.ACROSS),
    only={"architecture": style.NAMES},
)


@figure_of(TABLE)
def deep_rare(table: pd.DataFrame, ax: Any = None) -> Drawing:
    """Draw test errors of architectures against the share of positives, with theory's lines.

    Where two steps have several settings, the best is drawn at each share.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "predict", "model": "attention", "task.pi": [0.1, 0.5],
    ...                       "test_error": [0.05, 0.1]})
    >>> figures.deep_rare(table).axes[0].lines[1].get_ydata().tolist()
    [0.05, 0.1]
    """
    table = read_table(table, TABLE)
    marks: list[Mark] = [
        *style.theory_lines(table, X),
        *style.architecture_dots(table, X, style.NAMES),
    ]
    shares = table[X][table[style.Y].notna() | table["error"].notna()].astype(float)
    guess = frequent_label(shares, name=GUESS, **GUESS_STYLE)
    keys = [*style.theory_keys(marks), Key(GUESS, Line(**GUESS_STYLE)), *style.dot_keys(marks)]
    x = Axis(r"share of positives, $\pi$", log=10, ticks=SHARE_TICKS, plain=True, minor="none")
    errors = style.errors_axis([guess, *marks])
    return style.single_drawing(table, [guess, *marks, *empty_note(marks)], x, errors, keys)
