"""The search: spend studies where they decide, until the answer is known well enough.

The first studies are around what the theory says; each further round is where the curve through all
of them meets the target, and to both sides of it. It ends when the deviation of the answer is below
a tolerance after at least `LEAST_OF_AN_ANSWER` studies, or when the time or the number of studies
is used up.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...running import processes
from ...running.progress import Report
from ...task import Task
from .curve import Crossing, Curve, crossing, fit_curve, noise_in_t, to_t
from .engine import run_on
from .measures import Measure
from .record import Record
from .study import Job, Study, run_study

FIRST_PLACES = (-0.9, -0.3, 0.3, 0.9)  # around the first guess, in x
ROUND_PLACES = (-0.35, 0.0, 0.0, 0.35)  # around the best guess so far
LONGEST_STEP = 1.4  # in x, beyond what was tried
DEVIATION_TOL = 0.08  # of the answer in x
LEAST_STUDIES = 12
LEAST_OF_AN_ANSWER = 20  # studies: with fewer, scatter that is small by chance ends a search
QUICK = 1.0  # seconds of a round below which one process is quicker
NEAR = 0.05  # of the lower limit, in x
MOST_BEYOND = 0.05  # of the draws: with more of them the next studies are further out
MEAN_TOL = 0.01  # of the measure's range: the standard error of a mean at one place


class Place(NamedTuple):
    """The task and the number of bags at a coordinate, which is that of these whole numbers.

    ``positives`` and ``shift`` are those of `study.Job`.
    """

    task: Task
    n: int
    x: float
    positives: int | None = None
    shift: float = 0.0


class Limits(NamedTuple):
    """What a search may use."""

    seconds: float
    studies: int


class Found(NamedTuple):
    """The curve, where it meets the target, and the studies that say so."""

    curve: Curve
    crossing: Crossing | None
    studies: tuple[Study, ...]
    x: FloatArray  # of each
    spent: str  # what ended the search: "", "seconds" or "studies"
    at_low_end: bool = False  # the answer is the lower limit


class Search:
    """Studies of one classifier, at places that a caller names."""

    def __init__(
        self,
        classifier: Any,
        measure: Measure,
        d: int,
        place: Callable[[float], Place],
        seed: np.random.SeedSequence,
        limits: Limits,
        record: Record,
        n_jobs: int | None = None,
        report: Report = lambda done, failed: None,
        *,
        engine: Any = None,
        lengths: tuple[int, ...] | None = None,
    ) -> None:
        self.classifier, self.measure, self.d, self.place = classifier, measure, d, place
        self.seed, self.limits, self.record = seed, limits, record
        self.n_jobs, self.report = n_jobs, report
        self.engine, self.lengths = engine, lengths
        self.started, self.x = time.monotonic(), np.empty(0)
        self.studies: list[Study] = []

    def run(self, x: FloatArray) -> None:
        """Make studies at these places, or take those that are recorded."""
        known: list[Study | None] = []
        jobs: list[Job] = []
        for value in x:
            place = self.place(float(value))
            spawned = np.random.SeedSequence(
                self.seed.entropy, spawn_key=(*self.seed.spawn_key, len(self.studies) + len(known))
            )
            job = Job(
                self.classifier, place.task, self.d, place.n, self.measure, spawned, self.lengths,
                place.positives, place.shift,
            )  # fmt: skip
            self.x = np.append(self.x, place.x)
            known.append(self.record.get(job))
            jobs.append(job)
        todo = [k for k, study in enumerate(known) if study is None]
        seconds = [study.seconds for study in self.studies]
        quick = bool(seconds) and float(np.mean(seconds[-4:])) * len(todo) < QUICK
        before = len(self.studies) + len(known) - len(todo)
        finished = itertools.count(before + 1)

        def keep(index: int, study: Study) -> None:
            self.record.add(jobs[todo[index]], study)
            self.report(next(finished), self.failures)

        self.report(before, self.failures)
        wanted = [jobs[k] for k in todo]
        if self.engine is not None:
            done = run_on(self.engine, wanted, keep)
        else:
            n_jobs = 1 if quick else self.n_jobs
            done = processes.run(run_study, wanted, n_jobs=n_jobs, progress=False, each=keep)
        for k, study in zip(todo, done, strict=True):
            known[k] = study
        self.studies += [study for study in known if study is not None]
        self._check_failures()

    @property
    def failures(self) -> int:
        """How many studies failed."""
        return sum(bool(np.isnan(study.value)) for study in self.studies)

    def _check_failures(self) -> None:
        failed = [study for study in self.studies if np.isnan(study.value)]
        if 2 * len(failed) > len(self.studies):
            raise ValueError(
                f"the classifier failed on {len(failed)} of {len(self.studies)} simulated studies: "
                f"{failed[0].failure}"
            )

    def spent(self) -> str:
        """Return what is used up, if anything: a further round counts as long as the last."""
        size = len(self.around(0.0, ROUND_PLACES))
        together = size if self.engine is not None else self.n_jobs or processes.cores()
        turns = int(np.ceil(size / min(together, size)))
        last = float(np.mean([study.seconds for study in self.studies[-size:]])) * turns
        if time.monotonic() - self.started + last > self.limits.seconds:
            return "seconds"
        return "studies" if len(self.studies) + size > self.limits.studies else ""

    def around(self, x: float, places: tuple[float, ...]) -> FloatArray:
        """Return the places of a round around x: each more than once, if an engine makes more."""
        times = 1 if self.engine is None or self.n_jobs is None else self.n_jobs / len(places)
        return x + np.tile(places, max(1, round(times)))

    def curve(self, slope: float, bend: float = 0.0) -> Curve:
        """Fit the curve to all studies that did not fail."""
        values = np.array([study.value for study in self.studies])
        good = np.isfinite(values)
        rng = np.random.default_rng(len(values))
        noise = np.array([study.noise for study in self.studies])[good]
        errors = noise_in_t(values[good], noise, self.measure)
        return fit_curve(self.x[good], to_t(values[good], self.measure), slope, rng, errors, bend)


def find(
    search: Search,
    guess: float,
    slope: float,
    target: float,
    limits: tuple[float, float],
    assurance: float | None,
    bend: float = 0.0,
) -> Found:
    """Find where the mean, or an assured study, meets the target.

    ``slope`` and ``bend`` are those that the curve is expected to have.
    """
    search.run(np.clip(search.around(guess, FIRST_PLACES), *limits))
    while True:
        curve = search.curve(slope, bend)
        tried = (
            max(limits[0], search.x.min() - LONGEST_STEP),
            min(limits[1], search.x.max() + LONGEST_STEP),
        )
        at_limit = search.x.min() <= limits[0] + NEAR
        at = crossing(curve, target, search.measure, tried, assurance, flat_start=bool(at_limit))
        enough_studies = len(search.studies) >= LEAST_STUDIES
        known = at.deviation < DEVIATION_TOL and at.beyond < MOST_BEYOND
        enough = known and len(search.studies) >= LEAST_OF_AN_ANSWER
        at_end = at.x >= limits[1] - 1e-9 and at.beyond > 0.5 and enough_studies
        spent = search.spent()
        if enough or at_end or spent:
            low_end = at.x <= limits[0] + 1e-9
            ended_by = "" if enough or at_end else spent
            return Found(curve, at, tuple(search.studies), search.x, ended_by, low_end)
        search.run(np.clip(search.around(at.x, ROUND_PLACES), *limits))


def measure_at(search: Search, x: float) -> Found:
    """Repeat studies at one place until their mean is known."""
    while True:
        search.run(np.full(len(search.around(x, ROUND_PLACES)), x))
        values = np.array([study.value for study in search.studies])
        values = values[np.isfinite(values)]
        error = values.std(ddof=1) / np.sqrt(len(values))
        scale = abs(search.measure.worst - search.measure.best)
        enough = len(values) >= LEAST_STUDIES and error < MEAN_TOL * scale
        spent = search.spent()
        if enough or spent:
            curve = search.curve(0.0)
            return Found(curve, None, tuple(search.studies), search.x, "" if enough else spent)
