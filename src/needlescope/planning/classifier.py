"""A plan for a classifier that anybody can fit, by simulated studies that the theory brackets.

The theory says what the other learners need: no learner needs fewer bags than the Bayes-optimal
one, and two-step attention or pooling are of the same order as the classifier. So the search
(`studies`) starts between them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..answer import Question
from ..errors import NoMinimiser, NotConverged
from ..grid import real, single, whole
from ..losses import Loss
from ..results.planned import ClassifierPlan, Interval, OtherLearner, StudyRow
from ..running.processes import Progress, check_n_jobs
from ..running.progress import announce, check_progress, reporting
from ..running.seeds import streams
from ..task import Task
from ..theory.oracle.least_error import oracle
from .learners import get_learner
from .others import BRACKET, lines_beside_studies, names_of, other_learners
from .spec import PlanSpec
from .studies.balance import SHARE, Race, candidates, compare
from .studies.curve import summary, to_t
from .studies.drawn import Drawn
from .studies.measures import Measure, get_measure
from .studies.reach import best_value, check_reachable
from .studies.record import Record
from .studies.search import (
    LEAST_STUDIES,
    Found,
    Limits,
    Place,
    Search,
    find,
    measure_at,
)
from .studies.study import SINGLE_CLASS
from .studies.verdict import notes_of, race_notes, sentences, theory_notes
from .tuning.joint import check_joint_loss

PRIOR_SLOPE = -0.35  # of t in log n, as learning curves of attention have
PRIOR_BEND = 0.15  # of t in (log n)²: learning curves flatten
STRENGTH_SLOPE = -1.0  # of t in log θ
LENGTH_SLOPE = -0.25  # of t in −log L
MOST_NUMBERS = 1 << 28  # of a study's bags
LEAST_OF_CLASS = 10  # bags of the rarer class
BEYOND = 64.0  # times the first guess
LONGEST_GUESS = 2000.0  # instances
WITHOUT_THEORY = 10.0  # bags for each dimension, as a first guess
MOST_TOGETHER = 10_000  # studies that an engine makes at a time


class StudyOptions(NamedTuple):
    """How studies are made and judged: the parameters of `plan` of these names."""

    measure: Measure
    target: float | None
    assurance: float | None
    seconds: float
    studies: int
    record: Record
    n_jobs: int | None
    progress: Progress
    engine: Any = None


def plan_classifier(
    spec: PlanSpec,
    classifier: Any,
    options: StudyOptions,
    loss: str | Loss,
    others: bool | Sequence[str],
    seed: Any,
) -> ClassifierPlan:
    """Return the plan of a specification for a classifier."""
    _check_specification(spec)
    if "joint" in names_of(others):
        spec.check_joint()
        check_joint_loss(loss)
    simulated = options.measure.name != "error" or not spec.has_theory
    if options.target is not None and simulated and spec.unknown == "n":
        check_reachable(spec.task(), options.measure, options.target, spec.lengths)
    asked, bracket = _bracket(spec, options, loss)
    announce(options.progress, f"Studies of {type(classifier).__name__} follow.")
    sign = -1.0 if spec.unknown == "L" else 1.0
    made: list[Search] = []
    own, first = streams(seed, 2)
    with reporting(options.progress, options.studies, "studies") as report:

        def make(balance: float | None, limits: Limits, stream: np.random.SeedSequence) -> Search:
            """Return a search with this share of positives; it tells of all studies made."""
            place = _placer(spec, _drawn(spec, balance), sign)
            search = Search(
                classifier, options.measure, spec.d, place, stream, limits, options.record,
                options.n_jobs, engine=options.engine, lengths=spec.lengths,
            )  # fmt: skip
            search.report = lambda done, failed: report(
                done + sum(len(other.studies) for other in made if other is not search), failed
            )
            made.append(search)
            return search

        started, race = time.monotonic(), None
        if spec.costs is not None:
            limits = Limits(SHARE * options.seconds, options.studies)
            race = _race(spec, options, bracket, loss, lambda b: make(b, limits, first), sign)
        left = Limits(
            max(options.seconds - (time.monotonic() - started), 1.0),
            options.studies - (0 if race is None else race.studies),
        )
        drawn = _drawn(spec, None if race is None else race.balance)
        search = make(drawn.balance, left, own)
        if spec.unknown == "error":
            found = measure_at(search, 0.0)
        else:
            assert options.target is not None
            guess, ends, slope = _start(spec, bracket, drawn)
            x = race.x if race is not None and race.studies else sign * float(np.log(guess))
            bend = PRIOR_BEND if spec.unknown == "n" else 0.0
            low_high = _ordered(ends, sign)
            found = find(search, x, slope, options.target, low_high, options.assurance, bend)
    theory = lines_beside_studies(asked, loss, others, bracket) if bracket else ()
    return _build(spec, classifier, options, theory, found, sign, drawn, race)


def _drawn(spec: PlanSpec, balance: float | None = None) -> Drawn:
    """Return how the bags of training are drawn."""
    return Drawn(spec.pi, spec.positives, spec.costs, balance)


def _placer(spec: PlanSpec, drawn: Drawn, sign: float) -> Callable[[float], Place]:
    """Return what gives the task and the bags at a coordinate."""

    def place(x: float) -> Place:
        at = float(np.exp(sign * x))
        if spec.unknown == "n":
            n, positives = drawn.bags(at)
            task, x = spec.task(), float(np.log(drawn.amount(n, positives)))
        else:
            n, positives = drawn.affordable(spec.n or 0.0)
            task = spec.task(at if spec.unknown in ("theta", "L") else None)
            x = -float(np.log(task.L)) if spec.unknown == "L" else x
        return Place(task, n, x, positives, drawn.shift(n, positives))

    return place


def _ordered(ends: tuple[float, float], sign: float) -> tuple[float, float]:
    """Return limits of what was left out as limits of the coordinate."""
    low, high = sorted((sign * np.log(np.array(ends))).tolist())
    return float(low), float(high)


def _race(
    spec: PlanSpec,
    options: StudyOptions,
    theory: tuple[OtherLearner, ...],
    loss: str | Loss,
    make: Callable[[float], Search],
    sign: float,
) -> Race:
    """Return the best share of positives to pay for."""
    guess, ends, slope = _start(spec, theory, _drawn(spec, 0.5))
    shares = candidates(_best_in_theory(spec, theory, guess, loss), spec.pi, 0.5)
    target = None
    if spec.unknown != "error":
        target = float(to_t(np.array(options.target), options.measure))
    at = sign * float(np.log(guess))
    most = int(SHARE * options.studies)
    return compare(shares, make, at, slope, target, _ordered(ends, sign), most)


def _best_in_theory(
    spec: PlanSpec, theory: tuple[OtherLearner, ...], guess: float, loss: str | Loss
) -> float:
    """Return the share of positives that is the best for two-step attention, where it is known."""
    values = [other.value for other in theory if other.learner == "attention"]
    at = values[0] if values and np.isfinite(values[0]) and values[0] > 0.0 else guess
    budget = spec.in_theory.budget(None if spec.unknown == "error" else at)
    try:
        return float(get_learner("attention", loss).tune(budget).balance)
    except (NotConverged, NoMinimiser, ValueError):  # no theory for it, or none at this length
        return 0.5


def _check_specification(spec: PlanSpec) -> None:
    bags = None
    if spec.n is not None:
        shares = (None,) if spec.costs is None else (spec.pi, 0.5)
        bags = float(max(_drawn(spec, share).bags(spec.n)[0] for share in shares))
    if bags is not None and spec.L is not None:
        numbers = int(bags) * spec.L * spec.d
        if numbers > MOST_NUMBERS:
            raise ValueError(
                f"n={bags:,.0f} bags of {spec.L} instances with {spec.d} features are "
                f"{numbers:.2g} numbers, above {MOST_NUMBERS:.2g}; plan for fewer"
            )
    drawn = _drawn(spec, None if spec.costs is None else 0.5)
    least = float(drawn.bags(drawn.least(LEAST_OF_CLASS))[0]) if bags is None else bags
    length = spec.R if spec.L is None else spec.L
    if spec.positives is not None and 2.0 * least * length * spec.d > MOST_NUMBERS:
        most = int(MOST_NUMBERS / (2.0 * length * spec.d)) - 2 * LEAST_OF_CLASS
        raise ValueError(
            f"positives must be at most {max(most, 0):,} in studies of {length:,} instances with "
            f"{spec.d} features, got {spec.positives:,}"
        )
    if 2.0 * least * length * spec.d > MOST_NUMBERS:
        raise ValueError(
            f"d={spec.d:,} is too large for studies: {least:,.0f} bags of {length:,} instances are "
            f"{least * length * spec.d:.2g} numbers, and {MOST_NUMBERS:.2g} is the limit; plan for "
            "fewer features, as after PCA"
        )


def _bracket(
    spec: PlanSpec, options: StudyOptions, loss: str | Loss
) -> tuple[PlanSpec, tuple[OtherLearner, ...]]:
    """Return the question to the theory, and its lines that bracket the answer.

    Each line is announced as soon as it is there: a first answer, before any study.
    """
    asked = spec.in_theory
    asked = replace(asked, error=_as_error(asked, options), learner="bayes_optimal")
    lines: dict[str, OtherLearner] = {}
    try:
        for name in BRACKET:
            for line in other_learners(asked, None, loss, [name], tuple(lines.values())):
                lines[line.learner] = line
            announce(options.progress, f"In theory {lines[name].sentence}.")
    except ValueError:  # beyond what the theory answers, as a length that it does not have
        return asked, ()
    return asked, tuple(lines.values())


def _as_error(spec: PlanSpec, options: StudyOptions) -> float | None:
    """Return the error that is as far from none as the target, for the theory."""
    if options.target is None or options.measure.name == "error":
        return options.target
    measure, prior = options.measure, min(spec.pi, 1.0 - spec.pi)
    r = (options.target - measure.best) / (measure.worst - measure.best)
    floor = float(oracle(spec.task(), "bayes", tol=1e-3).error) if spec.theta and spec.L else 0.0
    return float(np.clip(r * prior, 1.05 * floor + 1e-3, 0.99 * prior))


def _start(
    spec: PlanSpec, theory: tuple[OtherLearner, ...], drawn: Drawn
) -> tuple[float, tuple[float, float], float]:
    """Return the first guess of what is left out, its limits, and the slope expected there."""
    near = [other.value for other in theory if other.learner in ("attention", "pooled")]
    values = [value for value in near if np.isfinite(value) and value > 0.0]
    if spec.unknown == "theta":
        guess = min(values) if values else 4.0
        return guess, (guess / 8.0, guess * 8.0), STRENGTH_SLOPE
    if spec.unknown == "L":
        guess = max(values) if values else 10.0 * spec.R
        most = MOST_NUMBERS / (drawn.bags(spec.n or 1.0)[0] * spec.d)
        guess = min(guess, LONGEST_GUESS)
        guess = float(np.clip(guess, spec.R, max(most / 4.0, spec.R)))
        return guess, (float(spec.R), max(min(16.0 * guess, most), spec.R + 1.0)), LENGTH_SLOPE
    if spec.unknown == "error":
        return 1.0, (1.0, 1.0), 0.0
    assert spec.L is not None
    low = drawn.least(LEAST_OF_CLASS)
    most = MOST_NUMBERS / (spec.L * spec.d) * drawn.mean_cost
    guess = 0.5 * min(values) if values else WITHOUT_THEORY * spec.d * drawn.mean_cost
    guess = float(np.clip(guess, low, most / 4.0)) if most > 4.0 * low else low
    return guess, (low, min(BEYOND * guess, most)), PRIOR_SLOPE


def _build(
    spec: PlanSpec,
    classifier: Any,
    options: StudyOptions,
    theory: tuple[OtherLearner, ...],
    found: Found,
    sign: float,
    drawn: Drawn,
    race: Race | None,
) -> ClassifierPlan:
    name, measure, at = type(classifier).__name__, options.measure, found.crossing
    reached = at is None or at.beyond < 0.5
    x = 0.0 if at is None else at.x
    here = summary(found.curve, x, measure, options.assurance)
    answer = float(np.exp(sign * x))
    ends = (np.nan, np.nan)
    if at is not None:
        first, last = np.exp(sign * np.array([at.low, at.high]))
        ends = (float(min(first, last)), float(max(first, last)))
    if spec.unknown == "n" and spec.costs is None:  # whole bags
        ends = (float(np.ceil(ends[0] - 1e-9)), float(np.ceil(ends[1] - 1e-9)))
    n, positives = _bags(spec, drawn, answer, reached)
    theta = answer if spec.unknown == "theta" else float(spec.theta or np.nan)
    L = int(np.floor(answer + 1e-9)) if spec.unknown == "L" else int(spec.L or 0)
    if not reached:
        theta = np.inf if spec.unknown == "theta" else theta
        L = 0 if spec.unknown == "L" else L
    task = spec.task(answer if spec.unknown in ("theta", "L") and reached else None)
    good = [study for study in found.studies if np.isfinite(study.value)]
    single = np.mean([study.failure == SINGLE_CLASS for study in good])
    interval = Interval(
        here.low, here.high, here.mean, here.deviation, float(single), len(good)
    )  # fmt: skip
    notes = notes_of(
        spec.unknown, drawn, found, LEAST_OF_CLASS, options.seconds, options.studies
    )  # fmt: skip
    notes += (*race_notes(race), *theory_notes(spec.signals, spec.lengths))
    searches = {} if race is None else race.searches
    rows = tuple(
        StudyRow(float(np.exp(sign * x)), study.n, study.value, study.seconds, share)
        for share, places, studies in (
            *((share, search.x, search.studies) for share, search in searches.items()),
            (np.nan if drawn.balance is None else drawn.balance, found.x, found.studies),
        )
        for x, study in zip(places, studies, strict=True)
    )
    result = ClassifierPlan(
        unknown=spec.unknown, learner=name, n=n, n0=np.nan, n1=np.nan,
        positives=positives, spend=_spend(drawn, n, positives),
        L=L, R=spec.R, theta=theta, pi=spec.pi, d=spec.d,
        error=here.mean, error_se=here.mean_se, floor=_floor(spec, task),
        balance=_share(spec, drawn, n, positives),
        shift=drawn.shift(n, positives if drawn.shifted else None),
        interval=interval, others=theory, notes=notes,
        low=ends[0], high=ends[1], measure=measure.name,
        target=np.nan if options.target is None else options.target,
        assurance=np.nan if options.assurance is None else options.assurance,
        assured=here.assured, scatter=here.scatter,
        studies=rows,
        seconds=float(sum(row.seconds for row in rows)),
        provenance=f"simulation: {len(good)} studies of {name}, and a curve fitted to them",
        question=Question("plan", task, None, {**spec.given(), "learner": name}),
    )  # fmt: skip
    return replace(result, verdict=" ".join([*sentences(result), *notes]))


def _floor(spec: PlanSpec, task: Task) -> float:
    """Return the Bayes error of known signals: by simulation, where it has no formula."""
    if spec.has_theory:
        return float(oracle(task, "bayes", tol=1e-3).error)
    return best_value(task, get_measure("error", spec.pi), lengths=spec.lengths)[0]


def _bags(spec: PlanSpec, drawn: Drawn, answer: float, reached: bool) -> tuple[float, float]:
    """Return the bags and how many are positive, about."""
    if spec.unknown == "n" and not reached:
        return np.inf, np.nan
    if spec.unknown == "n" and spec.costs is None:
        answer = float(np.ceil(answer - 1e-9))
    n, positives = drawn.bags(answer) if spec.unknown == "n" else drawn.affordable(spec.n or 0.0)
    return float(n), float(round(spec.pi * n) if positives is None else positives)


def _spend(drawn: Drawn, n: float, positives: float) -> float:
    """Return what the bags cost, where they have costs."""
    return np.nan if drawn.costs is None else drawn.costs.total(positives, n)


def _share(spec: PlanSpec, drawn: Drawn, n: float, positives: float) -> float:
    """Return the share of positives in training."""
    if drawn.balance is not None:
        return drawn.balance
    return positives / n if drawn.shifted and np.isfinite(n) else spec.pi


def study_options(
    measure: Measure,
    target: Any,
    assurance: Any,
    seconds: Any,
    studies: Any,
    store: Any,
    n_jobs: int | None,
    progress: Progress,
    engine: Any = None,
) -> StudyOptions:
    """Validate how studies are made and judged."""
    if engine is None:
        check_n_jobs(n_jobs)
    elif not callable(engine):
        raise ValueError(
            "engine must be an engine such as dask() of needlescope.experiments.on_dask, or None, "
            f"got {engine!r:.80}"
        )
    elif n_jobs is not None:
        n_jobs = whole("n_jobs", n_jobs, 1, MOST_TOGETHER)
    check_progress(progress)
    if target is not None:
        target = float(real("target", target, -np.inf, np.inf))
        best, worst = measure.best, measure.worst
        if not min(best, worst) < target < max(best, worst):
            raise ValueError(
                f"target must be between {worst:.3g}, which needs no data, and {best:g}, which no "
                f"classifier has, for measure={measure.name!r}; got {target:g}"
            )
    if assurance is not None:
        assurance = single("assurance", assurance, 0.5, 0.99)
    return StudyOptions(
        measure, target, assurance, float(single("seconds", seconds, 1.0, 1e7)),
        whole("studies", studies, LEAST_STUDIES, 100_000), Record(store), n_jobs, progress, engine,
    )  # fmt: skip
