"""How a trained classifier's error varies from data set to data set, at finite dimension.

At fixed n0/d and n1/d the error of one data set differs from its limit by a mean of order 1/d and a
deviation of order 1/√d. Both are measured on the planned training itself, by simulation of the
reduced law: at the planned dimension where a data set is small, and else at a smaller one, from
which they are carried over by these powers. Small errors are skewed: the interval is of logits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, logit

from ..outcome.planned import Interval
from ..simulation.simulate import simulate
from ..task import Task
from ..training import Training
from .tuning.moved import trial_errors

TRIALS = 64
ENOUGH = 1200  # bags in a data set to measure on, at most
LEAST = 20  # the smallest dimension to measure at
NINE_OF_TEN = 1.6449  # deviations of a normal law on each side
STUDENT = 1.0 + 1.0 / (4.0 * TRIALS)  # a deviation that is itself measured


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
    """Return the range in which nine of ten data sets of dimension d leave the test error.

    Parameters
    ----------
    task, training, model
        The problem, as planned.
    d : int
        The dimension.
    error : float
        The error in the limit.
    seed, trials
        Of the simulation at a smaller dimension.
    pi, shift : float
        The share of positives met later, if it is another, and the move of the bias for it.

    Examples
    --------
    >>> task, training = Task(L=10, R=1, theta=5.0, pi=0.5), Training(alpha0=2.0, alpha1=2.0)
    >>> found = spread(task, training, "attention", 200, 0.035, trials=16)
    >>> found.low < 0.035 < found.high
    True
    """
    alpha = float(training.alpha1) + float(training.alpha0 or 0.0)
    small = int(min(d, max(LEAST, ENOUGH / alpha)))
    found = simulate(
        task, training, model, d=small, trials=trials, seed=seed, workers=1, test="sampled",
        n_test=1,
    )  # fmt: skip
    given = float(task.pi) if pi is None else pi
    errors = np.clip(trial_errors(task, found, given, shift), 1e-9, 1.0 - 1e-9)
    scores = logit(errors)
    limit = float(logit(np.clip(error, 1e-9, 1.0 - 1e-9)))
    offset = (float(scores.mean()) - limit) * small / d
    deviation = float(scores.std(ddof=1)) * float(np.sqrt(small / d)) * STUDENT
    ends = expit(limit + offset + NINE_OF_TEN * deviation * np.array([-1.0, 1.0]))
    mean = error + (float(errors.mean()) - error) * small / d
    sd = float(errors.std(ddof=1)) * float(np.sqrt(small / d))
    return Interval(float(ends[0]), float(ends[1]), mean, sd)
