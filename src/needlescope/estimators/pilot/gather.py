"""The learning curves of the three answers: what of a pilot is fitted, simulated and computed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from ...arrays import FloatArray
from ...errors import NoMinimiser, NotConverged
from ...planning.learners import get_learner
from ...planning.plan import PlanOptions, make_plan
from ...planning.spec import PlanSpec, plan_spec
from ...planning.studies.curve import to_t
from ...planning.studies.measures import Measure, get_measure
from ...results.planned import Plan
from ...running import processes
from ...running.processes import Progress
from ...running.progress import reporting
from ...task import Task
from ..bags.bags import Bags
from ..task.expected import squared_weights_of
from ..task.fit import Fitted, fit_task
from .curves import Curves
from .fitting import Fit, WorldFit, error_in_world, wrong_answers
from .parts import SHARES, Split, curve_of_parts, part_jobs
from .studies import Asked, Studies, curve_of_studies
from .worlds import PilotWorld, TaskWorld, is_known, pilot_world, relative_se, task_at

MOST_COPIED = 1 << 26  # bytes of a pilot of which other processes get a copy
GUESSING = 2.0  # standard errors by which an error is below that of guessing
MOST_FAILED = 0.5  # of the fits to parts


class Target(NamedTuple):
    """What is asked: the arguments of `plan` of these names."""

    n: int | None
    error: float | None
    learner: str
    positives: int | None = None
    costs: tuple[float, float] | None = None
    spend: float | None = None

    @property
    def amount(self) -> float | None:
        """The number of bags, or what there is to spend."""
        given = self.n if self.spend is None else self.spend
        return None if given is None else float(given)

    @property
    def balanced(self) -> bool:
        """Whether training has a balance of classes of its own."""
        return self.positives is not None or self.costs is not None


class How(NamedTuple):
    """How many studies and splits, their seeds, processes, and who is told."""

    studies: int
    splits: int
    seeds: list[np.random.SeedSequence]
    n_jobs: int | None
    progress: Progress


class Gathered(NamedTuple):
    """What there is to answer from.

    ``plan`` is that of a learner with a theory, for the estimated task.
    """

    bags: Bags
    pi: float
    fitted: Fitted
    curves: dict[str, Curves]  # by the method of the answer
    tested: list[Split]
    size: int  # of the largest part
    plan: Plan | None

    @property
    def has_task(self) -> bool:
        """Whether a signal was found, and something is known of its strength."""
        return is_known(self.fitted)

    @property
    def drifts(self) -> bool:
        """Whether θ changes as bags are added."""
        return bool(self.fitted.halves.off and self.fitted.halves.one_sided)

    @property
    def measure(self) -> Measure:
        """The test error, beside that of the constant answer."""
        return get_measure("error", self.pi)


class _Runner(NamedTuple):
    n_jobs: int | None
    done: Callable[[], None]

    def run(self, function: Callable[[Any], Any], jobs: list[Any]) -> list[Any]:
        return processes.run(
            function, jobs, n_jobs=self.n_jobs, progress=False, each=lambda at, result: self.done()
        )


def gather(
    X: Any,
    bags: Bags,
    signs: FloatArray,
    target: Target,
    classifier: Any,
    named: str | None,
    options: PlanOptions,
    how: How,
) -> Gathered:
    """Estimate the task, test classifiers on parts of the pilot, and make studies."""
    pi, measure = float((signs > 0.0).mean()), get_measure("error", float((signs > 0.0).mean()))
    random = check_random_state(int(how.seeds[0].generate_state(1)[0]))
    tests = classifier is not None and not target.balanced
    total = 1 + how.studies + (how.splits * len(SHARES) + how.studies if tests else 0)
    with reporting(how.progress, total, "steps of the plan") as report:
        steps = itertools.count(1)
        large = bags.instances.nbytes > MOST_COPIED

        def done() -> None:
            report(next(steps), 0)

        runner = _Runner(1 if large else how.n_jobs, done)
        fitted = fit_task(bags, signs, random, lambda: None)
        runner.done()
        tested: list[Split] = []
        if tests:
            tested = _test_parts(part_jobs(X, signs, classifier, how.splits, how.seeds[1]), runner)
        _need_signal(fitted, tested, pi, len(bags))
        size = max((item.size for item in tested), default=round(SHARES[-1] * len(bags)))
        curves: dict[str, Curves] = {}
        plan = None
        if is_known(fitted):
            se = relative_se(fitted), float(fitted.structure is not None)
            asked = target.amount, target.error

            def curve(
                studies: Studies, root: np.random.SeedSequence, scale: float, room: int | None
            ) -> Curves:
                sizes = round(scale * size), round(scale * len(bags))
                rng = np.random.default_rng(root)
                return curve_of_studies(studies, asked, sizes, se, measure, how.studies, rng, room)

            def simulate(method: str, world: TaskWorld | PilotWorld, seed: int) -> None:
                room = world.most_bags
                if room >= size:  # or bags are too large to be drawn
                    studies = _simulated(world, classifier, how.seeds[seed], runner)
                    curves[method] = curve(studies, how.seeds[seed], 1.0, room)

            if named is None:
                simulate("task", TaskWorld(fitted, _share(fitted, "attention", len(bags))), 3)
            else:
                share = _share(fitted, named, len(bags))
                plan = make_plan(spec_of(fitted, fitted.at(share=share), target), options)
                studies = _theoretical(fitted, target, named, options, share, runner)
                scale = 1.0 if target.costs is None else float(np.mean(target.costs))
                found = curve(studies, how.seeds[3], scale, None)
                curves["task"] = found.moved(_added(plan, measure))
            if tests:
                array = isinstance(X, np.ndarray) and X.dtype != object
                simulate("resampled", pilot_world(bags, signs, fitted, array), 4)
        if tested:
            rng = np.random.default_rng(how.seeds[2])
            curves["curve"] = curve_of_parts(tested, len(bags), measure, rng)
    return Gathered(bags, pi, fitted, curves, tested, size, plan)


def _test_parts(jobs: list[Fit], runner: _Runner) -> list[Split]:
    """Fit to parts of the pilot, and test on the rest."""
    tested, failures = [], []
    for job, (wrong, failure) in zip(jobs, runner.run(wrong_answers, jobs), strict=True):
        if failure:
            failures.append(failure)
        elif job.rest is not None:
            tested.append(Split(len(job.train[1]), job.rest, wrong))
    if len(failures) > MOST_FAILED * len(jobs):
        raise ValueError(
            f"the classifier failed on {len(failures)} of {len(jobs)} parts of the pilot: "
            f"{failures[0]}"
        )
    return tested


def _need_signal(fitted: Fitted, tested: list[Split], pi: float, bags: int) -> None:
    """Refuse a pilot that shows nothing: no task, and a classifier that is as good as guessing."""
    if is_known(fitted):
        return
    guessing = min(pi, 1.0 - pi)
    largest = max((item.size for item in tested), default=0)
    errors = [float(item.wrong.mean()) for item in tested if item.size == largest]
    se = float(np.sqrt(guessing * (1.0 - guessing) / bags))
    if errors and float(np.mean(errors)) < guessing - GUESSING * se:
        return
    measured = ""
    if errors:
        measured = (
            f", and a classifier fitted to {largest} of them has a test error of "
            f"{np.mean(errors):.2g} on the others, where guessing has {guessing:.2g}"
        )
    if fitted.task.theta > 0.0:
        raise ValueError(
            f"a signal was found in the {bags} bags of the pilot, and nothing is known of its "
            f"strength (θ = {fitted.task.theta:.2g} ± {fitted.theta_se:.2g}){measured}; collect "
            "more bags, or give L, R, theta, pi and d yourself"
        )
    raise ValueError(
        f"no signal was found in the {bags} bags of the pilot (positive bags differ from "
        f"negative ones by {fitted.surprise:.1f} standard errors{measured}), so there is nothing "
        "to plan for; collect more bags, or give L, R, theta, pi and d yourself"
    )


def _share(fitted: Fitted, model: str, bags: int) -> float:
    """Return Σ a² of a model's weights on the instances of a bag, where bags have offsets."""
    return squared_weights_of(fitted, bags).get(model, 1.0)


def _simulated(
    world: TaskWorld | PilotWorld, classifier: Any, root: np.random.SeedSequence, runner: _Runner
) -> Studies:
    """Return what makes studies of a classifier in a world."""
    seeds = itertools.count()

    def studies(asked: list[Asked]) -> list[float]:
        jobs = [
            WorldFit(
                classifier, world, *each,
                np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, next(seeds))),
            )
            for each in asked
        ]  # fmt: skip
        return runner.run(error_in_world, jobs)

    return studies


def _theoretical(
    fitted: Fitted, target: Target, named: str, options: PlanOptions, share: float, runner: _Runner
) -> Studies:
    """Return what computes tuned errors of a learner by its theory."""
    learner = get_learner(named, options.loss)

    def error(n: int, v: float, w: float) -> float:
        amount = {"n": n} if target.costs is None else {"spend": float(n)}
        here = target._replace(n=None, spend=None, error=None)._replace(**amount)
        try:
            spec = spec_of(fitted, task_at(fitted, v, w, share), here)
            result = float(learner.tune(spec.budget(spec.n)).error)
        except (NotConverged, NoMinimiser, ValueError):
            result = np.nan  # no prediction for this task
        runner.done()
        return result

    return lambda asked: [error(*each) for each in asked]


def spec_of(fitted: Fitted, task: Task, target: Target) -> PlanSpec:
    """Return the specification of a plan for an estimated task."""
    d = max(round(fitted.dimension), 1)
    return plan_spec(
        int(task.L), int(task.R), float(task.theta), float(task.pi), d,
        target.n, target.error, target.learner, target.positives, target.costs, target.spend,
        noise=task.noise, signal=task.signal, estimated=True,
    )  # fmt: skip


def _added(plan: Plan, measure: Measure) -> float:
    """Return what a finite dimension adds to t."""
    errors = np.array([plan.error, plan.limit_error])
    if not np.isfinite(errors).all():
        return 0.0
    t = to_t(errors, measure)
    return float(t[0] - t[1])
