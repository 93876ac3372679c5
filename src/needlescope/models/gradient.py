"""The score of attention with one or more queries, and the gradient of its mean loss.

For the score Σ_k ⟨w_k, Xᵀ a_k⟩ + b with a_k = softmax(β X q_k), and ℓ' the derivative of the loss
in the score:

    ∂/∂w_k = Σ ℓ' Xᵀ a_k,    ∂/∂q_k = β Σ ℓ' Xᵀ(a_k ∘ (X w_k − ⟨w_k, Xᵀ a_k⟩)).

`token_coefficients` is this formula, for whoever passes over the tokens: `gradient` does so for one
classifier, the estimators for many at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from ..arrays import FloatArray, project
from ..losses import Loss
from .blocks import Data
from .model import Model
from .segments import Segments


class State(NamedTuple):
    """The parameters of the attention classifier; of several queries, q and w have a row each."""

    q: FloatArray
    w: FloatArray
    b: float


def pack(state: State) -> FloatArray:
    """Return (q, w, b) as one vector."""
    return np.concatenate([state.q.ravel(), state.w.ravel(), [state.b]])


def unpack(at: FloatArray, shape: tuple[int, ...]) -> State:
    """Return the state of a vector, with queries and readouts of that shape."""
    q, w = at[:-1].reshape(2, *shape)
    return State(q, w, float(at[-1]))


class Gradient(NamedTuple):
    """The mean loss and its gradient; ``q`` and ``w`` are zero where they do not move."""

    loss: float
    q: FloatArray
    w: FloatArray
    b: float


class Head(NamedTuple):
    """One query and its readout on the tokens of a block."""

    a: FloatArray  # attention on each token
    seen: FloatArray  # ⟨w, x⟩ of each token
    score: FloatArray  # ⟨w, Xᵀa⟩ of each sample


class Spread(Protocol):
    """Samples of a table, as far as the gradient needs them."""

    def spread(self, values: FloatArray) -> FloatArray:
        """Give each token the value of its sample."""
        ...


def token_coefficients(
    segments: Spread,
    a: FloatArray,
    seen: FloatArray,
    score: FloatArray,
    slope: FloatArray,
    beta: float = 1.0,
    out: tuple[FloatArray, FloatArray] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients of tokens in the gradients in q and in w: ∂/∂q = Σ c_q x.

    Parameters
    ----------
    segments
        Which tokens make a sample.
    a, seen : array (…, tokens)
        Attention and ⟨w, x⟩ of each token.
    score, slope : array (…, samples)
        ⟨w, Xᵀ a⟩ of each sample, and the derivative of its loss.
    beta : float, default 1.0
        The inverse temperature.
    out : tuple of arrays, optional
        Double-precision arrays to write to.

    Examples
    --------
    >>> from needlescope.models.segments import Even
    >>> a, seen = np.array([0.25, 0.75]), np.array([4.0, 0.0])
    >>> token_coefficients(Even(2), a, seen, np.ones(1), np.ones(1))
    (array([ 0.75, -0.75]), array([0.25, 0.75]))
    """
    in_q, in_w = (np.empty(a.shape), np.empty(a.shape)) if out is None else out
    np.multiply(segments.spread(slope), a, out=in_w)
    np.subtract(seen, segments.spread(score), out=in_q)
    in_q *= in_w if beta == 1.0 else beta * in_w
    return in_q, in_w


def gradient(
    data: Data,
    state: State,
    loss: Loss,
    beta: float,
    *,
    moving: str = "qwb",
    weight: FloatArray | None = None,
    dtype: Any = None,
) -> Gradient:
    """Return the mean loss over the data and its gradient in the parameters ``moving``.

    The loss and its derivative in b are always computed. ``weight`` gives each sample its share in
    the mean. Products are taken in the precision of the tokens, or in ``dtype``; sums over blocks
    in double precision.
    """
    shape, d = state.q.shape, state.q.shape[-1]
    queries, readouts = state.q.reshape(-1, d), state.w.reshape(-1, d)
    moved = slice(0 if "w" in moving else 1, 2 if "q" in moving else 1)
    total, pull_b, pulls = 0.0, 0.0, np.zeros((2, len(queries), d))  # of w, of q
    for block in data.blocks():
        rows, segments, y = block.table, block.segments, block.y
        rows = rows if dtype is None else rows.astype(dtype, copy=False)
        heads = attention_heads(rows, segments, queries, readouts, beta)
        score = sum((head.score for head in heads[1:]), heads[0].score) + state.b
        slope, value = loss.derivative(score, y), loss.value(score, y)
        if weight is not None:
            slope, value = slope * weight[block.rows], value * weight[block.rows]
        total += float(value.sum())
        pull_b += float(slope.sum())
        on_tokens = np.empty((2, len(heads), len(rows)), rows.dtype)
        for k, head in enumerate(heads):
            on_tokens[1, k], on_tokens[0, k] = token_coefficients(segments, *head, slope, beta)
        pulls[moved] += (on_tokens[moved].reshape(-1, len(rows)) @ rows).reshape(-1, len(heads), d)
    n = len(data.y) if weight is None else 1.0
    pull_w, pull_q = (pulls / n).reshape(2, *shape)
    return Gradient(total / n, pull_q, pull_w, pull_b / n)


def attention_heads(
    rows: Any, segments: Segments, queries: FloatArray, readouts: FloatArray, beta: float
) -> list[Head]:
    """Return attention and scores of each query and its readout, by one product with the tokens."""
    vectors = [*(beta * q for q in queries if q.any()), *(w for w in readouts if w.any())]
    along = np.empty((0, len(rows)))
    if vectors:
        table = vectors[0] if len(vectors) == 1 else np.stack(vectors, axis=1)
        along = np.ascontiguousarray(project(rows, table).reshape(len(rows), -1).T)
    logits, seen_by = iter(along), iter(along[sum(q.any() for q in queries) :])
    heads = []
    for q, w in zip(queries, readouts, strict=True):
        a = segments.softmax(next(logits)) if q.any() else segments.uniform(len(rows))
        seen = next(seen_by) if w.any() else np.zeros(len(rows))
        heads.append(Head(a, seen, segments.dot(a, seen)))
    return heads


def attention_scores(data: Data, state: State, beta: float) -> FloatArray:
    """Return the score of every sample by attention; those of several queries add up."""
    d, result = state.q.shape[-1], np.full(len(data.y), state.b)
    queries, readouts = state.q.reshape(-1, d), state.w.reshape(-1, d)
    for block in data.blocks():
        for head in attention_heads(block.table, block.segments, queries, readouts, beta):
            result[block.rows] += head.score
    return result


def model_scores(data: Data, model: Model, state: State, beta: float) -> FloatArray:
    """Return the score of every sample; w has as many entries as the model has features."""
    result = np.empty(len(data.y))
    for block in data.blocks():
        F = model.features(block.table, block.segments, state.q, beta)
        result[block.rows] = F @ state.w + state.b
    return result
