"""One simulated study: draw bags of a task, fit a classifier, measure it on fresh bags.

The classifier is anything with ``fit(X, y)`` and either ``predict_proba``, ``decision_function`` or
``predict``; a copy of it is fitted, as scikit-learn's `clone` makes one. Bags are an array (bags,
instances, features), labels 0 and 1.
"""

from __future__ import annotations

import copy
import time
import warnings
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...models.blocks import hold
from ...noise import STANDARD
from ...running.seeds import generator
from ...simulation.samples.data import tokens
from ...simulation.samples.placed import placed
from ...task import Task
from .measures import LEAST_PROBABILITY, Measure

TEST_BAGS = 4000
TEST_NUMBERS = 1 << 25  # of the held-out bags, at the most
LEAST_TEST_BAGS = 500


class Job(NamedTuple):
    """What a study needs; it may run in another process."""

    classifier: Any
    task: Task
    d: int
    n: int
    measure: Measure
    seed: np.random.SeedSequence


class Study(NamedTuple):
    """The number of bags, what was measured, and the seconds it took; NaN and why if it failed."""

    n: int
    value: float
    seconds: float
    failure: str = ""


def check_classifier(classifier: Any, measure: Measure) -> None:
    """Refuse what is no classifier of bags, or does not score as the measure needs.

    Examples
    --------
    >>> from .measures import get_measure
    >>> check_classifier("forest", get_measure("error", 0.5))
    Traceback (most recent call last):
    ValueError: learner must be the name of a learner or a classifier of bags with fit, got 'forest'
    """
    if isinstance(classifier, type):
        raise ValueError(
            f"learner must be a classifier, got the class {classifier.__name__}; write "
            f"{classifier.__name__}()"
        )
    if not callable(getattr(classifier, "fit", None)):
        raise ValueError(
            "learner must be the name of a learner or a classifier of bags with fit, got "
            f"{classifier!r}"
        )
    ways = ("predict_proba",) if measure.needs_probabilities else SCORES
    if not any(callable(getattr(classifier, name, None)) for name in ways):
        raise ValueError(
            f"learner must have {' or '.join(ways)} for measure={measure.name!r}, got "
            f"{classifier!r}"
        )


SCORES = ("predict_proba", "decision_function", "predict")
"""Methods that scores are taken from, the first that there is."""


def run_study(job: Job) -> Study:
    """Draw, fit and measure once."""
    start = time.perf_counter()
    drawn, test_seed, fit_seed = job.seed.spawn(3)
    xi = _direction(job.task, job.d, generator(job.seed.spawn(1)[0]))
    X, y = _bags(job.task, job.n, xi, drawn)
    if len(np.unique(y)) < 2:
        return Study(job.n, job.measure.worst, time.perf_counter() - start, "a single class")
    classifier = _copy(job.classifier, fit_seed)
    room = max(LEAST_TEST_BAGS, min(TEST_BAGS, TEST_NUMBERS // (int(job.task.L) * job.d)))
    held_out, sign = _bags(job.task, room, xi, test_seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            classifier.fit(X, (y > 0.0).astype(int))
            score = _scores(classifier, held_out)
    except Exception as problem:  # whatever a classifier of the user's raises
        why = f"{type(problem).__name__}: {problem}"
        return Study(job.n, np.nan, time.perf_counter() - start, why)
    return Study(job.n, job.measure.compute(score, sign), time.perf_counter() - start)


def _direction(task: Task, d: int, rng: np.random.Generator) -> FloatArray:
    """Draw the direction of the signal, at its place in the spectrum of the noise."""
    xi = rng.standard_normal(d)
    xi /= np.linalg.norm(xi)
    return np.asarray(xi if task.levels is None else placed(task, d, rng))


def _bags(
    task: Task, n: int, xi: FloatArray, seed: np.random.SeedSequence
) -> tuple[FloatArray, FloatArray]:
    """Draw bags and their signs."""
    noise = STANDARD if task.noise is None else task.noise.at_dimension(xi.shape[-1])
    data = hold(tokens(task, n, xi, noise, seed))
    return data.X, np.asarray(data.y)


def _copy(classifier: Any, seed: np.random.SeedSequence) -> Any:
    """Return an unfitted copy, with a random state of its own where it takes one."""
    result = copy.deepcopy(classifier)
    given = getattr(classifier, "get_params", None)
    if given is not None and "random_state" in given(deep=False):
        result.set_params(random_state=int(seed.generate_state(1)[0] >> 1))
    return result


def _scores(classifier: Any, X: FloatArray) -> FloatArray:
    """Return log odds, decision values, or ±1."""
    if hasattr(classifier, "predict_proba"):
        p = np.clip(np.asarray(classifier.predict_proba(X))[:, 1], LEAST_PROBABILITY, 1.0)
        return np.asarray(np.log(p) - np.log(np.maximum(1.0 - p, LEAST_PROBABILITY)))
    if hasattr(classifier, "decision_function"):
        return np.asarray(classifier.decision_function(X), float).ravel()
    return np.where(np.asarray(classifier.predict(X)) == 1, 1.0, -1.0)
