"""Mean pooling: score wᵀ(Xᵀ1/L) + b."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..task import Task
from .nodes import Limit, exact
from .segments import Segments


def features(rows: Any, segments: Segments) -> Any:
    """Return the mean token of each sample.

    Examples
    --------
    >>> from needlescope.models.segments import Even
    >>> features(np.ones((10, 3)), Even(5)).shape
    (2, 3)
    """
    return segments.mean(rows)


def limit(task: Task) -> Limit:
    """Features are N(θR/L ξ, I/L) for positives and N(0, I/L) for negatives."""
    signal = np.array([[task.theta * task.R / task.L]])
    return Limit(exact(signal, 1.0 / task.L), exact(0.0 * signal, 1.0 / task.L))
