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

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...models import Model
from ...models.nodes import LimitLaw
from ...noise import Noise
from ...query import Query
from ...spectrum import Levels
from ...task import Task, levels_of
from .quadrature import quadrature

LEAST_REST = 1e-20  # of 1 − s²: below it is rounding, and the query is the signal


@dataclass(frozen=True, eq=False)
class QueryParts:
    """A unit query in whitened coordinates, level by level: c_k ζ_k/‖ζ‖ plus noise of ‖·‖² n_k."""

    along: FloatArray
    noise: FloatArray


class Directions(NamedTuple):
    """Eigenvalues s_k, shares p_k, and the k × k matrix W of the special directions on each.

    ``few`` is the same with few levels, for χ ≥ 0 (`quadrature`).
    """

    s: FloatArray
    share: FloatArray
    W: FloatArray  # levels × directions × directions
    few: Directions | None = None


def directions(
    model: Model, task: Task, query: Query, parts: QueryParts | None, limit: LimitLaw
) -> Directions | None:
    """Return the directions of a model's readout in the noise of a task; None if it is white."""
    if task.levels is None:
        return None
    if not model.has_query:
        return _linear(task.noise, task.signal, limit.positive.m.shape[1])
    return _attending(task.noise, task.signal, float(query.cosine), parts)


@lru_cache(maxsize=32)
def _linear(noise: Noise, place: Any, count: int) -> Directions:
    """Return the directions of a model without a query: the signal's, on some of the tokens."""
    levels = levels_of(noise, place)
    return _merged(levels, _along_signal(levels)[:, None, None] * np.eye(count))


@lru_cache(maxsize=32)
def _attending(noise: Noise, place: Any, cosine: float, parts: QueryParts | None) -> Directions:
    """Return the directions of attention: the query, and the signal's part orthogonal to it."""
    levels = levels_of(noise, place)
    z = _along_signal(levels)
    if parts is None:
        return _merged(levels, _turned(levels, z, cosine))
    return _merged(levels, _beside(levels, z, parts))


def _along_signal(levels: Levels) -> FloatArray:
    """Return the share of the unit whitened signal on each level, ω/s over their sum."""
    return levels.weight / (levels.s * levels.gain**2)


def _turned(levels: Levels, z: FloatArray, s: float) -> FloatArray:
    """Return W of a query of cosine s, random beside the signal: a rotation of both."""
    across, p = np.sqrt((1.0 - s) * (1.0 + s)), levels.share
    turn = np.array([[s, across], [across, -s]])
    return np.asarray(turn @ (np.stack([z, p], axis=1)[:, :, None] * np.eye(2)) @ turn)


def _beside(levels: Levels, z: FloatArray, parts: QueryParts) -> FloatArray:
    """Return W of the query and of the part of the signal orthogonal to it."""
    c, n = parts.along, parts.noise
    s = float(c @ z)  # the cosine
    left = (1.0 - s * c) ** 2 * z + s**2 * n
    size = float(left.sum())  # 1 − s², without cancellation
    W = np.empty((len(z), 2, 2))
    W[:, 0, 0] = c**2 * z + n
    if size > LEAST_REST:
        W[:, 1, 1] = left / size
        W[:, 0, 1] = W[:, 1, 0] = (c * (1.0 - s * c) * z - s * n) / np.sqrt(size)
    else:  # the query is the signal: any other direction will do
        W[:, 1, 1], W[:, 0, 1], W[:, 1, 0] = levels.share, 0.0, 0.0
    return W


def _merged(levels: Levels, W: FloatArray) -> Directions:
    """Merge equal levels, in increasing order."""
    s, place = np.unique(levels.s, return_inverse=True)
    share = np.bincount(place, levels.share).astype(float)
    rows = W.reshape(len(W), -1).T
    columns = [np.bincount(place, row).astype(float) for row in rows]
    total = np.stack(columns, axis=1).reshape(len(s), *W.shape[1:])
    fewer = quadrature(s)
    if fewer is None:
        return Directions(s, share, total)
    nodes, basis = fewer
    few = Directions(nodes, basis @ share, np.tensordot(basis, total, 1))
    return Directions(s, share, total, few)
