"""A plan as a picture: errors against the number of bags, and what wrong settings cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..grid import check_kind
from ..results.planned import ClassifierPlan, LearningCurves, Plan, Tuned
from .drawing import Axis, Block, Drawing, Panel, single
from .marks import Dots, Line, Mark, Rule, Text, numbers
from .rendered import rendered
from .style import BAYES_COLOUR, BLACK, COLOURS, DASHED, DOTTED, NAMES, SMALL, SPARE_COLOURS, grey

MODELS = ("pooled", "vectorized", "attention", "joint")
JOINT_COLOUR, JOINT_NAME = SPARE_COLOURS[0], "attention, end to end"
LOOK = {name: (COLOURS[name], NAMES[name]) for name in MODELS[:3]} | {
    "joint": (JOINT_COLOUR, JOINT_NAME)
}
TICKS = [digit * 10.0**power for power in range(-6, 0) for digit in (1, 2, 3, 5)]
ACROSS = {
    "split": "odds of the split",
    "kappa": r"strength $\kappa$",
    "ridge": r"ridge $\lambda$",
    "ridge_q": r"ridge of the query",
}


@rendered
def plan(result: Plan, curves: LearningCurves, ax: Any = None) -> Drawing:
    """Draw a plan: error against bags for each learner, floors, target, the point and its interval.

    Of a plan for a classifier its studies are drawn, too, where they differ in bags.

    Parameters
    ----------
    result : Plan
        What `needlescope.plan` returned.
    curves : LearningCurves
        What `needlescope.planning.learning_curves.learning_curves` returned for it.
    ax : matplotlib axes, optional
        Axes to draw into; a figure of its own by default.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the two are not a plan and its curves, or it is a plan of another measure than the error.

    Examples
    --------
    >>> import needlescope as ns
    >>> from needlescope.results.planned import LearningCurves
    >>> result = ns.plan(L=4, theta=4.0, d=20, n=100, learner="pooled", others=False)
    >>> names = ("attention", "pooled", "vectorized", "bayes_optimal", "amp")
    >>> made_up = LearningCurves((50, 200), {name: (0.3, 0.2) for name in names}, {"bayes": 0.1})
    >>> ns.figures.plan(result, made_up).axes[0].get_ylabel()
    'test error'
    """
    check_kind("result", result, Plan)
    if not isinstance(curves, LearningCurves):
        raise ValueError(f"curves must be those of planning.learning_curves, got {curves!r}")
    measure = result.measure if isinstance(result, ClassifierPlan) else "error"
    if measure != "error":
        raise ValueError(
            f"result must be a plan of the error, as its curves are, got one of {measure!r}; plan "
            "with measure='error'"
        )
    marks: list[Mark] = []
    floor = curves.floors["bayes"]
    marks.append(Rule(y=floor, colour=grey(0.5), dash=DOTTED, width=0.8))
    place = ("panel", "data"), ("left", "top"), (3.0, -1.0)
    marks.append(Text("signal known", (0.0, floor), *place, colour=grey(0.4), size=SMALL))
    optimal, amp = curves.errors["bayes_optimal"], curves.errors["amp"]
    marks.append(Line(curves.n, optimal, BAYES_COLOUR, NAMES["bayes_optimal"], width=0.9))
    if amp != optimal:
        marks.append(Line(curves.n, amp, BAYES_COLOUR, NAMES["amp"], DASHED, width=0.9))
    for name in MODELS:
        if name in curves.errors:
            marks.append(Line(curves.n, curves.errors[name], *LOOK[name]))
    target = result.options.get("error")
    if target is not None:
        marks.append(Rule(y=float(target), colour=grey(0.3), dash=DASHED, width=0.8))
    studies = _studies(result)
    marks += [*studies, _point(result)]
    title = JOINT_NAME if result.learner == "joint" else NAMES.get(result.learner, result.learner)
    words = f"$n$ = {result.n:,.0f}".replace(",", "{,}")
    rows = [*curves.errors.values(), *(dots.y for dots in studies)]
    top = 1.15 * max(np.nanmax(row) for row in rows)
    span = 0.7 * floor, float(top)
    ticks = [tick for tick in TICKS if span[0] <= tick <= span[1]]
    labels = [f"{tick:g}" for tick in ticks]
    panel = Panel(
        marks,
        Axis(f"bags, $n$ ($d$ = {result.d})", log=10, limits=(curves.n[0], curves.n[-1])),
        Axis("test error", log=10, limits=span, ticks=ticks, labels=labels, minor="none"),
        f"{title}: {words}, error {result.error:.3g}",
        labels_at_ends=True,
    )
    return single(panel, size=(4.6, 3.1))


def _studies(result: Plan) -> list[Dots]:
    """Return the studies of a classifier, where they are of several numbers of bags."""
    if not isinstance(result, ClassifierPlan) or result.unknown != "n":
        return []
    good = [row for row in result.studies if np.isfinite(row.measured)]
    n, errors = tuple(float(row.n) for row in good), tuple(row.measured for row in good)
    return [Dots(n, errors, None, grey(0.5), size=2.4, edge=0.0)]


def _point(result: Plan) -> Dots:
    """Return the planned point, with the range of nine of ten data sets."""
    colour = JOINT_COLOUR if result.learner == "joint" else COLOURS.get(result.learner, BLACK)
    at, error = (result.n,), result.error
    if result.interval is None:
        return Dots(at, (error,), None, colour, size=6.0)
    bars = ((error - result.interval.low,), (result.interval.high - error,))
    return Dots(at, (error,), bars, colour, size=6.0)


@rendered
def tuning(result: Tuned, ax: Any = None) -> Drawing:
    """Draw what a wrong setting costs: the error as each is off by a factor.

    Parameters
    ----------
    result : Tuned
        What `needlescope.tune` returned.
    ax : matplotlib axes, optional
        Axes to draw into; a figure of its own by default.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If it is no `Tuned`.

    Examples
    --------
    >>> import needlescope as ns
    >>> result = ns.tune(ns.Task(L=4, R=1, theta=4.0, pi=0.5), 4.0, model="pooled")
    >>> ns.figures.tuning(result).axes[0].get_ylabel()
    'test error'
    """
    check_kind("result", result, Tuned)
    marks: list[Mark] = []
    colours = (COLOURS["attention"], COLOURS["pooled"], COLOURS["vectorized"])
    for colour, (name, errors) in zip(colours, result.costs.items(), strict=False):
        points = sorted({**errors, 1.0: result.test_error}.items())
        x, y = zip(*points, strict=True)
        marks.append(Line(numbers(x), numbers(y), colour, ACROSS[name]))
        marks.append(Dots(numbers(x), numbers(y), None, colour, size=3.0))
    if np.isfinite(result.untuned):
        marks.append(Rule(y=result.untuned, colour=grey(0.4), dash=DASHED, width=0.8))
        place = ("panel", "data"), ("left", "bottom"), (2.0, 1.0)
        marks.append(Text("default training", (0.0, result.untuned), *place, size=SMALL))
    top = max([result.untuned, *(max(row.values()) for row in result.costs.values())])
    panel = Panel(
        marks,
        Axis("times the best", log=2, limits=(0.25, 4.0)),
        Axis("test error", limits=(0.0, 1.1 * float(top))),
        f"best settings: error {result.test_error:.3g}",
        labels_at_ends=True,
    )
    return Drawing([Block([panel], edges=(0.12, 0.74, 0.16, 0.9))], (4.6, 2.9))
