"""Kinds of attention, each at its best: softmax, hard, linear; against data, length and sparsity.

π = ½, logistic loss, half of the data for the query and half for the readout. One token of ten with
θ = 5 against the amount of data; one token of L; and R tokens of twenty that share one signal,
θ√R = 5. The query's two steps are the same for all kinds: κ is set by the step η_q, which does not
turn the query.
"""

from __future__ import annotations

from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...experiments.comparison import compare, paired_trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Block, Drawing, Key, Legend, Panel, single
from ...figures.from_rows import (
    BAYES_KEY,
    bayes_line,
    describe_marks,
    empty_note,
    error_axis,
    line,
    trial_dots,
)
from ...figures.marks import Dots, Line, Mark
from ...figures.reading.rows import TOTAL, select, with_total
from ...figures.reading.validation import RowSpec, TableSpec, read_table, refuse_empty
from ...figures.rendered import figure_of
from ...figures.style import COLOURS, DOTTED, NAMES
from ...grid import choice
from ...models import get_model
from ...task import Task
from ...theory.alignment import align
from ...training import Training

ORDER = 16
TITLE = "Softmax, hard and linear attention, each at its best"
CAPTION = (
    "Test error of attention after two steps (half of the data for the query, half for the "
    "readout), by the kind of attention: softmax, hard (the token of largest score alone) and "
    "linear (softmax to first order). The direction of the query is the same for all; each kind "
    "has the κ of least error, of nine from 0.15 to 4 (hard attention has none), and the better "
    "of the ridges 0.03 and 0.1. Lines are theory, dots trained classifiers at the settings that "
    "are best in theory. With one signal token (left, middle) the test error of hard attention "
    "is 22 % above that of softmax at α = 1, 9 % at 8 and 4 % at 32; that of linear attention is "
    "twice as large with ten tokens, three times with 32. Where data are too few for a good "
    "query (left of α = 0.5), hard attention is the worst of the three. With several tokens that "
    "share one signal (right) hard attention still uses one of them, and with six of twenty its "
    "test error is nearly twice that of mean pooling; linear attention comes up to softmax, and "
    "from eight on is ahead by 1 to 2 %."
)
STRENGTH, TOKENS, SPREAD, ALPHA = 5.0, 10, 20, 8.0
KAPPAS = {  # from which the best is taken; hard attention knows none
    "attention": (0.15, 0.22, 0.32, 0.5, 0.75, 1.1, 1.6, 2.5, 4.0),
    "linear": (0.15, 0.22, 0.32, 0.5, 0.75, 1.1, 1.6, 2.5),
    "hard": (1.0,),
}
RIDGES = (0.03, 0.1)
# Labels do not balance by chance, which turns the query aside at finite d; this step on the bias,
# Newton's of the logistic loss, balances the slopes. In the limit it changes nothing.
ETA_B = 4.0
TOL, BAYES_TOL = 3e-3, 1e-2
BY = ("model", "task.L", "task.R", "training.alpha1", "training.eta_q", "training.ridge")


class TaskSize(NamedTuple):
    """A problem: L tokens, R of them with the signal, and α samples per dimension in all."""

    L: int = TOKENS
    R: int = 1
    alpha: float = ALPHA

    @property
    def task(self) -> dict[str, Any]:
        """The task, its signal the weaker the more tokens share it."""
        theta = float(f"{STRENGTH / np.sqrt(self.R):.4g}")
        return {"L": self.L, "R": self.R, "theta": theta, "pi": 0.5}


DATA = [TaskSize(alpha=a) for a in (0.25, 0.35, 0.5, 0.7, 1.0, 1.5, 2.0, 4.0, 8.0, 16.0, 32.0)]
LENGTH = [TaskSize(L=L) for L in (2, 4, 8, 16, 32, 64, 128)]
SHARED = [TaskSize(SPREAD, R) for R in (1, 2, 3, 4, 6, 8, 10, 12, 14)]
# κ and ridge of least error at each dot, for softmax and linear; the ridge for hard attention
DOTS: dict[TaskSize, tuple[tuple[float, float], tuple[float, float], float]] = {
    TaskSize(10, 1, 1.0): ((2.5, 0.1), (1.1, 0.1), 0.1),
    TaskSize(10, 1, 4.0): ((1.6, 0.1), (1.1, 0.1), 0.1),
    TaskSize(10, 1, 16.0): ((2.5, 0.1), (1.1, 0.03), 0.1),
    TaskSize(4, 1, 8.0): ((1.6, 0.1), (0.5, 0.03), 0.1),
    TaskSize(16, 1, 8.0): ((2.5, 0.1), (1.1, 0.1), 0.1),
    TaskSize(64, 1, 8.0): ((4.0, 0.1), (2.5, 0.1), 0.1),
    TaskSize(20, 1, 8.0): ((2.5, 0.1), (1.6, 0.1), 0.1),
    TaskSize(20, 2, 8.0): ((0.75, 0.03), (1.1, 0.1), 0.1),
    TaskSize(20, 4, 8.0): ((0.5, 0.03), (0.5, 0.1), 0.03),
    TaskSize(20, 10, 8.0): ((0.22, 0.1), (0.32, 0.1), 0.03),
}


def units(full: bool) -> list[Unit]:
    """Theory over a grid of κ and ridges at each place; simulation at the best of some."""
    d, count = (800, 16) if full else (200, 8)
    result = []
    for problem in dict.fromkeys([*DATA, *LENGTH, *SHARED]):
        limit = {"task": problem.task, "alpha": problem.alpha, "tol": BAYES_TOL}
        result.append(Unit("bayes_optimal", limit))
        for model, kappas in {**KAPPAS, "pooled": (1.0,)}.items():
            for kappa, ridge in product(kappas, RIDGES):
                arguments = _arguments(problem, model, kappa, ridge)
                result.append(Unit("predict", {**arguments, "tol": TOL}))
    for problem, (soft, linear, hard) in DOTS.items():
        best = {"attention": soft, "linear": linear, "hard": (1.0, hard)}
        for model, at in best.items():
            result += paired_trials("simulate", _arguments(problem, model, *at), d, count)
    return result


def _arguments(problem: TaskSize, model: str, kappa: float, ridge: float) -> dict[str, Any]:
    half = problem.alpha / 2.0
    training: dict[str, Any] = {"alpha0": half, "alpha1": half, "ridge": ridge, "eta_b": ETA_B}
    more: dict[str, Any] = {"data": "all"}
    if get_model(model).has_query:
        training["eta_q"], more = float(f"{kappa * _step(problem):.4g}"), {}
    return {"task": problem.task, "training": training, "model": model, **more}


@cache
def _step(problem: TaskSize) -> float:
    """Return the step on the query that makes κ = 1: κ is proportional to it."""
    training = Training(alpha0=problem.alpha / 2.0, alpha1=problem.alpha / 2.0)
    return float(training.eta_q / align(Task(**problem.task), training).kappa)


scores = partial(compare, by=BY, names=("test_error",))
X, Y = TOTAL, "test_error"
L, R = "task.L", "task.R"
MODELS = ("attention", "hard", "linear", "pooled")
KINDS = {**NAMES, "attention": "softmax attention"}
TRAINED = RowSpec(("model", L, R, "training.alpha0", "training.alpha1"), (Y,))
SETTINGS = ("training.eta_q", "training.ridge")
PROBLEM_COLUMNS = (L, R, "task.theta", X)
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
TABLE = TableSpec(
    "kinds",
    {"predict": TRAINED, "simulate": TRAINED, "bayes_optimal": RowSpec((L, R, "alpha"), (Y,))},
    across=(
        *(L, R, "task.theta", "model", "data", "alpha", "training.alpha0", "training.alpha1"),
        *SETTINGS,
    ),
    only={"model": MODELS},
    reference_calls=("bayes_optimal",),
)
# What is along each panel, what is fixed there, and its name; a signal's strength goes with R.
PANELS = {
    "data": (X, (L, R), r"all samples per dimension, $\alpha$"),
    "length": (L, (R, X), r"tokens, $L$"),
    "shared": (R, (L, X), r"tokens that share the signal, $R$"),
}


@figure_of(TABLE)
def kinds(table: pd.DataFrame, ax: Any = None, *, panel: str = "data") -> Drawing:
    """Draw the test errors of kinds of attention against data, length, and tokens with signal.

    Where a kind has several settings (steps on the query, which set κ, and ridges) its best is
    drawn. The Bayes-optimal error is a thin line.

    Parameters
    ----------
    panel : "data", "length" or "shared", default "data"
        With ``ax``, which one: along the amount of data, L, or R. What is not along a panel has one
        value in it, the one with most points.

    Examples
    --------
    >>> import pandas as pd
    >>> from needlescope import figures
    >>> table = pd.DataFrame({"call": "predict", "model": "hard", "task.L": 10, "task.R": 1,
    ...                       "training.alpha0": [1.0, 4.0], "training.alpha1": [1.0, 4.0],
    ...                       "test_error": [0.04, 0.03]})
    >>> figures.kinds(table).axes[0].lines[0].get_xdata().tolist()
    [2.0, 8.0]
    """
    choice("panel", panel, tuple(PANELS))
    table = with_total(read_table(table, TABLE)).dropna(subset=[L, R, X]).reset_index(drop=True)
    parts = {name: _part(table, x, fixed) for name, (x, fixed, _) in PANELS.items()}
    _check_all_drawn(table, parts)
    if ax is not None:
        if not len(select(parts[panel], [PANELS[panel][0], Y])):
            refuse_empty("kinds", f'the panel "{panel}" needs the column {PANELS[panel][0]}')
        return single(_panel(parts[panel], panel))
    block = Block(
        [_panel(parts[panel], panel) for panel in PANELS], 3, (0.065, 0.99, 0.15, 0.8), (0.2, 0.2)
    )
    return Drawing([block], (8.6, 3.0), describe_marks(table, "simulate"), [_legend(table)])


def _part(table: pd.DataFrame, x: str, fixed: tuple[str, ...]) -> pd.DataFrame:
    """Return the rows along x where all else is what most values of x have."""
    if x != R:  # there a strength of its own belongs to each R
        fixed = (*fixed, "task.theta")
    groups = [part for _, part in table.groupby(list(fixed), dropna=False)]
    return max(groups, key=lambda part: part[x].nunique(), default=table[:0])


def _check_all_drawn(table: pd.DataFrame, parts: dict[str, pd.DataFrame]) -> None:
    """Refuse rows that no panel draws, and two strengths at one R."""
    odd = table.drop(index=np.unique(np.concatenate([part.index for part in parts.values()])))
    if len(odd):
        result = ", ".join(
            f"{name} = {odd[name].iloc[0]:g}" for name in PROBLEM_COLUMNS if name != X
        )
        raise ValueError(
            f"figures.kinds draws rows along {X}, {L} or {R}, the rest fixed, got {result} with "
            f"{odd[X].iloc[0]:g} samples per dimension beside them; leave those rows out"
        )
    for value, some in parts["shared"].groupby(R)["task.theta"]:
        if some.nunique() > 1:
            item, other = sorted(some.dropna().unique())[:2]
            raise ValueError(
                f"figures.kinds draws a single task.theta for each task.R, got {item:g} and "
                f"{other:g} for task.R = {value:g}; leave one out"
            )


def _panel(table: pd.DataFrame, name: str) -> Panel:
    x, fixed, words = PANELS[name]
    marks = [*bayes_line(select(table, [x, Y], call="bayes_optimal"), x), *_trained(table, x)]
    bases = {"data": 10, "length": 2}
    axis = Axis(words, log=bases.get(name, 0), plain=True, whole=name == "shared")
    return Panel(
        [*marks, *empty_note(marks)],
        axis,
        error_axis(marks, (0.88, 1.1), TICKS, name="test error" if name == "data" else ""),
        _title(table, fixed, name),
    )


def _title(table: pd.DataFrame, fixed: tuple[str, ...], name: str) -> str:
    """Say what is fixed in a panel, as far as the table has it."""
    symbols = {L: "L", R: "R", X: r"\alpha"}
    if name != "shared":
        symbols["task.theta"], fixed = r"\theta", (*fixed, "task.theta")
    values = {item: select(table, [item])[item].unique() for item in fixed}
    parts_of_title = [
        f"${symbols[name]} = {result[0]:g}$" for name, result in values.items() if len(result) == 1
    ]
    strong = (table["task.theta"] * np.sqrt(table[R].astype(float))).dropna()
    if name == "shared" and len(strong) and np.ptp(strong) < 0.01 * strong.mean():
        parts_of_title.append(f"$\\theta\\sqrt{{R}} = {strong.mean():.3g}$")
    return ", ".join(parts_of_title)


def _trained(table: pd.DataFrame, x: str) -> list[Mark]:
    """Return each kind at its best: a line from theory, dots from trials."""
    result: list[Mark] = []
    for model in reversed(MODELS):
        rows, look = table[table.model == model], _look(model)
        named = {"name": KINDS[model], "colour": COLOURS[model]}
        result += line(select(rows, [x, Y], call="predict"), x, Y, how="min", **(look | named))
        result += trial_dots(select(rows, [x, Y], call="simulate"), x, Y, SETTINGS, **named)
    return result


def _look(model: str) -> dict[str, Any]:
    """Return a line's style; a model without a query is there for comparison, and thin."""
    thin = {"dash": DOTTED, "width": 1.0, "layer": -1}
    return {"colour": COLOURS[model], **({} if get_model(model).has_query else thin)}


def _legend(table: pd.DataFrame) -> Legend:
    present = [model for model in MODELS if (table.model == model).any()]
    keys = [Key(KINDS[item], Line(**_look(item)), _dot(table, item)) for item in present]
    if (table.call == "bayes_optimal").any():
        keys.append(BAYES_KEY)
    spaces = {"columnspacing": 1.4, "handlelength": 1.8}
    return Legend(keys, "upper left", (0.06, 0.95), 5, spaces=spaces)


def _dot(table: pd.DataFrame, model: str) -> Dots | None:
    return (
        Dots(colour=COLOURS[model])
        if len(select(table, [Y], call="simulate", model=model))
        else None
    )
