"""Mean pooling: score wᵀ(Xᵀ1/L) + b."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..paper import derived
from ..task import Task
from .model import Model
from .nodes import LimitLaw, exact, nothing, of_kinds
from .segments import Segments


def features(rows: Any, segments: Segments, q: FloatArray, beta: float) -> Any:
    """Return the mean token of each sample; there is no query.

    Examples
    --------
    >>> from needlescope.models.segments import Even
    >>> features(np.ones((10, 3)), Even(5), np.zeros(3), 1.0).shape
    (2, 3)
    """
    return segments.mean(rows)


def limit(task: Task, test: Task | None = None) -> LimitLaw:
    """Features are N(θR/L ξ, I/L) for positives and N(0, I/L) for negatives, those of the test.

    Where R is random, positives are the mixture over it. Correlated tokens have a mean of another
    variance than 1/L.
    """
    seen = task if test is None else test
    counts, chances = np.array(seen.counts).T
    positive = exact(seen.theta * counts[:, None] / seen.L, seen.mean_variance, chances)
    return LimitLaw(of_kinds(positive, seen), nothing(task.kinds, seen.mean_variance))


POOLED = Model(
    "pooled",
    features=features,
    weights=lambda L: 1,
    limit=limit,
    rests_on=derived("theorem 5"),
    label="mean pooling",
)
