"""Hard attention: score wᵀ x_l + b of the one token l with the largest ⟨x_l, q⟩.

It is softmax attention at κ = ∞: only the direction of the query counts. A hard choice has no
gradient in q, so the query is trained as softmax attention trains its own, and only used hard. A
query of norm zero prefers no token: equal ones share, and attention is pooling.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..paper import derived
from . import attention
from .model import Model
from .segments import Segments, peak


def features(rows: Any, segments: Segments, q: FloatArray, beta: float) -> Any:
    """Return the token of each sample that is largest along the query; β does not matter.

    Examples
    --------
    >>> from needlescope.models.segments import Even
    >>> rows = np.array([[1.0, 5.0], [2.0, 0.0]])
    >>> features(rows, Even(2), np.array([1.0, 0.0]), 1.0)
    array([[2., 0.]])
    """
    return attention.features(rows, segments, q, np.inf)


HARD = Model(
    "hard",
    features=features,
    weights=lambda L: 1,
    limit=None,
    rests_on=f"formula: {derived('theorem 4')}, at infinite kappa",
    weigh=peak,
    label="hard attention",
)
