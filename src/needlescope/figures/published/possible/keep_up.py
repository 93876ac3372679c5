"""What two gradient steps need as sequences grow: samples, and the length of the query's step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ....experiments.published.possible.keep_up import growth, learners_need, steps_needed
from ....grid import choice
from ...curves import explain, note, two_panels
from ...drawing import Axis, Drawing, Panel, single
from ...drawn import drawn
from ...marks import Dots, Line, Mark, Rule, Words, numbers
from ...reading.dependence import DEFAULTS
from ...reading.door import Draws, Rows, check_strengths, nothing, read
from ...reading.rows import carriers, select
from ...style import COLOURS, DASHED, DOTTED, grey

X = "task.L"
ALIGNED = Rows((X, "training.alpha0"), ("cosine_q", "cosine_w"))
DRAWS = Draws(
    "keep_up",
    {
        "align": ALIGNED,
        "simulate_alignment": ALIGNED,
        "bayes_optimal": Rows((X, "alpha"), ("overlap", "amp_overlap")),
        "phase_boundaries": Rows((X,), ("alpha_amp",)),
    },
    across=(X, "task.theta", "training.alpha0", "alpha"),
)
STEP = float(DEFAULTS["training.eta_q"])
QUERY, LIMIT = COLOURS["attention"], COLOURS["bayes"]
LINES = {  # what needs so many samples: its name, colour and dash
    "readout": ("one step", COLOURS["pooled"], ()),
    "query": ("two steps", QUERY, ()),
    "quick": ("quick learner", LIMIT, DASHED),
    "best": ("best learner", LIMIT, ()),
}


def keep_up(table: pd.DataFrame, ax: Any = None, *, panel: str = "samples") -> Any:
    """Draw the samples that a cosine of 0.9 with the signal takes, and the query's step, against L.

    Parameters
    ----------
    table : DataFrame
        Units of the calls "align", "simulate_alignment", "bayes_optimal" and "phase_boundaries",
        as `Store.to_pandas` gives them, at several α0 or α for each L. Lines are where the rows of
        theory cross a cosine of 0.9, dots where the means over trials do. What is missing, or not
        crossed, is left out.
    ax : matplotlib axes, optional
        Axes to draw a single panel into; a figure of its own with both by default.
    panel : "samples" or "step", default "samples"
        With ``ax``, which one.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the table has no such rows or columns, if a parameter changes in it that the figure
        does not draw, or if there are two θ for one L.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import needlescope as ns
    >>> task = ns.Task(L=[[10], [100], [1000]], R=1, theta=5.0, pi=0.5)
    >>> found = ns.align(task, ns.Training(alpha0=[0.1, 1.0, 10.0, 100.0], alpha1=1.0))
    >>> figure = ns.figures.keep_up(found.to_pandas())
    >>> figure.axes[0].texts[1].get_text()
    'two steps: $L^{0.99}$'
    """
    return drawn(ax, keep_up_series, table, alone=ax is not None, panel=panel)


def keep_up_series(table: pd.DataFrame, *, alone: bool = False, panel: str = "samples") -> Drawing:
    """Return what `keep_up` draws: both panels, or one of them alone."""
    panels = {"samples": _samples, "step": _step}
    choice("panel", panel, tuple(panels))
    table = read(table, DRAWS)
    check_strengths("keep_up", table)
    given = (table, steps_needed(table), steps_needed(table, "simulate_alignment"))
    if not alone:
        words = explain(table, "simulate_alignment")
        return two_panels([one(*given) for one in panels.values()], words, right=0.915, gap=0.86)
    if panel == "step" and not len(select(table, ["kappa", "cosine_q"])):
        nothing("keep_up", 'the panel "step" needs the columns kappa and cosine_q')
    return single(panels[panel](*given))


def _line(found: pd.DataFrame, column: str, name: str, colour: str, dash: Any) -> list[Mark]:
    """Return a line of what is known, named by how fast it grows in its last decade."""
    known = found.dropna(subset=[column])
    slope = growth(found, column)
    grows = "" if np.isnan(slope) else f": $L^{{{slope:.2f}}}$"
    points = (numbers(known.L), numbers(known[column]))
    return [Line(*points, colour, name + grows, dash)] if len(known) else []


def _tokens(table: pd.DataFrame) -> Axis:
    return Axis(f"tokens, $L$ {carriers(table)}", log=10)


def _samples(table: pd.DataFrame, theory: pd.DataFrame, trials: pd.DataFrame) -> Panel:
    found = theory.merge(learners_need(table), on="L", how="outer")
    marks = [mark for key, look in LINES.items() for mark in _line(found, key, *look)]
    known = trials.dropna(subset=["query"])
    if len(known):
        bars = [numbers(known[one].clip(lower=0.0)) for one in ("query_below", "query_above")]
        marks.append(Dots(numbers(known.L), numbers(known["query"]), bars, QUERY))
    return Panel(
        [*marks, *note(marks)],
        _tokens(table),
        Axis(r"samples per dimension, $\alpha_0$ or $\alpha$", log=10),
        "data for a cosine of 0.9 with the signal",
        beside=True,
    )


def _step(table: pd.DataFrame, theory: pd.DataFrame, trials: pd.DataFrame) -> Panel:
    marks = _line(theory, "step", r"$\eta_q$", QUERY, ())
    known = trials.dropna(subset=["step"])
    if len(known):
        x, y, se = (numbers(known[one]) for one in ("L", "step", "step_se"))
        marks.append(Dots(x, y, se, QUERY))
    rule = Rule(y=STEP, colour=grey(0.6), dash=DOTTED, width=0.8, layer=-1)
    words = f"default, {STEP:g}"
    said = Words(words, (0.98, STEP), ("panel", "data"), ("right", "bottom"), (0, 2), grey(0.4))
    return Panel(
        [rule, *marks, said, *note(marks)],
        _tokens(table),
        Axis(r"step on the query, $\eta_q$", log=10),
        r"step for a sharp query, $\kappa = \theta/2$",
        beside=True,
    )
