"""The covariances Σ₀ of background tokens and Σ₁ of signal tokens, and the signal ξ.

    ⟨M⟩ = tr M / d        q = f + random part of covariance C/d:   qᵀMq = fᵀMf + ⟨M C⟩

They are matrices of the features' own dimension. Of two spectra on the same levels they are
diagonal, with a row for each level, and ⟨M⟩ weights it by the share of its dimensions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...noise import Noise
from ...query import Query
from ...task import Task

MOST = 3000  # rows of a matrix


class Pair(NamedTuple):
    """Σ₀ and Σ₁, the unit signal ξ, the weight of each row in ⟨·⟩, and ‖Σ₀^{-1/2}ξ‖."""

    sigma: tuple[FloatArray, FloatArray]
    xi: FloatArray
    share: FloatArray
    gain: float

    def mean(self, A: FloatArray, B: FloatArray) -> float:
        """Return ⟨AB⟩."""
        return float(self.share @ np.einsum("ij,ji->i", A, B))

    def trace(self, A: FloatArray) -> float:
        """Return ⟨A⟩."""
        return float(self.share @ np.diagonal(A))


class Direction(NamedTuple):
    """A vector q, up to a factor: its fixed part f, and d times the covariance C of the other."""

    fixed: FloatArray
    spread: FloatArray

    def square(self, pair: Pair, M: FloatArray) -> float:
        """Return qᵀMq."""
        return float(self.fixed @ M @ self.fixed) + pair.mean(M, self.spread)

    def scaled(self, factor: float) -> Direction:
        """Return the direction times a factor."""
        return Direction(factor * self.fixed, factor**2 * self.spread)


def pair_of(task: Task) -> Pair:
    """Return the covariances and the signal of a task.

    >>> import needlescope as ns
    >>> noise, other = ns.Noise(spectrum=[1.0, 4.0]), ns.Noise(spectrum=[2.0, 2.0])
    >>> pair = pair_of(ns.Task(8, 1, 4.0, 0.5, noise=noise, signal_noise=other))
    >>> pair.trace(pair.sigma[0]), pair.mean(*pair.sigma)
    (2.5, 5.0)
    """
    levels = task.levels
    assert levels is not None
    noises: tuple[Noise, Noise] = task.noise, task.signal_noise
    matrix = task.noise.covariance
    size = len(levels.s if matrix is None else matrix)
    if size > MOST:
        raise ValueError(
            f"signal_noise supports at most {MOST} features, or eigenvalues of a spectrum, as it "
            f"inverts matrices of them, got {size}; give fewer"
        )
    if task.noise.covariance is None:
        first, second = (np.diag(noise.levels.s) for noise in noises)
        return Pair((first, second), np.sqrt(levels.weight), levels.share, levels.gain)
    d, xi = len(task.noise.covariance), np.array(task.signal)
    xi = xi / np.abs(xi).max()
    first, second = (np.asarray(noise.covariance) for noise in noises)
    return Pair((first, second), xi / np.linalg.norm(xi), np.full(d, 1.0 / d), levels.gain)


def given_direction(pair: Pair, query: Query) -> Direction:
    """Return a given query, random beside the signal in coordinates in which Σ₀ is white."""
    s, inverse = float(query.cosine), np.asarray(np.linalg.inv(pair.sigma[0]), float)
    return Direction(s * (inverse @ pair.xi) / pair.gain, (1.0 - s) * (1.0 + s) * inverse)
