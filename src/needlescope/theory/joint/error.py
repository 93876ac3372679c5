"""The test error of jointly trained parameters: the score is Gaussian, given what the query sees.

A fresh sample has ω^q = θ M_q v + ‖q‖ g and a = softmax(ω^q). Given g, with Q/‖q‖² split into parts
along and across the query, the score has mean θ M_w (v·a) + (⟨q, w⟩/‖q‖)(g·a) + b and standard
deviation ρ‖a‖, ρ² = ‖w‖² − ⟨q, w⟩²/‖q‖². So the error is an integral of Φ over L dimensions.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from ...arrays import FloatArray
from ...task import Task
from .order import Order


def fresh_error(order: Order, task: Task, g: FloatArray) -> float:
    """Return the test error, against true labels, as a mean over normal numbers g (L × n).

    The task is the one to test on, which need not be the one that was trained on.
    """
    (kappa, _), (along, across) = order.root
    result = 0.0
    positives = [(count, 1.0, task.pi * chance) for count, chance in task.counts]
    for count, y, chance in [*positives, (0, -1.0, 1.0 - task.pi)]:
        logits = kappa * g
        logits[:count] += task.theta * order.M[0]
        a = np.exp(logits - logits.max(axis=0))
        a /= a.sum(axis=0)
        mean = along * np.einsum("ln,ln->n", a, g) + order.b
        mean += task.theta * order.M[1] * a[:count].sum(axis=0)
        spread = across * np.sqrt(np.einsum("ln,ln->n", a, a))
        result += chance * float(ndtr(-y * mean / spread).mean())
    return result
