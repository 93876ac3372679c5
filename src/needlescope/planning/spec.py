"""The specification of a plan: one of n, θ, L and the error is left out; the rest is validated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..grid import choice, listed, real, unmasked, whole
from ..noise import Noise
from ..signal_count import SignalCount
from ..task import MOST_SIGNALS, Task
from ..theory.joint.grid import check_joint_task
from . import LEARNERS
from .tuning.budget import Budget, Costs, check_costs

UNKNOWNS = ("n", "theta", "L", "error")
MOST_BAGS = 10**9
MOST_PER_DIMENSION = 10**6  # bags for each dimension
MOST_INSTANCES = 10**6  # in a bag
MOST_UNEQUAL = 0.05, 0.95  # shares of positives that costs may lead to
MOST_POSITIVES = 10**4  # of them given, for each dimension: there is room for negatives beside


@dataclass(frozen=True)
class PlanSpec:
    """Validated arguments of a plan; of n, θ, L and the error one is None."""

    unknown: str
    L: int | None
    R: int
    theta: float | None
    pi: float
    d: int
    n: float | None  # bags, or money where bags have costs
    error: float | None
    learner: str
    positives: int | None = None
    costs: Costs | None = None
    noise: Noise | None = None
    signal: Any = None
    signals: tuple[float, ...] | None = None
    lengths: tuple[int, ...] | None = None  # instances in bags, each as likely; L is their mean

    @property
    def has_theory(self) -> bool:
        """Whether the theory has this very task, and not one that is like it."""
        return self.signals is None and self.lengths is None

    @property
    def in_theory(self) -> PlanSpec:
        """The question that the theory answers: of one signal, in bags of the mean length."""
        return self if self.has_theory else replace(self, signals=None, lengths=None)

    @property
    def mean_cost(self) -> float:
        """What a bag costs, about."""
        return 1.0 if self.costs is None else self.costs.of(0.5)

    def task(self, at: float | None = None) -> Task:
        """Return the task, with what was left out at ``at``."""
        L, theta = self.L, self.theta
        if self.unknown == "L":
            L = self.R if at is None else round(max(at, self.R))
        if self.unknown == "theta":
            theta = 1.0 if at is None or not np.isfinite(at) else float(at)
        return Task(
            L=L, R=self.R, theta=theta, pi=self.pi, noise=self.noise, signal=self.signal,
            signals=self.signals,
        )  # fmt: skip

    def check_joint(self) -> None:
        """Refuse a task that the equations of joint training do not cover."""
        task = self.task()
        check_joint_task(task if self.L is not None else task.replace(L=max(self.R, 2)))

    def budget(self, at: float | None) -> Budget:
        """Return the budget, with what was left out at ``at``."""
        amount = at if self.unknown == "n" else self.n
        assert amount is not None
        task = self.task(None if self.unknown in ("n", "error") else at)
        share = None if self.positives is None else self.positives / self.d
        return Budget(task, amount / self.d, self.d, self.costs, share)

    def given(self) -> dict[str, Any]:
        """Return the arguments that were given, for the question of a result."""
        amount = "n" if self.costs is None else "spend"
        values: dict[str, Any] = {"d": self.d, amount: self.n, "error": self.error}
        values |= {"positives": self.positives, "costs": self.costs}
        return {name: value for name, value in values.items() if value is not None}


def plan_spec(
    L: Any,
    R: Any,
    theta: Any,
    pi: Any,
    d: Any,
    n: Any,
    error: Any,
    learner: Any,
    positives: Any = None,
    costs: Any = None,
    spend: Any = None,
    *,
    noise: Any = None,
    signal: Any = None,
    signals: Any = None,
    lengths: Any = None,
    estimated: bool = False,
) -> PlanSpec:
    """Validate the arguments of a plan: refuse a question that has no answer.

    Where the task is ``estimated``, so is its Bayes error, and a target below it is not refused;
    nor is it where several ``signals`` or ``lengths`` leave the Bayes error to simulation.

    Examples
    --------
    >>> plan_spec(10, 1, 5.0, 0.5, 100, None, 0.05, "attention").unknown
    'n'
    >>> plan_spec(10, 1, 5.0, 0.5, 100, 400, 0.05, "attention")
    Traceback (most recent call last):
    ValueError: leave out exactly one of n, theta, L and error, the one to plan for; got all four
    """
    choice("learner", learner, tuple(LEARNERS))
    numbers = {"L": L, "R": R, "theta": theta, "pi": pi, "error": error, "spend": spend}
    for name, value in numbers.items():
        _check_single(name, value)
    if d is None:
        raise ValueError("d must be given: how many features an instance has")
    d = whole("d", d, 1, 10**6)
    counts = None if lengths is None else _lengths(lengths, L, R)
    if counts is not None:
        L = round(float(np.mean(counts)))
    if spend is not None and n is not None:
        raise ValueError("give n or spend, not both: with costs, spend is the total budget")
    if spend is not None and costs is None:
        raise ValueError("spend needs costs=(positive, negative): what a bag of each kind costs")
    if costs is not None and n is not None:
        raise ValueError("n must be left out with costs; spend= is the total budget")
    given = {"n": n if spend is None else spend, "theta": theta, "L": L, "error": error}
    missing = [name for name in UNKNOWNS if given[name] is None]
    if len(missing) != 1:
        got = f"left out {', '.join(missing)}" if missing else "got all four"
        raise ValueError(
            f"leave out exactly one of n, theta, L and error, the one to plan for; {got}"
        )
    unknown = missing[0]
    prices = None if costs is None else check_costs(costs)
    amount = _amount(n, spend, prices, d)
    count = None
    if positives is not None:
        if prices is not None:
            raise ValueError("give positives or costs, not both: costs find the best balance")
        count = whole("positives", positives, 1, MOST_POSITIVES * d)
        if n is not None and count >= n:
            raise ValueError(f"positives must be fewer than the n={n} bags in all, got {count}")
    if isinstance(R, SignalCount):
        raise ValueError(
            f"plan supports only a fixed number of signal tokens, got R={R!r}; give a number"
        )
    shown = Task(
        L=L if L is not None else R, R=R, theta=1.0 if theta is None else theta, pi=pi,
        noise=noise, signal=signal, signals=_signals(signals, d),
    )  # fmt: skip
    if shown.noise is not None:
        shown.noise.at_dimension(d)  # or refuse it
    if amount is not None and prices is None and amount > MOST_PER_DIMENSION * d:
        raise ValueError(
            f"n must be at most {MOST_PER_DIMENSION:,} bags for each dimension, "
            f"{MOST_PER_DIMENSION * d:,} with d={d}, got {n}; more change nothing"
        )
    if amount is not None and prices is not None:
        most = MOST_PER_DIMENSION * d * min(prices.of(share) for share in MOST_UNEQUAL)
        if amount > most:
            raise ValueError(
                f"spend must be at most {most:,.6g}, what {MOST_PER_DIMENSION:,} bags for each "
                f"dimension cost with d={d}, got {spend!r}; more change nothing"
            )
    result = PlanSpec(
        unknown, None if L is None else int(shown.L), int(shown.R),
        None if theta is None else float(shown.theta), float(shown.pi), d, amount,
        _target(error, float(shown.pi)), learner, count, prices, shown.noise, shown.signal,
        shown.signals, counts,
    )  # fmt: skip
    if not estimated and result.has_theory:
        _check_floor(result)
    return result


def _lengths(lengths: Any, L: Any, R: Any) -> tuple[int, ...]:
    """Return numbers of instances to draw from, or refuse them.

    >>> _lengths(range(3, 6), None, 4)
    Traceback (most recent call last):
    ValueError: lengths must be at least R=4, the instances with the signal, got 3
    """
    if L is not None:
        raise ValueError(
            f"L must be left out with lengths, whose mean it is; got L={L!r}: give one of the two"
        )
    values = listed("lengths", unmasked("lengths", lengths), "numbers of instances")
    counts = tuple(whole("lengths", value, 1, MOST_INSTANCES) for value in values)
    if not counts:
        raise ValueError("lengths must have at least one number of instances, got none")
    if min(counts) < R:
        raise ValueError(
            f"lengths must be at least R={R}, the instances with the signal, got {min(counts)}"
        )
    return counts


def _signals(signals: Any, d: int) -> Any:
    """Return the probabilities of several signals: a number of them are equally likely.

    >>> _signals(4, 10)
    (0.25, 0.25, 0.25, 0.25)
    """
    if isinstance(signals, int | np.integer) and not isinstance(signals, bool):
        signals = whole("signals", signals, 1, MOST_SIGNALS)
        signals = (1.0 / signals,) * signals
    if np.ndim(signals) == 1 and len(signals) > d:
        raise ValueError(
            f"signals must be at most d={d}, as they are orthogonal to each other; got "
            f"{len(signals)}"
        )
    return signals


def _check_single(name: str, value: Any) -> None:
    """Refuse several numbers."""
    if value is not None and (isinstance(value, list | tuple) or np.ndim(value)):
        raise ValueError(
            f"plan answers one question at a time: {name} must be a single number, got {value!r}"
        )


def _amount(n: Any, spend: Any, prices: Costs | None, d: int) -> float | None:
    if spend is not None:
        assert prices is not None
        least = 4.0 * max(prices)
        return float(real("spend", spend, least, np.inf, sense=(1e-9, 1e18)))
    return None if n is None else float(whole("n", n, 4, MOST_BAGS))


def _target(error: Any, pi: float) -> float | None:
    """Return the error to reach, or refuse one that needs no signal."""
    if error is None:
        return None
    result = float(real("error", error, 0.0, 1.0, open_low=True, open_high=True, sense=(1e-6, 1.0)))
    prior = min(pi, 1.0 - pi)
    if result >= prior:
        raise ValueError(
            f"error must be below {prior:g}, which needs no data: it is the error of always "
            f"answering {'no' if pi <= 0.5 else 'yes'} with pi={pi:g}; got {error!r}"
        )
    return result


def _check_floor(spec: PlanSpec) -> None:
    """Refuse a target below the Bayes error, which no learner reaches."""
    from ..theory.oracle.least_error import oracle

    if spec.error is None or spec.unknown in ("theta", "L"):
        return
    floor = float(oracle(spec.task(), "bayes", tol=min(1e-3, 0.1 * spec.error)).error)
    if spec.error <= floor:
        raise ValueError(
            f"error must be above {floor:.4g}, the Bayes error: no classifier has a smaller one, "
            f"even with a known signal; got {spec.error:g}; ask for a larger one, or for a "
            "stronger signal"
        )
