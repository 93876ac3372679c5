"""Worlds that a pilot may come from: bags of the task that it shows, and bags made of its own.

In the first, bags are drawn from the task that was read off the pilot. In the second, a background
is a negative bag of the pilot, taken at random: its instances x become

    μ + √(1 − h) (x − μ) + √h Σ̂^{1/2} z,

with mean μ, covariance Σ̂ (shrunk) and normal z: a smoothed bootstrap, h = ½. Without smoothing a
classifier learns the noise of the few bags that there are by heart. Backgrounds of tests are of
other bags than those of training. Positive bags get the signal, as it was estimated, in as many
instances as was estimated.

Neither is known: each study has a strength of its own, its log moved from the estimate by v, and a
place in the spectrum of the noise, moved by w standard errors. A spectrum is along random axes:
along those of the features a classifier that scales them would whiten the noise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...planning.studies.study import along, direction_of, draw_bags, random_axes
from ...running.seeds import generator
from ...task import Task
from ..bags.bags import Bags
from ..task.fit import Fitted, scaled_as_noise

LARGEST_RELATIVE_SE = 1.0  # of θ: beyond it nothing is known of the strength
SMOOTHING = 0.5  # h
SHRINKAGE = 0.2  # of Σ̂ towards a multiple of the identity
TESTS = 800  # bags
TEST_NUMBERS = 1 << 24
MOST_NUMBERS = 1 << 27  # of the bags of a study, a gigabyte
MOST_FEATURES = 2000  # whose covariance is taken; of more the variances


class Draw(NamedTuple):
    """Bags and signs, to train on and to test on."""

    train: tuple[Any, FloatArray]
    test: tuple[Any, FloatArray]


def relative_se(fitted: Fitted) -> float:
    """Return the standard error of log θ.

    >>> from types import SimpleNamespace as Of
    >>> relative_se(Of(task=Of(theta=4.0), theta_se=1.0))
    0.25
    """
    return float(fitted.theta_se / fitted.task.theta)


def is_known(fitted: Fitted) -> bool:
    """Return whether there is a signal, and its strength is known at all.

    >>> from types import SimpleNamespace as Of
    >>> [is_known(Of(task=Of(theta=theta), theta_se=1.0)) for theta in (0.0, 0.9, 2.0)]
    [False, False, True]
    """
    return bool(fitted.task.theta > 0.0) and relative_se(fitted) <= LARGEST_RELATIVE_SE


def task_at(fitted: Fitted, v: float, w: float, share: float = 1.0) -> Task:
    """Return the task whose log θ is moved by v, and whose place by w standard errors.

    R changes with θ as it does between halves of the pilot.
    """
    times = float(np.exp(v))
    exponent = fitted.halves.R_exponent
    return fitted.at(times, times ** (0.0 if np.isnan(exponent) else exponent), w, share=share)


def most_bags(L: float, d: int) -> int:
    """Return how many bags of so many instances and features a study may have.

    >>> most_bags(10.0, 20), most_bags(5000.0, 1024)
    (671088, 26)
    """
    return int(MOST_NUMBERS / (L * d))


def tests_for(L: float, d: int) -> int:
    """Return how many bags to test on.

    >>> tests_for(10.0, 20), tests_for(10_000.0, 100)
    (800, 100)
    """
    return int(np.clip(TEST_NUMBERS / (L * d), 100, TESTS))


class TaskWorld(NamedTuple):
    """Bags of the task that was read off a pilot, as a model sees it (`Fitted.at`)."""

    fitted: Fitted
    share: float = 1.0

    @property
    def d(self) -> int:
        """Features of an instance."""
        return max(round(self.fitted.dimension), 1)

    @property
    def most_bags(self) -> int:
        """How many bags a study may have."""
        return most_bags(float(self.fitted.task.L), self.d)

    def draw(self, n: int, v: float, w: float, seed: np.random.SeedSequence) -> Draw:
        """Draw bags of the task whose strength and place are moved."""
        task = task_at(self.fitted, v, w, self.share)
        drawn, tested, placed, turned = fresh(seed).spawn(4)
        xi = direction_of(task, self.d, generator(placed))
        tests = tests_for(float(task.L), self.d)
        train, test = draw_bags(task, n, xi, drawn), draw_bags(task, tests, xi, tested)
        axes = random_axes(task, self.d, generator(turned))
        return Draw((along(axes, train[0]), train[1]), (along(axes, test[0]), test[1]))


class PilotWorld(NamedTuple):
    """The negative bags of a pilot, and the signal that was estimated on it, in its features."""

    bags: list[FloatArray]
    mean: FloatArray
    root: FloatArray  # Σ̂^{1/2}
    signal: FloatArray  # θ ξ
    R: float  # instances with the signal in a positive bag
    exponent: float  # of R in θ
    pi: float
    array: bool  # whether bags are given as one array

    @property
    def most_bags(self) -> int:
        """How many bags a study may have."""
        return most_bags(float(np.mean([len(bag) for bag in self.bags])), len(self.mean))

    def draw(self, n: int, v: float, w: float, seed: np.random.SeedSequence) -> Draw:
        """Draw bags with backgrounds of the pilot, the log of the signal's strength moved by v."""
        rng = generator(fresh(seed))
        order = rng.permutation(len(self.bags))
        length = float(np.mean([len(bag) for bag in self.bags]))
        tests = tests_for(length, len(self.mean))
        return Draw(self._draw(order[::2], n, v, rng), self._draw(order[1::2], tests, v, rng))

    def _draw(
        self, which: Any, n: int, v: float, rng: np.random.Generator
    ) -> tuple[Any, FloatArray]:
        times = float(np.exp(v))
        count, result = self.R * times**self.exponent, []
        signs = np.where(rng.random(n) < self.pi, 1.0, -1.0)
        for sign in signs.tolist():
            X = self.bags[int(which[rng.integers(len(which))])] - self.mean
            noise = rng.standard_normal(X.shape)
            noise = noise * self.root if self.root.ndim == 1 else noise @ self.root.T
            X = self.mean + np.sqrt(1.0 - SMOOTHING) * X + np.sqrt(SMOOTHING) * noise
            if sign > 0.0:
                carriers = int(np.clip(np.floor(count + rng.random()), 1, len(X)))
                X[rng.permutation(len(X))[:carriers]] += times * self.signal
            result.append(X)
        return (np.stack(result) if self.array else result), signs


def fresh(seed: np.random.SeedSequence) -> np.random.SeedSequence:
    """Return the seed as if nothing had been spawned from it."""
    return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)


def pilot_world(bags: Bags, signs: FloatArray, fitted: Fitted, array: bool) -> PilotWorld:
    """Take negative bags and the signal from a pilot."""
    negative = [np.asarray(bags[int(k)], float) for k in np.flatnonzero(signs < 0.0)]
    rows = np.concatenate(negative)
    exponent = fitted.halves.R_exponent
    return PilotWorld(
        negative, rows.mean(axis=0), _root(rows), _signal(bags, signs, fitted), fitted.R,
        0.0 if np.isnan(exponent) else exponent, float((signs > 0.0).mean()), array,
    )  # fmt: skip


def _root(rows: FloatArray) -> FloatArray:
    """Return a root of the shrunk covariance: a matrix, or deviations where features are many."""
    if rows.shape[1] > MOST_FEATURES:
        return np.asarray(rows.std(axis=0))
    covariance = np.atleast_2d(np.cov(rows.T))
    trace = float(np.trace(covariance)) / len(covariance)
    shrunk = (1.0 - SHRINKAGE) * covariance + SHRINKAGE * trace * np.eye(len(covariance))
    return np.asarray(np.linalg.cholesky(shrunk))


def _signal(bags: Bags, signs: FloatArray, fitted: Fitted) -> FloatArray:
    """Return the signal in the features as they are: the mean of directions of disjoint halves."""
    pairs = np.array(fitted.pairs).reshape(-1, len(fitted.pairs[0][0]))
    xi = (pairs / np.linalg.norm(pairs, axis=1, keepdims=True)).sum(axis=0)
    xi /= np.linalg.norm(xi)
    if fitted.structure is None:
        return np.asarray(fitted.task.theta * xi / scaled_as_noise(bags, signs).scale)
    back = np.linalg.pinv(fitted.structure.spectrum.whitening.scale)
    return np.asarray(fitted.structure.white.theta * xi @ back)
