"""A plan at the d that was given: the mean error over data sets there is what meets the target.

In the limit of large d a plan is too small: at finite d the mean error is larger, by what the
interval's trials measure (`spread`). n and θ are moved by secant steps on that mean, as far as the
trials know it; L is the largest whole number whose mean is at most the target.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import NotConverged, shortened
from ..results.planned import Interval
from .inverter import largest, probit
from .learners import Evaluation, Learner
from .missing import Solution, limits, lost, rounded, whole_limits
from .spec import PlanSpec
from .spread import spread

ROUNDS = 8  # of measuring what a finite d adds
FARTHEST = 0.7  # in the log of n or θ, that a round may move
RETUNED = 0.3  # in that log: settings are looked for anew if they are from farther away
LEAST_SLOPE = 0.05  # of the probit in the log: less is noise
UNSURE = 3.0  # standard errors from the target, beyond which it was not met
SAID = 160  # characters of why there is no interval


class AtDimension(NamedTuple):
    """What was found for the d given, its interval, and what is to be said of it."""

    found: Solution
    interval: Interval | None
    notes: tuple[str, ...] = ()


def at_dimension(
    spec: PlanSpec, learner: Learner, result: Solution, tol: float, seed: Any, wanted: bool
) -> AtDimension:
    """Measure the range of errors over data sets, and move the plan to where its mean is right."""
    limit = f"the error is that of the limit of large d, and at d = {spec.d:,} commonly larger"
    if result.reached is None:
        return AtDimension(result, None)
    if result.reached.training is None:
        return AtDimension(
            result, None, (f"Nothing is known of {learner.words} at finite d: {limit}.",)
        )
    if not wanted:
        return AtDimension(result, None, (f"No interval was asked for: {limit}.",))
    try:
        range_ = measure(spec, learner, result, seed)
        if spec.error is None:
            return AtDimension(result, range_, _untrained(range_))
        move = _longest if spec.unknown == "L" else _moved
        return move(spec, learner, result, range_, tol, seed)
    except NotConverged as problem:
        why = shortened(str(problem).partition(";")[0], SAID)
        return AtDimension(result, None, (f"There is no interval, and {limit}: {why}.",))


def measure(spec: PlanSpec, learner: Learner, result: Solution, seed: Any) -> Interval:
    """Measure the range of errors over data sets."""
    reached = result.reached
    assert reached is not None and reached.training is not None
    task = spec.task(result.at)
    seen = task if reached.balance == task.pi else task.replace(pi=reached.balance)
    return spread(
        seen, reached.training, learner.name, spec.d, reached.error, seed,
        pi=float(task.pi), shift=reached.shift,
    )  # fmt: skip


def _moved(
    spec: PlanSpec, learner: Learner, result: Solution, range_: Interval, tol: float, seed: Any
) -> AtDimension:
    """Move n or θ to where the mean error at this d meets the target."""
    assert spec.error is not None
    target, ends = spec.error, limits(spec)
    slope, setting, tuned_at = (
        min(result.root.slope, -LEAST_SLOPE),
        result.root.setting,
        result.root.at,
    )
    before: tuple[float, float] | None = None

    def look(at: float) -> Evaluation:
        return learner.evaluate(spec.budget(at), setting, tol)

    for _ in range(ROUNDS):
        gap = probit(range_.mean) - probit(target)
        if abs(range_.mean - target) <= max(tol, range_.mean_se):
            break
        if before is not None and abs(np.log(result.at / before[0])) > 1e-3:
            slope = min((gap - before[1]) / np.log(result.at / before[0]), -LEAST_SLOPE)
        before = result.at, gap
        far = float(np.exp(np.clip(-gap / slope, -FARTHEST, FARTHEST)))
        at = float(np.clip(result.at * far, *ends))
        if abs(np.log(at / tuned_at)) > RETUNED:
            setting, tuned_at = learner.tune(spec.budget(at), setting), at
        there = rounded(spec, at, look, result.root)
        if there.at == result.at:
            break
        result, range_ = there, measure(spec, learner, there, seed)
    return AtDimension(result, range_, (*_missed(spec, range_, result, ends), *_untrained(range_)))


def _missed(
    spec: PlanSpec, range_: Interval, result: Solution, ends: tuple[float, float]
) -> tuple[str, ...]:
    """Say that the mean error is not the target, where it is not."""
    assert spec.error is not None
    off = range_.mean - spec.error
    least = off < 0.0 and result.at <= ends[0] * (1.0 + 1e-9) + 1.0  # fewer are not looked at
    if least or abs(off) <= UNSURE * range_.mean_se + 0.01 * spec.error:
        return ()
    return (
        f"The target of {spec.error:g} was not met at d = {spec.d:,}: the mean error is "
        f"{range_.mean:.3g} there.",
    )


def _longest(
    spec: PlanSpec, learner: Learner, result: Solution, range_: Interval, tol: float, seed: Any
) -> AtDimension:
    """Return the largest L whose mean error at this d is at most the target."""
    assert spec.error is not None
    target = spec.error
    looked = {round(result.at): (result, range_)}

    def gap(L: int) -> float:
        if L not in looked:
            reached = learner.evaluate(spec.budget(L), result.root.setting, tol)
            there = Solution(float(L), reached, result.root)
            looked[L] = there, measure(spec, learner, there, seed)
        return probit(looked[L][1].mean) - probit(target)

    at = largest(gap, round(result.at), whole_limits(spec))
    if at is None:
        return AtDimension(lost(spec, result.root, looked[spec.R][1].mean), None)
    there, seen = looked[at]
    return AtDimension(there, seen, _untrained(seen))


def _untrained(range_: Interval) -> tuple[str, ...]:
    """Say how many data sets cannot be trained on."""
    if not range_.untrained:
        return ()
    return (
        f"{range_.untrained:.0%} of {range_.trials} simulated data sets could not be trained on "
        "(the readout's bags were all of one class, or there is no minimiser): they count with the "
        "error of always answering the more frequent class.",
    )
