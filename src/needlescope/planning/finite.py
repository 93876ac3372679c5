"""A plan at the given d: the mean error over data sets meets the target.

A plan in the limit of large d is too small: at finite d the mean error is larger, as the trials of
the interval measure (`spread`). n and θ move by secant steps on that mean, up to its standard
error; L is the largest whole number whose mean error is at most the target.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import NotConverged, shortened
from ..results.planned import Interval
from .expected.spread import spread
from .inverter import largest, probit
from .learners import Evaluation, Learner
from .solve import L_limits, Solution, limits, rounded, unreachable
from .spec import PlanSpec

ROUNDS = 8  # of measuring what a finite d adds
LONGEST_STEP = 0.7  # in the log of n or θ, that a round may move
RETUNE_BEYOND = 0.3  # in that log: settings from farther away are tuned anew
LEAST_SLOPE = 0.05  # of the probit in the log: smaller slopes are noise
MISSED_ERRORS = 3.0  # standard errors between the mean and a target that was missed
LONGEST_REASON = 160  # characters


class AtDimension(NamedTuple):
    """The solution at the given d, its interval of errors, and notes."""

    solution: Solution
    interval: Interval | None
    notes: tuple[str, ...] = ()


def at_dimension(
    spec: PlanSpec, learner: Learner, result: Solution, tol: float, seed: Any, wanted: bool
) -> AtDimension:
    """Measure the interval of errors over data sets, and move the plan to meet the target."""
    limit = f"the error is that of the limit of large d, and at d = {spec.d:,} commonly larger"
    if result.reached is None:
        return AtDimension(result, None)
    if result.reached.training is None:
        return AtDimension(
            result, None, (f"There is no theory of {learner.label} at finite d: {limit}.",)
        )
    if not wanted:
        return AtDimension(result, None, (f"No interval was asked for: {limit}.",))
    try:
        interval = measure_interval(spec, learner, result, seed)
        if spec.error is None:
            return AtDimension(result, interval, _untrained_note(interval))
        move = _largest_L if spec.unknown == "L" else _move_to_target
        return move(spec, learner, result, interval, tol, seed)
    except NotConverged as problem:
        why = shortened(str(problem).partition(";")[0], LONGEST_REASON)
        return AtDimension(result, None, (f"There is no interval, and {limit}: {why}.",))


def measure_interval(spec: PlanSpec, learner: Learner, result: Solution, seed: Any) -> Interval:
    """Measure the interval of errors over data sets."""
    reached = result.reached
    assert reached is not None and reached.training is not None
    task = spec.task(result.at)
    training_task = task if reached.balance == task.pi else task.replace(pi=reached.balance)
    return spread(
        training_task, reached.training, learner.model, spec.d, reached.error, seed,
        pi=float(task.pi), shift=reached.shift,
    )  # fmt: skip


def _move_to_target(
    spec: PlanSpec, learner: Learner, result: Solution, interval: Interval, tol: float, seed: Any
) -> AtDimension:
    """Move n or θ to where the mean error at this d meets the target."""
    assert spec.error is not None
    target, ends = spec.error, limits(spec)
    slope, setting, tuned_at = result.root.slope, result.root.setting, result.root.at
    slope = min(slope, -LEAST_SLOPE)
    before: tuple[float, float] | None = None

    def evaluate(at: float) -> Evaluation:
        return learner.evaluate(spec.budget(at), setting, tol)

    for _ in range(ROUNDS):
        gap = probit(interval.mean) - probit(target)
        if abs(interval.mean - target) <= max(tol, interval.mean_se):
            break
        if before is not None and abs(np.log(result.at / before[0])) > 1e-3:
            slope = min((gap - before[1]) / np.log(result.at / before[0]), -LEAST_SLOPE)
        before = result.at, gap
        far = float(np.exp(np.clip(-gap / slope, -LONGEST_STEP, LONGEST_STEP)))
        at = float(np.clip(result.at * far, *ends))
        if abs(np.log(at / tuned_at)) > RETUNE_BEYOND:
            setting, tuned_at = learner.tune(spec.budget(at), setting), at
        there = rounded(spec, at, evaluate, result.root)
        if there.at == result.at:
            break
        result, interval = there, measure_interval(spec, learner, there, seed)
    notes = *_missed_note(spec, interval, result, ends), *_untrained_note(interval)
    return AtDimension(result, interval, notes)


def _missed_note(
    spec: PlanSpec, interval: Interval, result: Solution, ends: tuple[float, float]
) -> tuple[str, ...]:
    """Say that the mean error is not the target, if so."""
    assert spec.error is not None
    off = interval.mean - spec.error
    least = off < 0.0 and result.at <= ends[0] * (1.0 + 1e-9) + 1.0  # as small as plans get
    if least or abs(off) <= MISSED_ERRORS * interval.mean_se + 0.01 * spec.error:
        return ()
    return (
        f"The target of {spec.error:g} was not met at d = {spec.d:,}: the mean error is "
        f"{interval.mean:.3g} there.",
    )


def _largest_L(
    spec: PlanSpec, learner: Learner, result: Solution, interval: Interval, tol: float, seed: Any
) -> AtDimension:
    """Return the largest L whose mean error at this d is at most the target."""
    assert spec.error is not None
    target = spec.error
    evaluated = {round(result.at): (result, interval)}

    def gap(L: int) -> float:
        if L not in evaluated:
            reached = learner.evaluate(spec.budget(L), result.root.setting, tol)
            there = Solution(float(L), reached, result.root)
            evaluated[L] = there, measure_interval(spec, learner, there, seed)
        return probit(evaluated[L][1].mean) - probit(target)

    at = largest(gap, round(result.at), L_limits(spec))
    if at is None:
        least = evaluated[L_limits(spec)[0]][1]
        return AtDimension(unreachable(spec, result.root, least.mean), None)
    there, interval = evaluated[at]
    return AtDimension(there, interval, _untrained_note(interval))


def _untrained_note(interval: Interval) -> tuple[str, ...]:
    """Say how many data sets cannot be trained on, if any."""
    if not interval.untrained:
        return ()
    share = f"{interval.untrained:.0%}" if interval.untrained >= 0.01 else "Fewer than 1%"
    return (
        f"{share} of {interval.trials} simulated data sets could not be trained "
        "on (the readout's bags were all of one class, or there is no minimiser): they count with "
        "the error of always answering the more frequent class.",
    )
