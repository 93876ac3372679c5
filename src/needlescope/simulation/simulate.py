"""Learning curves at finite dimension: what each model reaches after training, trial by trial."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Unpack

import numpy as np

from ..answer import Question
from ..arrays import FloatArray
from ..grid import choice
from ..models import WITH_QUERY
from ..results import Alignment, Focus, Outcome, Separability
from ..running.processes import check_n_jobs, run, worth
from ..running.seeds import streams
from ..task import Task
from ..training import Training
from .asked import Asked, ask, one_signal, trial_count
from .options import HOW, Options, takes
from .point import Trial
from .summary import build, by_name, means
from .training.trained import ALIGNMENT, COSINES
from .trial import align_trial, focus_trial, run_trial, separate_trial

MEANS = (
    *("test_error", "train_loss", "train_error", "bias", "signal", "norm", "cosine"),
    *("query_part", "signal_part", "rest"),
)


@takes(
    "query",
    "test_task",
    "data",
    "reuse",
    "starts",
    "noise",
    "signal",
    "sampler",
    "test",
    "n_test",
    *HOW,
)
def simulate(
    task: Task,
    training: Training,
    model: str = "attention",
    d: int = 1000,
    trials: int = 8,
    seed: Any = 0,
    **options: Unpack[Options],
) -> Outcome:
    """Train and test a classifier at dimension d, several times: the twin of `predict`.

    Parameters
    ----------
    task, training : Task, Training
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    model : "attention", "pooled", "vectorized", "hard" or "linear", default "attention"
    d : int, default 1000
        Dimension of a token, from 1 to 10⁶;
        D0 and D1 hold ``alpha0 * d`` and ``alpha1 * d`` samples.
    trials : int, default 8
        Independent repetitions, from 1 to 100,000 over all points of a grid; their spread gives the
        standard errors (NaN for one trial).
    seed : default 0
        What `numpy.random.default_rng` takes. Every trial of every point has a stream of its own.
    <options>

    Returns
    -------
    Outcome
        Means over trials with their standard errors, the values of every trial as ``trials``, and
        for attention the realised ``alignment``.
        With label noise the test error is that against true labels, training loss and error those
        against the labels as they were flipped.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.
    NoMinimiser
        If a trial's training problem has no minimiser, such as separable data without a ridge.
    NotConverged
        If a trial's training does not reach its tolerance. Both name the trial.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> training = ns.Training(alpha0=4.0, alpha1=3.0, loss="logistic", ridge=1e-2)
    >>> found = ns.simulate(task, training, "attention", d=200, trials=6, seed=1, n_jobs=1)
    >>> limit = ns.predict(task, training, "attention")
    >>> bool(abs(found.test_error - limit.test_error) < 4 * found.test_error_se)
    True
    >>> found.trials["test_error"].shape
    (6,)
    """
    asked = ask(task, training, model, d, **options)
    values = _run(run_trial, asked, trials, seed, options, title=model)
    nothing = np.full(asked.shape, np.nan)
    result = means(values, MEANS)
    result |= {"gamma": nothing, "gamma_se": nothing, "residual": values["residual"].max(axis=-1)}
    result |= {name: values[name].mean(axis=-1) for name in ("kappa", "cosine_q")}
    question = asked.question("simulate", trials, seed, options)
    outcome = build(Outcome, result | {"model": model}, asked.shape, question, values)
    alignment = _alignment(values, asked, question) if asked.model.has_query else None
    return dataclasses.replace(outcome, alignment=alignment, **_each(values, task, "signals"))


@takes("noise", "signal", "sampler", *HOW)
def simulate_alignment(
    task: Task,
    training: Training,
    d: int = 1000,
    trials: int = 8,
    seed: Any = 0,
    **options: Unpack[Options],
) -> Alignment:
    """Take the two gradient steps at dimension d, several times: the twin of `align`.

    Parameters
    ----------
    task, training : Task, Training
        The problem; any numeric field may be an array, and the results broadcast.
    d : int, default 1000
        Dimension of a token, from 1 to 10⁶; D0 holds ``alpha0 * d`` samples.
    trials : int, default 8
        Independent repetitions, from 1 to 100,000 over all points of a grid; their spread gives the
        standard errors (NaN for one trial).
    seed : default 0
        What `numpy.random.default_rng` takes. Every trial of every point has a stream of its own.
    <options>

    Returns
    -------
    Alignment
        Means over trials with their standard errors, and every trial's values as ``trials``.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=3, theta=6.0, pi=0.2)
    >>> training = ns.Training(alpha0=5.0, alpha1=1.0, eta_w=0.5, eta_b=0.5, eta_q=0.5)
    >>> found = ns.simulate_alignment(task, training, d=400, trials=20, seed=3, n_jobs=1)
    >>> bool(abs(found.cosine_q - ns.align(task, training).cosine_q) < 4 * found.cosine_q_se)
    True
    """
    asked = ask(task, training, "attention", d, **options)
    values = _run(align_trial, asked, trials, seed, options, title="alignment")
    question = asked.question("simulate_alignment", trials, seed, options)
    return _alignment(values, asked, question)


@takes("query", "noise", "signal", "sampler", "n_test", *HOW)
def simulate_focus(
    task: Task,
    training: Training,
    model: str = "attention",
    d: int = 1000,
    trials: int = 8,
    seed: Any = 0,
    **options: Unpack[Options],
) -> Focus:
    """Train the query at dimension d, several times, and see where it looks: the twin of `focus`.

    Parameters
    ----------
    task, training : Task, Training
        The problem; any numeric field may be an array, and the results broadcast.
    model : "attention", "hard" or "linear", default "attention"
    d : int, default 1000
        Dimension of a token, from 1 to 10⁶; D0 holds ``alpha0 * d`` samples.
    trials : int, default 8
        Independent repetitions, from 1 to 100,000 over all points of a grid; their spread gives the
        standard errors (NaN for one trial).
    seed : default 0
        What `numpy.random.default_rng` takes. Every trial of every point has a stream of its own.
    <options>

    Returns
    -------
    Focus
        Means over trials with their standard errors, and every trial's values as ``trials``.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> training = ns.Training(alpha0=4.0, alpha1=1.0)
    >>> found = ns.simulate_focus(task, training, d=400, trials=10, seed=1, n_jobs=1)
    >>> bool(abs(found.signal - ns.focus(task, training).signal) < 4 * found.signal_se)
    True
    """
    asked = ask(task, training, choice("model", model, WITH_QUERY), d, **options)
    values = _run(focus_trial, asked, trials, seed, options, title="attention")
    result: dict[str, Any] = {"model": model} | means(values, ("signal", "noise", "largest"))
    result |= {name: values[name].mean(axis=-1) for name in ("kappa", "cosine_q")}
    question = asked.question("simulate_focus", trials, seed, options)
    focus = build(Focus, result, asked.shape, question, values)
    return dataclasses.replace(focus, **_each(values, task, "signals"))


@takes("query", "data", "noise", "sampler", *HOW)
def simulate_separability(
    task: Task,
    training: Training,
    model: str = "attention",
    d: int = 500,
    trials: int = 20,
    seed: Any = 0,
    **options: Unpack[Options],
) -> Separability:
    """Draw training data at dimension d, several times, and count how often they are separable.

    `capacity` predicts the ``alpha1`` at which the fraction falls from one to zero. Loss and ridge
    play no part, except in training the query.

    Parameters
    ----------
    task, training : Task, Training
        The problem; any numeric field may be an array, and the results broadcast.
    model : "attention", "pooled", "vectorized", "hard" or "linear", default "attention"
    d : int, default 500
        Dimension of a token, from 1 to 10⁶;
        D0 and D1 hold ``alpha0 * d`` and ``alpha1 * d`` samples.
    trials : int, default 20
        Independent repetitions, from 1 to 100,000 over all points of a grid; their spread gives the
        standard errors (NaN for one trial).
    seed : default 0
        What `numpy.random.default_rng` takes. Every trial of every point has a stream of its own.
    <options>

    Returns
    -------
    Separability
        The fraction over trials with its standard error, and every trial's answer as ``trials``.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.
    NotConverged
        If a data set can be shown neither separable nor not.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> training = ns.Training(alpha1=[2.0, 4.0])
    >>> ns.simulate_separability(task, training, "pooled", d=100, trials=5, n_jobs=1).fraction
    array([1., 0.])
    """
    one_signal("simulate_separability", task)
    asked = ask(task, training, model, d, **options)
    values = _run(separate_trial, asked, trials, seed, options, title=model)
    count = values["separable"].shape[-1]
    fraction = values["separable"].mean(axis=-1)
    chance = (count * fraction + 1.0) / (count + 2.0)  # after Laplace: never certain
    error = np.sqrt(chance * (1.0 - chance) / (count + 3.0))
    result = {"model": model, "fraction": fraction, "fraction_se": error}
    question = asked.question("simulate_separability", trials, seed, options)
    return build(Separability, result, asked.shape, question, values)


def _run(
    trial: Callable[[Trial], dict[str, float]],
    asked: Asked,
    trials: int,
    seed: Any,
    options: Options,
    title: str,
) -> dict[str, FloatArray]:
    """Run all trials of all points; return each number by name, with trials as the last axis."""
    trials = trial_count(trials, asked.shape)
    n_jobs, progress = options["n_jobs"], options["progress"]
    check_n_jobs(n_jobs)
    points = asked.points()
    seeds = streams(seed, len(points), trials)
    jobs = [points[place // trials].trial(seed) for place, seed in enumerate(seeds)]
    n_jobs = worth(n_jobs, sum(point.seconds for point in points) * trials)
    rows = run(trial, jobs, n_jobs=n_jobs, progress=progress, title=f"{title}, d = {asked.d}")
    return by_name(rows, asked.shape, trials)


def _each(values: dict[str, FloatArray], task: Task, *fields: str) -> dict[str, Any]:
    """Return mean and standard error of what there is for each of several signals."""
    if task.signals is None:
        return {}
    result: dict[str, Any] = {}
    for field in fields:
        names = [f"{field}_{k}" for k in range(1, task.kinds + 1)]
        numbers = {
            k: mean if mean.shape else mean.item() for k, mean in means(values, names).items()
        }
        result[field] = tuple(numbers[name] for name in names)
        result[f"{field}_se"] = tuple(numbers[f"{name}_se"] for name in names)
    return result


def _alignment(values: dict[str, FloatArray], asked: Asked, question: Question) -> Alignment:
    result = means(values, ALIGNMENT) | {"constant": np.full(asked.shape, np.nan)}
    trials = {
        name: value for name, value in values.items() if name.startswith((*ALIGNMENT, *COSINES))
    }
    alignment = build(Alignment, result, asked.shape, question, trials)
    return dataclasses.replace(alignment, **_each(values, asked.task, *COSINES))
