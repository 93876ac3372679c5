"""Training of attention on bags: queries by two gradient steps, a convex readout.

The stages are those of `simulation.training.stages`, on scaled bags. Where a simulation has step
sizes, real data have scales: the bias starts where it is best on its own, the first step makes
scores of unit size, and the second gives the query's projections the standard deviation κ. Between
the two the bias moves to where the slopes of all bags balance: what they have in common would pull
the query along the readout, or, where positives are rare, against it. A further query is trained in
the same two steps, on the slopes that the queries before have left.

A query of zero sees the mean instance of each bag, so that all but the second step is known without
a pass over the instances; and that is the sum of the bags' covariances, each times its slope.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...losses import Loss
from ...losses.balance import balancing_shift
from ...models import ATTENTION
from ...models.blocks import Data
from ...models.blocks import features as model_features
from ...models.gradient import State, attention_scores
from ...solvers.minimise import minimise, minimise_path
from .lockstep.asks import Along, Covary
from .lockstep.conductor import Job, alone
from .lockstep.sight import Sight
from .ways import evidence
from .ways.evidence import LogMeanExp
from .ways.summaries import Summarised

READOUT_TOLERANCE = 1e-4  # of the gradient, relative to that at zero


class Scored(NamedTuple):
    """A model, and the scores that it gives to all bags: those trained on and those held out."""

    model: Any
    scores: FloatArray


def no_query(sight: Sight, loss: Loss) -> float:
    """Return the best bias on its own."""
    nothing = np.zeros((len(sight.y), 1))
    return minimise(nothing, sight.y, loss, 1.0, sight.weight).b


def add_query(sight: Sight, scores: FloatArray, loss: Loss, kappa: float) -> Job[FloatArray]:
    """Return a query (d,) of strength κ, by two steps from where bags have these scores."""
    weight, y, means = sight.weight, sight.y, sight.means
    pull = (weight * loss.derivative(scores, y)) @ means
    size = _deviation(means @ pull, weight)
    if size == 0.0:
        return np.zeros(sight.d)
    w = -pull / size
    moved = scores + means @ w
    moved = moved + balancing_shift(moved, y, loss, weight)
    (turn,) = yield [Covary(sight, w, weight * loss.derivative(moved, y))]
    return (yield from of_strength(sight, -turn, kappa))


def two_steps(data: Data, weight: FloatArray, loss: Loss) -> FloatArray:
    """Return the query (d,) of unit strength that two steps make of labelled bags."""
    sight = Sight(data, weight)
    scores = np.full(len(data.y), no_query(sight, loss))
    return alone(data, add_query(sight, scores, loss, 1.0))


def of_strength(sight: Sight, q: FloatArray, kappa: float) -> Job[FloatArray]:
    """Return the query whose projections of instances have the standard deviation κ."""
    ((mean, square, *_),) = yield [Along(sight, q)]
    size = _deviation(mean, sight.weight, square)
    return kappa * q / size if size > 0.0 else np.zeros_like(q)


def features(data: Data, queries: FloatArray) -> FloatArray:
    """Return the attention features of all queries beside each other: n × (queries · d)."""
    n, (heads, d) = len(data.y), queries.shape
    result = np.empty((n, heads, d))
    for k, q in enumerate(queries):
        result[:, k] = model_features(data, ATTENTION, q, 1.0)
    return result.reshape(n, heads * d)


def readouts(
    F: Any,
    y: FloatArray,
    queries: FloatArray,
    loss: Loss,
    ridges: Sequence[float],
    weight: FloatArray,
) -> list[Scored]:
    """Return, for each ridge, the state whose readout minimises the loss on features F."""
    fits = minimise_path(F, y, loss, ridges, weight, tolerance=READOUT_TOLERANCE)
    return [Scored(State(queries, fit.w.reshape(queries.shape), fit.b), fit.scores) for fit in fits]


def scores(data: Data, model: State | LogMeanExp | Summarised) -> FloatArray:
    """Return the score of every bag: its evidence, or the sum over its queries, and the bias."""
    if isinstance(model, Summarised):
        return model.scores(data)
    if isinstance(model, LogMeanExp):
        return evidence.scores(data, model)
    return attention_scores(data, model, 1.0)


def _deviation(mean: FloatArray, weight: FloatArray, square: FloatArray | None = None) -> float:
    """Return the standard deviation of bags' means, or of instances by their mean squares."""
    square = mean * mean if square is None else square
    total = float(weight.sum())
    first, second = float(weight @ mean) / total, float(weight @ square) / total
    return float(np.sqrt(max(second - first**2, 0.0)))
