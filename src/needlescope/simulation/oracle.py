"""The least error of a model that knows the signal, by drawing samples and counting mistakes.

Only the tokens' projections on the signal matter: g ~ N(0, 1)^L, plus θ on the R signal tokens of a
positive. The Bayes rule is known: + where the likelihood ratio, the mean of exp(θ Σ_S x − Rθ²/2)
over the possible sets S of signal tokens, exceeds (1 − π)/π. The other models' rules (κ, sign and
threshold) are chosen on half of a trial's draws. On the other half they make more mistakes than the
best rule, on their own half fewer, to leading order by the same amount: the mean of the two counts
has no selection bias. Then the halves change places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.special import logsumexp

from ..answer import Question
from ..arrays import MEMORY, FloatArray
from ..grid import check_kind, choice, whole
from ..results import Oracle
from ..running.processes import Progress, check_n_jobs, run, worth
from ..running.seeds import child, generator, streams
from ..signal_count import SignalCount
from ..task import Task
from .checks import trial_count
from .samples.data import marks
from .samples.normal import Single, normal
from .samples.sets import log_mean
from .summary import build, by_name, means

# Width of the smoothing, over the scores' spread and the fifth root of their number.
SMOOTHING_WIDTH = 2.0
THRESHOLDS = 1001
ORACLE_BLOCK = 1 << 16  # numbers at a time: what is made of them stays in the cache


def simulate_oracle(
    task: Task,
    model: str = "attention",
    samples: int = 20_000,
    trials: int = 8,
    seed: Any = 0,
    *,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Oracle:
    """Estimate the least error of a model that knows the signal: the twin of `oracle`.

    Parameters
    ----------
    task : Task
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    model : "attention", "pooled", "hard", "linear" or "bayes", default "attention"
        Not the vectorized model: its best rule has a weight for each of the L tokens, too many to
        choose on draws.
    samples : int, default 20,000
        Draws in a trial, at least 100, half of them positive; mistakes are weighted by π, so that
        a rare label needs many more than 1/π.
    trials : int, default 8
        Independent repetitions.
    seed, n_jobs, progress : optional
        As in `simulate`.

    Returns
    -------
    Oracle
        ``error`` is the mean over trials with its standard error, ``threshold``, ``kappa`` and
        ``sign`` are medians. Each trial's own are in ``trials``.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=20, R=1, theta=3.0, pi=0.5)
    >>> result = ns.simulate_oracle(task, "attention", samples=8000, seed=1, n_jobs=1)
    >>> bool(abs(result.error - ns.oracle(task, "attention").error) < 4 * result.error_se)
    True
    """
    numbers = check_draws(task, model, samples)
    samples, trials = int(samples), trial_count(trials, task.shape)
    check_n_jobs(n_jobs)
    points = task.whitened.scalars(task.shape)  # scores along Σ⁻¹ξ see nothing else of Σ
    places = streams(seed, len(points), trials)
    jobs = [_Job(points[k // trials], model, samples, place) for k, place in enumerate(places)]
    n_jobs = worth(n_jobs, 1e-9 * SCORINGS[model].nanoseconds * numbers * len(jobs))
    rows = run(_trial, jobs, n_jobs=n_jobs, progress=progress, title=f"{model}, signal known")
    values = by_name(rows, task.shape, trials)
    question = Question(
        "simulate_oracle", task, None, {"samples": samples, "trials": trials, "seed": seed}
    )
    return _summary(model, values, task.shape, question)


def check_draws(task: Task, model: str, samples: int) -> int:
    """Validate the arguments of `simulate_oracle`; return how many numbers a trial draws."""
    check_kind("task", task, Task)
    task.need_one_signal("simulate_oracle")
    task.need_alike_tokens("simulate_oracle")
    choice("model", model, tuple(SCORINGS))
    numbers = whole("samples", samples, 100, 10**9) * int(np.max(task.L))
    if 4 * numbers > MEMORY:
        raise ValueError(
            f"samples times L must be at most {MEMORY // 4}, the numbers that a worker keeps, got "
            f"{samples} times {np.max(task.L)}; lower samples, and raise trials instead"
        )
    return numbers


class _Job(NamedTuple):
    task: Task
    model: str
    samples: int
    seed: np.random.SeedSequence


class _Rule(NamedTuple):
    """Answer + where ``sign`` times the score exceeds the threshold."""

    threshold: float
    kappa: float = 0.0
    sign: int = 1


class _Half(NamedTuple):
    """Scores of negatives and of positives as functions of κ."""

    negative: Callable[[float], FloatArray]
    positive: Callable[[float], FloatArray]


def _trial(job: _Job) -> dict[str, float]:
    """Choose a rule on each half, and count the mistakes of both on both."""
    halves = [_draw(job, number) for number in (0, 1)]
    pi, kappas = job.task.pi, SCORINGS[job.model].kappas
    if SCORINGS[job.model].score is None:  # log odds, which have a threshold of their own
        rules = [_Rule(float(np.log((1.0 - pi) / pi)))]
    else:
        if not kappas and isinstance(job.task.R, SignalCount):
            kappas = (0.0,)  # positives' means are no longer normal
        rules = [
            _choose(half, pi, kappas) if kappas else _choose_pooled(half, pi) for half in halves
        ]
    result = {
        "error": np.mean([_count(rule, half, pi) for rule in rules for half in halves]),
        "threshold": np.mean([rule.threshold for rule in rules]),
    }
    if SCORINGS[job.model].kappas:
        result["kappa"] = np.mean([rule.kappa for rule in rules])
        result["sign"] = np.mean([rule.sign for rule in rules])
    return {name: float(value) for name, value in result.items()}


def _draw(job: _Job, number: int) -> _Half:
    """Draw one half of a trial's tokens, as many positives as negatives."""
    task, count = job.task, job.samples // 4
    rng = generator(child(job.seed, number))
    negative, positive = (normal((count, task.L), rng) for _ in range(2))
    positive[marks(task, count, rng).pairs] += np.float32(task.theta)
    score = SCORINGS[job.model].score
    if score is None:
        return _Half(*(lambda _, x=x: log_ratio(task, x) for x in (negative, positive)))
    return _Half(*(lambda kappa, x=x: score(x, kappa) for x in (negative, positive)))


def attend(x: Single, kappa: float) -> FloatArray:
    """Return Σ a x with a = softmax(κx) for each row; the largest x for an infinite κ."""
    if kappa == 0.0:
        return np.asarray(x.mean(axis=1, dtype=float))
    top = x.max(axis=1, keepdims=True)
    if np.isinf(kappa):
        return np.asarray(top[:, 0], float)
    result = np.empty(len(x))
    for rows in _blocks(x):
        weights = x[rows] - top[rows]
        weights *= np.float32(kappa)
        np.exp(weights, out=weights)
        result[rows] = np.einsum("ij,ij->i", weights, x[rows]) / weights.sum(axis=1)
    return result


def attend_linearly(x: Single, kappa: float) -> FloatArray:
    """Return Σ a x with a = (1 + κ(x − x̄))/L for each row; Σ (x − x̄)²/L for an infinite κ.

    Examples
    --------
    >>> x = np.array([[0.0, 3.0]], np.float32)
    >>> [round(float(attend_linearly(x, kappa)[0]), 3) for kappa in (0.0, 1.0, np.inf)]
    [1.5, 3.75, 2.25]
    """
    mean, variance = x.mean(axis=1, dtype=float), x.var(axis=1, dtype=float)
    return np.asarray(variance if np.isinf(kappa) else mean + kappa * variance)


def log_ratio(task: Task, x: Single) -> FloatArray:
    """Return the log likelihood ratio of each row of tokens: positive against negative."""
    logits = task.theta * x.astype(float)
    parts = [
        np.log(chance) + log_mean(task.replace(R=R), logits) - 0.5 * R * task.theta**2
        if R > 0
        else np.full(len(x), np.log(chance))
        for R, chance in task.counts
    ]
    return parts[0] if len(parts) == 1 else np.asarray(logsumexp(parts, axis=0))


def _choose(half: _Half, pi: float, kappas: tuple[float, ...]) -> _Rule:
    """Return attention's best rule on some draws, over κ and sign."""
    result = []
    for kappa in kappas:
        negative, positive = half.negative(kappa), half.positive(kappa)
        for sign in (1, -1):
            error, threshold = best_threshold(sign * negative, sign * positive, pi)
            result.append((error, _Rule(threshold, kappa, sign)))
    return min(result)[1]


def _choose_pooled(half: _Half, pi: float) -> _Rule:
    """Return where the likelihoods of two normal laws with one variance cross, as π weighs them."""
    negative, positive = half.negative(0.0), half.positive(0.0)
    gap = positive.mean() - negative.mean()
    if gap <= 0.0:
        return _Rule(_trivial_threshold(pi))
    variance = 0.5 * (negative.var() + positive.var())
    shift = variance * np.log((1.0 - pi) / pi) / gap
    return _Rule(float(0.5 * (positive.mean() + negative.mean()) + shift))


def best_threshold(negative: FloatArray, positive: FloatArray, pi: float) -> tuple[float, float]:
    """Return the least error of a threshold on some scores, and the threshold.

    The error as a function of the threshold is smoothed: its raw minimum follows the noise, and
    costs several times as much on other draws.
    """
    low, high = positive.min(), negative.max()
    if high <= low:
        return 0.0, float(low + high) / 2.0
    width = SMOOTHING_WIDTH * min(negative.std(), positive.std()) * len(negative) ** -0.2
    grid = np.linspace(low - 4.0 * width, high + 4.0 * width, THRESHOLDS)
    miss, quiet = (
        np.searchsorted(np.sort(scores), grid, side="right") / len(scores)
        for scores in (positive, negative)
    )
    curve = gaussian_filter1d(
        pi * miss + (1.0 - pi) * (1.0 - quiet), width / (grid[1] - grid[0]), mode="nearest"
    )
    place = int(curve.argmin())
    if curve[place] >= min(pi, 1.0 - pi):  # the likelier label for all is as good
        return min(pi, 1.0 - pi), _trivial_threshold(pi)
    return float(curve[place]), float(grid[place])


def _trivial_threshold(pi: float) -> float:
    """Return the threshold that gives every sample the likelier label."""
    return float(np.inf if pi <= 0.5 else -np.inf)


def _count(rule: _Rule, half: _Half, pi: float) -> float:
    """Return the fraction of mistakes that a rule makes, positives and negatives weighted by π."""
    alarm = rule.sign * half.negative(rule.kappa) > rule.threshold
    miss = rule.sign * half.positive(rule.kappa) <= rule.threshold
    return float(pi * miss.mean() + (1.0 - pi) * alarm.mean())


def _blocks(x: Single) -> Iterator[slice]:
    step = max(1, ORACLE_BLOCK // x.shape[1])
    for first in range(0, len(x), step):
        yield slice(first, first + step)


def _summary(
    model: str, values: dict[str, FloatArray], shape: tuple[int, ...], question: Question
) -> Oracle:
    """Return the mean error over trials, and the medians of the rules."""
    columns = {name: np.median(column, axis=-1) for name, column in values.items()}
    columns |= means(values, ["error"])
    return build(Oracle, {**columns, "model": model}, shape, question, values)


class _Scoring(NamedTuple):
    """How a model scores samples along a known signal.

    ``kappas`` are the temperatures that are tried, none for a model without; ``score`` is None for
    the log likelihood ratio; ``nanoseconds`` is the time for each number drawn.
    """

    nanoseconds: int
    score: Callable[[Single, float], FloatArray] | None
    kappas: tuple[float, ...] = ()


SCORINGS = {
    "attention": _Scoring(50, attend, (0.0, *np.geomspace(0.25, 8.0, 13).tolist(), np.inf)),
    "pooled": _Scoring(2, attend),
    "hard": _Scoring(4, attend, (np.inf,)),
    "linear": _Scoring(20, attend_linearly, (0.0, *np.geomspace(0.05, 12.8, 17).tolist(), np.inf)),
    "bayes": _Scoring(20, None),
}
