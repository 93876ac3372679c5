"""A plan for a classifier that anybody can fit, by simulated studies that the theory brackets.

The theory says what the other learners need: no learner needs fewer bags than the Bayes-optimal
one, and two-step attention or pooling are of the same order as the classifier. So the search
(`studies`) starts between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..answer import Question
from ..grid import real, single, whole
from ..losses import Loss
from ..results.planned import ClassifierPlan, Interval, OtherLearner, StudyRow
from ..running.processes import Progress, check_n_jobs
from ..running.progress import check_progress, reporting
from ..running.seeds import streams
from ..theory.oracle.least_error import oracle
from .others import names_of, other_learners
from .spec import PlanSpec
from .studies.curve import summary
from .studies.measures import Measure
from .studies.reach import check_reachable
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
from .studies.verdict import notes_of, sentences
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
    if options.target is not None and options.measure.name != "error" and spec.unknown == "n":
        check_reachable(spec.task(), options.measure, options.target)
    theory = _theory(spec, options, loss, others)
    sign = -1.0 if spec.unknown == "L" else 1.0

    def place(x: float) -> Place:
        """Return the task and the number of bags at a coordinate."""
        at = float(np.exp(sign * x))
        if spec.unknown == "n":
            return Place(spec.task(), round(at), float(np.log(round(at))))
        task, n = spec.task(at if spec.unknown in ("theta", "L") else None), round(spec.n or 0.0)
        return Place(task, n, -float(np.log(task.L)) if spec.unknown == "L" else x)

    with reporting(options.progress, options.studies, "studies") as report:
        search = Search(
            classifier, options.measure, spec.d, place, streams(seed, 1)[0],
            Limits(options.seconds, options.studies), options.record, options.n_jobs, report,
        )  # fmt: skip
        if spec.unknown == "error":
            found = measure_at(search, 0.0)
        else:
            assert options.target is not None
            guess, ends, slope = _start(spec, theory)
            ordered = sorted(sign * np.log(np.array(ends)))
            found = find(
                search, sign * float(np.log(guess)), slope, options.target,
                (float(ordered[0]), float(ordered[1])), options.assurance,
                PRIOR_BEND if spec.unknown == "n" else 0.0,
            )  # fmt: skip
    return _build(spec, classifier, options, theory if others else (), found, sign)


def _check_specification(spec: PlanSpec) -> None:
    if spec.costs is not None or spec.positives is not None:
        raise ValueError(
            "positives, costs and spend are for the learners that have a theory; with a classifier "
            "leave them out, and give n or error"
        )
    if spec.n is not None and spec.L is not None:
        numbers = int(spec.n) * spec.L * spec.d
        if numbers > MOST_NUMBERS:
            raise ValueError(
                f"n={spec.n:,.0f} bags of {spec.L} instances with {spec.d} features are "
                f"{numbers:.2g} numbers, above {MOST_NUMBERS:.2g}; plan for fewer"
            )
    least = LEAST_OF_CLASS / min(spec.pi, 1.0 - spec.pi) if spec.n is None else spec.n
    length = spec.R if spec.L is None else spec.L
    if 2.0 * least * length * spec.d > MOST_NUMBERS:
        raise ValueError(
            f"d={spec.d:,} is too large for studies: {least:,.0f} bags of {length:,} instances are "
            f"{least * length * spec.d:.2g} numbers, and {MOST_NUMBERS:.2g} is the limit; plan for "
            "fewer features, as after PCA"
        )


def _theory(
    spec: PlanSpec, options: StudyOptions, loss: str | Loss, others: bool | Sequence[str]
) -> tuple[OtherLearner, ...]:
    """Return what the learners with a theory need or reach, those that bracket the answer first."""
    error = _as_error(spec, options)
    asked = replace(spec, error=error, learner="bayes_optimal")
    names = others if not isinstance(others, bool) else (True if others else ["attention"])
    try:
        return other_learners(asked, None, loss, names)
    except ValueError:  # beyond what the theory answers, as a length that it does not have
        return ()


def _as_error(spec: PlanSpec, options: StudyOptions) -> float | None:
    """Return the error that is as far from none as the target, for the theory."""
    if options.target is None or options.measure.name == "error":
        return options.target
    measure, prior = options.measure, min(spec.pi, 1.0 - spec.pi)
    r = (options.target - measure.best) / (measure.worst - measure.best)
    floor = float(oracle(spec.task(), "bayes", tol=1e-3).error) if spec.theta and spec.L else 0.0
    return float(np.clip(r * prior, 1.05 * floor + 1e-3, 0.99 * prior))


def _start(
    spec: PlanSpec, theory: tuple[OtherLearner, ...]
) -> tuple[float, tuple[float, float], float]:
    """Return the first guess of what is left out, its limits, and the slope expected there."""
    near = [other.value for other in theory if other.learner in ("attention", "pooled")]
    values = [value for value in near if np.isfinite(value) and value > 0.0]
    if spec.unknown == "theta":
        guess = min(values) if values else 4.0
        return guess, (guess / 8.0, guess * 8.0), STRENGTH_SLOPE
    if spec.unknown == "L":
        guess = max(values) if values else 10.0 * spec.R
        most = MOST_NUMBERS / (float(spec.n or 1.0) * spec.d)
        guess = min(guess, LONGEST_GUESS)
        guess = float(np.clip(guess, spec.R, max(most / 4.0, spec.R)))
        return guess, (float(spec.R), max(min(16.0 * guess, most), spec.R + 1.0)), LENGTH_SLOPE
    assert spec.L is not None
    rarer = min(spec.pi, 1.0 - spec.pi)
    low = LEAST_OF_CLASS / rarer
    most = MOST_NUMBERS / (spec.L * spec.d)
    guess = 0.5 * min(values) if values else WITHOUT_THEORY * spec.d
    guess = float(np.clip(guess, low, most / 4.0)) if most > 4.0 * low else low
    return guess, (low, min(BEYOND * guess, most)), PRIOR_SLOPE


def _build(
    spec: PlanSpec,
    classifier: Any,
    options: StudyOptions,
    theory: tuple[OtherLearner, ...],
    found: Found,
    sign: float,
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
    if spec.unknown == "n":  # whole bags
        ends = (float(np.ceil(ends[0] - 1e-9)), float(np.ceil(ends[1] - 1e-9)))
    n = _bags(spec, answer, reached)
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
    notes = notes_of(spec.unknown, spec.pi, found, LEAST_OF_CLASS, options.seconds, options.studies)
    result = ClassifierPlan(
        unknown=spec.unknown, learner=name, n=n, n0=np.nan, n1=np.nan,
        positives=float(round(spec.pi * n)) if np.isfinite(n) else np.nan,
        L=L, R=spec.R, theta=theta, pi=spec.pi, d=spec.d,
        error=here.mean, error_se=here.mean_se, floor=float(oracle(task, "bayes", tol=1e-3).error),
        balance=spec.pi, interval=interval, others=theory, notes=notes,
        low=ends[0], high=ends[1], measure=measure.name,
        target=np.nan if options.target is None else options.target,
        assurance=np.nan if options.assurance is None else options.assurance,
        assured=here.assured, scatter=here.scatter,
        studies=tuple(
            StudyRow(float(np.exp(sign * place)), study.n, study.value, study.seconds)
            for place, study in zip(found.x, found.studies, strict=True)
        ),
        seconds=float(sum(study.seconds for study in found.studies)),
        provenance=f"simulation: {len(good)} studies of {name}, and a curve fitted to them",
        question=Question("plan", task, None, {**spec.given(), "learner": name}),
    )  # fmt: skip
    return replace(result, verdict=" ".join([*sentences(result), *notes]))


def _bags(spec: PlanSpec, answer: float, reached: bool) -> float:
    if spec.unknown != "n":
        return float(spec.n or np.nan)
    return float(np.ceil(answer - 1e-9)) if reached else np.inf


def study_options(
    measure: Measure,
    target: Any,
    assurance: Any,
    seconds: Any,
    studies: Any,
    store: Any,
    n_jobs: int | None,
    progress: Progress,
) -> StudyOptions:
    """Validate how studies are made and judged."""
    check_n_jobs(n_jobs)
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
        whole("studies", studies, LEAST_STUDIES, 100_000), Record(store), n_jobs, progress,
    )  # fmt: skip
