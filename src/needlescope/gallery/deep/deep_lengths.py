"""Test errors against L, with a signal that grows as the threshold does: θ = 1.5 √(2 log L).

d = 32 and α = 16, so that the longest sequences have many more tokens than dimensions.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Drawing
from ...figures.from_rows import empty_note
from ...figures.marks import Band, Mark, Text
from ...figures.reading.rows import select
from ...figures.reading.validation import RowSpec, TableSpec, check_strengths, read_table
from ...figures.rendered import figure_of
from ...figures.style import grey
from .. import deep_style as style
from .. import deep_units as base

ORDER = 22
TITLE = "Longer sequences than dimensions"
CAPTION = (
    "Test error against the number of tokens, one of which carries a signal of θ = 1.5 √(2 log "
    "L), for d = 32 and α = 16. With a known signal the error falls with the length of the "
    "sequence, and so does the Bayes-optimal error. The shaded part has more tokens than "
    "dimensions. Lines are theory; two steps are the best of five steps and three ridges."
)
FACTOR, ALPHA, D = 1.5, 16.0, 32
DRAWN = ("solvable", "multihead", "block", "max", "gated", "gru", "convolution")
LENGTHS, LONGEST = (4, 16, 64, 256), 1024
FINE = (4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024)
SLOW = ("gru",)  # goes through the tokens one by one: the longest only at full size


def units(full: bool) -> list[Unit]:
    """Theory at many lengths, architectures at a few."""
    size = base.Size.of(full)
    result = []
    for L in FINE:
        result += [
            base.oracle_unit(task(L)),
            base.bayes_unit(task(L), ALPHA),
            *base.two_step_units(task(L), ALPHA),
        ]
    for L in (*LENGTHS, *((LONGEST,) if full else ())):
        for name in DRAWN:
            if full or name not in SLOW or max(LENGTHS) > L:
                result += base.trial_units(size, name, ALPHA, task(L), d=D, n_test=size.n_test // 2)
    return result


def task(L: int) -> dict[str, Any]:
    """Return the task of L tokens, its signal a factor above the threshold √(2 log L)."""
    theta = float(f"{FACTOR * np.sqrt(2.0 * np.log(L)):.4g}")
    return {"L": L, "R": 1, "theta": theta, "pi": 0.5}


scores = partial(base.compare_with_bayes, by=("task.L",))
X = "task.L"
ROWS = RowSpec((X,), (style.Y,))
TABLE = TableSpec(
    "deep_lengths",
    {
        "simulate_deep": RowSpec((X, "architecture"), (style.Y,)),
        "predict": ROWS,
        "bayes_optimal": ROWS,
        "oracle": RowSpec((X,), ("error",)),
    },
    across=(X, "task.theta", *style.ACROSS),
    only={"architecture": style.NAMES},
)


@figure_of(TABLE)
def deep_lengths(table: pd.DataFrame, ax: Any = None) -> Drawing:
    """Draw test errors of architectures against the number of tokens, with theory's lines.

    Where two steps have several settings, the best is drawn at each length. The part that has more
    tokens than dimensions is shaded.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "bayes_optimal", "task.L": [4, 64], "alpha": 16.0,
    ...                       "test_error": [0.1, 0.05]})
    >>> figures.deep_lengths(table).axes[0].lines[0].get_xdata().tolist()
    [4.0, 64.0]
    """
    table = read_table(table, TABLE)
    check_strengths("deep_lengths", table)
    marks: list[Mark] = [
        *style.theory_lines(table, X),
        *style.architecture_dots(table, X, style.NAMES),
    ]
    errors = style.errors_axis(marks)
    keys = [*style.theory_keys(marks), *style.dot_keys(marks)]
    x = Axis(r"tokens, $L$", log=2, plain=True, minor="none", limits=_span(table))
    shown = [*_longer(table, errors), *marks, *empty_note(marks)]
    return style.single_drawing(table, shown, x, errors, keys)


def _span(table: pd.DataFrame) -> tuple[float, float]:
    rows = table[table[style.Y].notna() | table["error"].notna()]
    return float(rows[X].min()) / 1.15, float(rows[X].max()) * 1.15


def _longer(table: pd.DataFrame, errors: Axis) -> list[Mark]:
    """Shade the part that has more tokens than dimensions, if there is one."""
    sizes = select(table, ["d"], call="simulate_deep")["d"]
    low, high = errors.limits
    if not len(sizes) or low is None or high is None or sizes.max() >= _span(table)[1]:
        return []
    d, end = float(sizes.max()), _span(table)[1]
    words = "more tokens\nthan dimensions"
    place = ((d, 0.02), ("data", "panel"), ("left", "bottom"), (4, 0))  # below all lines
    return [
        Band((d, end), (low, low), (high, high), grey(0.5), 0.1),
        Text(words, *place, grey(0.4)),
    ]
