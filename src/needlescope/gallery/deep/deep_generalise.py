"""Length generalisation: trained on ten tokens, tested on 2 to 200.

The trainings of `deep_errors` at α = 16; for two steps, theory.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Drawing
from ...figures.from_rows import trained_length
from ...figures.marks import Line, Mark, numbers
from ...figures.reading.columns import listed
from ...figures.reading.numbered_columns import row_for_each
from ...figures.reading.rows import select
from ...figures.reading.validation import RowSpec, TableSpec, read_table, refuse_empty
from ...figures.rendered import figure_of
from ...grid import choice
from .. import deep_style as style
from .. import deep_units as base
from .deep_errors import LENGTHS, TESTED, at

ORDER = 23
TITLE = "Length generalisation of fuller attention: trained on 10 tokens, tested on 2 to 200"
CAPTION = (
    "Test error against the length of the test sequence, with one signal token; α = 16. Nothing "
    "is trained again: the threshold fitted to ten tokens is used for all. The blue line is "
    "theory, the paper's two steps in the setting that is best at ten tokens; the dotted one is "
    "the least error at each length with a known signal."
)


def units(full: bool) -> list[Unit]:
    """The trainings that are tested at other lengths; theory of two steps, tested likewise."""
    size = base.Size.of(full)
    result = [base.bayes_unit(base.TASK, TESTED)]
    lengths = sorted(
        {round(item) for item in base.fine_grid(2.0, 200.0, 15, *LENGTHS, base.TASK["L"])}
    )
    for length in lengths:
        tested = {**base.TASK, "L": length}
        result += [
            base.oracle_unit(tested),
            *base.two_step_units(base.TASK, TESTED, test_task=tested),
        ]
    for name in base.ARCHITECTURE_NAMES:
        result += at(size, name, TESTED)
    return result


scores = partial(base.compare_with_bayes, by=("alpha",))
TICKS_X = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
X, OWN, TESTED_COLUMN = "tested", "task.L", "test_task.L"
TABLE = TableSpec(
    "deep_generalise",
    {
        "simulate_deep": RowSpec(("architecture", OWN), (style.Y, f"{style.Y}s_1")),
        "predict": RowSpec((OWN, TESTED_COLUMN), (style.Y,)),
        "oracle": RowSpec((OWN,), ("error",)),
    },
    across=(OWN, TESTED_COLUMN, *style.ACROSS),
    only={"architecture": style.NAMES},
)


@figure_of(TABLE)
def deep_generalise(table: pd.DataFrame, ax: Any = None, *, panel: str = "paper") -> Drawing:
    """Draw test errors against the length of test sequences, all trained on one length.

    Units of "simulate_deep" have ``lengths``, those of "predict" a ``test_task``: two steps, in the
    setting that is best at the length of training.

    Parameters
    ----------
    panel : "paper", "attention" or "others", default "paper"
        With ``ax``, which one: the paper's model and linear attention; self-attention,
        transformers and gated attention; or models that do not attend.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "simulate_deep", "architecture": "max", "task.L": 10,
    ...                       "lengths": [[5, 50]], "test_error": 0.05, "test_errors_1": 0.1,
    ...                       "test_errors_2": 0.2})
    >>> curves = figures.curves("deep_generalise", table, alone=True, panel="others")
    >>> curves[["x", "y"]].values.tolist()
    [[5.0, 0.1], [10.0, 0.05], [50.0, 0.2]]
    """
    choice("panel", panel, tuple(style.FAMILIES))
    table = read_table(table, TABLE)
    length = _trained_at(table)
    lines, every = _theory(table, length), _every(table)
    marks = {
        name: style.architecture_dots(every, X, style.FAMILIES[name][1], apart=1.02)
        for name in style.FAMILIES
    }
    if ax is not None and not (marks[panel] or lines):
        refuse_empty("deep_generalise", f'the panel "{panel}" has no rows')
    x = Axis(r"tokens of a test sequence, $L'$", log=10, ticks=TICKS_X, plain=True, minor="none")
    around = [] if length is None else trained_length(length, 0.985, 3)
    given = (table, lines, marks, x, around, "lower right")
    return style.family_drawing(*given, panel=panel if ax is not None else "")


def _trained_at(table: pd.DataFrame) -> float | None:
    """Return the length of training, of which there is one; None if the table has none."""
    rows = table[table["call"].isin(("simulate_deep", "predict"))]
    result = sorted(float(item) for item in select(rows, [OWN])[OWN].unique())
    if len(result) > 1:
        raise ValueError(
            f"figures.deep_generalise draws a single task.L of training, got {listed(result)}; "
            f'select one, as table[(table["call"] == "oracle") | (table["{OWN}"] == {result[0]!r})]'
        )
    return result[0] if result else None


def _every(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each length at which a training was tested, its own included."""
    rows = table[table["call"] == "simulate_deep"]
    own = rows.assign(**{X: rows[OWN]})
    if "lengths" not in rows:
        return own
    asked = [item if isinstance(item, Sequence) else () for item in rows["lengths"]]
    columns = {
        f"{X}_{k + 1}": [item[k] if k < len(item) else np.nan for item in asked]
        for k in range(max(map(len, asked), default=0))
    }
    others = row_for_each(rows.assign(**columns), X, f"{style.Y}s")
    return pd.concat([own, others.assign(**{style.Y: others[f"{style.Y}s"]})], ignore_index=True)


def _theory(table: pd.DataFrame, length: float | None) -> list[Mark]:
    """Return two steps, in the setting that is best where it was trained, and the known signal."""
    result: list[Mark] = []
    known = select(table, [OWN, "error"], call="oracle").sort_values(OWN)
    if len(known):
        points = numbers(known[OWN]), numbers(known["error"])
        result.append(Line(*points, name=style.SIGNAL_KNOWN, layer=-1, **style.KNOWN_STYLE))
    rows = select(style.of_attention(table, "predict"), [TESTED_COLUMN, style.Y])
    if len(rows):
        far = (np.log(rows[TESTED_COLUMN].astype(float)) - np.log(length or 1.0)).abs()
        near = rows[far == far.min()]
        setting = near.loc[near[style.Y].astype(float).idxmin(), list(style.SETTINGS)]
        line = rows[(rows[list(style.SETTINGS)] == setting).all(axis=1)].sort_values(TESTED_COLUMN)
        result.append(
            Line(
                numbers(line[TESTED_COLUMN]),
                numbers(line[style.Y]),
                style.TWO_STEPS_COLOUR,
                style.TWO_STEPS,
            )
        )
    return result
