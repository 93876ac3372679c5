"""Properties of the planner on random questions: `make plan-check`.

Four parts, each over questions drawn from a seed, so that one can be asked again:

- ``questions``: every question to `plan` (all unknowns and learners, rare classes, small d, L to
  10⁵) is answered or refused in a sentence, and where it can be simulated the mean error is within
  three standard errors of the error planned for;
- ``settings``: `tune` is never worse than the default training or than a small grid of settings,
  beyond its tolerance, and `compare` answers;
- ``plans``: of moderate tasks, how often the target is met, and how many data sets lie in the
  interval that says nine of ten;
- ``classifiers``: the same of plans for a classifier (`plan_check_classifiers`), in white noise.

The suite asks a few of the same questions (`tests/planning/test_properties.py`).
"""

from __future__ import annotations

import argparse
import re
import time
from typing import Any, NamedTuple

import numpy as np

import needlescope as ns
from needlescope.planning import TUNED as MODELS
from needlescope.planning import USUAL
from tools.plan_check_classifiers import classifiers

MOST_BAGS = 5000  # in a data set that is simulated
MOST_TOKENS = 300  # in a bag of it
LEAST_RARE = 8  # bags of the rarer class that train the readout, or a data set may lack it
SPLITS, STRENGTHS = (0.2, 0.5, 0.8), (0.3, 1.0, 3.0, 10.0)  # of the small grid
RIDGES = np.geomspace(10.0, 1e-6, 8)
STEPS = [
    {"eta_b": eta_b, "first_step": first, "balanced": balanced}
    for eta_b in (0.5, 4.0)
    for first in ("joint", "sequential")
    for balanced in (True, False)
]
TOLERANCE = 0.03  # of the error: what settings that are called the best may lose to a grid
CRASHES = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError)


class Finding(NamedTuple):
    """What a check found: whether all is well, and a line about it."""

    well: bool
    line: str


def random_task(rng: np.random.Generator, longest: float = 200.0) -> ns.Task:
    """Draw a task: a class may be rare, and the signal in one token, some or all."""
    L = int(np.exp(rng.uniform(0.0, np.log(longest))))
    R = int(rng.integers(1, max(2, L // 3 + 1))) if rng.random() < 0.8 else L
    theta = float(np.exp(rng.uniform(np.log(0.7), np.log(7.0)))) * min(1.0, 1.5 / np.sqrt(R))
    pi = float(np.exp(rng.uniform(np.log(0.003), np.log(0.5))))
    pi = 1.0 - pi if rng.random() < 0.35 else pi
    return ns.Task(L, R, round(theta, 3), round(pi, 4))


def random_question(seed: int) -> dict[str, Any]:
    """Draw a question to `plan`: any unknown and learner, rare classes, small d, L to 10⁵."""
    rng = np.random.default_rng([1, seed])
    task = random_task(rng, 1e5 if rng.random() < 0.3 else 200.0)
    d = int(np.exp(rng.uniform(0.0, np.log(300.0))))
    learner = str(rng.choice(USUAL, p=(0.4, 0.2, 0.2, 0.1, 0.1)))
    unknown = str(rng.choice(["n", "theta", "L", "error"]))
    prior = min(task.pi, 1.0 - task.pi)
    given: dict[str, Any] = {
        "L": int(task.L), "theta": float(task.theta),
        "n": max(4, int(d * np.exp(rng.uniform(np.log(0.5), np.log(100.0))))),
        "error": float(f"{prior * rng.uniform(0.2, 0.95):.3g}"),
    }  # fmt: skip
    del given[unknown]
    if unknown == "L":
        given["R"] = int(min(task.R, 5))
    else:
        given["R"] = int(task.R)
    if unknown in ("n", "error") and learner in MODELS and rng.random() < 0.15:
        costs = (float(np.exp(rng.uniform(-1.0, 3.0))), 1.0)
        given |= {"costs": costs}
        if "n" in given:
            given["spend"] = given.pop("n") * 0.5 * sum(costs)
    return {**given, "pi": float(task.pi), "d": d, "learner": learner}


def check_question(seed: int, trials: int = 24, **more: Any) -> Finding:
    """Ask a random question, and simulate what is planned where that is quick."""
    question, start = random_question(seed), time.process_time()
    try:
        result = ns.plan(**question, **more)
    except (ValueError, ns.NotConverged, ns.NoMinimiser) as refusal:
        sentence = isinstance(refusal, ns.NotConverged | ns.NoMinimiser) or _names(
            refusal, question
        )
        return Finding(sentence, f"{seed} {question} refused: {refusal}")
    except CRASHES as crash:
        return Finding(False, f"{seed} {question} CRASHED: {type(crash).__name__}: {crash}")
    seconds = time.process_time() - start
    line = f"{seed} {question} {seconds:.1f} s: {result.verdict}"
    if not _can_be_simulated(result):
        return Finding(bool(result.verdict), line)
    errors = simulated(result, trials, seed)
    off = float(errors.mean()) - planned_error(result)
    uncertainty = np.hypot(errors.std(ddof=1) / np.sqrt(trials), _uncertainty(result))
    well = abs(off) <= 3.0 * uncertainty + 0.01 * planned_error(result)
    return Finding(
        well, f"{line} simulated {errors.mean():.4f}, off by {off / uncertainty:.1f} s.e."
    )


def _names(refusal: Exception, question: dict[str, Any]) -> bool:
    """Whether a refusal opens with an argument that was given, and is one line."""
    text = str(refusal)
    return re.match(rf"({'|'.join(question)})\b", text) is not None and "\n" not in text


def _can_be_simulated(result: Any) -> bool:
    if not result.reached or result.training is None or result.interval is None or result.shift:
        return False
    rare = min(result.pi, 1.0 - result.pi)
    small = result.n <= MOST_BAGS and result.L <= MOST_TOKENS
    return bool(small and result.n1 * rare >= LEAST_RARE and max(result.n0, 9) * rare >= 1)


def planned_error(result: Any) -> float:
    """Return the mean error over data sets that a plan expects."""
    return float(result.interval.mean)


def _uncertainty(result: Any) -> float:
    """Return how far a plan knows that mean: by the trials it rests on."""
    return float(result.interval.mean_se)


def simulated(result: Any, trials: int, seed: int) -> np.ndarray:
    """Return test errors of data sets of a plan; min(π, 1 − π) where one cannot be trained on."""
    errors = []
    for item in np.random.SeedSequence([2, seed]).spawn(trials):
        try:
            outcome = ns.simulate(
                result.task,
                result.training,
                result.learner,
                d=result.d,
                trials=1,
                seed=item,
                n_jobs=1,
            )
            errors.append(float(outcome.test_error))
        except ns.NoMinimiser:
            errors.append(min(result.pi, 1.0 - result.pi))
    return np.array(errors)


def random_budget(seed: int) -> tuple[ns.Task, float, str]:
    """Draw a task whose signal can be seen, bags for each dimension, and a model."""
    rng = np.random.default_rng([3, seed])
    while True:
        task = random_task(rng)
        budget = float(f"{np.exp(rng.uniform(np.log(0.5), np.log(300.0))):.4g}")
        model = str(rng.choice(MODELS, p=(0.5, 0.25, 0.25)))
        floor = float(ns.oracle(task, "bayes", tol=2e-3).error)
        if floor < 0.8 * min(task.pi, 1.0 - task.pi):
            return task, budget, model


def least_of_grid(task: ns.Task, budget: float, model: str, tolerance: float) -> float:
    """Return the least error of a small grid of settings, by `predict` alone."""
    if model != "attention":
        training = ns.Training(alpha1=budget, ridge=RIDGES)
        return float(np.min(ns.predict(task, training, model, tol=tolerance).test_error))
    least = 1.0
    for split in SPLITS:
        given = {"alpha0": split * budget, "alpha1": (1.0 - split) * budget}
        steps = (ns.Training(**given, eta_w=0.05, **step) for step in STEPS)
        cosine = max(float(ns.align(task, step).cosine_q) for step in steps)
        query = ns.Query(np.array(STRENGTHS)[:, None], cosine)
        training = ns.Training(alpha1=given["alpha1"], ridge=RIDGES)
        errors = ns.predict(task, training, query=query, tol=tolerance).test_error
        least = min(least, float(np.min(errors)))
    return least


def check_settings(seed: int, compared: bool = True) -> Finding:
    """Set tuned settings against the default training and a small grid; ask for a comparison."""
    task, budget, model = random_budget(seed)
    tolerance = min(2e-3, 0.01 * min(task.pi, 1.0 - task.pi))
    line = f"{seed} {model} {task} α={budget:g}"
    try:
        start = time.process_time()
        result = ns.tune(task, budget, model=model, losses=["logistic"])
        seconds = time.process_time() - start
        grid = least_of_grid(task, budget, model, tolerance)
        verdict = ns.compare(task, budget).verdict if compared else ""
    except (ns.NotConverged, ns.NoMinimiser) as refusal:
        return Finding(True, f"{line} refused: {refusal}")
    except (ValueError, *CRASHES) as crash:
        return Finding(False, f"{line} CRASHED: {type(crash).__name__}: {crash}")
    best = np.nanmin([grid, result.untuned])
    well = bool(result.test_error <= (1.0 + TOLERANCE) * best + tolerance)
    return Finding(
        well, f"{line}: tuned {result.test_error:.5f}, untuned {result.untuned:.5f}, grid "
        f"{grid:.5f} {seconds:.1f} s. {verdict}"
    )  # fmt: skip


def run_checks(check: Any, count: int, seed: int) -> None:
    """Print the finding of each question, and how many are not well."""
    bad = []
    for k in range(seed, seed + count):
        result = check(k)
        bad += [] if result.well else [k]
        print("ok " if result.well else "BAD", result.line, flush=True)
    print(f"{len(bad)} of {count} are not well: {bad}")


def moderate_question(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a task and a target between its floor and what needs no data."""
    while True:
        L = int(np.exp(rng.uniform(np.log(4), np.log(60))))
        R = int(rng.integers(1, max(2, L // 4 + 1)))
        theta, pi = float(rng.uniform(1.5, 6.0)), float(rng.uniform(0.1, 0.7))
        task = ns.Task(L=L, R=R, theta=theta, pi=pi)
        floor, prior = float(ns.oracle(task, "bayes", tol=1e-3).error), min(pi, 1 - pi)
        if 0.005 < floor < 0.6 * prior:
            target = floor + float(rng.uniform(0.15, 0.5)) * (prior - floor)
            d = int(rng.integers(40, 151))
            return {"L": L, "R": R, "theta": theta, "pi": pi, "d": d, "error": round(target, 4)}


def plans(count: int, trials: int, seed: int) -> None:
    """Simulate plans of moderate tasks: is the target met, and are nine of ten in the interval?"""
    rng = np.random.default_rng(seed)
    rows = []
    while len(rows) < count:
        question = moderate_question(rng)
        start = time.process_time()
        try:
            result = ns.plan(**question, learner="attention", seed=int(rng.integers(2**31)))
        except ns.NotConverged as problem:
            print(question, "not converged:", problem, flush=True)
            continue
        seconds = time.process_time() - start
        if not _can_be_simulated(result):
            continue
        errors = simulated(result, trials, int(rng.integers(2**31)))
        se = float(np.hypot(errors.std(ddof=1) / np.sqrt(trials), _uncertainty(result)))
        off = float(errors.mean()) - question["error"]
        share = float(((errors >= result.interval.low) & (errors <= result.interval.high)).mean())
        rows.append((abs(off) <= 2.0 * se, off, share, seconds))
        print(
            f"{len(rows):3d} {question} n={result.n:.0f} simulated {errors.mean():.4f} ± {se:.4f} "
            f"{'ok' if rows[-1][0] else 'OFF'}; in interval {share:.2f}; {seconds:.1f} s",
            flush=True,
        )
    met, offs, shares, times = np.array(rows, float).T
    print(f"within two standard errors of the target: {met.sum():.0f} of {count}")
    print(f"in the interval: {shares.mean():.3f} of data sets, tasks {shares.min():.2f} to "
          f"{shares.max():.2f}; mean of simulated − target {offs.mean():.5f}")  # fmt: skip
    print(f"a plan took {np.median(times):.1f} s of CPU, at most {times.max():.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "part", choices=["questions", "settings", "plans", "classifiers"], nargs="?"
    )
    parser.add_argument("--count", type=int, default=84)
    parser.add_argument("--trials", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--learner", choices=["both", "pooled", "attention"], default="both")
    given = parser.parse_args()
    if given.part in (None, "settings"):
        run_checks(check_settings, given.count, given.seed)
    if given.part in (None, "questions"):
        run_checks(lambda k: check_question(k, given.trials), given.count, given.seed)
    if given.part in (None, "plans"):
        plans(given.count, given.trials, given.seed)
    if given.part in (None, "classifiers"):
        classifiers(given.count, given.trials, given.seed, given.learner)
