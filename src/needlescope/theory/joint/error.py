"""The test error of jointly trained parameters: the score is Gaussian, given what the query sees.

A fresh sample has ω^q = θ M_q v + ‖q‖ g and a = softmax(ω^q). Given g, with Q/‖q‖² split into parts
along and across the query, the score has mean θ M_w (v·a) + (⟨q, w⟩/‖q‖)(g·a) + b and standard
deviation ρ‖a‖, ρ² = ‖w‖² − ⟨q, w⟩²/‖q‖². So the error is an integral of Φ over L dimensions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from ...arrays import FloatArray
from ...task import Task
from .order import Order

PAIRED = 256  # scores of each class that are compared with each of the other


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
    """Return the laws of scores at normal numbers g (L × n)."""
    (kappa, _), (along, across) = order.root
    means, spreads = [], []
    for marked in (True, False):
        logits = kappa * g
        if marked:
            logits[: task.R] += task.theta * order.M[0]
        a = np.exp(logits - logits.max(axis=0))
        a /= a.sum(axis=0)
        mean = along * np.einsum("ln,ln->n", a, g)
        if marked:
            mean += task.theta * order.M[1] * a[: task.R].sum(axis=0)
        means.append(mean)
        spreads.append(across * np.sqrt(np.einsum("ln,ln->n", a, a)))
    return Scores((means[0], means[1]), (spreads[0], spreads[1]))


def fresh_error(order: Order, task: Task, g: FloatArray) -> float:
    """Return the test error as a mean over normal numbers g (L × n)."""
    return fresh_scores(order, task, g).error(order.b, float(task.pi))
