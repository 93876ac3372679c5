"""Mean pooling: score wᵀ(Xᵀ1/L) + b."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..task import Task
from .nodes import Limit, exact


def features(X: Any) -> Any:
    """Return the mean token of each sample: (n, L, d) → (n, d).

    Examples
    --------
    >>> features(np.ones((2, 5, 3))).shape
    (2, 3)
    """
    return X.mean(axis=1)


def limit(task: Task) -> Limit:
    """Features are N(θR/L ξ, I/L) for positives and N(0, I/L) for negatives."""
    signal = np.array([[task.theta * task.R / task.L]])
    return Limit(exact(signal, 1.0 / task.L), exact(0.0 * signal, 1.0 / task.L))
