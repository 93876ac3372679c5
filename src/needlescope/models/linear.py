"""Linear attention: score wᵀ Xᵀ a + b with a = (1 + β P X q)/L, where P = I − 11ᵀ/L centres.

Softmax to first order in q: weights add up to one, but may be negative and grow without bound. At
q = 0 it is pooling, with the gradient of softmax attention, so the two steps from zero leave both
with the same query. As softmax does, it sees tokens only relative to each other: with
a = (1 + κ P(g + θ s v 1{y=+1}))/L its features follow the law of `attention`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import FloatArray, project
from ..paper import derived
from .model import Model
from .segments import Segments


def weigh(logits: FloatArray, axis: int) -> FloatArray:
    """Return (1 + logits − their mean)/L along an axis of L tokens.

    Examples
    --------
    >>> weigh(np.array([[1.0, 0.0]]), axis=1)
    array([[0.75, 0.25]])
    """
    centred = logits - logits.mean(axis=axis, keepdims=True)
    return np.asarray((1.0 + centred) / logits.shape[axis])


def features(rows: Any, segments: Segments, q: FloatArray, beta: float) -> Any:
    """Return Xᵀ(1 + β P X q)/L of each sample.

    Examples
    --------
    >>> from needlescope.models.segments import Even
    >>> rows = np.array([[1.0, 8.0], [0.0, 0.0]])
    >>> features(rows, Even(2), np.array([1.0, 0.0]), 1.0)
    array([[0.75, 6.  ]])
    """
    even, logits = segments.uniform(len(rows)), project(rows, beta * q)
    a = even * (1.0 + logits - segments.spread(segments.dot(even, logits)))
    return segments.mix(a, rows)


LINEAR = Model(
    "linear",
    features=features,
    weights=lambda L: 1,
    limit=None,
    rests_on=f"formula: {derived('theorem 4')}, with linear weights",
    weigh=weigh,
    bounded=False,
    label="linear attention",
)
