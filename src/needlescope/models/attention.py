"""Single-layer attention: score wᵀ Xᵀ softmax(β X q) + b.

Seen through the query, with g = Zq/‖q‖ ~ N(0, I_L) and a = softmax(κ(g + θ s v 1{y=+1})), a
feature is, exactly at every d, θ(v·a) ξ + (g·a) q̂ + ‖a‖ z with z ~ N(0, I − q̂q̂ᵀ). The softmax
does not see the mean ḡ ~ N(0, 1/L) of g, so ḡ is integrated in closed form: along q̂ the score
has mean θ s (v·a) + (g·a − ḡ) and variance 1/L, along ξ⊥ ∝ ξ − s q̂ mean θ√(1 − s²)(v·a) and
variance ‖a‖². With several signals the part orthogonal to q̂ has several components.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import FloatArray, project
from ..paper import derived
from .model import Model
from .nodes import Nodes
from .segments import Segments, softmax


def attend(rows: Any, segments: Segments, q: FloatArray, beta: float) -> FloatArray:
    """Return the attention weights softmax(β X q): one for each token, a row of ``rows``.

    At an infinite β attention is hard: all of it lies on the largest token.

    Examples
    --------
    >>> import numpy as np
    >>> from needlescope.models.segments import Even
    >>> attend(np.ones((4, 3)), Even(4), np.ones(3), 1.0)
    array([0.25, 0.25, 0.25, 0.25])
    """
    if not q.any():
        return segments.uniform(len(rows))
    if np.isinf(beta):
        return segments.peak(project(rows, q))
    return segments.softmax(project(rows, beta * q))


def features(rows: Any, segments: Segments, q: FloatArray, beta: float) -> Any:
    """Return Xᵀ softmax(β X q) of each sample, d numbers in the precision of the tokens."""
    return segments.mix(attend(rows, segments, q, beta), rows)


def nodes(
    spread: float,
    theta: float,
    cosine: float,
    mass: FloatArray,
    score: FloatArray,
    A: FloatArray,
    weight: FloatArray,
    replicas: FloatArray,
    orthogonal: Sequence[float] | None = None,
) -> Nodes:
    """Turn draws of (v·a, g·a − ḡ, ‖a‖²) into nodes with directions q̂ and ξ⊥.

    ``spread`` is the variance of ḡ, 1/L. Where tokens are correlated all three have other meanings.
    ``orthogonal`` has the components of one of several signals along directions orthogonal to q̂.
    """
    across = np.sqrt((1.0 - cosine) * (1.0 + cosine))
    orthogonal = [across] if orthogonal is None else orthogonal
    m = np.stack([theta * cosine * mass + score, *(theta * x * mass for x in orthogonal)], axis=1)
    tau = np.stack([np.full_like(A, spread), *(A for _ in orthogonal)], axis=1)
    return Nodes(m, tau, A, weight, replicas)


ATTENTION = Model(
    "attention",
    features=features,
    weights=lambda L: 1,
    limit=None,
    rests_on=derived("theorem 4"),
    weigh=softmax,
)
