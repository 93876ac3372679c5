"""Training of attention on bags: queries by two gradient steps, a convex readout.

The stages are those of `simulation.training.stages`, on scaled bags. Where a simulation has step
sizes, real data have scales: the bias starts where it is best on its own, the first step makes
scores of unit size, and the second gives the query's projections the standard deviation κ. Between
the two the bias moves to where the slopes of all bags balance: what they have in common would pull
the query along the readout, or, where positives are rare, against it. A further query is trained in
the same two steps, on the slopes that the queries before have left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import FloatArray, project
from ...losses import Loss
from ...models import ATTENTION
from ...simulation.samples.data import Data
from ...simulation.training import stages
from ...simulation.training.stages import State
from ...solvers.minimise import minimise, minimise_path
from .ways import evidence
from .ways.evidence import Evidence
from .ways.summaries import Summarised

READOUT_TOLERANCE = 1e-4  # of the gradient, relative to that at zero


def no_query(data: Data, loss: Loss, weight: FloatArray) -> State:
    """Return the state without any query: the best bias on its own."""
    d = data.tokens[1]
    nothing = np.zeros((len(data.y), 1))
    return State(np.zeros((0, d)), np.zeros((0, d)), minimise(nothing, data.y, loss, 1.0, weight).b)


def add_query(data: Data, state: State, loss: Loss, weight: FloatArray, kappa: float) -> State:
    """Add a query of strength κ, trained by two gradient steps from zero; its readout is zero."""
    zero = np.zeros((1, state.q.shape[1]))
    last = State(np.vstack([state.q, zero]), np.vstack([state.w, zero]), state.b)
    pull = stages.gradient(data, last, loss, 1.0, moving="w", weight=weight).w[-1]
    size = _deviation(data, pull, weight, bags=True)
    if size == 0.0:
        return last
    last.w[-1] = -pull / size
    last = stages.balance(data, last, loss, 1.0, weight)
    pull = stages.gradient(data, last, loss, 1.0, moving="q", weight=weight).q[-1]
    last.w[-1] = 0.0
    last.q[-1] = of_strength(data, -pull, weight, kappa)
    return last


def of_strength(data: Data, q: FloatArray, weight: FloatArray, kappa: float) -> FloatArray:
    """Return the query whose projections of instances have the standard deviation κ."""
    size = _deviation(data, q, weight)
    return kappa * q / size if size > 0.0 else np.zeros_like(q)


def features(data: Data, queries: FloatArray) -> FloatArray:
    """Return the attention features of all queries beside each other: n × (queries · d)."""
    n, (heads, d) = len(data.y), queries.shape
    found = np.empty((n, heads, d))
    for k, q in enumerate(queries):
        found[:, k] = stages.features(data, ATTENTION, q, 1.0)
    return found.reshape(n, heads * d)


def readouts(
    F: Any,
    y: FloatArray,
    queries: FloatArray,
    loss: Loss,
    ridges: Sequence[float],
    weight: FloatArray,
) -> list[State]:
    """Return, for each ridge, the state whose readout minimises the loss on features F."""
    fits = minimise_path(F, y, loss, ridges, weight, tolerance=READOUT_TOLERANCE)
    return [State(queries, fit.w.reshape(queries.shape), fit.b) for fit in fits]


def scores(data: Data, model: State | Evidence | Summarised) -> FloatArray:
    """Return the score of every bag: its evidence, or the sum over its queries, and the bias."""
    if isinstance(model, Summarised):
        return model.scores(data)
    if isinstance(model, Evidence):
        return evidence.scores(data, model)
    return stages.attended(data, model, 1.0)


def _deviation(
    data: Data, direction: FloatArray, weight: FloatArray, *, bags: bool = False
) -> float:
    """Return the standard deviation of instances, or of mean instances, along a direction."""
    total = first = second = 0.0
    for block in data.blocks():
        rows, segments = block.table, block.segments
        along = project(rows, direction)
        each = segments.uniform(len(rows))
        share = weight[block.rows]
        if bags:
            along = segments.dot(each, along)
        else:
            share = segments.spread(share) * each
        total += float(share.sum())
        first += float(share @ along)
        second += float(share @ (along * along))
    return float(np.sqrt(max(second / total - (first / total) ** 2, 0.0)))
