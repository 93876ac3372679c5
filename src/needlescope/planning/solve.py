"""The argument that was left out, for one learner, in the limit of large d.

A rough search comes first; its result is refined to full precision: n and θ by Newton steps with
the slope of the rough search, L as the largest whole number whose error is at most the target.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..errors import NotConverged
from .inverter import Root, find_root, largest, probit
from .learners import Evaluation, Learner
from .spec import PlanSpec

MOST_DATA, LEAST_DATA = 1e5, 0.02  # bags for each dimension
WEAKEST_THETA, STRONGEST_THETA = 0.05, 1e3
LARGEST_L = 100_000
LARGEST_L_JOINT = 100  # of joint training, whose equations take tens of seconds there
ROUGH_RATIO = 1.05  # by which L may be too small in the rough search
NEAR_RATIO = 1.3  # of L: settings that are tuned so near cost nothing
MOST_TUNINGS = 8  # each reaches an L that those before it did not
LEAST_OF_CLASS = 10  # bags of the rarer class
LEAST_NEGATIVES = 20  # beside a given number of positives
MOST_STEPS = 16  # steps to full precision
FINE_STEP = 0.5  # the longest of them, in the log
JUMP_RATIO = 2e-3  # of n or θ: in a closer bracket the error jumps past the target
FLAT_SLOPE = 1e-6  # of the probit: smaller slopes count as zero


class Solution(NamedTuple):
    """The argument that was missing, and the evaluation there; None if the target is unreachable.

    ``best`` is then the error nearest to the target.
    """

    at: float
    reached: Evaluation | None
    root: Root
    best: float = np.nan


def solve(spec: PlanSpec, learner: Learner, tol: float, root: Root | None = None) -> Solution:
    """Find the missing argument for one learner: roughly, or near a root, then precisely."""
    if spec.unknown == "error":
        budget = spec.budget(spec.n)
        setting = learner.tune(budget)
        reached = learner.evaluate(budget, setting, tol)
        return Solution(reached.error, reached, Root(reached.error, setting, 0.0, True))
    root = root or rough_root(spec, learner)
    if not root.reached:
        return unreachable(spec, root, float(root.setting.error))
    if spec.unknown == "L":
        return _largest_L(spec, learner, root, tol)
    return _refine(spec, learner, root, tol)


def unreachable(spec: PlanSpec, root: Root, best: float) -> Solution:
    """Return the solution where nothing within the limits meets the target."""
    return Solution(0.0 if spec.unknown == "L" else np.inf, None, root, best)


def rough_root(spec: PlanSpec, learner: Learner) -> Root:
    """Find the missing argument for one learner, by its rough forward function."""
    assert spec.error is not None
    ends = limits(spec)
    if spec.unknown == "L":
        return _rough_largest_L(spec, learner, spec.error)

    def forward(at: float, near: Any) -> Any:
        return learner.tune(spec.budget(at), near)

    def error_with(at: float, setting: Any) -> float:
        return learner.error_with(spec.budget(at), setting)

    start = 5.0 if spec.unknown == "theta" else 3.0 * spec.d * spec.mean_cost
    return find_root(forward, error_with, spec.error, float(np.clip(start, *ends)), ends)


def limits(spec: PlanSpec) -> tuple[float, float]:
    """Return the range in which the missing argument is searched."""
    if spec.unknown == "n":
        rarer = 0.5 if spec.costs is not None else min(spec.pi, 1.0 - spec.pi)
        low = max(LEAST_DATA * spec.d, LEAST_OF_CLASS / rarer)
        if spec.positives is not None:
            low = max(low, float(spec.positives + LEAST_NEGATIVES))
        return low * spec.mean_cost, MOST_DATA * spec.d * spec.mean_cost
    if spec.unknown == "theta":
        return WEAKEST_THETA, STRONGEST_THETA
    low, high = L_limits(spec)
    return float(low), float(high)


def limit_notes(spec: PlanSpec, result: Solution) -> tuple[str, ...]:
    """Say that the solution is at an end of the range, where the error is below the target."""
    if result.reached is None or spec.unknown == "error":
        return ()
    low, high = limits(spec)
    if spec.unknown == "L":
        return (f"Bags of more than {high:,.0f} instances are not considered.",) * (
            result.at >= high
        )
    if spec.unknown == "theta":
        note = f"Signals weaker than {low:g} are not considered."
    elif spec.costs is not None:
        note = f"To spend less than {low:,.4g} is not planned for: bags may lack a class."
    else:
        low = float(np.ceil(low))
        note = f"Fewer than {low:,.0f} bags are not planned for: they may lack a class."
    return (note,) * bool(result.at <= low * (1.0 + 1e-9))


def L_limits(spec: PlanSpec) -> tuple[int, int]:
    """Return the range of whole numbers in which L is searched."""
    if spec.learner == "joint":
        return max(spec.R, 2), max(spec.R, LARGEST_L_JOINT)
    return spec.R, LARGEST_L


def _rough_largest_L(spec: PlanSpec, learner: Learner, target: float) -> Root:
    """Find the largest L by the rough forward function.

    A learner that can keep settings is tuned at a first L and at the largest that its settings
    reach, until that moves no farther; else it is tuned at each, from one L to the next.
    """
    least, start, last = L_limits(spec)[0], max(10, 2 * spec.R), list[Any]([None])

    def tune(L: int) -> Any:
        last[0] = learner.tune(spec.budget(L), last[0])
        return last[0]

    def keep(L: int) -> Any:
        return learner.between(spec.budget(L), last[0], last[0], 0.0)

    if not learner.keeps_settings:
        at, setting = _largest_L_meeting(spec, tune, target, start, ROUGH_RATIO)
        return Root(float(least if at is None else at), setting, 0.0, at is not None)
    setting = tune(start)
    for _ in range(MOST_TUNINGS):
        at, _ = _largest_L_meeting(spec, keep, target, start, ROUGH_RATIO)
        there = least if at is None else at
        if there != start:
            setting = tune(there)
        if setting.error > target and there == least:
            return Root(float(least), setting, 0.0, False)
        if at is not None and abs(np.log(there / start)) <= np.log(NEAR_RATIO):
            break
        start = there
    return Root(float(there), setting, 0.0, True)


def _largest_L_meeting(
    spec: PlanSpec, evaluate: Callable[[int], Any], target: float, start: int, ratio: float = 1.0
) -> tuple[int | None, Any]:
    """Return the largest L whose error is at most the target, and the evaluation there.

    An error that does not converge, as where the Bayes-optimal error jumps, counts as above it.
    """
    evaluated: dict[int, Any] = {}
    least = L_limits(spec)[0]

    def gap(L: int) -> float:
        try:
            evaluated[L] = evaluate(L)
        except NotConverged:
            if least == L:
                raise
            return np.inf
        return probit(evaluated[L].error) - probit(target)

    at = largest(gap, start, L_limits(spec), ratio)
    return at, evaluated[least if at is None else at]


def _largest_L(spec: PlanSpec, learner: Learner, root: Root, tol: float) -> Solution:
    """Return the largest L whose error to full precision is at most the target."""
    assert spec.error is not None

    def evaluate(L: int) -> Evaluation:
        return learner.evaluate(spec.budget(L), root.setting, tol)

    at, reached = _largest_L_meeting(spec, evaluate, spec.error, round(root.at))
    if at is None:
        return unreachable(spec, root, reached.error)
    return Solution(float(at), reached, root)


def _refine(spec: PlanSpec, learner: Learner, root: Root, tol: float) -> Solution:
    """Step to where the error meets the target to full precision; then round n to an integer."""
    assert spec.error is not None
    target, ends = spec.error, limits(spec)
    level = probit(target)

    def evaluate(at: float) -> Evaluation:
        return learner.evaluate(spec.budget(at), root.setting, tol)

    at, slope = root.at, root.slope
    low, high = ends  # too little, enough
    enough: tuple[float, Evaluation] | None = None
    before: tuple[float, float] | None = None
    for _ in range(MOST_STEPS):
        reached = evaluate(at)
        gap = probit(reached.error) - level
        if abs(reached.error - target) <= tol:
            if abs(slope) > FLAT_SLOPE:
                at *= float(np.exp(np.clip(-gap / slope, -FINE_STEP, FINE_STEP)))
            return rounded(spec, float(np.clip(at, *ends)), evaluate, root)
        if gap > 0.0:
            low = max(low, at)
        else:
            high, enough = min(high, at), (at, reached)
        if enough is not None and (at == ends[0] or high / low < 1.0 + JUMP_RATIO):
            return Solution(*enough, root)  # the least argument suffices, or the error jumps
        if before is not None and abs(np.log(at / before[0])) > 1e-9:
            secant = (gap - before[1]) / (np.log(at) - np.log(before[0]))
            slope = secant if secant < 0.0 else slope
        before = (at, gap)
        step = np.clip(-gap / min(slope, -FLAT_SLOPE), -FINE_STEP, FINE_STEP)
        ahead = float(np.clip(at * np.exp(step), *ends))
        at = ahead if low < ahead < high or ahead in ends else float(np.sqrt(low * high))
    raise NotConverged(
        f"the {spec.unknown} at which {learner.label} has a test error of {target:g} could not be "
        f"determined: at {at:.6g} it is {reached.error:.6g}; try another target"
    )


def rounded(
    spec: PlanSpec, at: float, evaluate: Callable[[float], Evaluation], root: Root
) -> Solution:
    """Return the solution with a whole number of bags, if bags are what is searched."""
    if spec.unknown == "n" and spec.costs is None:
        at = float(np.ceil(at - 1e-6))
    return Solution(at, evaluate(at), root)
