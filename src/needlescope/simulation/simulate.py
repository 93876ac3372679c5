"""Training and testing at finite dimension, trial by trial: the twins of the theory's calls."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ..answer import Question
from ..arrays import MEMORY, FloatArray
from ..grid import check_kind, choice
from ..models import WITH_QUERY
from ..noise import Noise
from ..query import Query
from ..results import Alignment, Focus, Outcome, Separability
from ..running.processes import Progress, check_n_jobs, run, worth
from ..running.seeds import streams
from ..task import Task
from ..training import Training
from .checks import checked_points, specify, trial_count
from .summary import build, by_name, means
from .training.specification import Specification, Trial
from .training.trained import ALIGNMENT, COSINES
from .trial import align_trial, focus_trial, run_trial, separate_trial

MEANS = (
    *("test_error", "train_loss", "train_error", "bias", "signal", "norm", "cosine"),
    *("query_part", "signal_part", "rest"),
)


def simulate(
    task: Task,
    training: Training,
    model: str = "attention",
    d: int = 1000,
    trials: int = 8,
    seed: Any = 0,
    *,
    query: Query | None = None,
    test_task: Task | None = None,
    data: str = "D1",
    reuse: str = "none",
    starts: int = 0,
    start: str = "random",
    noise: Noise | None = None,
    signal: Any = None,
    sampler: str = "auto",
    test: str = "auto",
    n_test: int = 10_000,
    whitening: str | None = None,
    shrinkage: Any = "auto",
    n_jobs: int | None = None,
    memory: int = MEMORY,
    progress: Progress = None,
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
    query : Query, optional
        For attention: a query given directly instead of trained.
    test_task : Task, optional
        Test on another task than the one trained on, as in `predict`.
    data : "D1" or "all", default "D1"
        The training data of models without a query: D1 alone, or D0 ∪ D1.
    reuse : "none", "D0" or "all", default "none"
        The training data of attention's readout: fresh data D1, the same D0 that trained the
        query (then alpha1 must equal alpha0), or D0 ∪ D1.
    starts : int, default 0
        Above 0: train query and readout together on D0 ∪ D1, by L-BFGS from this many starts (at
        most 1000), the first of them after the gradient steps, to a relative gradient of 1e-5; the
        ridge then applies to the query too. Joint training (`Training.joint`), on D1 with a ridge
        for each, takes random starts only, 2 by default.
    start : "random", "small" or "informed", default "random"
        Of joint training: where each start is. Query and readout random with norms of about 1, or
        0.01; or both along the signal, with norms θ/2 and 2, which nobody has who does not know it.
    noise : Noise, optional
        Another law of the noise than independent N(0, 1) entries.
    signal : array (d,), optional
        Direction of the signal; random in each trial by default. Of several signals, one row each,
        orthogonal to each other.
    sampler : "auto", "tokens" or "reduced", default "auto"
        Generate every token, block by block; or draw from the exact reduced law, which needs L
        times fewer numbers and covers the theory's own setting only. "auto" reduces where it can.
    test : "auto", "exact" or "sampled", default "auto"
        Integrate the test error over the law of the data (Gaussian noise only; unbiased, to a
        standard error of 2e-4 and of 5 % or as far as a budget goes, reported for each trial as
        ``trials["test_error_numeric"]``), or count mistakes on ``n_test`` fresh samples. "auto"
        integrates where it can.
    n_test : int, default 10,000
        Fresh samples of a trial: those on which mistakes are counted, and the positives whose
        attention is measured.
    whitening : "known", "estimated" or "negatives", optional
        Whiten the features first: by the covariance Σ of the task's noise, which is the same as to
        simulate ``task.whitened``; by that of all instances that the classifier is trained on; or
        by that of the instances of negatives among them.
    shrinkage : "auto" or float in [0, 1], default "auto"
        Of that estimate, towards a multiple of the identity. "auto" is the oracle-approximating one
        of Chen, Wiesel, Eldar and Hero (2010).
    n_jobs : int, optional
        Number of processes, by default one for each core. Results do not depend on it.
    memory : int, default 1 GiB
        Bytes that one worker may use for its data; a call that needs more is refused at once.
    progress : bool or callable, optional
        A progress bar (by default if there is a terminal), or a function of (done, total).

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
    >>> result = ns.simulate(task, training, "attention", d=200, trials=6, seed=1, n_jobs=1)
    >>> limit = ns.predict(task, training, "attention")
    >>> bool(abs(result.test_error - limit.test_error) < 4 * result.test_error_se)
    True
    >>> result.trials["test_error"].shape
    (6,)
    """
    options: dict[str, Any] = {
        "query": query,
        "test_task": test_task,
        "data": data,
        "reuse": reuse,
        "starts": starts,
        "start": start,
        "noise": noise,
        "signal": signal,
        "sampler": sampler,
        "test": test,
        "n_test": n_test,
        "whitening": whitening,
        "shrinkage": shrinkage,
    }
    spec = specify(task, training, model, d, memory=memory, **options)
    values = _run(run_trial, spec, trials, seed, n_jobs, progress, title=model)
    nothing = np.full(spec.shape, np.nan)
    result = means(values, MEANS)
    result |= {"gamma": nothing, "gamma_se": nothing, "residual": values["residual"].max(axis=-1)}
    result |= {name: values[name].mean(axis=-1) for name in ("kappa", "cosine_q")}
    question = spec.question("simulate", trials, seed, options)
    outcome = build(Outcome, result | {"model": model}, spec.shape, question, values)
    alignment = _alignment(values, spec, question) if spec.model.has_query else None
    return dataclasses.replace(outcome, alignment=alignment, **_each(values, task, "signals"))


def simulate_alignment(
    task: Task,
    training: Training,
    d: int = 1000,
    trials: int = 8,
    seed: Any = 0,
    *,
    noise: Noise | None = None,
    signal: Any = None,
    sampler: str = "auto",
    n_jobs: int | None = None,
    memory: int = MEMORY,
    progress: Progress = None,
) -> Alignment:
    """Take the two gradient steps at dimension d, several times: the twin of `align`.

    Parameters
    ----------
    task, training : Task, Training
        The problem; any numeric field may be an array, and the results broadcast.
    d : int, default 1000
        Dimension of a token, from 1 to 10⁶; D0 holds ``alpha0 * d`` samples.
    trials : int, default 8
        Independent repetitions.
    seed, noise, signal, sampler, n_jobs, memory, progress : optional
        As in `simulate`.

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
    >>> result = ns.simulate_alignment(task, training, d=400, trials=20, seed=3, n_jobs=1)
    >>> bool(abs(result.cosine_q - ns.align(task, training).cosine_q) < 4 * result.cosine_q_se)
    True
    """
    options: dict[str, Any] = {"noise": noise, "signal": signal, "sampler": sampler}
    spec = specify(task, training, "attention", d, memory=memory, **options)
    values = _run(align_trial, spec, trials, seed, n_jobs, progress, title="alignment")
    question = spec.question("simulate_alignment", trials, seed, options)
    return _alignment(values, spec, question)


def simulate_focus(
    task: Task,
    training: Training,
    model: str = "attention",
    d: int = 1000,
    trials: int = 8,
    seed: Any = 0,
    *,
    query: Query | None = None,
    noise: Noise | None = None,
    signal: Any = None,
    sampler: str = "auto",
    n_test: int = 10_000,
    n_jobs: int | None = None,
    memory: int = MEMORY,
    progress: Progress = None,
) -> Focus:
    """Train the query at dimension d, several times; measure its attention: the twin of `focus`.

    Parameters
    ----------
    task, training : Task, Training
        The problem; any numeric field may be an array, and the results broadcast.
    model : "attention", "hard" or "linear", default "attention"
    d : int, default 1000
        Dimension of a token, from 1 to 10⁶; D0 holds ``alpha0 * d`` samples.
    trials : int, default 8
        Independent repetitions.
    seed, query, noise, signal, sampler, n_test, n_jobs, memory, progress : optional
        As in `simulate`.

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
    >>> result = ns.simulate_focus(task, training, d=400, trials=10, seed=1, n_jobs=1)
    >>> bool(abs(result.signal - ns.focus(task, training).signal) < 4 * result.signal_se)
    True
    """
    options: dict[str, Any] = {
        "query": query,
        "noise": noise,
        "signal": signal,
        "sampler": sampler,
        "n_test": n_test,
    }
    spec = specify(task, training, choice("model", model, WITH_QUERY), d, memory=memory, **options)
    values = _run(focus_trial, spec, trials, seed, n_jobs, progress, title="attention")
    result: dict[str, Any] = {"model": model} | means(values, ("signal", "noise", "largest"))
    result |= {name: values[name].mean(axis=-1) for name in ("kappa", "cosine_q")}
    question = spec.question("simulate_focus", trials, seed, options)
    focus = build(Focus, result, spec.shape, question, values)
    return dataclasses.replace(focus, **_each(values, task, "signals"))


def simulate_separability(
    task: Task,
    training: Training,
    model: str = "attention",
    d: int = 500,
    trials: int = 20,
    seed: Any = 0,
    *,
    query: Query | None = None,
    data: str = "D1",
    noise: Noise | None = None,
    sampler: str = "auto",
    n_jobs: int | None = None,
    memory: int = MEMORY,
    progress: Progress = None,
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
        Independent repetitions.
    seed, query, data, noise, sampler, n_jobs, memory, progress : optional
        As in `simulate`.

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
    check_kind("task", task, Task)
    task.need_one_signal("simulate_separability")
    options: dict[str, Any] = {"query": query, "data": data, "noise": noise, "sampler": sampler}
    spec = specify(task, training, model, d, memory=memory, **options)
    values = _run(separate_trial, spec, trials, seed, n_jobs, progress, title=model)
    count = values["separable"].shape[-1]
    fraction = values["separable"].mean(axis=-1)
    chance = (count * fraction + 1.0) / (count + 2.0)  # after Laplace: never certain
    error = np.sqrt(chance * (1.0 - chance) / (count + 3.0))
    result = {"model": model, "fraction": fraction, "fraction_se": error}
    question = spec.question("simulate_separability", trials, seed, options)
    return build(Separability, result, spec.shape, question, values)


def _run(
    trial: Callable[[Trial], dict[str, float]],
    spec: Specification,
    trials: int,
    seed: Any,
    n_jobs: int | None,
    progress: Progress,
    title: str,
) -> dict[str, FloatArray]:
    """Run all trials of all points; return each number by name, with trials as the last axis."""
    trials = trial_count(trials, spec.shape)
    check_n_jobs(n_jobs)
    points = checked_points(spec)
    seeds = streams(seed, len(points), trials)
    jobs = [Trial(points[place // trials], seed) for place, seed in enumerate(seeds)]
    n_jobs = worth(n_jobs, sum(point.seconds for point in points) * trials)
    rows = run(trial, jobs, n_jobs=n_jobs, progress=progress, title=f"{title}, d = {spec.d}")
    return by_name(rows, spec.shape, trials)


def _each(values: dict[str, FloatArray], task: Task, *fields: str) -> dict[str, Any]:
    """Return mean and standard error of the fields that exist for each of several signals."""
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


def _alignment(values: dict[str, FloatArray], spec: Specification, question: Question) -> Alignment:
    result = means(values, ALIGNMENT) | {"constant": np.full(spec.shape, np.nan)}
    trials = {
        name: value for name, value in values.items() if name.startswith((*ALIGNMENT, *COSINES))
    }
    alignment = build(Alignment, result, spec.shape, question, trials)
    return dataclasses.replace(alignment, **_each(values, spec.task, *COSINES))
