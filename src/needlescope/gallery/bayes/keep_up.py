"""What two gradient steps need to keep up with longer sequences, beside what any learner needs.

R = 1, π = ½, logistic loss. The strength grows with L such that the error with a known signal is
10 % at every length: what grows is the cost of learning the signal, not of detecting it. The target
is an overlap of 0.81 with the signal, a cosine of 0.9.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ...arrays import FloatArray
from ...experiments.comparison import compare, paired_trials
from ...experiments.units.unit import Unit
from ...figures.drawing import Axis, Drawing, Panel, single
from ...figures.from_rows import describe_marks, empty_note, two_panels
from ...figures.marks import Dots, Line, Mark, Rule, Text, numbers
from ...figures.reading.dependence import DEFAULTS
from ...figures.reading.rows import select, signal_tokens
from ...figures.reading.validation import (
    RowSpec,
    TableSpec,
    check_strengths,
    read_table,
    refuse_empty,
)
from ...figures.rendered import figure_of
from ...figures.style import AMP_THEORY, BAYES_OPTIMAL, COLOURS, DASHED, DOTTED, grey
from ...grid import choice

ORDER = 13
TITLE = "What two gradient steps need as sequences get longer"
CAPTION = (
    "Left: samples per dimension for a cosine of 0.9 with the signal, against the number of "
    "tokens. The signal grows with them, from θ = 3.5 to 5.4, such that the error with a known "
    "signal is 10 % at every length: what grows is the cost of learning the signal. One step on "
    "the readout finds the direction that mean pooling uses, with 17 L/θ² samples per dimension; "
    "the second step, on the query, needs 46 to 54 times L/θ⁴. At a fixed θ both are "
    "proportional to L; here they grow as written beside the lines, measured over the last "
    "decade. The Bayes-optimal learner needs less than one sample per dimension, and fewer for "
    "longer sequences, whose signals are stronger. AMP needs the same up to some 200 tokens. "
    "Beyond that learning is hard: its need grows with L too, and is still 61 to 71 times less "
    "than that of two steps. Right: the step η_q that gives the query the strength κ = θ/2 at "
    "that α0; at a cosine of 0.9 the test error is then within 0.01 of its least over κ. κ is "
    "proportional to η_q, and the step has to grow nearly as L². The bias takes a step of 4 "
    "here, which balances the slopes of both labels. In the limit that changes nothing; at "
    "finite d it prevents an imbalance of the labels by chance from turning the query."
)
OVERLAP = 0.81
SHARPNESS = 0.5  # κ/θ: within 0.01 of the least test error from L = 10 to 10⁴ and α1 = 1 to 16
# oracle_threshold(task, "bayes", 0.1).theta
STRENGTHS = {
    **{10: 3.519, 18: 3.725, 32: 3.915, 56: 4.089, 100: 4.261, 178: 4.424, 316: 4.580},
    **{562: 4.730, 1000: 4.875, 1778: 5.015, 3162: 5.150, 5623: 5.281, 10_000: 5.408},
}
DOTS = (10, 32, 100, 316, 1000, 3162, 10_000)
# Labels do not balance by chance, and turn the query aside by an amount of order L/d. This step on
# the bias, Newton's of the logistic loss, balances the slopes; in the limit it changes nothing.
ETA_B = 4.0
TYPICAL_NEED = 50.0  # times L/θ⁴ is about what the query needs: the grid of α0 is placed around it
AROUND = (-0.5, 0.0, 0.5)  # powers of two of that, where steps are taken on drawn data
FINE = (*AROUND, -0.25, -0.125, 0.125, 0.25, 2.0, 3.0, 4.0)  # and in theory; the readout needs more
LEARNED = (0.35, 0.45, 0.55, 0.65, 0.8)  # around the α of the Bayes-optimal learner
BY = ("task.L", "training.alpha0")
QUANTITIES = ("cosine_q", "cosine_w", "kappa")
AVERAGED = (*QUANTITIES, "task.theta", "training.eta_q")


def units(full: bool) -> list[Unit]:
    """Alignments around the α0 that is needed, Bayes-optimal overlaps, and trials at d and d/2."""
    d, count = (1000, 24) if full else (200, 12)
    result = []
    for L, theta in STRENGTHS.items():
        task = {"L": L, "R": 1, "theta": theta, "pi": 0.5}
        typical = TYPICAL_NEED * L / theta**4
        for power in sorted(FINE):
            result.append(Unit("align", _arguments(task, typical * 2.0**power)))
        for alpha in LEARNED:
            arguments = {"task": task, "alpha": alpha, "tol": 1e-2}  # of an error not drawn
            result.append(Unit("bayes_optimal", arguments))
        result.append(Unit("phase_boundaries", {"task": task}))
        for power in AROUND if L in DOTS else ():
            arguments = _arguments(task, typical * 2.0**power)
            result += paired_trials("simulate_alignment", arguments, d, count)
    return result


def _arguments(task: dict[str, Any], alpha0: float) -> dict[str, Any]:
    # The readout's data play no part; a training has to have some.
    training = {"alpha0": float(f"{alpha0:.4g}"), "alpha1": 1.0, "eta_b": ETA_B}
    return {"task": task, "training": training}


def crossing(samples: Any, overlap: Any) -> float:
    """Return how many samples give the target overlap; NaN if it is not crossed.

    Between two points, log q/(1 − q) is taken as linear in log α.

    Examples
    --------
    >>> round(crossing([1.0, 10.0], [0.5, 0.95]), 3)
    3.108
    >>> crossing([1.0, 10.0], [0.5, 0.6])
    nan
    """
    order = np.argsort(samples)
    x, q = np.log(np.asarray(samples, float)[order]), np.asarray(overlap, float)[order]
    above = _log_odds(q) - _log_odds(np.array(OVERLAP))
    for k in np.flatnonzero((above[:-1] < 0.0) & (above[1:] >= 0.0)):
        return float(np.exp(x[k] + (x[k + 1] - x[k]) * above[k] / (above[k] - above[k + 1])))
    return float("nan")


def _log_odds(q: FloatArray) -> FloatArray:
    inside = np.clip(q, 1e-12, 1.0 - 1e-12)
    return np.asarray(np.log(inside / (1.0 - inside)))


def steps_needed(table: pd.DataFrame, call: str = "align") -> pd.DataFrame:
    """Return, for each L, the α0 at which query and readout have a cosine of 0.9, and the step η_q.

    The query's strength is proportional to its step. The step is the one that makes κ = θ/2 at the
    α0 that the query needs. Of trials means are taken, in the largest d, with standard errors: how
    far α0 moves if all cosines move by theirs, and what κ's does to the step.

    Examples
    --------
    >>> table = pd.DataFrame({"call": "align", "task.L": 10, "task.theta": 4.0, "kappa": 0.5,
    ...                       "training.alpha0": [1.0, 10.0], "training.eta_q": 10.0,
    ...                       "cosine_q": [0.5**0.5, 0.95**0.5], "cosine_w": [0.5, 0.6]})
    >>> steps_needed(table)[["L", "query", "readout", "step"]].round(3).values.tolist()
    [[10.0, 3.108, nan, 40.0]]
    """
    own = table[table.call == call].dropna(subset=list(BY))
    if "d" in own and own["d"].notna().any():
        own = own[own["d"] == own.groupby("task.L")["d"].transform("max")]
    points = own.astype(dict.fromkeys(AVERAGED, float)).groupby(list(BY))[list(AVERAGED)]
    means, errors = points.mean(), points.sem().fillna(0.0)
    rows = [(L, *_needed(part.droplevel(0), errors.loc[L])) for L, part in means.groupby(level=0)]
    names = ["L", "query", "query_below", "query_above", "readout", "step", "step_se"]
    return pd.DataFrame(rows, columns=names, dtype=float)


def _needed(mean: pd.DataFrame, se: pd.DataFrame) -> tuple[float, ...]:
    """Return what is needed at one L, from rows of means and of standard errors at each α0."""
    alpha0, q, kappa = mean.index.to_numpy(), mean["cosine_q"].to_numpy(), mean["kappa"].to_numpy()
    q_se, kappa_se = se["cosine_q"].to_numpy(), se["kappa"].to_numpy()
    query, less, more = (crossing(alpha0, _squared(q + item * q_se)) for item in (0.0, 1.0, -1.0))
    readout = crossing(alpha0, _squared(mean["cosine_w"].to_numpy()))
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = (SHARPNESS * mean["training.eta_q"] * mean["task.theta"]).to_numpy() / kappa
        step = float(np.exp(np.interp(np.log(query), np.log(alpha0), np.log(steps))))
        step_se = step * float(np.interp(query, alpha0, kappa_se / kappa))
    return query, query - less, more - query, readout, step, step_se


def _squared(cosine: FloatArray) -> FloatArray:
    """Return the overlap of a direction; one that points away has none."""
    return np.asarray(np.clip(cosine, 0.0, 1.0) ** 2)


def learners_need(table: pd.DataFrame) -> pd.DataFrame:
    """Return, for each L, the α that the Bayes-optimal learner needs, and AMP.

    AMP is optimal above the algorithmic threshold, where there is one.

    Examples
    --------
    >>> limit = {"call": "bayes_optimal", "task.L": 10, "alpha_amp": None}
    >>> rows = [{**limit, "alpha": 1.0, "overlap": 0.5, "amp_overlap": 0.1},
    ...         {**limit, "alpha": 10.0, "overlap": 0.95, "amp_overlap": 0.95}]
    >>> table = pd.DataFrame([*rows, {"call": "phase_boundaries", "task.L": 10, "alpha_amp": 5.0}])
    >>> learners_need(table).round(3).values.tolist()
    [[10.0, 3.108, 5.0]]
    """
    limits = table[table.call == "bayes_optimal"].dropna(subset=["task.L", "alpha"])
    jumps = table[table.call == "phase_boundaries"].dropna(subset=["task.L", "alpha_amp"])
    boundary = jumps.astype({"alpha_amp": float}).groupby("task.L")["alpha_amp"].first()
    rows = []
    for L, part in limits.groupby("task.L"):
        optimal = crossing(part.alpha, part.overlap)
        amp = crossing(part.alpha, part.amp_overlap)
        if L in boundary.index:
            amp = max(optimal, float(boundary[L]))
        rows.append((L, optimal, amp))
    return pd.DataFrame(rows, columns=["L", "bayes_optimal", "amp"], dtype=float)


def growth(result: pd.DataFrame, name: str) -> float:
    """Return the slope of log y against log L over the last decade of L; NaN without two points.

    Examples
    --------
    >>> growth(pd.DataFrame({"L": [1.0, 10.0, 100.0], "query": [5.0, 2.0, 20.0]}), "query")
    1.0
    """
    known = result.dropna(subset=[name])
    last = known[known.L.max() <= known.L * 10.01]
    if len(last) < 2:
        return float("nan")
    x, y = np.log(last.L.to_numpy()), np.log(last[name].to_numpy())
    return float(round((y[-1] - y[0]) / (x[-1] - x[0]), 12))


scores = partial(compare, by=BY, names=QUANTITIES, theory="align", simulation="simulate_alignment")
X = "task.L"
ALIGNED = RowSpec((X, "training.alpha0"), ("cosine_q", "cosine_w"))
TABLE = TableSpec(
    "keep_up",
    {
        "align": ALIGNED,
        "simulate_alignment": ALIGNED,
        "bayes_optimal": RowSpec((X, "alpha"), ("overlap", "amp_overlap")),
        "phase_boundaries": RowSpec((X,), ("alpha_amp",)),
    },
    across=(X, "task.theta", "training.alpha0", "alpha"),
)
STEP = float(DEFAULTS["training.eta_q"])
QUERY, OPTIMAL = COLOURS["attention"], COLOURS["bayes"]
LINES = {  # of the samples needed: a name, a colour and a dash
    "readout": ("one step", COLOURS["pooled"], ()),
    "query": ("two steps", QUERY, ()),
    "amp": (AMP_THEORY, OPTIMAL, DASHED),
    "bayes_optimal": (BAYES_OPTIMAL, OPTIMAL, ()),
}


@figure_of(TABLE)
def keep_up(table: pd.DataFrame, ax: Any = None, *, panel: str = "samples") -> Drawing:
    """Draw the samples that a cosine of 0.9 with the signal takes, and the query's step, against L.

    The units have several α0 or α for each L. Lines are where theory crosses a cosine of 0.9, dots
    where the means over trials do; what does not cross it is left out.

    Parameters
    ----------
    panel : "samples" or "step", default "samples"
        With ``ax``, which one.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=[[10], [100], [1000]], R=1, theta=5.0, pi=0.5)
    >>> result = ns.align(task, ns.Training(alpha0=[0.1, 1.0, 10.0, 100.0], alpha1=1.0))
    >>> figure = ns.figures.keep_up(result.to_pandas())
    >>> figure.axes[0].texts[1].get_text()
    'two steps: $L^{0.99}$'
    """
    panels = {"samples": _samples, "step": _step}
    choice("panel", panel, tuple(panels))
    table = read_table(table, TABLE)
    check_strengths("keep_up", table)
    given = (table, steps_needed(table), steps_needed(table, "simulate_alignment"))
    if ax is None:
        words = describe_marks(table, "simulate_alignment")
        return two_panels(
            [panel(*given) for panel in panels.values()], words, right=0.915, gap=0.86
        )
    if panel == "step" and not len(select(table, ["kappa", "cosine_q"])):
        refuse_empty("keep_up", 'the panel "step" needs the columns kappa and cosine_q')
    return single(panels[panel](*given))


def _line(result: pd.DataFrame, column: str, name: str, colour: str, dash: Any) -> list[Mark]:
    """Return a line of what is known, named by how fast it grows in its last decade."""
    known = result.dropna(subset=[column])
    slope = growth(result, column)
    grows = "" if np.isnan(slope) else f": $L^{{{slope:.2f}}}$"
    points = (numbers(known.L), numbers(known[column]))
    return [Line(*points, colour, name + grows, dash)] if len(known) else []


def _tokens(table: pd.DataFrame) -> Axis:
    return Axis(f"tokens, $L$ {signal_tokens(table)}", log=10)


def _samples(table: pd.DataFrame, theory: pd.DataFrame, trials: pd.DataFrame) -> Panel:
    result = theory.merge(learners_need(table), on="L", how="outer")
    marks = [mark for key, look in LINES.items() for mark in _line(result, key, *look)]
    known = trials.dropna(subset=["query"])
    if len(known):
        bars = [numbers(known[item].clip(lower=0.0)) for item in ("query_below", "query_above")]
        marks.append(Dots(numbers(known.L), numbers(known["query"]), bars, QUERY))
    return Panel(
        [*marks, *empty_note(marks)],
        _tokens(table),
        Axis(r"samples per dimension, $\alpha_0$ or $\alpha$", log=10),
        "data for a cosine of 0.9 with the signal",
        labels_at_ends=True,
    )


def _step(table: pd.DataFrame, theory: pd.DataFrame, trials: pd.DataFrame) -> Panel:
    marks = _line(theory, "step", r"$\eta_q$", QUERY, ())
    known = trials.dropna(subset=["step"])
    if len(known):
        x, y, se = (numbers(known[item]) for item in ("L", "step", "step_se"))
        marks.append(Dots(x, y, se, QUERY))
    rule = Rule(y=STEP, colour=grey(0.6), dash=DOTTED, width=0.8, layer=-1)
    words = f"default, {STEP:g}"
    note = Text(words, (0.98, STEP), ("panel", "data"), ("right", "bottom"), (0, 2), grey(0.4))
    return Panel(
        [rule, *marks, note, *empty_note(marks)],
        _tokens(table),
        Axis(r"step on the query, $\eta_q$", log=10),
        r"step for a sharp query, $\kappa = \theta/2$",
        labels_at_ends=True,
    )
