"""Mixtures of laws: positives of several signals, and means over replicates.

With cosines s_k the signals are ξ_k = s_k q̂ + u_k, and the parts orthogonal to the query have the
products ⟨u_k, u_l⟩ = 1{k = l} − s_k s_l. In an orthonormal basis of their span u_k is row k of

    (I − ssᵀ)^{1/2} = I − ssᵀ/(1 + √(1 − ‖s‖²)),

so a readout has K + 1 special directions, q̂ and these K. A positive with signal k has the law of
one signal with cosine s_k, and the positives together are the mixture over the signals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from ...arrays import FloatArray
from ...models.nodes import JointLaw, LimitLaw, Nodes, mixed

LEAST_SHARE = 1e-14  # of a mixture: less is rounding

Orthogonal: TypeAlias = "tuple[float, ...] | None"
"""Components of one of several signals orthogonal to the query; None for a single signal."""


def orthogonal_parts(cosines: Sequence[float]) -> FloatArray:
    """Return the parts of the signals orthogonal to the query, a row for each.

    >>> orthogonal_parts((0.6, 0.0)).round(6)
    array([[0.8, 0. ],
           [0. , 1. ]])
    """
    s = np.array(cosines)
    rest = float(np.sqrt(max(1.0 - s @ s, 0.0)))
    return np.eye(len(s)) - np.outer(s, s) / (1.0 + rest)


def mixture(parts: Sequence[LimitLaw], shares: Sequence[float]) -> LimitLaw:
    """Return the mixture of the laws of parts of the positives, which share their negatives.

    Where the shares sum to less than one, the other positives carry no signal and have the law of
    negatives.
    """
    negative, bare = parts[0].negative, 1.0 - sum(shares)
    positive = _mixed([part.positive for part in parts], shares, negative, bare)
    rough = [part.coarse for part in parts if part.coarse is not None]
    if not rough:
        return LimitLaw(positive, negative, parts[0].dim)
    coarse = _mixed([item[0] for item in rough], shares, rough[0][1], bare), rough[0][1]
    return LimitLaw(positive, negative, parts[0].dim, coarse)


def _mixed(parts: Sequence[Nodes], shares: Sequence[float], negative: Nodes, bare: float) -> Nodes:
    if bare <= LEAST_SHARE:
        return mixed(parts, shares)
    return mixed([*parts, negative], [*shares, bare])


def mean_law(laws: Sequence[JointLaw]) -> JointLaw:
    """Return the mean of several laws, as one sample."""
    y, m, tau, A, weight = (
        np.concatenate(column) for column in zip(*(law[:5] for law in laws), strict=True)
    )
    weight = weight / len(laws)
    return JointLaw(y, m, tau, A, weight, weight[None])
