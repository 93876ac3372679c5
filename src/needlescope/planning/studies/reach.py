"""The best value that any classifier can have of a measure: that of the likelihood ratio.

A classifier that knows the signal scores a bag by the log likelihood ratio, positive against
negative, which depends on the tokens' projections on the signal alone. Fresh bags are drawn, and
the measure of these scores is computed, with its standard error.
"""

from __future__ import annotations

import numpy as np

from ...running.seeds import generator
from ...simulation.oracle import log_ratio
from ...simulation.samples.data import marks
from ...simulation.samples.normal import normal
from ...task import Task
from .measures import Measure
from .study import bootstrap_error

BAGS = 20_000
NUMBERS = 1 << 23  # projections, at the most
LEAST_OF_CLASS = 200
SURE = 4.0  # standard errors beyond which a target is refused


def check_reachable(task: Task, measure: Measure, target: float) -> None:
    """Refuse a target that is better than what the likelihood ratio has.

    Examples
    --------
    >>> from .measures import get_measure
    >>> check_reachable(Task(L=10, R=1, theta=2.0, pi=0.5), get_measure("auc", 0.5), 0.95)
    Traceback (most recent call last):
    ValueError: target must be below 0.78, the auc with a known signal: no classifier has a ...
    """
    value, error = best_value(task, measure)
    sign = 1.0 if measure.falls else -1.0
    if sign * (target - value) < -SURE * error:
        side = "above" if measure.falls else "below"
        raise ValueError(
            f"target must be {side} {value:.3g}, the {measure.name} with a known signal: no "
            f"classifier has a better one; got {target:g}; ask for less, or for a stronger signal"
        )


def best_value(task: Task, measure: Measure, seed: int = 0) -> tuple[float, float]:
    """Return the measure of the log likelihood ratio, and its standard error.

    Examples
    --------
    >>> from .measures import get_measure
    >>> value, error = best_value(Task(L=1, R=1, theta=2.0, pi=0.5), get_measure("auc", 0.5))
    >>> bool(abs(value - 0.9214) < 4.0 * error)  # Φ(√2)
    True
    """
    task, rng = task.whitened, generator(np.random.SeedSequence(seed))
    bags = int(np.clip(NUMBERS // int(task.L), 2 * LEAST_OF_CLASS, BAGS))
    positives = int(np.clip(round(task.pi * bags), LEAST_OF_CLASS, bags - LEAST_OF_CLASS))
    negative = normal((bags - positives, task.L), rng)
    positive = normal((positives, task.L), rng)
    positive[marks(task, positives, rng).pairs] += np.float32(task.theta)
    score = np.append(log_ratio(task, negative), log_ratio(task, positive))
    sign = np.append(-np.ones(len(negative)), np.ones(positives))
    if measure.needs == "probabilities":
        score += np.log(task.pi / (1.0 - task.pi))
    return measure.compute(score, sign), bootstrap_error(measure, score, sign, rng)
