"""The test error of jointly trained parameters: the score is Gaussian, given what the query sees.

A fresh sample has ω^q = θ M_q v + ‖q‖ g and a = softmax(ω^q). Given g, with Q/‖q‖² split into parts
along and across the query, the score has mean θ M_w (v·a) + (⟨q, w⟩/‖q‖)(g·a) + b and standard
deviation ρ‖a‖, ρ² = ‖w‖² − ⟨q, w⟩²/‖q‖². So the error is an integral of Φ over L dimensions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from ....arrays import FloatArray
from ....task import Task
from .order import Order

PAIRED = 256  # scores of each class that are compared with each of the other


def fresh_error(order: Order, task: Task, g: FloatArray) -> float:
    """Return the test error, against true labels, as a mean over normal numbers g (L × n).

    The task is the one to test on, which need not be the one that was trained on.
    """
    result = 0.0
    positives = [(count, 1.0, task.pi * chance) for count, chance in task.counts]
    for count, y, chance in [*positives, (0, -1.0, 1.0 - task.pi)]:
        mean, spread = _law(order, task, count, g)
        result += chance * float(ndtr(-y * (mean + order.b) / spread).mean())
    return result


class Scores(NamedTuple):
    """The laws of fresh scores without the bias, for each point; positives first."""

    mean: tuple[FloatArray, FloatArray]
    spread: tuple[FloatArray, FloatArray]

    def error(self, b: float, pi: float) -> float:
        """Return the test error with a bias, where a share ``pi`` is positive."""
        (plus, minus), (far, wide) = self.mean, self.spread
        missed, raised = ndtr(-(plus + b) / far).mean(), ndtr((minus + b) / wide).mean()
        return float(pi * missed + (1.0 - pi) * raised)

    def misranked(self) -> float:
        """Return the chance that a negative scores above a positive, 1 − AUC."""
        (plus, minus), (far, wide) = self.mean, self.spread
        few = slice(0, None, max(len(plus) // PAIRED, 1))
        apart = plus[few, None] - minus[few]
        return float(ndtr(-apart / np.hypot(far[few, None], wide[few])).mean())


def fresh_scores(order: Order, task: Task, g: FloatArray) -> Scores:
    """Return the laws of scores at normal numbers g (L × n), all positives with R signal tokens."""
    (plus, far), (minus, wide) = (_law(order, task, count, g) for count in (task.R, 0))
    return Scores((plus, minus), (far, wide))


def _law(order: Order, task: Task, count: int, g: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and deviation of the score without bias at each point, by its signal tokens."""
    (kappa, _), (along, across) = order.root
    logits = kappa * g
    logits[:count] += task.theta * order.M[0]
    a = np.exp(logits - logits.max(axis=0))
    a /= a.sum(axis=0)
    mean = along * np.einsum("ln,ln->n", a, g)
    mean += task.theta * order.M[1] * a[:count].sum(axis=0)
    return mean, across * np.sqrt(np.einsum("ln,ln->n", a, a))
