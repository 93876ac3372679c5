"""Plans: leave out one of n, θ, L and the error, and get it.

Each learner is a forward function from a budget to an error (`learners`), and one inverter (`meet`)
finds the argument that is missing. The search is rough; what is found is settled at full accuracy,
by Newton steps with the slope of the rough search, and rounded to whole bags.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..answer import Question
from ..errors import NoMinimiser, NotConverged
from ..losses import Loss, get_loss
from ..outcome.planned import Interval, Line, Plan
from ..theory.asked import check_accuracy
from ..theory.oracle.least_error import oracle
from . import words
from .asked import Asked, ask
from .inverter import Met, meet, probit
from .learners import EASY, FLOORS, NAMES, POSSIBLE, Learner, Reached, get_learner
from .spread import TRIALS, spread

MOST_DATA, LEAST_DATA = 1e5, 0.02  # bags for each dimension
WEAKEST, STRONGEST = 0.05, 1e3  # θ
LONGEST = 100_000  # L
ROUNDS = 4  # of measuring what a finite d adds
LEAST_OF_CLASS = 10  # bags of the rarer class
LEAST_NEGATIVES = 20  # beside a given number of positives
TRIES = 6  # Newton steps at full accuracy
OF_TARGET = 0.01  # the largest error of an error, relative to a target


class Settled(NamedTuple):
    """The argument that was missing, and what is reached with it; None if nothing does."""

    at: float
    reached: Reached | None
    met: Met


def plan(
    *,
    L: Any = None,
    R: int = 1,
    theta: Any = None,
    pi: float = 0.5,
    d: Any = None,
    n: Any = None,
    error: Any = None,
    learner: str = "attention",
    loss: str | Loss = "logistic",
    positives: Any = None,
    costs: Any = None,
    spend: Any = None,
    interval: bool = True,
    others: bool = True,
    accuracy: float = 5e-4,
    seed: Any = 0,
) -> Plan:
    """Plan: `needlescope.plan` without pilot data, which see."""
    asked = ask(L, R, theta, pi, d, n, error, learner, positives, costs, spend)
    get_loss(loss)
    accuracy = check_accuracy(accuracy)
    if asked.error is not None:
        accuracy = min(accuracy, OF_TARGET * asked.error)
    who = get_learner(learner, loss)
    found = settle(asked, who, accuracy)
    range_ = _spread(asked, who, found, seed) if interval else None
    if range_ is not None and asked.error is not None:
        found, range_ = _allowing(asked, who, found, range_, accuracy, seed)
    lines = tuple(_lines(asked, who, loss)) if others else ()
    return _build(asked, who, found, range_, lines, accuracy)


def settle(asked: Asked, who: Learner, accuracy: float) -> Settled:
    """Find what is missing for one learner: roughly, then at full accuracy."""
    if asked.unknown == "error":
        budget = asked.budget(asked.n)
        setting = who.reach(budget)
        reached = who.settle(budget, setting, accuracy)
        return Settled(reached.error, reached, Met(reached.error, setting, 0.0, True))
    met = roughly(asked, who)
    if not met.enough:
        return Settled(np.inf if asked.unknown != "L" else 0.0, None, met)
    assert asked.error is not None
    return _finely(asked, who, met, accuracy, asked.error)


def _allowing(
    asked: Asked, who: Learner, found: Settled, range_: Interval, accuracy: float, seed: Any
) -> tuple[Settled, Interval]:
    """Move a plan to where the mean error at this d, not its limit, meets the target."""
    assert asked.error is not None
    slope, limits, setting, before = found.met.slope, _limits(asked), found.met.setting, None

    def look(at: float) -> Reached:
        return who.settle(asked.budget(at), setting, accuracy)

    for _ in range(ROUNDS):
        gap = probit(range_.mean) - probit(asked.error)
        if abs(range_.mean - asked.error) <= max(accuracy, range_.deviation / np.sqrt(TRIALS)):
            break
        if before is not None and abs(np.log(found.at / before[0])) > 1e-3:
            secant = (gap - before[1]) / np.log(found.at / before[0])
            slope = secant if secant * slope > 0.0 else slope
        before = found.at, gap
        far = float(np.exp(np.clip(-gap / slope, -0.7, 0.7)))
        there = _whole(asked, float(np.clip(found.at * far, *limits)), look, found.met)
        seen = _spread(asked, who, there, seed)
        if seen is None or there.at == found.at:
            break
        found, range_ = there, seen
    return found, range_


def _spread(asked: Asked, who: Learner, found: Settled, seed: Any) -> Interval | None:
    """Measure the range of errors over data sets; None where small ones may lack a class."""
    reached = found.reached
    if reached is None or reached.training is None:
        return None
    task = asked.task(found.at)
    seen = task if reached.balance == task.pi else task.replace(pi=reached.balance)
    try:
        return spread(
            seen, reached.training, who.name, asked.d, reached.error, seed,
            pi=float(task.pi), shift=reached.shift,
        )  # fmt: skip
    except NoMinimiser:
        return None


def roughly(asked: Asked, who: Learner) -> Met:
    """Find what is missing for one learner, by its rough forward function."""
    assert asked.error is not None

    def forward(at: float, near: Any) -> Any:
        return who.reach(asked.budget(at), near)

    def again(at: float, setting: Any) -> float:
        return who.again(asked.budget(at), setting)

    limits = _limits(asked)
    start = _start(asked, who, limits)
    rising = asked.unknown == "L"
    return meet(forward, again, asked.error, start, limits, rising, grain=1.0 if rising else 0.0)


def _limits(asked: Asked) -> tuple[float, float]:
    if asked.unknown == "n":
        rarer = 0.5 if asked.costs is not None else min(asked.pi, 1.0 - asked.pi)
        low = max(LEAST_DATA * asked.d, LEAST_OF_CLASS / rarer)
        if asked.positives is not None:
            low = max(low, float(asked.positives + LEAST_NEGATIVES))
        return low * asked.mean_cost, MOST_DATA * asked.d * asked.mean_cost
    if asked.unknown == "theta":
        return WEAKEST, STRONGEST
    return float(asked.R), float(LONGEST)


def _start(asked: Asked, who: Learner, limits: tuple[float, float]) -> float:
    if asked.unknown == "theta":
        return 5.0
    if asked.unknown == "L":
        return max(10.0, 2.0 * asked.R)
    return float(np.clip(3.0 * asked.d * asked.mean_cost, *limits))


def _finely(asked: Asked, who: Learner, met: Met, accuracy: float, target: float) -> Settled:
    """Step to where the error meets a target at full accuracy; then to whole bags or tokens."""
    level, limits = probit(target), _limits(asked)

    def look(at: float) -> Reached:
        return who.settle(asked.budget(at), met.setting, accuracy)

    at, reached, slope = met.at, look(met.at), met.slope
    before: tuple[float, float] | None = None
    for _ in range(TRIES):
        gap = probit(reached.error) - level
        if abs(reached.error - target) <= accuracy or abs(slope) < 1e-6:
            break
        if gap <= 0.0 and at == limits[1 if asked.unknown == "L" else 0]:
            return Settled(at, reached, met)  # the least there is does
        if before is not None and abs(np.log(at / before[0])) > 1e-9:
            secant = (gap - before[1]) / (np.log(at) - np.log(before[0]))
            slope = secant if secant * slope > 0.0 else slope
        before = (at, gap)
        at = float(np.clip(at * np.exp(np.clip(-gap / slope, -0.5, 0.5)), *limits))
        reached = look(at)
    else:
        raise NotConverged(
            f"the {asked.unknown} at which {who.words} errs {target:g} could not be pinned "
            f"down: at {at:.6g} the error is {reached.error:.6g}; try another target"
        )
    gap = probit(reached.error) - level
    if abs(slope) > 1e-6:
        at *= float(np.exp(np.clip(-gap / slope, -0.5, 0.5)))
    return _whole(asked, at, look, met)


def _whole(asked: Asked, at: float, look: Callable[[float], Reached], met: Met) -> Settled:
    if asked.unknown == "n" and asked.costs is None:
        at = float(np.ceil(at - 1e-6))
    elif asked.unknown == "L":
        at = float(max(np.floor(at + 1e-6), asked.R))
    return Settled(at, look(at), met)


def _lines(asked: Asked, who: Learner, loss: str | Loss) -> list[Line]:
    """Return a line for each other learner, and for those who know the signal."""
    found = []
    for name in NAMES:
        if name != who.name:
            other = get_learner(name, loss)
            found.append(Line(name, *_other(asked, other)))
    return found + [Line(one.name, *_other(asked, one)) for one in FLOORS]


def _other(asked: Asked, who: Learner) -> tuple[float, str]:
    """Return what another learner needs or reaches, and a sentence about it."""
    if asked.unknown == "error":
        value = float(who.reach(asked.budget(asked.n)).error)
        return value, words.reaches(who.words, value)
    assert asked.error is not None
    if who in FLOORS and asked.unknown == "n":
        value = float(who.reach(asked.budget(asked.d)).error)
        return (0.0 if value <= asked.error else np.inf), words.reaches(who.words, value)
    if asked.unknown == "n" and who not in (POSSIBLE, EASY) and who.name != "attention":
        best = float(oracle(asked.task(), who.name, accuracy=1e-3).error)
        if best > asked.error:
            return np.inf, words.never(who.words, best)
    met = roughly(asked, who)
    if not met.enough:
        lost = 0.0 if asked.unknown == "L" else np.inf
        return lost, words.stuck(who.words, asked.unknown, met.setting.error)
    if asked.costs is not None:
        return met.at, words.spends(who.words, met.at)
    at = {"n": np.ceil, "L": np.floor}.get(asked.unknown, float)(met.at)
    return float(at), words.needs(who.words, asked.unknown, float(at))


def _build(
    asked: Asked,
    who: Learner,
    found: Settled,
    range_: Interval | None,
    others: tuple[Line, ...],
    accuracy: float,
) -> Plan:
    reached = found.reached
    lost = reached is None
    task = asked.task(found.at if not lost else None)
    floor = float(oracle(task, "bayes", accuracy=1e-3).error)
    training = None if reached is None else reached.training
    n, n0, n1 = _bags(asked, found)
    known = reached.error if reached is not None else float(found.met.setting.error)
    fields: dict[str, Any] = {
        **{"unknown": asked.unknown, "learner": who.name, "n": n, "n0": n0, "n1": n1},
        **{"L": int(task.L) if not (lost and asked.unknown == "L") else 0, "R": int(task.R)},
        **{"theta": np.inf if lost and asked.unknown == "theta" else float(task.theta)},
        **{"pi": float(task.pi), "d": asked.d, "floor": floor, "others": others},
        **{"error": known, "error_se": np.nan if reached is None else reached.error_se},
        "interval": range_,
        "positives": np.nan,
    }
    if reached is not None and np.isfinite(reached.balance):
        fields |= {"balance": reached.balance, "shift": reached.shift}
        fields |= {"positives": float(round(reached.balance * n)), "kappa": reached.kappa}
        fields |= {"cosine_q": reached.cosine}
        if asked.costs is not None:
            fields["spend"] = n * asked.costs.of(reached.balance)
    if training is not None:
        names = ("ridge", "eta_w", "eta_b", "eta_q", "beta")
        fields |= {name: float(getattr(training, name)) for name in names}
        fields["loss"] = get_loss(training.loss).name
    options = {**asked.given(), "learner": who.name, "accuracy": accuracy}
    rests = reached.provenance if reached is not None else who.words
    answer = Plan(
        **fields,
        provenance=f"search: on {rests}",
        question=Question("plan", task, training, options),
    )
    return words.with_verdict(answer, asked, who)


def _bags(asked: Asked, found: Settled) -> tuple[float, float, float]:
    """Return n, n0 and n1 as whole numbers."""
    reached = found.reached
    if reached is None:
        n = np.inf if asked.unknown == "n" else float(asked.n or np.nan)
        return n, np.nan, np.nan
    training = reached.training
    if training is None:
        n = found.at if asked.unknown == "n" else float(asked.n or np.nan)
        return float(np.ceil(n)), np.nan, np.nan
    n0 = 0.0 if training.alpha0 is None else float(round(training.alpha0 * asked.d))
    n1 = float(round(training.alpha1 * asked.d))
    return n0 + n1, n0, n1
