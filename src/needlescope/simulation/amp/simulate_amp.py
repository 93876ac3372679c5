"""AMP at finite dimension, trial by trial."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...answer import Question
from ...arrays import MEMORY, FloatArray, Value
from ...grid import amount, check_broadcast, check_kind, choice, real, whole
from ...models.blocks import Data, hold
from ...results import SimulatedAMP
from ...running.processes import Progress, check_n_jobs, run, worth
from ...running.seeds import child, generator, streams
from ...task import Positions, Task
from ..checks import check_memory, trial_count
from ..error.estimated import estimated_error
from ..summary import build, by_name, means
from .iteration import Estimate, iterate
from .problem import Problem, check_dimension

METHODS = ("amp", "em")
MEANS = ("overlap", "self_overlap", "assumed_theta", "test_error")


def simulate_amp(
    task: Task,
    alpha: Value,
    d: int = 1000,
    trials: int = 8,
    seed: Any = 0,
    *,
    iterations: int = 20,
    method: str = "amp",
    assumed_theta: float | str | None = None,
    assumed_R: int | None = None,
    n_jobs: int | None = None,
    memory: int = MEMORY,
    progress: Progress = None,
) -> SimulatedAMP:
    """Estimate the signal by approximate message passing (AMP) at dimension d, several times.

    The twin of `bayes_optimal`, whose overlap it reaches in the "easy" phase, and of
    `state_evolution`, which gives its ``path`` as d → ∞. The effect of a finite d is of order 1/d,
    except near the algorithmic threshold (`phase_boundaries`), which it blurs. At L = 100, θ = 4,
    π = 0.5 the threshold is α = 0.325. Within 40 iterations, at 0.7 of it a fraction 0.18 ± 0.03 of
    the trials finds the signal for d = 100, and 0.02 ± 0.01 for d = 800; at 1.5 of it a fraction
    0.72 ± 0.03 and 0.82 ± 0.03.

    Parameters
    ----------
    task : Task
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    alpha : float or array
        All labelled samples, divided by d: above 0. Those with a signal are about π of them.
    d : int, default 1000
        Dimension of a token, from 1 to 10⁶.
    trials : int, default 8
        Independent repetitions.
    seed, n_jobs, progress : optional
        As in `simulate`.
    iterations : int, default 20
        Of the iteration, from 1 to 10,000.
    method : "amp" or "em", default "amp"
        Approximate message passing, or plain expectation–maximisation, which lacks the Onsager
        correction for a sample's own contribution to the estimate.
    assumed_theta : float, "learned" or None, default None
        The assumed signal strength: the true one by default. "learned" estimates it in each
        iteration, between 0.1 and 50. The positions are always the task's.
    assumed_R : int, optional
        The assumed number of signal tokens, from 1 to L: the true one by default. Not with given
        positions, which determine it.
    memory : int, default 1 GiB
        Bytes that a trial may need, roughly. If its tokens do not fit, every iteration generates
        them again; if one number for each token does not fit, the call is refused.

    Returns
    -------
    SimulatedAMP
        Means over trials with their standard errors, and every trial's values as ``trials``.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=4.0, pi=0.5)
    >>> result = ns.simulate_amp(task, 2.0, d=300, trials=6, seed=1, n_jobs=1)
    >>> limit = ns.bayes_optimal(task, 2.0)
    >>> bool(abs(result.overlap - limit.overlap) < 4 * result.overlap_se)
    True
    """
    alpha = check_amp(task, alpha, d, iterations, method, assumed_theta, assumed_R, memory)
    shape = np.broadcast_shapes(task.shape, np.shape(alpha))
    trials = trial_count(trials, shape)
    check_n_jobs(n_jobs)
    tasks, alphas = task.scalars(shape), np.broadcast_to(alpha, shape).ravel()
    places = streams(seed, len(tasks), trials)
    jobs = [
        _Trial(
            tasks[k // trials],
            float(alphas[k // trials]),
            d,
            iterations,
            method,
            assumed_theta,
            assumed_R,
            memory,
            place,
        )
        for k, place in enumerate(places)
    ]
    n_jobs = worth(n_jobs, sum(job.seconds for job in jobs))
    rows = run(_trial, jobs, n_jobs=n_jobs, progress=progress, title=f"AMP, d = {d}")
    values = by_name(rows, shape, trials)
    options = {"alpha": alpha, "d": d, "trials": trials, "seed": seed}
    options |= {
        "iterations": iterations,
        "method": method,
        "assumed_theta": assumed_theta,
        "assumed_R": assumed_R,
    }
    question = Question("simulate_amp", task, None, options)
    return build(SimulatedAMP, means(values, MEANS), shape, question, values)


def check_amp(
    task: Task,
    alpha: Value,
    d: int,
    iterations: int,
    method: str,
    assumed_theta: Any,
    assumed_R: Any,
    memory: int,
) -> Any:
    """Validate the arguments of `simulate_amp`; return α as an array or a number."""
    check_kind("task", task, Task)
    task.need_one_signal("simulate_amp")
    task.need_plain("simulate_amp")
    alpha = amount("alpha", alpha)
    check_broadcast("task and alpha", L=task.L, R=task.R, theta=task.theta, pi=task.pi, alpha=alpha)
    whole("d", d, 1, 10**6)
    whole("iterations", iterations, 1, 10_000)
    whole("memory", memory, 1, 1 << 50)
    choice("method", method, METHODS)
    check_dimension(task, d)
    if assumed_theta == "learned":
        task.need_white("assumed_theta='learned'")
    if isinstance(assumed_theta, str):
        choice("assumed_theta", assumed_theta, ("learned",))
    elif assumed_theta is not None:
        if np.ndim(assumed_theta):
            raise ValueError(
                f"assumed_theta must be one number, 'learned' or None, got {assumed_theta!r}"
            )
        real("assumed_theta", assumed_theta, 0.0, np.inf, sense=(0.0, 1e6))
    if assumed_R is not None:
        if isinstance(task.positions, Positions):
            raise ValueError(
                f"assumed_R must be left out with given positions, which say it, got {assumed_R!r}"
            )
        whole("assumed_R", assumed_R, 1, int(np.min(task.L)))
    shape = np.broadcast_shapes(task.shape, np.shape(alpha))
    for point, a in zip(task.scalars(shape), np.broadcast_to(alpha, shape).flat, strict=True):
        _check_memory(point, float(a), d, memory)
    return alpha


def _check_memory(task: Task, alpha: float, d: int, memory: int) -> None:
    """Refuse a trial that needs too much memory: a block of tokens, and a number for each token.

    The number of samples with a signal is taken four deviations above its mean.
    """
    n = alpha * d
    carriers = int(min(n, task.pi * n + 4.0 * np.sqrt(n) + 1.0))
    needed = 12 * max(1 << 20, task.L * d) + 300 * task.L + 8 * carriers * task.L + 64 * d
    check_memory(f"{carriers} samples of {task.L} tokens", int(needed + 8 * n), memory, d)


class _Trial(NamedTuple):
    task: Task
    alpha: float
    d: int
    iterations: int
    method: str
    assumed_theta: float | str | None
    assumed_R: int | None
    memory: int
    seed: np.random.SeedSequence

    @property
    def seconds(self) -> float:
        """A rough time: 5 ns for a token's number, and 1 ns in each iteration."""
        numbers = self.alpha * self.task.pi * self.d * self.task.L * self.d
        return float(numbers * (5e-9 + 1e-9 * self.iterations)) + 0.05


def _trial(trial: _Trial) -> dict[str, Any]:
    """Draw the samples with a signal, iterate, and test the last estimate."""
    task, d = trial.task, trial.d
    drawn = Problem.draw(task, d, generator(child(trial.seed, 0)))
    task, xi = drawn.white, drawn.signal
    n = max(1, round(trial.alpha * d))
    count = int((generator(child(trial.seed, 1)).random(n) < task.pi).sum())
    path = np.zeros(trial.iterations + 1)
    assumed_task = task if trial.assumed_R is None else task.replace(R=trial.assumed_R)
    last = Estimate(np.zeros(d), task.theta, 0)
    if count:
        data: Data = drawn.tokens(trial.task, count, child(trial.seed, 2))
        if 4 * count * task.L * d <= trial.memory:
            data = hold(data)
        assumed = task.theta if trial.assumed_theta is None else trial.assumed_theta
        theta = None if isinstance(assumed, str) else float(assumed)
        corrected = trial.method == "amp"
        steps = iterate(
            assumed_task,
            data,
            trial.iterations,
            corrected=corrected,
            theta=theta,
            prior=drawn.prior,
        )
        for last in steps:
            path[last.round] = _cosine(last.xi, xi) ** 2
    size, cosine = float(np.linalg.norm(last.xi)), _cosine(last.xi, xi)
    rng = generator(child(trial.seed, 3))
    error, numeric = estimated_error(task, last.theta * size, cosine, rng, assumed_task)
    return {
        "overlap": cosine**2,
        "self_overlap": size**2,
        "assumed_theta": last.theta,
        "test_error": error,
        "test_error_numeric": numeric,
        "path": path,
    }


def _cosine(estimate: FloatArray, xi: FloatArray) -> float:
    size = float(np.linalg.norm(estimate))
    return float(estimate @ xi) / size if size > 0.0 else 0.0
