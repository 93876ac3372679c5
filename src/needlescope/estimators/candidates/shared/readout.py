"""Readouts: the convex part of a fit, and the model of attention that they complete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ....losses import Loss
from ....models import ATTENTION
from ....models.blocks import Data
from ....models.blocks import features as model_features
from ....models.gradient import State, attention_heads, attention_scores
from ....models.segments import Segments
from ....solvers.minimise import minimise, minimise_path
from ...engine.computation import Scored

READOUT_TOLERANCE = 1e-4  # of the gradient, relative to that at zero


class AttentionModel(State):
    """Queries and their readouts: the score Σ_k ⟨w_k, Xᵀ softmax(X q_k)⟩ + b."""

    __slots__ = ()

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


def attention_features(data: Data, queries: FloatArray) -> FloatArray:
    """Return Xᵀ softmax(X q) of every bag, all queries beside each other: n × (queries · d)."""
    n, (heads, d) = len(data.y), queries.shape
    result = np.empty((n, heads, d))
    for k, q in enumerate(queries):
        result[:, k] = model_features(data, ATTENTION, q, 1.0)
    return result.reshape(n, heads * d)
