"""Test errors against samples: every architecture, the paper's two steps, and what is possible.

L = 10, R = 1, θ = 5, π = ½. All samples count, also those that are held out.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from ...experiments.comparison import trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Drawing
from ...figures.from_rows import trial_dots
from ...figures.marks import Dots, Rule, numbers
from ...figures.reading.rows import TOTAL, select, with_total
from ...figures.reading.validation import RowSpec, TableSpec, read_table, refuse_empty
from ...figures.rendered import figure_of
from ...figures.style import BLACK
from ...grid import choice
from .. import deep_style as style
from .. import deep_units as base

ORDER = 20
TITLE = "Fuller attention trained by Adam, beside the Bayes-optimal error"
CAPTION = (
    "Test error against all samples per dimension, held-out ones included, for one signal token "
    "of ten. Dots are classifiers trained end to end by Adam, all in the same way: a fifth of "
    "the samples is held out to stop and to choose the learning rate. Lines are theory: the "
    "Bayes-optimal error, a replica-symmetric formula; the paper's two steps (half of the data "
    "each, best of five steps and three ridges), as d → ∞; and the least error with a known "
    "signal. Left: the paper's model by Adam, by its two steps at the same d, and trained to a "
    "minimum (L-BFGS, best of two ridges), and linear attention. Middle: self-attention, "
    "transformers, gated attention. Right: models without attention."
)
ALPHAS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
WATCHED, TESTED = 8.0, 16.0  # α at which trainings are watched, and tested at other lengths
LENGTHS = (2, 5, 20, 50, 100, 200)
END_RIDGES = (0.03, 0.1)  # of training end to end to a minimum


def units(full: bool) -> list[Unit]:
    """Theory on a fine grid, all architectures on a coarse one; two steps at their own d beside."""
    size = base.Size.of(full)
    result = [base.oracle_unit(base.TASK)]
    result += [
        base.bayes_unit(base.TASK, alpha) for alpha in base.fine_grid(0.5, 64.0, 29, *ALPHAS)
    ]
    for alpha in base.fine_grid(0.5, 64.0, 15):
        result += base.two_step_units(base.TASK, alpha)
    for alpha in ALPHAS:
        for step in base.STEPS:
            for ridge in base.RIDGES:
                arguments = {**base.two_step_arguments(base.TASK, alpha, step, ridge), "d": size.d}
                result += trials("simulate", arguments, 2 * size.trials)
        for ridge in END_RIDGES:
            arguments = {
                **base.two_step_arguments(base.TASK, alpha, 10.0, ridge),
                "starts": 2,
                "d": size.d,
            }
            result += trials("simulate", arguments, size.trials)
    for alpha in ALPHAS:
        for name in base.ARCHITECTURE_NAMES:
            result += at(size, name, alpha)
    return result


def at(size: base.Size, name: str, alpha: float) -> list[Unit]:
    """Return the trials of an architecture at α; those of one are watched, of one are tested more.

    Other figures draw these, and so do not train again.
    """
    more: dict[str, Any] = {"watch": True} if alpha == WATCHED else {}
    if alpha == TESTED:
        more = {"lengths": list(LENGTHS)}
    return base.trial_units(size, name, alpha, base.TASK, **more)


scores = partial(base.compare_with_bayes, by=("alpha",))
X = TOTAL
AMOUNTS = tuple(2.0**k for k in range(-6, 15))
XLABEL = r"all samples per dimension, $\alpha$"
SIMULATED = "the same, two steps (simulation)"
MINIMUM = "the same, trained to a minimum"
TRAINED = RowSpec((style.ALPHA0, style.ALPHA1), (style.Y,))
TABLE = TableSpec(
    "deep_errors",
    {
        "simulate_deep": RowSpec(("architecture", "alpha"), (style.Y,)),
        "simulate": TRAINED,
        "predict": TRAINED,
        "bayes_optimal": RowSpec(("alpha",), (style.Y,)),
        "oracle": RowSpec((), ("error",)),
    },
    across=("alpha", style.ALPHA0, style.ALPHA1, "starts", *style.ACROSS),
    only={"architecture": style.NAMES},
)


@figure_of(TABLE)
def deep_errors(table: pd.DataFrame, ax: Any = None, *, panel: str = "paper") -> Drawing:
    """Draw test errors of architectures against all samples, with theory's lines.

    Trials of "simulate" are of two steps, and trained to a minimum where they have ``starts``.
    Where there are several settings (steps on the query, ridges), the best is drawn at each amount
    of data.

    Parameters
    ----------
    panel : "paper", "attention" or "others", default "paper"
        With ``ax``, which one: the paper's model and linear attention; self-attention,
        transformers and gated attention; or models that do not attend.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "simulate_deep", "architecture": "gru", "alpha": [1.0, 8.0],
    ...                       "d": 50, "test_error": [0.4, 0.1]})
    >>> [text.get_text() for text in figures.deep_errors(table).axes[2].get_legend().get_texts()]
    ['recurrent (GRU)']
    """
    choice("panel", panel, tuple(style.FAMILIES))
    table = with_total(read_table(table, TABLE))
    known = numbers(select(table, ["error"], call="oracle")["error"].unique())
    levels = [Rule(y=number, layer=-1, **style.KNOWN_STYLE) for number in known]
    lines = [*levels, *style.theory_lines(table, X, level=True)]
    marks = {name: _dots(table, name) for name in style.FAMILIES}
    if ax is not None and not (marks[panel] or lines):
        refuse_empty("deep_errors", f'the panel "{panel}" has no rows')
    x = Axis(XLABEL, log=2, ticks=AMOUNTS, plain=True, minor="none")
    return style.family_drawing(table, lines, marks, x, panel=panel if ax is not None else "")


def _dots(table: pd.DataFrame, group: str) -> list[Dots]:
    """Return what is trained, in a panel; the paper's model in other ways as well."""
    result = style.architecture_dots(table, X, style.FAMILIES[group][1], apart=1.025)
    if group == "paper":
        rows = select(style.of_attention(table, "simulate"), [X, style.Y])
        steps, minimum = rows[rows["starts"] == 0], rows[rows["starts"] > 0]
        look: dict[str, Any] = {"colour": BLACK, "name": MINIMUM, "marker": "D", "size": 3.2}
        look |= {"joined": style.JOIN_WIDTH}
        others = trial_dots(minimum, X, style.Y, style.SETTINGS, **look)
        look = {"colour": style.TWO_STEPS_COLOUR, "name": SIMULATED, "marker": "^", "size": 4.4}
        result[1:1] = others + trial_dots(steps, X, style.Y, style.SETTINGS, **look)
    return result
