"""Sums Σ aʲ gᵖ over all tokens and over the signal tokens, from which gradients are computed.

a = softmax(κ(g + t v)) with g ~ N(0, I_L), v marking the R signal tokens. Tokens are drawn as in
`theory.law`: all of them, or, of more than 128, the largest with a Gaussian vector for the sums
over the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...lattice import replicate
from ..law.tokens import Tokens, bulk_sums

# (j, p) of Σ aʲ gᵖ; the mass of the softmax first
TERMS = ((1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (4, 0))
Sums = dict[tuple[int, int], FloatArray]


class TokenSums(NamedTuple):
    """Σ aʲ gᵖ at [j, p]: over the signal tokens, and over all."""

    signal: Sums
    every: Sums


@lru_cache(maxsize=8)
def draw(L: int, R: int, points: int, index: int) -> tuple[Tokens, Tokens]:
    """Draw signal tokens and the others: the same for every query."""
    kept = [Tokens.kept(R), Tokens.kept(L - R)]
    dims = [item + len(TERMS) * (item < n) for item, n in zip(kept, (R, L - R), strict=True)]
    u = replicate(points, sum(dims), index)
    return Tokens.draw(R, u[:, : dims[0]], kept[0]), Tokens.draw(L - R, u[:, dims[0] :], kept[1])


def samples(
    L: int, R: int, kappa: float, tilts: Sequence[float], points: int, index: int
) -> list[TokenSums]:
    """Return the sums in samples whose R signal tokens are raised by each tilt, of the same tokens.

    >>> positive, negative = samples(5, 2, 1.0, (3.0, 0.0), 256, 0)
    >>> bool(np.allclose(positive.every[1, 0], 1.0))
    True
    >>> float(positive.signal[1, 0].mean().round(2)), float(negative.every[2, 0].min()) > 0.2
    (0.9, True)
    """
    both = draw(L, R, points, index)
    tops, parts = zip(*(_group(item, kappa) for item in both), strict=True)
    result = []
    for tilt in tilts:
        lift = kappa * tilt
        logs = [kappa * tops[0] + lift, kappa * tops[1]]
        top = np.maximum(*logs)
        factors = [np.exp(log - top) for log in logs]
        total = sum(f * part[1, 0] for f, part in zip(factors, parts, strict=True))
        signal, others = (
            {(j, p): (f / total) ** j * part[j, p] for j, p in TERMS}
            for f, part in zip(factors, parts, strict=True)
        )
        result.append(TokenSums(signal, {key: signal[key] + others[key] for key in TERMS}))
    return result


def _group(tokens: Tokens, kappa: float) -> tuple[FloatArray, Sums]:
    """Return a group's largest token and its Σ e^{jκ(g − top)} gᵖ."""
    points = len(tokens.g)
    if tokens.n == 0:
        return np.full(points, -np.inf), dict.fromkeys(TERMS, np.zeros(points))
    g, top = tokens.g, tokens.g[:, 0]
    a = np.exp(kappa * (g - top[:, None]))
    ag, a2 = a * g, a * a
    pairs = {
        **{(1, 0): (a, None), (1, 1): (ag, None), (1, 2): (ag, g)},
        **{(2, 0): (a, a), (2, 1): (a, ag), (2, 2): (ag, ag)},
        **{(3, 0): (a2, a), (3, 1): (a2, ag), (4, 0): (a2, a2)},
    }
    result = {
        key: item.sum(axis=1) if other is None else np.einsum("nl,nl->n", item, other)
        for key, (item, other) in pairs.items()
    }
    left = tokens.n - g.shape[1]
    if left:
        last = g[:, -1]
        shrink = np.exp(kappa * (last - top))
        bulk = bulk_sums(left, kappa, last, tokens.z, TERMS)
        for (j, p), more in zip(TERMS, bulk, strict=True):
            result[j, p] = result[j, p] + shrink**j * more
    return top, result
