"""Learning curves on labelled instances: what the theory predicts, and what training reaches.

Of n bags, attention takes half for its query and half for its readout, pooling takes all. The step
on the query is the one with which theory expects the strength κ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..grid import choice, single, whole, yes_or_no
from ..models import get_model
from ..models.blocks import Arrays, features
from ..results import Outcome
from ..running.processes import Progress, check_n_jobs, run
from ..running.seeds import child, generator, streams
from ..simulation.training import stages
from ..task import Task
from ..theory.alignment import align
from ..theory.learning import predict
from ..training import Training
from .bags import SOURCES, draw_bags, sources
from .sets import read_instances
from .task import InstanceTask, one_covariance, task_from_instances

MODELS = ("attention", "pooled")
FEWEST_BAGS = 4
LARGEST_STEP = 1e6  # that `Training` takes


@dataclass(frozen=True, eq=False)
class InstanceErrors:
    """The test error of a classifier trained on bags of instances, over trials.

    Attributes
    ----------
    test_error, test_error_se
        The mean over trials and its standard error, NaN for one trial.
    trials
        The test error of each trial.
    """

    test_error: float
    test_error_se: float
    trials: FloatArray


def predict_instances(
    instances: Any,
    is_signal: Any = None,
    *,
    bags: int,
    model: str = "attention",
    L: int = 10,
    R: int = 1,
    pi: float = 0.5,
    whitened: bool = False,
    same_noise: bool = False,
    kappa: float = 2.0,
    loss: str = "square",
    ridge: float = 0.1,
    tol: float = 1e-3,
) -> Outcome:
    """Predict the test error of a classifier trained on n bags of such instances.

    The theory of Gaussian instances with the means and covariances of `task_from_instances`, at n/d
    bags for a feature: a formula of ours, checked by simulation.

    Parameters
    ----------
    instances : array (instances, features), "digits" or "breast_cancer"
        As in `task_from_instances`.
    is_signal : array of bool (instances,), optional
        As there: needed with an array.
    bags : int
        All bags to train on.
    model : "attention" or "pooled", default "attention"
    L : int, default 10
        Instances in a bag.
    R : int, default 1
        Signal instances in a positive bag.
    pi : float, default 0.5
        The share of positive bags.
    whitened : bool, default False
        Whether features are whitened with the covariance of the background.
    same_noise : bool, default False
        Give signal tokens the covariance of the background, to see what their own changes.
    kappa : float, default 2.0
        The strength of attention's query, in theory.
    loss : str or Loss, default "square"
        As in `Training`.
    ridge : float, default 0.1
        As in `Training`; above 0.
    tol : float, default 1e-3
        As in `predict`.

    Returns
    -------
    Outcome
        That of `predict`.

    Raises
    ------
    ValueError, NotConverged
        As in `task_from_instances` and `predict`.

    Examples
    --------
    >>> import needlescope as ns
    >>> for bags in (1000, 3000):
    ...     print(round(ns.predict_instances("digits", bags=bags, whitened=True).test_error, 2))
    0.09
    0.08
    """
    choice("model", model, MODELS)
    task = _task(instances, is_signal, L, R, pi).task
    task = task.whitened if yes_or_no("whitened", whitened) else task
    task = one_covariance(task) if yes_or_no("same_noise", same_noise) else task
    training = _training(task, model, whole("bags", bags, FEWEST_BAGS), kappa, loss, ridge)
    return predict(task, training, model, tol=tol)


def simulate_instances(
    instances: Any,
    is_signal: Any = None,
    *,
    bags: int,
    model: str = "attention",
    source: str = "real",
    L: int = 10,
    R: int = 1,
    pi: float = 0.5,
    whitened: bool = False,
    kappa: float = 2.0,
    loss: str = "square",
    ridge: float = 0.1,
    n_test: int = 4000,
    trials: int = 8,
    seed: Any = 0,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> InstanceErrors:
    """Train a classifier on n bags of instances, and test it on bags of others.

    In each trial instances are split in two halves, of each kind. Bags to train on draw theirs from
    the first, with replacement; mean and covariance of the background come from it too.

    Parameters
    ----------
    instances, is_signal, bags, model, L, R, pi, whitened, kappa, loss, ridge : optional
        As in `predict_instances`.
    source : "real", "reused" or "gaussian", default "real"
        The instances themselves; as many Gaussian ones with the same means and covariances in their
        place; or Gaussian ones that are new in every bag, what the theory is about.
    n_test : int, default 4000
        Bags to test on in a trial.
    trials, seed, n_jobs, progress : optional
        As in `needlescope.simulate`.

    Returns
    -------
    InstanceErrors

    Raises
    ------
    ValueError
        If an argument is out of its range, or as in `task_from_instances`.

    Examples
    --------
    >>> import needlescope as ns
    >>> result = ns.simulate_instances("digits", bags=1000, model="pooled", trials=4, n_jobs=1)
    >>> bool(abs(result.test_error - 0.31) < 0.03)
    True
    """
    X, marks = read_instances(instances, is_signal)
    choice("model", model, MODELS)
    choice("source", source, SOURCES)
    n, n_test = whole("bags", bags, FEWEST_BAGS), whole("n_test", n_test, 1, 10**6)
    estimate = _task(instances, is_signal, L, R, pi)
    whole("R", estimate.task.R, 1)
    task = estimate.task.whitened if yes_or_no("whitened", whitened) else estimate.task
    training = _training(task, model, n, kappa, loss, ridge)
    check_n_jobs(n_jobs)
    jobs = [
        _Trial(X, marks, estimate, training, model, source, whitened, n, n_test, one)
        for one in streams(seed, whole("trials", trials, 1, 10**5))
    ]
    errors = np.array(run(_run, jobs, n_jobs=n_jobs, progress=progress, title=model))
    se = float(errors.std(ddof=1) / np.sqrt(len(errors))) if len(errors) > 1 else np.nan
    return InstanceErrors(float(errors.mean()), se, errors)


def _task(instances: Any, is_signal: Any, L: int, R: int, pi: float) -> InstanceTask:
    L, pi = whole("L", L, 1), single("pi", pi, 0.0, 1.0, open_low=True, open_high=True)
    if isinstance(instances, str) and is_signal is None:
        return _known(instances, L, R, pi)
    return task_from_instances(instances, is_signal, L=L, R=R, pi=pi)


@lru_cache(maxsize=8)
def _known(name: str, L: int, R: int, pi: float) -> InstanceTask:
    """Return the task of a set by name, once."""
    return task_from_instances(name, L=L, R=R, pi=pi)


def _training(task: Task, model: str, n: int, kappa: float, loss: str, ridge: float) -> Training:
    """Return the training on n bags, with the step on the query that leads to κ in theory."""
    alpha = n / len(task.noise.covariance)
    if model == "pooled":
        return Training(alpha1=alpha, loss=loss, ridge=ridge)
    training = Training(alpha / 2.0, alpha / 2.0, loss=loss, ridge=ridge)
    kappa = single("kappa", kappa, 0.0, 1e3, open_low=True)
    step = float(kappa * training.eta_q / align(task, training).kappa)
    if not step <= LARGEST_STEP:
        raise ValueError(
            f"kappa must be within reach of a step eta_q of at most {LARGEST_STEP:g}, got "
            f"kappa={kappa:g}, which takes {step:.3g}; ask for less"
        )
    return training.replace(eta_q=step)


class _Trial(NamedTuple):
    """What a trial needs; its seed comes last."""

    X: FloatArray
    is_signal: Any
    estimate: InstanceTask
    training: Training
    model: str
    source: str
    whitened: bool
    n: int
    n_test: int
    seed: np.random.SeedSequence


def _run(trial: _Trial) -> float:
    """Train once, and return the test error."""
    rng = [generator(child(trial.seed, k)) for k in range(3)]
    given = sources(trial.X, trial.is_signal, trial.estimate, trial.source, rng[0])
    train = _bags(trial, given.train, given.estimate, trial.n, rng[1])
    test = _bags(trial, given.test, given.estimate, trial.n_test, rng[2])
    model, training = get_model(trial.model), trial.training
    state = stages.start(train.tokens[1])
    if model.has_query:
        half = trial.n // 2
        first = Arrays(train.X[:half], train.y[:half])
        train = Arrays(train.X[half:], train.y[half:])
        state = stages.query_step(first, stages.first_step(first, state, training), training)
    F = features(train, model, state.q, training.beta)
    fit = stages.readout(F, train.y, training)
    scores = features(test, model, state.q, training.beta) @ fit.w + fit.b
    return float(np.mean(test.y * scores <= 0.0))


def _bags(trial: _Trial, given: Any, estimate: InstanceTask, n: int, rng: Any) -> Arrays:
    """Draw bags, in the coordinates of the training half."""
    bags = draw_bags(trial.estimate, given, n, rng)
    return Arrays(estimate.transform(bags.X, trial.whitened), bags.y)
