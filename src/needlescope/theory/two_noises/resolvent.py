"""What the saddle equations need of R = (λ + χ₀Σ₀ + χ₁Σ₁)⁻¹: a few forms and traces.

With the vectors e_a of `law` and ⟨M⟩ = tr M/d these are

    G_ab = e_aᵀRe_b    G_j = e_aᵀRΣ_jRe_b    ⟨Σ_jR⟩    ⟨Σ_iRΣ_jR⟩

A query is a fixed vector and a random part, of which e_aᵀMe_b has the trace ⟨M W_ab⟩. Replicates of
a law have χ that differ little: there all of these are expanded in log χ, to first order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from .pair import Direction, Pair

LEAST_SIZE = 1e-300  # of a query's projections
STEP = 1e-4  # in log χ, of the differences


class Traces(NamedTuple):
    """G, both G_j, ⟨Σ_jR⟩ and ⟨Σ_iRΣ_jR⟩."""

    G: FloatArray
    squares: FloatArray  # 2 × directions × directions
    first: FloatArray
    second: FloatArray


class Resolvent(NamedTuple):
    """Σ₀, Σ₁ and λ, the fixed parts of the vectors e, and the W_ab of their random parts."""

    pair: Pair
    ridge: float
    fixed: FloatArray  # directions × d
    spread: FloatArray  # of Σ₀q and Σ₁q: 2 × 2 × d × d, or of nothing

    def traces(self, chi: FloatArray) -> Traces:
        """Return forms and traces at these χ."""
        first, second = self.pair.sigma
        R = np.linalg.inv(self.ridge * np.eye(len(first)) + chi[0] * first + chi[1] * second)
        half = [R @ sigma for sigma in self.pair.sigma]
        mean = self.pair.mean
        return Traces(
            self._forms(R),
            np.stack([self._forms(H @ R) for H in half]),
            np.array([self.pair.trace(H) for H in half]),
            np.array([[mean(H, other) for other in half] for H in half]),
        )

    def _forms(self, M: FloatArray) -> FloatArray:
        """Return e_aᵀMe_b."""
        result = self.fixed @ M @ self.fixed.T
        for a, row in enumerate(self.spread, 1):
            for b, W in enumerate(row, 1):
                result[a, b] += self.pair.mean(M, W)
        return np.asarray(result)


def resolvent(pair: Pair, ridge: float, query: Direction | None) -> Resolvent:
    """Return the resolvent of pooling, or of attention with a query of norm 1 where Σ₀ is white."""
    if query is None:
        return Resolvent(pair, ridge, pair.xi[None], np.empty((0, 0, 0, 0)))
    tau = np.sqrt(query.square(pair, pair.sigma[1]))
    rows = (pair.sigma[0], pair.sigma[1] / max(tau, LEAST_SIZE))
    fixed = np.stack([pair.xi, *(row @ query.fixed for row in rows)])
    spread = [[right @ query.spread @ left for right in rows] for left in rows]
    return Resolvent(pair, ridge, fixed, np.array(spread))


class Tangent(NamedTuple):
    """Forms and traces at some χ, and their derivatives in log χ_j."""

    chi: FloatArray
    at: Traces
    slopes: tuple[Traces, ...]

    def traces(self, chi: FloatArray) -> Traces:
        """Return forms and traces near that χ, to first order."""
        move = np.log(np.maximum(chi, LEAST_SIZE) / self.chi)
        columns = zip(self.at, *self.slopes, strict=True)
        return Traces(*(x + move[0] * by0 + move[1] * by1 for x, by0, by1 in columns))


def tangent(exact: Resolvent, chi: FloatArray) -> Tangent:
    """Return the expansion about some χ.

    >>> one, none = np.eye(2), np.empty((0, 0, 0, 0))
    >>> pair = Pair((one, 2.0 * one), np.array([1.0, 0.0]), np.full(2, 0.5), 1.0)
    >>> near = tangent(Resolvent(pair, 0.5, pair.xi[None], none), np.array([1.0, 1.0]))
    >>> near.traces(np.array([1.01, 1.0])).first.round(4)  # 1/3.51 and twice that
    array([0.2849, 0.5698])
    """
    chi = np.maximum(chi, LEAST_SIZE)
    at, slopes = exact.traces(chi), []
    for j in range(2):
        moved = chi.copy()
        moved[j] *= 1.0 + STEP
        other = exact.traces(moved)
        step = np.log1p(STEP)
        slopes.append(Traces(*((new - old) / step for new, old in zip(other, at, strict=True))))
    return Tangent(chi, at, tuple(slopes))
