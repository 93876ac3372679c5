"""Plans for classifiers, put to fresh studies: the part `classifiers` of `make plan-check`.

Random tasks, targets between the floor and what needs no data, `PooledClassifier` and
`AttentionClassifier(effort="quick")` in turn, and a target of
the mean or with an assurance of 80 %.
Fresh studies are made at 0.7 n, low, n, high and 1.5 n of each plan. They tell

- whether at n the mean is within two standard errors of the target, or the assured share within two
  of the binomial law;
- whether at 0.7 n it is worse;
- whether the interval holds: n* is where a curve through all fresh studies meets the target, and
  the plan's n differs from it by no more than the uncertainty of both allows in nine of ten plans.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

import needlescope as ns
from needlescope.estimators import AttentionClassifier, PooledClassifier
from needlescope.planning.classifier import PRIOR_BEND, PRIOR_SLOPE
from needlescope.planning.studies.curve import crossing, fit_curve, noise_in_t, to_t
from needlescope.planning.studies.measures import get_measure
from needlescope.planning.studies.study import Job, Study, run_study
from needlescope.running import processes

ASSURANCE = 0.8
FEWER = 0.7  # times the planned n, where it should be worse
MORE = 1.5  # times the planned n: without studies there, n* hangs on a bend that is not known
MOST_BAGS = 2500  # of a plan that is put to studies
SECONDS = 60.0  # of a search
NINE_OF_TEN = 1.6449


class Checked(NamedTuple):
    """What fresh studies say of a plan."""

    z: float  # of the mean, or of the assured share, at n
    worse: bool  # at 0.7 n
    off: float  # log n − log n*, in units of the uncertainty of both
    within: bool  # whether n* is in [low, high]
    line: str


def classifier_question(rng: np.random.Generator, model: str) -> dict[str, Any]:
    """Draw a task and a target that the model can reach."""
    while True:
        L, R = int(np.exp(rng.uniform(np.log(4), np.log(40)))), int(rng.integers(1, 4))
        theta, pi = float(rng.uniform(1.5, 6.0)), float(rng.uniform(0.2, 0.5))
        task = ns.Task(L=L, R=R, theta=theta, pi=pi)
        floor, prior = float(ns.oracle(task, model, tol=1e-3).error), min(pi, 1.0 - pi)
        if 0.005 < floor < 0.6 * prior:
            target = round(floor + float(rng.uniform(0.2, 0.5)) * (prior - floor), 3)
            d = int(rng.integers(10, 61))
            return {"L": L, "R": R, "theta": theta, "pi": pi, "d": d, "error": target}


def fresh(result: Any, classifier: Any, n: int, trials: int, seed: int) -> list[Study]:
    """Make studies that the plan has not seen."""
    task = ns.Task(L=result.L, R=result.R, theta=result.theta, pi=result.pi)
    measure = get_measure("error", result.pi)
    seeds = np.random.SeedSequence([seed, n]).spawn(trials)
    jobs = [Job(classifier, task, result.d, n, measure, each) for each in seeds]
    return processes.run(run_study, jobs, n_jobs=1, progress=False)


def checked(result: Any, classifier: Any, target: float, trials: int, seed: int) -> Checked:
    """Put a plan to fresh studies."""
    measure = get_measure("error", result.pi)
    places = [round(FEWER * result.n), round(result.low), round(result.n), round(result.high)]
    places.append(round(MORE * result.n))
    made = {n: fresh(result, classifier, n, trials, seed) for n in dict.fromkeys(places)}
    values = {n: np.array([study.value for study in studies]) for n, studies in made.items()}
    at, fewer = values[places[2]], values[places[0]]
    assured = bool(np.isfinite(result.assurance))
    if assured:
        share, less = float((at <= target).mean()), float((fewer <= target).mean())
        z = (share - ASSURANCE) / np.sqrt(ASSURANCE * (1.0 - ASSURANCE) / trials)
        shown, worse = f"share {share:.2f}, at {FEWER} n {less:.2f}", less < ASSURANCE
    else:
        error = float(np.hypot(at.std(ddof=1) / np.sqrt(trials), result.error_se))
        z = (float(at.mean()) - target) / error
        shown = f"mean {at.mean():.4f} ± {error:.4f}, at {FEWER} n {fewer.mean():.4f}"
        worse = float(fewer.mean()) > target
    x = np.log(np.repeat(list(made), trials))
    studies = [study for row in made.values() for study in row]
    value = np.array([study.value for study in studies])
    noise = noise_in_t(value, np.array([study.noise for study in studies]), measure)
    curve = fit_curve(
        x, to_t(value, measure), PRIOR_SLOPE, np.random.default_rng(seed), noise, PRIOR_BEND
    )  # fmt: skip
    assurance = ASSURANCE if assured else None
    limits = (float(x.min()) - 1.0, float(x.max()) + 1.0)
    best = crossing(curve, target, measure, limits, assurance)
    own = float(np.log(result.high / result.low)) / (2.0 * NINE_OF_TEN)
    deviation = (best.high - best.low) / (2.0 * NINE_OF_TEN)
    off = (float(np.log(result.n)) - best.x) / float(np.hypot(own, deviation))
    within = bool(np.log(result.low) <= best.x <= np.log(result.high))
    line = f"{shown}, z {z:.1f}; n* {np.exp(best.x):.0f} ± {deviation:.0%}, off {off:.1f}"
    return Checked(z, bool(worse), off, within, line)


def classifiers(count: int, trials: int, seed: int, learner: str = "both") -> None:
    """Plan for classifiers on random tasks, and put the plans to fresh studies."""
    rng = np.random.default_rng([2, seed])
    kinds = [("pooled", PooledClassifier()), ("attention", AttentionClassifier(effort="quick"))]
    kinds = [kind for kind in kinds if learner in ("both", kind[0])]
    rows: list[tuple[bool, Checked]] = []
    times, passed = [], 0
    while len(rows) < count:
        model, classifier = kinds[len(rows) % len(kinds)]
        question = classifier_question(rng, model)
        assured = len(rows) // len(kinds) % 2 == 1
        start = time.perf_counter()
        result = ns.plan(
            **question, learner=classifier, assurance=ASSURANCE if assured else None,
            others=False, seconds=SECONDS, n_jobs=1, seed=int(rng.integers(2**31)),
        )  # fmt: skip
        seconds = time.perf_counter() - start
        if not result.reached or result.n > MOST_BAGS or "were not tried" in result.verdict:
            passed += 1
            print(f"passed over: {question} {result.verdict}", flush=True)
            continue
        found = checked(result, classifier, question["error"], trials, int(rng.integers(2**31)))
        rows.append((assured, found))
        times.append(seconds)
        shown = {name: round(value, 3) for name, value in question.items()}
        print(
            f"{len(rows):3d} {model} {'assured' if assured else 'mean'} {shown} n={result.n:.0f} "
            f"({result.low:.0f} to {result.high:.0f}) {found.line}; {len(result.studies)} studies, "
            f"{seconds:.0f} s",
            flush=True,
        )
    summarise(rows, times, passed)


def summarise(rows: list[tuple[bool, Checked]], times: list[float], passed: int) -> None:
    """Print how many plans hold."""
    for kind, name in ((False, "mean"), (True, "assured share")):
        of_kind = [found for assured, found in rows if assured is kind]
        if of_kind:
            met = sum(abs(found.z) <= 2.0 for found in of_kind)
            print(f"{name} within two standard errors of the target: {met} of {len(of_kind)}")
    every = [found for _, found in rows]
    print(f"worse at {FEWER} n: {sum(found.worse for found in every)} of {len(every)}")
    held = sum(abs(found.off) <= NINE_OF_TEN for found in every)
    print(f"n* where nine of ten should be: {held} of {len(every)}")
    print(f"n* within [low, high], its own uncertainty left out: {sum(f.within for f in every)}")
    print(f"passed over {passed}; a search took {np.median(times):.0f} s, at most {max(times):.0f}")
