"""Readouts: the convex part of a fit, and the model of attention that they complete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ....losses import Loss
from ....models.attention import attend
from ....models.blocks import Data
from ....models.gradient import State, attention_heads, attention_scores
from ....models.segments import Segments
from ....solvers.minimise import minimise, minimise_path
from ...engine.computation import Scored

READOUT_TOLERANCE = 1e-4  # of the gradient, relative to that at zero


class AttentionModel(State):
    """Queries and their readouts: the score Σ_k ⟨w_k, Xᵀ softmax(X q_k)⟩ + b."""

    __slots__ = ()

    def attention(self, rows: Any, segments: Segments) -> FloatArray:
        """Return softmax(X q) of each query."""
        return queries_attend(rows, segments, self.q)

    def scores(self, data: Data) -> FloatArray:
        """Return the score of every bag."""
        return attention_scores(data, self, 1.0)

    def contributions(self, rows: Any, segments: Segments) -> tuple[FloatArray, FloatArray]:
        """Return a_l ⟨w, x_l⟩ of each instance, summed over queries, and the score of each bag.

        The constant is spread evenly.
        """
        each, scores = np.zeros(len(rows)), np.zeros(segments.count(len(rows)))
        for head in attention_heads(rows, segments, self.q, self.w, 1.0):
            each += head.a * head.seen
            scores += head.score
        return each + self.b * segments.uniform(len(rows)), scores + self.b


def queries_attend(rows: Any, segments: Segments, queries: FloatArray) -> FloatArray:
    """Return the attention weights of each query: (queries, instances)."""
    return np.stack([attend(rows, segments, q, 1.0) for q in queries])


def importance(parts: FloatArray, weight: FloatArray) -> FloatArray:
    """Return how much each query matters: the deviation of its part in the scores, as a share.

    Parameters
    ----------
    parts : array (queries, bags)
        What each query adds to the score of every bag.
    weight : array (bags,)
        Weights of the bags.

    Examples
    --------
    >>> importance(np.array([[3.0, -3.0], [1.0, 3.0]]), np.ones(2))
    array([0.75, 0.25])
    """
    share = weight / weight.sum()
    spread = np.sqrt(np.square(parts - (parts @ share)[:, None]) @ share)
    total = spread.sum()
    return np.asarray(spread / total if total > 0.0 else np.full(len(parts), 1.0 / len(parts)))


def readouts(
    F: Any,
    y: FloatArray,
    queries: FloatArray,
    loss: Loss,
    ridges: Sequence[float],
    weight: FloatArray,
) -> list[Scored]:
    """Return, for each ridge, the model whose readout minimises the loss on features F."""
    fits = minimise_path(F, y, loss, ridges, weight, tolerance=READOUT_TOLERANCE)
    return [
        Scored(AttentionModel(queries, fit.w.reshape(queries.shape), fit.b), fit.scores)
        for fit in fits
    ]


def best_bias(y: FloatArray, weight: FloatArray, loss: Loss) -> float:
    """Return the bias that is best on its own."""
    return minimise(np.zeros((len(y), 1)), y, loss, 1.0, weight).b


def attention_features(data: Data, model: Any) -> FloatArray:
    """Return Xᵀ a of every bag, a the attention of each query of a model: n × (queries · d)."""
    n, (heads, d) = len(data.y), model.q.shape
    result = np.empty((n, heads, d))
    for block in data.blocks():
        rows, segments = block.table, block.segments
        for k, a in enumerate(model.attention(rows, segments)):
            result[block.rows, k] = segments.mix(a, rows)
    return result.reshape(n, heads * d)
