"""Where the special directions of a readout lie in the spectrum of the noise.

In whitened coordinates u = Σ^{1/2}w the task is white, with the signal ζ = Σ^{-1/2}ξ, and only the
ridge λ‖w‖² = λ uᵀΣ⁻¹u sees Σ. The special directions U of a model (the columns: ζ/‖ζ‖, or q̂ and
the part of ζ orthogonal to it) have a share of themselves on each level k,

    W_k = Σ U_i U_iᵀ over the dimensions i of the level,    Σ_k W_k = 1.

A query has a part c_k ζ_k along the signal and a random part of squared norm n_k on each level. A
trained one is q ∝ (A + B m Σ) ξ + noise, as `alignment` says; a given one has its cosine with the
signal and is random otherwise, in whitened coordinates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...models import Model
from ...models.nodes import LimitLaw
from ...query import Query
from ...spectrum import Levels
from ...task import Task


class QueryParts(NamedTuple):
    """A unit query in whitened coordinates, level by level: c_k ζ_k/‖ζ‖ plus noise of ‖·‖² n_k."""

    along: FloatArray
    noise: FloatArray


class Directions(NamedTuple):
    """Eigenvalues s_k, shares p_k, and the k × k matrix W of the special directions on each."""

    s: FloatArray
    share: FloatArray
    W: FloatArray  # levels × directions × directions


def directions(
    model: Model, task: Task, query: Query, parts: QueryParts | None, limit: LimitLaw
) -> Directions | None:
    """Return the directions of a model's readout in the noise of a task; None if it is white."""
    levels = task.levels
    if levels is None:
        return None
    z = levels.weight / (levels.s * levels.gain**2)
    if not model.has_query:
        count = limit.positive.m.shape[1]
        return _merged(levels, z[:, None, None] * np.eye(count))
    if parts is None:
        s = float(query.cosine)
        parts = QueryParts(np.full(len(z), s), (1.0 - s) * (1.0 + s) * levels.share)
    return _merged(levels, _beside(levels, z, parts))


def _beside(levels: Levels, z: FloatArray, parts: QueryParts) -> FloatArray:
    """Return W of the query and of the part of the signal orthogonal to it."""
    c, n = parts
    s = float(c @ z)  # the cosine
    left = (1.0 - s * c) ** 2 * z + s**2 * n
    size = float(left.sum())  # 1 − s², without cancellation
    W = np.empty((len(z), 2, 2))
    W[:, 0, 0] = c**2 * z + n
    if size > 0.0:
        W[:, 1, 1] = left / size
        W[:, 0, 1] = W[:, 1, 0] = (c * (1.0 - s * c) * z - s * n) / np.sqrt(size)
    else:  # the query is the signal: any other direction will do
        W[:, 1, 1], W[:, 0, 1], W[:, 1, 0] = levels.share, 0.0, 0.0
    return W


def _merged(levels: Levels, W: FloatArray) -> Directions:
    """Merge equal levels, in increasing order."""
    s, place = np.unique(levels.s, return_inverse=True)
    share, total = np.zeros(len(s)), np.zeros((len(s), *W.shape[1:]))
    np.add.at(share, place, levels.share)
    np.add.at(total, place, W)
    return Directions(s, share, total)
