"""The best value that any classifier can have of a measure: that of the likelihood ratio.

A classifier that knows the signal scores a bag by the log likelihood ratio, positive against
negative, which depends on the tokens' projections on the signal alone; of several signals, which
bags carry is not known. Fresh bags are drawn, and the measure of these scores is computed, with its
standard error.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from ...arrays import FloatArray
from ...running.seeds import generator
from ...simulation.oracle import log_ratio
from ...simulation.samples.data import kinds, marks
from ...simulation.samples.normal import normal
from ...task import Task
from .measures import Measure
from .study import bootstrap_error

BAGS = 20_000
NUMBERS = 1 << 23  # projections, at the most
LEAST_OF_CLASS = 200
SURE = 4.0  # standard errors beyond which a target is refused


def check_reachable(
    task: Task, measure: Measure, target: float, lengths: tuple[int, ...] | None = None
) -> None:
    """Refuse a target that is better than what the likelihood ratio has.

    Examples
    --------
    >>> from .measures import get_measure
    >>> check_reachable(Task(L=10, R=1, theta=2.0, pi=0.5), get_measure("auc", 0.5), 0.95)
    Traceback (most recent call last):
    ValueError: target must be below 0.78, the auc with a known signal: no classifier has a ...
    """
    value, error = best_value(task, measure, lengths=lengths)
    sign = 1.0 if measure.falls else -1.0
    if sign * (target - value) < -SURE * error:
        side = "above" if measure.falls else "below"
        raise ValueError(
            f"target must be {side} {value:.3g}, the {measure.name} with a known signal: no "
            f"classifier has a better one; got {target:g}; ask for less, or for a stronger signal"
        )


def best_value(
    task: Task, measure: Measure, seed: int = 0, lengths: tuple[int, ...] | None = None
) -> tuple[float, float]:
    """Return the measure of the log likelihood ratio, and its standard error.

    Where ``lengths`` are given, bags are drawn with these numbers of instances, each as likely.

    Examples
    --------
    >>> from .measures import get_measure
    >>> value, error = best_value(Task(L=1, R=1, theta=2.0, pi=0.5), get_measure("auc", 0.5))
    >>> bool(abs(value - 0.9214) < 4.0 * error)  # Φ(√2)
    True
    """
    task, rng = task.whitened, generator(np.random.SeedSequence(seed))
    bags = int(np.clip(NUMBERS // (int(task.L) * task.kinds), 2 * LEAST_OF_CLASS, BAGS))
    positives = int(np.clip(round(task.pi * bags), LEAST_OF_CLASS, bags - LEAST_OF_CLASS))
    sign = np.repeat([-1.0, 1.0], [bags - positives, positives])
    if lengths is None:
        score = _log_ratios(task, sign, rng)
    else:
        counts, score = rng.choice(lengths, bags), np.empty(bags)
        for count in np.unique(counts).tolist():
            rows = counts == count
            score[rows] = _log_ratios(task.replace(L=count), sign[rows], rng)
    if measure.needs == "probabilities" or measure.name == "error":
        score += np.log(task.pi / (1.0 - task.pi))
    return measure.compute(score, sign), bootstrap_error(measure, score, sign, rng)


def _log_ratios(task: Task, sign: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw bags with these signs, negatives first, and return their log likelihood ratios."""
    count = int((sign > 0.0).sum())
    x = [normal((size, task.L, task.kinds), rng) for size in (len(sign) - count, count)]
    owner, token = marks(task, count, rng).pairs
    carried = kinds(task, count, rng)
    x[1][owner, token, 0 if carried is None else carried[owner]] += np.float32(task.theta)
    single, shares = task.replace(signals=None), task.signals or (1.0,)
    parts = [
        np.log(share) + log_ratio(single, np.concatenate(x)[:, :, kind])
        for kind, share in enumerate(shares)
        if share > 0.0
    ]
    return np.asarray(logsumexp(parts, axis=0))
