"""The distribution of a trained classifier's error over data sets, at finite dimension.

At fixed n0/d and n1/d the error of one data set differs from its limit by a mean of order 1/d and a
deviation of order 1/√d. Both are measured on the planned training itself, by simulation of the
reduced law: at the planned dimension where a data set is small, and else at a smaller one, from
which they are carried over by these powers. Small errors are skewed: the interval is of logits.

A data set on which training has no minimiser, as where all bags are of one class, counts with the
error of always answering the more frequent class, min(π, 1 − π).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, logit

from ...arrays import FloatArray
from ...errors import NoMinimiser, NotConverged
from ...results.planned import Interval
from ...running.seeds import streams
from ...simulation.simulate import simulate
from ...task import Task
from ...training import Training
from ..tuning.bias_shift import trial_errors

TRIALS = 64
MEAN_TOL = 0.03  # relative standard error of the mean, above which there are
MORE_TRIALS = 4  # times more trials
MOST_BAGS = 1200  # in a simulated data set
LEAST_DIMENSION = 20  # of a simulated data set
NORMAL_QUANTILE = 1.6449  # of the normal law at 95 %
END_QUANTILES = (0.05, 0.95)  # quantiles at the ends of the interval


def spread(
    task: Task,
    training: Training,
    model: str,
    d: int,
    error: float,
    seed: Any = 0,
    trials: int = TRIALS,
    *,
    pi: float | None = None,
    shift: float = 0.0,
) -> Interval:
    """Return the interval of the test error that holds nine of ten data sets of dimension d.

    ``error`` is that of the limit, ``pi`` the share of positives in tests, if it is another, and
    ``shift`` that of the bias for it. There are four times more trials where the standard error of
    the mean is above 3 %.

    Examples
    --------
    >>> task, training = Task(L=10, R=1, theta=5.0, pi=0.5), Training(alpha0=2.0, alpha1=2.0)
    >>> result = spread(task, training, "attention", 200, 0.035, trials=16)
    >>> result.low < 0.035 < result.high
    True
    """
    alpha = float(training.alpha1) + float(training.alpha0 or 0.0)
    small = _dimension(task, int(min(d, max(LEAST_DIMENSION, MOST_BAGS / alpha))), d)
    given = float(task.pi) if pi is None else pi
    prior, seeds = min(given, 1.0 - given), streams(seed, MORE_TRIALS * trials)
    result = _errors(task, training, model, small, seeds[:trials], given, shift)
    errors = np.where(np.isnan(result), prior, result)
    if errors.std(ddof=1) / np.sqrt(trials) > MEAN_TOL * errors.mean():
        rest = _errors(task, training, model, small, seeds[trials:], given, shift)
        result = np.append(result, rest)
        errors = np.where(np.isnan(result), prior, result)
    untrained = np.isnan(result)
    mean = error + (float(errors.mean()) - error) * small / d
    sd = float(errors.std(ddof=1)) * float(np.sqrt(small / d))
    if untrained.any():  # two groups of data sets, no bell curve
        ends = np.quantile(errors, END_QUANTILES)
    else:
        scores = logit(np.clip(errors, 1e-9, 1.0 - 1e-9))
        limit = float(logit(np.clip(error, 1e-9, 1.0 - 1e-9)))
        centre = limit + (float(scores.mean()) - limit) * small / d
        deviation = float(scores.std(ddof=1)) * float(np.sqrt(small / d))
        deviation *= 1.0 + (NORMAL_QUANTILE**2 + 3.0) / (4.0 * len(errors))  # t, for one more
        ends = expit(centre + NORMAL_QUANTILE * deviation * np.array([-1.0, 1.0]))
    share = float(untrained.mean())
    return Interval(float(ends[0]), float(ends[1]), mean, sd, share, len(errors))


def at_dimension(
    task: Task, training: Training, model: str, d: int, error: float, trials: int, seed: Any = 0
) -> tuple[float, float]:
    """Return mean and standard deviation of the test error over data sets of dimension d, roughly.

    ``error`` is that of the limit.

    Examples
    --------
    >>> task, training = Task(L=10, R=1, theta=5.0, pi=0.5), Training(alpha0=2.0, alpha1=2.0)
    >>> mean, deviation = at_dimension(task, training, "attention", 100, 0.035, 8)
    >>> 0.03 < mean < 0.06, 0.002 < deviation < 0.02
    (True, True)
    """
    alpha, pi = float(training.alpha1) + float(training.alpha0 or 0.0), float(task.pi)
    small = _dimension(task, int(min(d, max(LEAST_DIMENSION, MOST_BAGS / alpha))), d)
    errors = _errors(task, training, model, small, streams(seed, trials), pi, 0.0)
    errors = np.where(np.isnan(errors), min(pi, 1.0 - pi), errors)
    mean = error + (float(errors.mean()) - error) * small / d
    return max(mean, 0.0), float(errors.std(ddof=1)) * float(np.sqrt(small / d))


def _dimension(task: Task, small: int, d: int) -> int:
    """Return the least dimension from ``small`` on, by doubling, that the noise of a task has.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(8, 1, 4.0, 0.5, noise=ns.Noise(spectrum=ns.Spectrum.spiked(9.0, 0.02)))
    >>> _dimension(task, 12, 100)
    48
    """
    while small < d and task.noise is not None:
        try:
            task.noise.at_dimension(small)
        except ValueError:  # a level without a dimension, or a covariance of another dimension
            small = min(2 * small, d)
        else:
            break
    return small


def _errors(
    task: Task, training: Training, model: str, d: int, seeds: list[Any], pi: float, shift: float
) -> FloatArray:
    """Return the test error of each trial; NaN where its training has no minimiser."""
    errors = []
    for seed in seeds:
        try:
            result = simulate(
                task, training, model, d=d, trials=1, seed=seed, n_jobs=1, test="sampled", n_test=1
            )
        except NoMinimiser:
            errors.append(np.nan)
        except ValueError as problem:  # the arguments are valid: there is too little memory
            raise NotConverged("a data set of this size is too large to be simulated") from problem
        else:
            errors.append(float(trial_errors(task, result, pi, shift)[0]))
    return np.array(errors)
