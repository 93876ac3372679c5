"""Classifiers whose error is known, on a task where the truth can be read off a bag."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr

import needlescope as ns
from needlescope.planning.studies.measures import get_measure
from needlescope.planning.studies.study import Job, Study

PLAIN = ns.Task(L=2, R=1, theta=40.0, pi=0.5)  # |x| > 20 in a positive bag, and in no other
AT = 200.0  # bags at which the error is E_AT on average
E_AT = 0.2
SLOPE = -0.4  # of t in log n


class Constant:
    """A classifier with an error of its own, whatever it is fitted to."""

    def __init__(self, error: float) -> None:
        self.error = error

    def fit(self, X: Any, y: Any) -> Constant:
        self.rng = np.random.default_rng(len(y))
        return self

    def predict(self, X: Any) -> Any:
        truth = np.abs(X).max(axis=(1, 2)) > 20.0
        return np.where(self.rng.random(len(X)) < self.error, ~truth, truth).astype(int)


def known_t(n: Any) -> Any:
    """Return the t of the mean study with n bags: an error of 0.2 at 200 bags."""
    return SLOPE * np.log(np.asarray(n) / AT) - 0.8416212335729143  # Φ⁻¹(0.4/2)


class Known:
    """A classifier with the error Φ(t)·2·0.5 of `known_t`, and scatter that its study draws."""

    def __init__(self, scatter: float = 0.0, random_state: Any = None) -> None:
        self.scatter, self.random_state = scatter, random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"scatter": self.scatter, "random_state": self.random_state}

    def set_params(self, **given: Any) -> Known:
        vars(self).update(given)
        return self

    def fit(self, X: Any, y: Any) -> Known:
        self.rng = np.random.default_rng(self.random_state)
        t = known_t(len(y)) + self.scatter * self.rng.standard_normal()
        self.error_ = float(ndtr(t))
        return self

    def predict(self, X: Any) -> Any:
        truth = np.abs(X).max(axis=(1, 2)) > 20.0
        return np.where(self.rng.random(len(X)) < self.error_, ~truth, truth).astype(int)


class Failing(Known):
    """A classifier that fails from so many bags on."""

    def fit(self, X: Any, y: Any) -> Known:
        if len(y) > 150:
            raise RuntimeError("out of ideas")
        return super().fit(X, y)


def job(classifier: Any, n: int = 200, measure: str = "error", seed: int = 0, **more: Any) -> Job:
    """Return a study of a classifier on the plain task."""
    specificity = more.pop("specificity", None)
    task = PLAIN.replace(**more)
    chosen = get_measure(measure, float(task.pi), specificity)
    return Job(classifier, task, 1, n, chosen, np.random.SeedSequence(seed))


def quick_study(job: Job) -> Study:
    """Return a study of a `Known` without its bags: what it would measure of very many."""
    rng = np.random.default_rng(
        np.random.SeedSequence(job.seed.entropy, spawn_key=job.seed.spawn_key)
    )
    t = known_t(job.n) + job.classifier.scatter * rng.standard_normal()
    return Study(job.n, float(ndtr(t)), 1e-3)
