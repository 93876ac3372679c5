"""Learning curves of fuller attention: architectures trained end to end on the theory's task."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..answer import Question
from ..arrays import MEMORY, FloatArray, Value, in_bytes
from ..grid import amount, check_broadcast, check_kind, integer, whole, yes_or_no
from ..noise import STANDARD, Noise
from ..results import DeepOutcome
from ..running.processes import Progress, check_n_jobs, run, worth
from ..running.progress import check_progress
from ..running.seeds import streams
from ..simulation.checks import trial_count
from ..simulation.summary import build, by_name, means
from ..task import Positions, Task
from .catalogue import ARCHITECTURES, get_architecture
from .torch_needed import need_torch
from .training.defaults import BATCH, DECAYS, EPOCHS, RATES
from .training_spec import MAX_EPOCHS, check_numbers

ARRAYS_KEPT = 6  # arrays of all attention weights that a step of training keeps
MEANS = (
    *("test_error", "train_loss", "train_error", "bias", "signal", "norm", "cosine"),
    *("attended", "largest", "validation_loss"),
)
AVERAGED = ("kappa", "cosine_q", "rate", "decay", "stopped", "diverged", "parameters")
PATHS = ("path_epochs", "path_cosine", "path_cosine_q", "path_attended", "path_loss")
NONE = ("query_part", "signal_part", "rest", "gamma")  # of the theory's readout


def simulate_deep(
    task: Task,
    alpha: Value,
    architecture: str = "cls",
    d: int = 64,
    trials: int = 8,
    seed: Any = 0,
    *,
    heads: int | None = None,
    width: int = 32,
    lengths: Sequence[int] = (),
    watch: bool = False,
    rates: Sequence[float] = RATES,
    decays: Sequence[float] = DECAYS,
    epochs: int = EPOCHS,
    n_test: int = 10_000,
    noise: Noise | None = None,
    checkpoints: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    memory: int = MEMORY,
    progress: Progress = None,
) -> DeepOutcome:
    """Train an architecture end to end at dimension d, several times, and test it.

    What `simulate` does for the solvable models, by the same samplers and with the same `Outcome`,
    for models that have no theory. All are trained alike: Adam on the logistic loss in batches of
    64, with weights that decay (biases and norms excepted), a fifth of each class held out, by
    which training is stopped, and learning rate and decay are chosen. Needs the extra
    ``needlescope[deep]``.

    Parameters
    ----------
    task : Task
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    alpha : float or array
        All labelled samples, those held out included, divided by d: above 0.
    architecture : str, default "cls"
        A name in `needlescope.deep.ARCHITECTURES`, which says what each is.
    d : int, default 64
        Dimension of a token, from 1 to 100,000.
    trials : int, default 8
        Independent repetitions, from 1 to 100,000 over all points of a grid; their spread gives the
        standard errors (NaN for one trial).
    seed : default 0
        What `numpy.random.default_rng` takes. Every trial of every point has a stream of its own.
    heads : int, optional
        Of "multihead", "block" and "two_blocks", which have 4 by default; at most 64.
    width : int, default 32
        Of keys, values and hidden layers, a multiple of the heads; at most 1024.
    lengths : sequence of int, optional
        Other numbers of tokens to test at, for ``test_errors``; the signal is in R of them.
    watch : bool, default False
        Whether to look at the model at the epochs 0, 1, 2, 4, …, for the paths of the result.
    rates : sequence of float, default (0.01, 0.03)
        Learning rates, 1 to 20 of them.
    decays : sequence of float, default (3, 10)
        How fast weights decay, times the learning rate in every step, at d = 64; at another d
        √(d/64) times as fast, and never so fast that a step takes more than half of a weight. Every
        pair of a rate and a decay is trained to its end from the same start; that which does best
        on the samples held out is kept.
    epochs : int, default 300
        The most epochs, from 1 to 100,000; training stops when the loss of the samples held out
        has not become less for 20 of them, or for 100 if nothing has been learned yet.
    n_test : int, default 10,000
        Fresh samples by which errors are counted, at each length.
    noise : Noise, optional
        Other noise than the standard normal one.
    checkpoints : path, optional
        A folder in which unfinished trainings are saved every ten seconds. After an interruption
        the same call resumes from there, with the same result to the last bit. Its files may be
        removed when the call has ended.
    n_jobs : int, optional
        Processes to run on, one for each core by default. Results do not depend on it.
    memory : int, default 1 GiB
        Bytes that the samples of a trial may take.
    progress : bool or callable, optional
        A progress bar (by default if there is a terminal), or a function of (done, total).

    Returns
    -------
    DeepOutcome
        An `Outcome`: means over trials with their standard errors, and the values of every trial
        as ``trials``.

    Raises
    ------
    ImportError
        If PyTorch is not installed.
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.
    NotConverged
        If a trial diverges at every learning rate; it names the trial.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=6, R=1, theta=5.0, pi=0.5)
    >>> result = ns.simulate_deep(task, 20.0, "solvable", d=16, trials=2, rates=[0.01], n_jobs=1)
    >>> result.model, bool(result.test_error < 0.1), bool(result.cosine_q > 0.7)
    ('solvable', True, True)
    """
    alpha = check_deep(
        task, alpha, architecture, d, heads, width, lengths, watch, rates, decays, epochs, n_test,
        noise, memory,
    )  # fmt: skip
    if checkpoints is not None and not isinstance(checkpoints, str | os.PathLike):
        raise ValueError(f"checkpoints must be the path of a folder or None, got {checkpoints!r}")
    shape = np.broadcast_shapes(task.shape, np.shape(alpha))
    trials = trial_count(trials, shape)
    check_n_jobs(n_jobs)
    check_progress(progress)
    places = streams(seed, math.prod(shape), trials)
    need_torch("simulate_deep")
    if checkpoints is not None:
        _make_folder(Path(checkpoints))
    from .trial import Job, run_trial

    tasks, alphas = task.scalars(shape), np.broadcast_to(alpha, shape).ravel()
    given = tuple(int(length) for length in lengths)
    steps = check_numbers("rates", rates, above_zero=True)
    falls = check_numbers("decays", decays, above_zero=False)
    sizes = (architecture, d, heads, width, given, bool(watch), steps, falls, epochs, n_test)
    folder = None if checkpoints is None else os.fspath(checkpoints)
    first = Job(task, 0.0, *sizes, STANDARD if noise is None else noise, folder)
    jobs = [
        first._replace(task=tasks[k // trials], alpha=float(alphas[k // trials]), seed=place)
        for k, place in enumerate(places)
    ]
    n_jobs = worth(n_jobs, sum(job.seconds for job in jobs))
    title = f"{architecture}, d = {d}"
    rows = run(run_trial, jobs, n_jobs=n_jobs, progress=progress, title=title)
    values = by_name(rows, shape, trials)
    options = {"alpha": alpha, "architecture": architecture, "d": d, "trials": trials, "seed": seed}
    options |= {"heads": heads, "width": width, "watch": watch, "epochs": epochs, "n_test": n_test}
    options |= {"lengths": given or None, "rates": steps, "decays": falls, "noise": noise}
    return _outcome(values, architecture, shape, Question("simulate_deep", task, None, options))


def _make_folder(path: Path) -> None:
    """Make the folder of checkpoints, before any training."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        reason = os.strerror(problem.errno) if problem.errno else problem
        raise ValueError(f"checkpoints cannot be kept in the folder {path}: {reason}") from None


def _outcome(
    values: dict[str, FloatArray], architecture: str, shape: tuple[int, ...], question: Question
) -> DeepOutcome:
    nothing = np.full(shape, np.nan)
    result: dict[str, Any] = means(values, MEANS)
    result |= {name: nothing for item in NONE for name in (item, f"{item}_se")}
    result |= {name: values[name].mean(axis=-1) for name in AVERAGED} | {"residual": nothing}
    outcome = build(DeepOutcome, {**result, "model": architecture}, shape, question, values)
    more: dict[str, Any] = {}
    if values["test_errors"].shape[-1]:
        errors = np.moveaxis(values["test_errors"], -1, 0)
        each = [means({"one": error}, ["one"]) for error in errors]
        more["test_errors"] = tuple(item["one"][()] for item in each)
        more["test_errors_se"] = tuple(item["one_se"][()] for item in each)
    for name in PATHS:
        if name in values:
            more[name] = _last(values[name].mean(axis=len(shape)))
    if "path_map" in values:
        maps = values["path_map"].mean(axis=len(shape))
        wide = int((~np.isnan(maps)).any(axis=tuple(range(maps.ndim - 1))).sum())  # at most
        more["path_map"] = tuple(_last(item[..., :wide]) for item in np.moveaxis(maps, -2, 0))
    return dataclasses.replace(outcome, **more)


def _last(values: FloatArray) -> tuple[Any, ...]:
    """Return a number, or a grid of them, for each place of the last axis."""
    return tuple(item[()] for item in np.moveaxis(values, -1, 0))


def check_deep(
    task: Task,
    alpha: Value,
    architecture: str,
    d: int,
    heads: int | None,
    width: int,
    lengths: Any,
    watch: Any,
    rates: Any,
    decays: Any,
    epochs: int,
    n_test: int,
    noise: Noise | None,
    memory: int,
) -> Any:
    """Refuse arguments of `simulate_deep`; return α as an array or a number."""
    check_kind("task", task, Task)
    task.need_white("simulate_deep")
    task.need_plain("simulate_deep")
    alpha = amount("alpha", alpha)
    check_broadcast("task and alpha", L=task.L, R=task.R, theta=task.theta, pi=task.pi, alpha=alpha)
    get_architecture(architecture, width, heads)
    whole("d", d, 1, 10**5)
    if d < task.kinds:
        raise ValueError(f"d must be at least {task.kinds}, the number of signals, got {d}")
    yes_or_no("watch", watch)
    whole("epochs", epochs, 1, MAX_EPOCHS)
    whole("n_test", n_test, 1, 10**9)
    whole("memory", memory, 1, 1 << 50)
    if noise is not None:
        check_kind("noise", noise, Noise)
        noise.check_dimension(d)
    _check_list("lengths", lengths)
    if len(lengths):
        integer("lengths", lengths, int(np.max(task.R)))
        if isinstance(task.positions, Positions):
            raise ValueError(
                f"lengths={tuple(lengths)!r} needs positions='uniform': given ones belong to one "
                "length"
            )
    check_numbers("rates", rates, above_zero=True)
    check_numbers("decays", decays, above_zero=False)
    longest = max([int(np.max(task.L)), *(int(length) for length in lengths)])
    if 4.0 * d * longest > memory:
        raise ValueError(
            f"a sample of {longest} tokens needs {4 * d * longest} bytes, above memory={memory}; "
            "lower d, or give shorter lengths"
        )
    needed = 4.0 * float(np.max(alpha)) * d * d * float(np.max(task.L))
    needed += _attention_bytes(architecture, heads, float(np.max(task.L)))
    if needed > memory:
        raise ValueError(
            "the samples, and attention between their tokens, need about "
            f"{in_bytes(needed)}, above memory={memory}; lower L, d={d} or alpha, or "
            f"pass memory={int(needed) + 1}"
        )
    return alpha


def _attention_bytes(architecture: str, heads: int | None, L: float) -> float:
    """Return the bytes of attention between all tokens of a batch, where there is such."""
    if not ARCHITECTURES[architecture].all_pairs:
        return 0.0
    several = heads or ARCHITECTURES[architecture].heads or 1
    return 4.0 * ARRAYS_KEPT * BATCH * several * (L + 1.0) ** 2


def _check_list(name: str, value: Any) -> None:
    if isinstance(value, str) or np.ndim(value) != 1:
        raise ValueError(f"{name} must be a list of numbers, got {value!r:.80}")
