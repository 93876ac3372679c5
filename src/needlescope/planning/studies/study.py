"""One simulated study: draw bags of a task, fit a classifier, measure it on fresh bags.

The classifier is anything with ``fit(X, y)`` and a method that the measure needs: its answers, its
scores or its probabilities (`METHODS`). A copy of it is fitted, with random states of the study's
own. Bags are an array (bags, instances, features), or a list of arrays where their numbers of
instances differ; labels are 0 and 1.

A measured value has a standard error, since the fresh bags are finite in number: the deviation of
the measure over bootstrap samples of them.
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
from ...running.seeds import child, generator
from ...simulation.samples.data import tokens
from ...simulation.samples.placed import placed
from ...task import Task
from .lengths import bags_of
from .measures import LEAST_PROBABILITY, Measure

TEST_BAGS = 4000
TEST_NUMBERS = 1 << 25  # of the held-out bags, at the most
LEAST_TEST_BAGS = 500
LEAST_TEST_RARE = 50  # of the rarer class, where there is room
RESAMPLES = 16  # of the fresh bags, for the standard error of what is measured
METHODS = {
    "answers": ("predict", "decision_function", "predict_proba"),
    "scores": ("decision_function", "predict_proba"),
    "probabilities": ("predict_proba",),
}  # of a classifier, the first that there is, by what a measure needs


SINGLE_CLASS = "a single class"


class Job(NamedTuple):
    """What a study needs; it may run in another process."""

    classifier: Any
    task: Task
    d: int
    n: int
    measure: Measure
    seed: np.random.SeedSequence
    lengths: tuple[int, ...] | None = None  # of bags, each as likely; task.L is their mean
    positives: int | None = None  # of the n; None: bags come as they do later
    shift: float = 0.0  # of log odds, where positives are given

    @property
    def shift_of_answers(self) -> float | None:
        """The shift, where it matters: None where positives come as they do later, or for ranks."""
        return None if self.positives is None or self.measure.needs == "scores" else self.shift


class Study(NamedTuple):
    """The number of bags, what was measured, and the seconds it took; NaN and why if it failed.

    ``noise`` is the standard error of the value that the finite number of fresh bags leaves.
    """

    n: int
    value: float
    seconds: float
    failure: str = ""
    noise: float = 0.0


def check_classifier(classifier: Any, measure: Measure, shifted: bool = False) -> None:
    """Refuse what is no classifier of bags, or does not score as the measure needs.

    Where training has a balance of its own (``shifted``), answers are made from probabilities.

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
    if shifted and measure.needs != "scores":
        if not callable(getattr(classifier, "predict_proba", None)):
            raise ValueError(
                "learner must have predict_proba where training has another balance of classes "
                "than later bags, as with costs or positives: its log odds move by that; got "
                f"{classifier!r}; take one that has, or measure='auc'"
            )
        return
    ways = METHODS[measure.needs]
    if not any(callable(getattr(classifier, name, None)) for name in ways):
        raise ValueError(
            f"learner must have {' or '.join(ways)} for measure={measure.name!r}, got "
            f"{classifier!r}"
        )


def run_study(job: Job) -> Study:
    """Draw, fit and measure once.

    Examples
    --------
    >>> from needlescope.estimators import PooledClassifier
    >>> from .measures import get_measure
    >>> task, seed = Task(L=3, R=1, theta=5.0, pi=0.5), np.random.SeedSequence(0)
    >>> job = Job(PooledClassifier(), task, 5, 60, get_measure("error", 0.5), seed)
    >>> 0.0 < run_study(job).value < 0.3
    True
    """
    start = time.perf_counter()
    seed = np.random.SeedSequence(job.seed.entropy, spawn_key=job.seed.spawn_key)
    drawn, test_seed, fit_seed, signal, again = seed.spawn(5)
    xi = direction_of(job.task, job.d, generator(signal))
    axes = random_axes(job.task, job.d, generator(signal))
    X, y = draw_bags(job.task, job.n, xi, drawn, job.lengths, job.positives)
    if len(np.unique(y)) < 2:
        return Study(job.n, job.measure.worst, time.perf_counter() - start, SINGLE_CLASS)
    classifier = copy_of(job.classifier, fit_seed)
    X = along(axes, X)
    held_out, sign = draw_bags(job.task, _test_bags(job), xi, test_seed, job.lengths)
    held_out = along(axes, held_out)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            classifier.fit(X, (y > 0.0).astype(int))
            score = scores_of(classifier, held_out, job.measure, job.shift_of_answers)
        value, noise = _measured(job.measure, score, sign, generator(again))
    except Exception as problem:  # whatever a classifier of the user's raises
        why = f"{type(problem).__name__}: {problem}"
        return Study(job.n, np.nan, time.perf_counter() - start, why)
    return Study(job.n, value, time.perf_counter() - start, "", noise)


def _test_bags(job: Job) -> int:
    """Return the number of fresh bags: enough of the rarer class, if there is room."""
    rarer = float(min(job.task.pi, 1.0 - job.task.pi))
    wanted = max(TEST_BAGS, int(np.ceil(LEAST_TEST_RARE / rarer)))
    return max(LEAST_TEST_BAGS, min(wanted, TEST_NUMBERS // (int(job.task.L) * job.d)))


def _measured(
    measure: Measure, score: FloatArray, sign: FloatArray, rng: np.random.Generator
) -> tuple[float, float]:
    """Return a measure, and its standard error by the bootstrap."""
    if score.shape != sign.shape:
        raise ValueError(f"got scores of shape {score.shape} for {len(sign)} bags")
    if not np.isfinite(score).all():
        raise ValueError("scores must be finite numbers")
    if len(np.unique(sign)) < 2:
        raise ValueError("the fresh bags are of a single class, which is too rare to be measured")
    return measure.compute(score, sign), bootstrap_error(measure, score, sign, rng)


def bootstrap_error(
    measure: Measure, score: FloatArray, sign: FloatArray, rng: np.random.Generator
) -> float:
    """Return the standard error of a measure: its deviation over resampled bags.

    Examples
    --------
    >>> from .measures import get_measure
    >>> sign = np.where(np.arange(10_000) % 2, 1.0, -1.0)
    >>> score = np.where(np.arange(10_000) % 10, 1.0, -1.0) * sign  # a tenth is wrong
    >>> rng = np.random.default_rng(0)
    >>> 0.0015 < bootstrap_error(get_measure("error", 0.5), score, sign, rng) < 0.0045  # 0.003
    True
    """
    values = []
    for _ in range(RESAMPLES):
        rows = rng.integers(len(sign), size=len(sign))
        if len(np.unique(sign[rows])) == 2:
            values.append(measure.compute(score[rows], sign[rows]))
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def direction_of(task: Task, d: int, rng: np.random.Generator) -> FloatArray:
    """Draw the direction of the signal, at its place in the spectrum of the noise.

    Several signals are rows, orthogonal to each other.
    """
    if task.signals is not None:
        return np.asarray(np.linalg.qr(rng.standard_normal((d, task.kinds)))[0].T)
    xi = rng.standard_normal(d)
    xi /= np.linalg.norm(xi)
    return np.asarray(xi if task.levels is None else placed(task, d, rng))


def has_random_axes(task: Task) -> bool:
    """Return whether the noise has a spectrum, and no covariance that says where its axes are."""
    return task.levels is not None and task.noise.covariance is None


def random_axes(task: Task, d: int, rng: np.random.Generator) -> FloatArray | None:
    """Return random axes for noise with a spectrum, which says nothing of its own.

    Along those of the features, a classifier that scales each of them would whiten the noise.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = Task(8, 1, 4.0, 0.5, noise=ns.Noise(spectrum=[9.0, 1.0]))
    >>> axes = random_axes(task, 4, np.random.default_rng(0))
    >>> bool(np.allclose(axes @ axes.T, np.eye(4)))
    True
    """
    if not has_random_axes(task):
        return None
    return np.asarray(np.linalg.qr(rng.standard_normal((d, d)))[0])


def along(axes: FloatArray | None, X: Any) -> Any:
    """Return bags turned to axes: as they are, where there are none."""
    if axes is None:
        return X
    if isinstance(X, list):
        return [bag @ axes.astype(bag.dtype) for bag in X]
    return X @ axes.astype(X.dtype)


def draw_bags(
    task: Task,
    n: int,
    xi: FloatArray,
    seed: np.random.SeedSequence,
    lengths: tuple[int, ...] | None = None,
    positives: int | None = None,
) -> tuple[Any, FloatArray]:
    """Draw bags and their signs, of which so many are positive, if it is given.

    They are lists of arrays, if bags have these lengths, each as likely.
    """
    noise = STANDARD if task.noise is None else task.noise.at_dimension(xi.shape[-1])
    sign = None
    if positives is not None:
        sign = np.where(generator(child(seed, 3)).permutation(n) < positives, 1.0, -1.0)
    if lengths is not None:
        return bags_of(task, lengths, n, xi, noise, seed, sign)
    samples = tokens(task, n, xi, noise, seed)
    if sign is not None:
        samples = samples._replace(y=sign, truth=sign)
    data = hold(samples)
    return data.X, np.asarray(data.y)


def copy_of(classifier: Any, seed: np.random.SeedSequence) -> Any:
    """Return an unfitted copy, with random states of its own wherever it takes one."""
    result = copy.deepcopy(classifier)
    given = getattr(result, "get_params", None)
    if given is None:
        return result
    names = [name for name in sorted(given(deep=True)) if name.split("__")[-1] == "random_state"]
    states = seed.generate_state(max(len(names), 1)) >> 1
    result.set_params(**{name: int(state) for name, state in zip(names, states, strict=False)})
    return result


def scores_of(classifier: Any, X: Any, measure: Measure, shift: float | None = None) -> FloatArray:
    """Return what the measure needs: answers (−1 or +1), decision values or log odds.

    With a ``shift`` of log odds, answers are those of the moved log odds.
    """
    methods = METHODS[measure.needs if shift is None else "probabilities"]
    method = next(name for name in methods if callable(getattr(classifier, name, None)))
    result = np.asarray(getattr(classifier, method)(X))
    if method == "predict":
        return np.where(result == 1, 1.0, -1.0)
    if method == "decision_function":
        return np.asarray(result, float)
    p = np.asarray(result[:, 1], float)
    clipped = np.clip(p, LEAST_PROBABILITY, 1.0)
    log_odds = np.asarray(np.log(clipped) - np.log(np.maximum(1.0 - p, LEAST_PROBABILITY)))
    return log_odds if shift is None else log_odds + shift
