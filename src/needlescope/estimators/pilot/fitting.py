"""One fit: a copy of the classifier on some bags, its answers on others."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...planning.studies.measures import get_measure
from ...planning.studies.study import copy_of, scores_of
from ..bags.bags import Bags

ANSWERS = get_measure("error", 0.5)


class Fit(NamedTuple):
    """Bags and signs to train on and to test on; it may run in another process.

    ``rest`` says which bags of the pilot the tests are, if they are some of it.
    """

    classifier: Any
    train: tuple[Any, FloatArray]
    test: tuple[Any, FloatArray]
    seed: np.random.SeedSequence
    rest: IndexArray | None = None


def chosen(X: Any, rows: IndexArray) -> Any:
    """Return some of the bags, as they were given.

    Examples
    --------
    >>> chosen([np.ones((1, 2)), np.zeros((2, 2))], np.array([1]))
    [array([[0., 0.],
           [0., 0.]])]
    """
    if isinstance(X, Bags | np.ndarray):
        return X[rows]
    return [X[k] for k in rows.tolist()]


def wrong_answers(job: Fit) -> tuple[FloatArray, str]:
    """Return for each test whether it was answered wrongly, and why the classifier failed if so.

    Examples
    --------
    >>> from needlescope.estimators import PooledClassifier
    >>> X, signs = np.zeros((20, 1, 1)), np.where(np.arange(20) % 2, 1.0, -1.0)
    >>> X[:, 0, 0] = signs
    >>> data, seed = (X, signs), np.random.SeedSequence(0)
    >>> wrong, _ = wrong_answers(Fit(PooledClassifier(), data, data, seed))
    >>> int(wrong.sum())
    0
    """
    (X, signs), (held_out, truth) = job.train, job.test
    if len(np.unique(signs)) < 2:
        return (truth != signs[0]).astype(float), ""
    classifier = copy_of(job.classifier, job.seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            classifier.fit(X, (signs > 0.0).astype(int))
            answers = np.where(scores_of(classifier, held_out, ANSWERS) > 0.0, 1.0, -1.0)
    except Exception as problem:  # whatever a classifier of the user's raises
        return np.empty(0), f"{type(problem).__name__}: {problem}"
    return (answers != truth).astype(float), ""


class World(Protocol):
    """Something that bags are drawn from: strength and place of the signal moved by v and w."""

    def draw(self, n: int, v: float, w: float, seed: np.random.SeedSequence) -> Any:
        """Return bags and signs, ``train`` and ``test``."""


class WorldFit(NamedTuple):
    """A study in a world; it may run in another process."""

    classifier: Any
    world: World
    n: int
    v: float
    w: float
    seed: np.random.SeedSequence


def error_in_world(job: WorldFit) -> float:
    """Return the test error of a study; NaN where the classifier failed."""
    drawn = job.world.draw(job.n, job.v, job.w, job.seed)
    wrong, failure = wrong_answers(Fit(job.classifier, drawn.train, drawn.test, job.seed))
    return float("nan") if failure else float(wrong.mean())
