"""A plan from pilot data: for the task that bags are like, with its uncertainty.

`estimate_task` estimates a task from the bags. Its uncertainty comes from a parametric bootstrap:
pilots of the same size are drawn from that task, estimated anew, and planned for by the plan's own
rough search; the factor that a finite d adds is taken to be the same for all. (Resampling the bags
of the pilot would be wrong: halves that share a bag agree on its noise.) For comparison, errors of
the classifier fitted to parts of the pilot are extrapolated without the theory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr
from sklearn.utils import check_random_state

from ...arrays import FloatArray
from ...grid import whole
from ...losses import Loss
from ...planning.inverter import probit
from ...planning.learners import Learner, get_learner
from ...planning.others import names_of
from ...planning.plan import PlanOptions, make_plan
from ...planning.sentences import capitalised
from ...planning.solve import rough_root
from ...planning.spec import PlanSpec, plan_spec
from ...results.planned import OtherLearner, PilotPlan, Plan
from ...task import Task
from ..bags.bags import Bags, as_bags
from ..classifiers.linear import PooledClassifier
from ..classifiers.mil import MILClassifier
from .departures import VERDICTS
from .estimate import _signs, estimate_task
from .fit import Fitted, fit_task
from .result import TaskEstimate

SHARES, SPLITS = (0.25, 0.5, 0.75), 6  # parts of the pilot that classifiers are fitted to
MOST_RESAMPLES = 1000
TAIL_PERCENT = 5.0  # per cent of the resamples on each side


def plan_from_pilot(
    X: Any,
    y: Any,
    *,
    n: int | None = None,
    error: float | None = None,
    learner: str = "attention",
    loss: str | Loss = "logistic",
    positives: int | None = None,
    costs: tuple[float, float] | None = None,
    spend: float | None = None,
    interval: bool = True,
    others: bool | Sequence[str] = True,
    tol: float = 5e-4,
    seed: Any = 0,
    resamples: int = 12,
) -> PilotPlan:
    """Plan for the task that labelled pilot bags are like.

    The task is estimated by `estimators.estimate_task`, in place of L, R, theta, pi and d; the
    other parameters are those of `needlescope.plan`, and n or the error is left out. A target
    below the estimated Bayes error is not refused: the estimate is uncertain.

    Parameters
    ----------
    X, y : bags, array (bags,)
        As the classifiers of `needlescope.estimators` take them.
    n, error, learner, loss, positives, costs, spend, interval, others, tol, seed : optional
        As `needlescope.plan` takes them.
    resamples : int, default 12
        How many pilots of the same size are drawn from the estimated task: the spread of their
        plans is the uncertainty of this one.

    Returns
    -------
    PilotPlan
        Its verdict says first how uncertain it is.

    Raises
    ------
    ValueError
        If an argument is out of its range, or the bags show no signal.
    NotConverged
        If an error is not known well enough.

    Examples
    --------
    >>> import numpy as np
    >>> import needlescope as ns
    >>> ns.plan_from_pilot(np.ones((4, 2, 3)), [0, 1, 0, 1])
    Traceback (most recent call last):
    ValueError: with pilot data give n or error, not both: the other is planned for; got neither
    """
    amount = spend if n is None else n
    if (amount is None) == (error is None):
        got = "neither" if amount is None else "both"
        raise ValueError(
            f"with pilot data give n or error, not both: the other is planned for; got {got}"
        )
    resamples = whole("resamples", resamples, 1, MOST_RESAMPLES)
    options = PlanOptions(loss, interval, others, tol, seed)
    options.check()
    if "joint" in (learner, *names_of(others)):
        raise ValueError(
            "learner and others must leave out 'joint' with pilot data: features of pilot bags are "
            "seldom white, and the equations of joint training are for white noise; plan for the "
            "task that estimate_task finds"
        )
    random = check_random_state(seed)
    bags = as_bags(X)
    _, signs = _signs(bags, y, None)
    target: dict[str, Any] = {"n": n, "error": error, "learner": learner}
    target |= {"positives": positives, "costs": costs, "spend": spend}
    _check_target(bags, signs, target)
    _need_signal(fit_task(bags, signs, random, lambda: None), len(bags))
    estimate = estimate_task(bags, y, random_state=random)
    _need_signal(estimate, len(bags))
    task, d = estimate.tasks.get(learner, estimate.task), max(round(estimate.dimension), 1)
    spec = plan_spec(**_fields(task), d=d, **target, estimated=True)
    result = make_plan(spec, options)
    forward = get_learner(learner, loss)
    here = _rough_answer(spec, forward) if result.reached else np.inf
    times = result.n / here if result.unknown == "n" and np.isfinite(here) else 1.0
    values = []
    for _ in range(resamples):
        fitted = fit_task(*_draw_pilot(task, d, len(bags), random), random, lambda: None)
        redrawn = _fields(fitted.task) | {"d": max(round(fitted.dimension), 1)}
        value = times * _replanned(redrawn | target, forward)
        values.append(float(np.ceil(value)) if result.unknown == "n" else value)
    ends = [TAIL_PERCENT, 100.0 - TAIL_PERCENT]
    low, high = map(float, np.percentile(values, ends, method="inverted_cdf"))
    measured = _measured(bags, signs, learner, random)
    further = extrapolated(measured, result.n, error)
    notes = _notes(estimate, result, (low, high), measured, further, resamples)
    fields = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    fields |= {
        "notes": (*notes, *result.notes),
        "verdict": " ".join([*notes, result.verdict]),
        "others": tuple(_with_measured(other, estimate.measured) for other in result.others),
    }
    return PilotPlan(
        **fields,
        bags=len(bags),
        theta_se=estimate.theta_se,
        resampled=tuple(values),
        low=low,
        high=high,
        measured=measured,
        extrapolated=further,
        trust=_trust(estimate),
    )


def _check_target(bags: Bags, signs: FloatArray, target: dict[str, Any]) -> None:
    """Refuse an invalid target before the task is estimated."""
    shape = {"L": max(round(float(bags.lengths.mean())), 1), "R": 1, "theta": 1.0}
    plan_spec(**shape, pi=float((signs > 0.0).mean()), d=bags.d, **target, estimated=True)


def _notes(
    estimate: TaskEstimate,
    result: Plan,
    ends: tuple[float, float],
    measured: dict[int, tuple[float, float]],
    further: float,
    resamples: int,
) -> tuple[str, ...]:
    """Say how far to trust the plan, and how uncertain it is: the first sentences."""

    def say(value: float) -> str:
        if not np.isfinite(value):
            return "more bags than are planned for"
        return f"{value:,.0f} bags" if result.unknown == "n" else f"a test error of {value:.3g}"

    count, (error, se) = list(measured.items())[-1]
    notes = [
        capitalised(_trust(estimate)) + ".",
        f"With {estimate.bags} bags of the pilot the answer is uncertain: plans for {resamples} "
        f"pilots like it go from {say(ends[0])} to {say(ends[1])}.",
        f"A classifier fitted to {count} bags of the pilot has a test error of {error:.3g} ± "
        f"{se:.2g} on the others; errors on parts of it, without the theory, lead to "
        f"{say(further)}.",
    ]
    if not result.reached:
        notes.append(
            f"The Bayes error of {result.floor:.3g} is that of the estimated task, "
            "and as uncertain."
        )
    return tuple(notes)


def _with_measured(other: OtherLearner, measured: dict[str, float]) -> OtherLearner:
    """Add the error that was measured on the pilot, if there is one."""
    if other.learner not in measured:
        return other
    sentence = f"{other.sentence} (cross-validated on the pilot: {measured[other.learner]:.3g})"
    return other._replace(sentence=sentence)


def _need_signal(result: Fitted | TaskEstimate, bags: int) -> None:
    """Refuse a pilot in which no signal was found."""
    if not result.task.theta > 0.0:
        raise ValueError(
            f"no signal was found in the {bags} bags of the pilot (positive bags differ from "
            f"negative ones by {result.surprise:.1f} standard errors), so there is nothing to plan "
            "for; collect more bags, or give L, R, theta, pi and d yourself"
        )


def _fields(task: Task) -> dict[str, Any]:
    """Return a task's numbers, π no nearer to 0 or 1 than is planned for."""
    numbers = {"L": int(task.L), "R": int(task.R), "theta": float(task.theta), "pi": float(task.pi)}
    return numbers | {"noise": task.noise, "signal": task.signal}


def _draw_pilot(task: Task, d: int, n: int, random: Any) -> tuple[Bags, FloatArray]:
    """Draw a pilot of the task: bags and their signs, with the expected number of positives."""
    positives = int(np.clip(round(task.pi * n), 5, n - 5))
    X, y, xi = random.standard_normal((n, task.L, d)), np.full(n, -1.0), np.eye(d)[0]
    if task.levels is not None:  # rotated: scaling the features must not whiten them
        place = task.noise.spectrum.at_dimension(d)
        turn = np.linalg.qr(random.standard_normal((d, d)))[0]
        X = (X * np.sqrt(task.levels.s)[place]) @ turn
        xi = np.sqrt((task.levels.weight / np.bincount(place))[place]) @ turn
    y[:positives] = 1.0
    for k in range(positives):
        X[k, random.permutation(task.L)[: task.R]] += task.theta * xi
    return as_bags(X), y


def _replanned(arguments: dict[str, Any], forward: Learner) -> float:
    """Return the rough plan of another pilot; the worst value if it has none."""
    prior = min(arguments["pi"], 1.0 - arguments["pi"])
    worst = prior if arguments["error"] is None else np.inf
    if not arguments["theta"] > 0.0:
        return worst
    try:
        return _rough_answer(plan_spec(**arguments), forward)
    except ValueError:  # no plan for this task, as with a target below its Bayes error
        return worst


def _rough_answer(spec: PlanSpec, forward: Learner) -> float:
    """Return the value of what is planned for, by the rough search."""
    if spec.unknown == "error":
        return float(forward.tune(spec.budget(spec.n)).error)
    root = rough_root(spec, forward)
    return float(np.ceil(root.at)) if root.reached else np.inf


def _measured(
    bags: Bags, y: FloatArray, learner: str, random: Any
) -> dict[int, tuple[float, float]]:
    """Return test errors of classifiers fitted to parts of the pilot, with standard errors."""
    result = {}
    for share in SHARES:
        errors = []
        for _ in range(SPLITS):
            known, rest = _parts(y, share, random)
            classifier = (
                PooledClassifier(random_state=random)
                if learner == "pooled"
                else MILClassifier(effort="quick", random_state=random)
            )
            predicted = classifier.fit(bags[known], y[known]).predict(bags[rest])
            errors.append(float((predicted != y[rest]).mean()))
        count = round(share * len(y))
        result[count] = (float(np.mean(errors)), float(np.std(errors, ddof=1) / np.sqrt(SPLITS)))
    return result


def _parts(y: FloatArray, share: float, random: Any) -> tuple[FloatArray, FloatArray]:
    """Return a random part of the bags, the same share of each class, and the rest."""
    known = []
    for label in (-1.0, 1.0):
        places = random.permutation(np.flatnonzero(y == label))
        known.append(places[: max(round(share * len(places)), 2)])
    part = np.sort(np.concatenate(known))
    return part, np.setdiff1d(np.arange(len(y)), part)


def extrapolated(measured: dict[int, tuple[float, float]], n: Any, error: Any) -> float:
    """Extrapolate errors measured on parts of a pilot to n, or to the n of an error.

    Examples
    --------
    >>> measured = {25: (0.3, 0.01), 50: (0.25, 0.01), 75: (0.22, 0.01)}
    >>> 500 < extrapolated(measured, None, 0.1) < 800
    True
    >>> round(extrapolated(measured, 100, None), 2)
    0.2
    """
    x = np.log(list(measured))
    z = np.array([probit(min(max(item, 1e-3), 0.5)) for item, _ in measured.values()])
    slope, start = np.polyfit(x, z, 1)
    if error is None:
        return float(ndtr(start + slope * np.log(n)))
    return float(np.exp((probit(error) - start) / slope)) if slope < 0.0 else np.inf


def _trust(estimate: TaskEstimate) -> str:
    """Say how far to trust a plan, by the verdict on the estimate."""
    start = dict(zip(VERDICTS, ("", "Uncertain: ", "Not reliable: "), strict=True))
    return start[estimate.verdict] + estimate.trust
