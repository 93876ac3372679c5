"""Several signals seen through one query: each kind of positive has a law of its own.

With cosines s_k the signals are ξ_k = s_k q̂ + u_k, and the parts beside the query have the products
⟨u_k, u_l⟩ = 1{k = l} − s_k s_l. In an orthonormal basis of their span u_k is row k of the root

    (I − ssᵀ)^{1/2} = I − ssᵀ/(1 + √(1 − ‖s‖²)),

so a readout has K + 1 special directions, q̂ and these K. A positive of kind k has the law of one
signal with cosine s_k, and the positives together are the mixture of the kinds by their weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from ...arrays import FloatArray
from ...models.nodes import LimitLaw, Nodes, mixed

LEAST_SHARE = 1e-14  # a share that is rounding

Orthogonal: TypeAlias = "tuple[float, ...] | None"
"""Components of one signal along the directions beside the query; None where it is the only one."""


def orthogonal_parts(cosines: Sequence[float]) -> FloatArray:
    """Return the parts of the signals beside the query, a row for each.

    Examples
    --------
    >>> orthogonal_parts((0.6, 0.0)).round(6)
    array([[0.8, 0. ],
           [0. , 1. ]])
    """
    s = np.array(cosines)
    rest = float(np.sqrt(max(1.0 - s @ s, 0.0)))
    return np.eye(len(s)) - np.outer(s, s) / (1.0 + rest)


def mixture(parts: Sequence[LimitLaw], shares: Sequence[float]) -> LimitLaw:
    """Join the laws of parts of the positives; their negatives are the same.

    What the shares leave of one are positives without a signal, which look like negatives.
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
