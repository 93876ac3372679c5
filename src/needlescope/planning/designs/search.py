"""The cheapest of the designs L and n at a constant share R/L of instances with the signal.

A positive bag of L instances has R = r L of them with the signal, r given: whoever reads twice as
many patches of a slide sees twice as many lesions. A design costs n (a + b L), with a the price of
a bag and b that of an instance. For a target error what n(R) bags cost is least at one R, for a
given spend the error is; both mostly at an end. It is searched over the whole numbers R, in steps
of a factor of two and then by parabolas in logs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...errors import NoMinimiser, NotConverged
from ...results.planned import Design
from ...theory.oracle.least_error import oracle
from ..inverter import LONGEST_STEP, ROUGH_TOL, Root, find_root, probit
from ..learners import Learner
from ..solve import limits
from ..spec import PlanSpec

AT_FLOOR = 0.6  # of the target: the Bayes error of the first R that is looked at
BEYOND = 3.0  # times the least spend so far, beyond which a design is not followed up
NO_ERROR = 5e-4  # smaller errors are not told apart
MOST_STEPS = 24  # of a factor of two
MOST_REFINED = 6
CLOSE = 1.2  # ratio of neighbours that are not told apart
FIRST = 4.0  # bags for each dimension, to begin with
STEEP = -1e-3  # slope of a curve that falls
KNOWS = 0.98  # of the constant answer's error: settings that leave more tell nothing
SAME_SETTINGS = 1.6  # ratio of R, up to which settings are kept in the search
MOST_TUNED = 3  # times that settings are tuned for a design
NEAR = 0.15  # in log n: settings that are tuned so near are the best, and the rest is a slope


class Prices(NamedTuple):
    """What a bag costs, and each of its instances."""

    bag: float
    instance: float

    def of(self, L: float) -> float:
        """Return the price of a bag of L instances.

        >>> Prices(10.0, 0.5).of(20)
        20.0
        """
        return self.bag + self.instance * L


class Tried(NamedTuple):
    """A design, its settings, and what is to be least.

    Settings were tuned at ``tuned`` of the signal; ``slope`` is that of the error's probit in the
    log of n, where it is known.
    """

    design: Design
    setting: Any
    loss: float
    tuned: int = 0
    slope: float = 0.0


def length(R: int, rate: float) -> int:
    """Return the instances of a bag with R of the signal.

    >>> [length(R, 3 / 50) for R in (1, 2, 3)], length(3, 1.0)
    ([17, 33, 50], 3)
    """
    return max(round(R / rate), R)


def fewest_bags(spec: PlanSpec) -> int:
    """Return the fewest bags that are planned for."""
    return int(np.ceil(limits(replace(spec, unknown="n"))[0]))


class Designs:
    """Designs of one question, by the rough forward function of a learner with a theory.

    ``spec`` has the target, or none; then ``spend`` is given.
    """

    def __init__(
        self,
        spec: PlanSpec,
        learner: Learner,
        rate: float,
        prices: Prices,
        spend: float | None = None,
    ) -> None:
        self.spec, self.learner, self.rate, self.prices = spec, learner, rate, prices
        self.spend = spend
        self.tried: dict[int, Tried] = {}

    def at(self, R: int) -> float:
        """Return what is to be least at R: the spend for the target, or the error of the spend."""
        if R not in self.tried:
            try:
                self.tried[R] = self._for_target(R) if self.spend is None else self._for_spend(R)
            except (NotConverged, NoMinimiser):
                design = Design(length(R, self.rate), R, np.nan, np.nan, np.nan)
                self.tried[R] = Tried(design, None, np.inf)
        return self.tried[R].loss

    def spec_at(self, R: int) -> PlanSpec:
        """Return the specification of the designs with R instances of the signal."""
        return replace(self.spec, L=length(R, self.rate), R=R)

    def _nearest(self, R: int) -> Tried | None:
        known = [at for at, tried in self.tried.items() if tried.setting is not None]
        return self.tried[min(known, key=lambda at: abs(np.log(at / R)))] if known else None

    def _for_spend(self, R: int) -> Tried:
        """Tune for the bags that the spend buys."""
        assert self.spend is not None
        L = length(R, self.rate)
        n, near = float(np.floor(self.spend / self.prices.of(L) + 1e-9)), self._nearest(R)
        spec = replace(self.spec_at(R), n=n)
        if near is not None and self.learner.keeps_settings and _near(R, near.tuned):
            tuned = near.tuned
            setting = self.learner.between(spec.budget(n), near.setting, near.setting, 0.0)
        else:
            tuned = R
            setting = self.learner.tune(spec.budget(n), None if near is None else near.setting)
        error = float(setting.error)
        design = Design(L, R, n, n * self.prices.of(L), error)
        return Tried(design, setting, max(error, NO_ERROR), tuned)

    def _for_target(self, R: int) -> Tried:
        """Find the bags that the target needs, unless they cost far more than the best so far."""
        spec, near = self.spec_at(R), self._nearest(R)
        assert spec.L is not None and spec.error is not None
        price, (low, high) = self.prices.of(spec.L), limits(spec)
        fewest = [tried for at, tried in self.tried.items() if at < R and tried.design.n <= low]
        if fewest:  # with more of the signal they are enough as well
            n = float(np.ceil(low))
            return Tried(Design(spec.L, R, n, n * price, spec.error), fewest[0].setting, n * price)
        if float(oracle(spec.task(), "bayes", tol=1e-3).error) >= spec.error:
            return Tried(Design(spec.L, R, np.inf, np.inf, np.nan), None, np.inf)
        least = min((tried.loss for tried in self.tried.values()), default=np.inf)
        high = float(np.clip(BEYOND * least / price, low * 1.001, high))
        start = FIRST * spec.d
        if near is not None and np.isfinite(near.loss):
            start = near.design.n * near.design.L / spec.L
        start = float(np.clip(start, low, high))
        setting = self.learner.tune(spec.budget(start)) if near is None else near.setting
        tuned = R if near is None or not _near(R, near.tuned) else near.tuned
        at, setting, slope, reached = self._root(spec, start, (low, high), setting, tuned == R)
        error = float(setting.error)
        if not reached:
            return Tried(Design(spec.L, R, np.inf, np.inf, error), setting, np.inf, tuned)
        n = float(np.ceil(np.clip(at * _to_target(error, spec.error, slope), low, high) - 1e-6))
        design = Design(spec.L, R, n, n * price, spec.error)
        return Tried(design, setting, n * price, tuned, slope)

    def root(self, R: int) -> Root | None:
        """Return the rough solution at R, tuned there, for a plan to begin with; or None."""
        tried, spec = self.tried[R], self.spec_at(R)
        if self.spend is not None or not np.isfinite(tried.loss) or tried.slope >= STEEP:
            return None
        setting = tried.setting
        if tried.tuned != R and self.learner.keeps_settings:
            setting = self.learner.tune(spec.budget(tried.design.n), setting)
        return Root(tried.design.n, setting, tried.slope, True)

    def _root(
        self, spec: PlanSpec, start: float, ends: tuple[float, float], near: Any, tune: bool
    ) -> tuple[float, Any, float, bool]:
        """Return the bags that meet the target, roughly: those of settings nearby, tuned there."""
        learner, prior = self.learner, min(spec.pi, 1.0 - spec.pi)
        kept = learner.keeps_settings and near.error < KNOWS * prior

        def forward(at: float, setting: Any) -> Any:
            if kept:
                return learner.between(spec.budget(at), near, near, 0.0)
            return learner.tune(spec.budget(at), near if setting is None else setting)

        def error_with(at: float, setting: Any) -> float:
            return learner.error_with(spec.budget(at), setting)

        assert spec.error is not None
        root = find_root(forward, error_with, spec.error, start, ends)
        at, setting, reached = root.at, root.setting, root.reached
        for _ in range(MOST_TUNED * (kept and tune)):
            setting = learner.tune(spec.budget(at), setting)
            ahead = float(np.clip(at * _to_target(setting.error, spec.error, root.slope), *ends))
            reached = setting.error <= spec.error * (1.0 + ROUGH_TOL) or ahead < ends[1]
            if abs(np.log(ahead / at)) < NEAR:
                break
            at = ahead
        return at, setting, root.slope, reached


def _near(R: int, tuned: int) -> bool:
    """Return whether settings that were tuned for another R are about the best."""
    return tuned > 0 and max(R / tuned, tuned / R) <= SAME_SETTINGS


def _to_target(error: float, target: float, slope: float) -> float:
    """Return the factor of n from an error to the target, to first order."""
    if slope > STEEP:
        return 1.0
    step = (probit(target) - probit(error)) / slope
    return float(np.exp(np.clip(step, -LONGEST_STEP, LONGEST_STEP)))


def first_R(designs: Designs, most: int) -> int:
    """Return the first power of two whose Bayes error is well below the target; 1 without one."""
    R = 1
    while designs.spec.error is not None and most > R:
        floor = float(oracle(designs.spec_at(R).task(), "bayes", tol=1e-3).error)
        if floor <= AT_FLOOR * designs.spec.error:
            break
        R = min(2 * R, most)
    return R


def least(loss: Callable[[int], float], start: int, most: int) -> int:
    """Return the whole number in 1..most at which a loss with one minimum is least, about.

    Examples
    --------
    >>> least(lambda R: (R - 37.0) ** 2 + 100.0, 4, 1000) in range(34, 41)
    True
    >>> least(lambda R: 1.0 / R, 4, 1000), least(float, 4, 1000)
    (1000, 1)
    """
    known = {start: loss(start)}
    for _ in range(MOST_STEPS):  # until both neighbours of the best are worse
        best = _best(known)
        below, above = max(best // 2, 1), min(2 * best, most)
        missing = [R for R in (above, below) if R not in known and not _enclosed(known, best, R)]
        if not missing:
            break
        known[missing[0]] = loss(missing[0])
    for _ in range(MOST_REFINED):
        ahead = _between(known)
        if ahead is None:
            break
        known[ahead] = loss(ahead)
    return _best(known)


def _best(known: Mapping[int, float]) -> int:
    """Return the R of the least loss: the smallest of equals, the largest where none is finite."""
    return min(known, key=lambda R: (known[R], R if np.isfinite(known[R]) else -R))


def _enclosed(known: dict[int, float], best: int, R: int) -> bool:
    """Return whether something between the best and R is known to be worse."""
    return any(min(best, R) <= other <= max(best, R) and other != best for other in known)


def _between(known: dict[int, float]) -> int | None:
    """Return where a parabola through the best and its neighbours is least, or the middle."""
    best = _best(known)
    below = max((R for R in known if best > R), default=None)
    above = min((R for R in known if best < R), default=None)
    open_sides = [
        side
        for side in (below, above)
        if side is not None and abs(side - best) > 1 and max(side / best, best / side) > CLOSE
    ]
    if not open_sides:
        return None
    if below is not None and above is not None and np.isfinite(known[below] + known[above]):
        x, y = np.log([below, best, above]), np.log([known[below], known[best], known[above]])
        bend, slope, _ = np.polyfit(x - x[1], y, 2)
        vertex = round(float(np.exp(x[1] - slope / (2.0 * bend)))) if bend > 0.0 else best
        if below < vertex < above and all(max(vertex / R, R / vertex) > CLOSE for R in known):
            return vertex
    side = max(open_sides, key=lambda R: abs(np.log(R / best)))
    return int(
        np.clip(round(float(np.sqrt(side * best))), min(side, best) + 1, max(side, best) - 1)
    )
