"""The four stages of training, as pure functions of the data and the parameters so far.

1. `start`: w = q = 0, b = 0.
2. `first_step`: one gradient step of the mean loss on D0 moves b and w.
3. `query_step`: one more moves q only; repeat it for more steps.
4. `features`, then `readout`: with q fixed, (w, b) minimise the ridge-regularised loss on D1.

All gradients come from one function, `gradient`, for the score wᵀXᵀa + b with a = softmax(β X q):
∂/∂w = Xᵀa and ∂/∂q = β Xᵀ(a ∘ (Xw − wᵀXᵀa)).

>>> import numpy as np
>>> import needlescope as ns
>>> rng = np.random.default_rng(0)
>>> y = np.where(rng.random(200) < 0.5, 1.0, -1.0)
>>> X = rng.standard_normal((200, 8, 5))
>>> X[y > 0, 0, 0] += 4.0
>>> data, training = Arrays(X, y), ns.Training(alpha0=40.0, alpha1=40.0)
>>> state = query_step(data, first_step(data, start(5), training), training)
>>> fit = readout(features(data, "attention", state.q, training.beta), y, training)
>>> int(np.argmax(np.abs(state.q))), int(np.argmax(np.abs(fit.w)))
(0, 0)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..losses import Loss, get_loss
from ..models import attention, pooled, vectorized
from ..training import Training
from .data import Arrays, Data
from .erm.minimise import minimise
from .erm.problem import Fit


class State(NamedTuple):
    """The parameters of the attention classifier."""

    q: FloatArray
    w: FloatArray
    b: float


class Gradient(NamedTuple):
    """The mean loss and its gradient; ``q`` is zero where it was not asked."""

    loss: float
    q: FloatArray
    w: FloatArray
    b: float


def start(d: int) -> State:
    """Stage 1: all parameters at zero."""
    return State(np.zeros(d), np.zeros(d), 0.0)


def first_step(data: Data, state: State, training: Training) -> State:
    """Stage 2: a gradient step moves w and b, together or the bias first."""
    loss, q = get_loss(training.loss), state.q
    if training.first_step == "sequential":
        pull = gradient(data, state, loss, training.beta, moving="b")
        state = State(q, state.w, state.b - training.eta_b * pull.b)
        pull = gradient(data, state, loss, training.beta, moving="w")
        return State(q, state.w - training.eta_w * pull.w, state.b)
    pull = gradient(data, state, loss, training.beta, moving="w")
    return State(q, state.w - training.eta_w * pull.w, state.b - training.eta_b * pull.b)


def query_step(data: Data, state: State, training: Training) -> State:
    """Stage 3: a gradient step moves q."""
    pull = gradient(data, state, get_loss(training.loss), training.beta, moving="q")
    return State(state.q - training.eta_q * pull.q, state.w, state.b)


def readout(F: Any, y: FloatArray, training: Training) -> Fit:
    """Stage 4: minimise the ridge-regularised loss of a linear readout of the features."""
    return minimise(F, y, get_loss(training.loss), training.ridge)


def gradient(
    data: Data, state: State, loss: Loss, beta: float, *, moving: str = "qwb", dtype: Any = None
) -> Gradient:
    """Return the mean loss over the data and its gradient in the parameters ``moving``.

    The loss and its derivative in b always come along. Products are taken in the precision of the
    tokens, or in ``dtype``; sums over blocks in double precision.
    """
    n, d = len(data.y), len(state.q)
    total, pull_q, pull_w, pull_b = 0.0, np.zeros(d), np.zeros(d), 0.0
    for X, y, _ in data.blocks():
        m, L, _ = X.shape
        X = X if dtype is None else X.astype(dtype, copy=False)
        rows = X.reshape(m * L, d)
        a = attention.attend(X, state.q, beta)
        seen = np.zeros((m, L))
        if state.w.any():
            seen += (rows @ state.w.astype(rows.dtype)).reshape(m, L)
        score = np.einsum("ml,ml->m", a, seen)
        slope = loss.derivative(score + state.b, y)
        total += float(loss.value(score + state.b, y).sum())
        pull_b += float(slope.sum())
        weights = []
        if "w" in moving:
            weights.append(slope[:, None] * a)
        if "q" in moving:
            weights.append(beta * slope[:, None] * a * (seen - score[:, None]))
        if weights:
            sums = np.stack([one.ravel() for one in weights]).astype(rows.dtype) @ rows
            if "w" in moving:
                pull_w += sums[0]
            if "q" in moving:
                pull_q += sums[-1]
    return Gradient(total / n, pull_q / n, pull_w / n, pull_b / n)


def features(data: Data, model: str, q: FloatArray, beta: float) -> Any:
    """Return what the readout sees of each sample: n × d, or n × L d for "vectorized".

    Flat features keep the precision of the tokens; there are many of them.
    """
    (L, d), n = data.tokens, len(data.y)
    found: Any = None
    for X, _, rows in data.blocks():
        if model == "vectorized":
            found = np.empty((n, L * d), X.dtype) if found is None else found
            found[rows] = vectorized.features(X)
        else:
            found = np.empty((n, d)) if found is None else found
            found[rows] = (
                pooled.features(X) if model == "pooled" else attention.features(X, q, beta)
            )
    return found


def scores(data: Data, model: str, state: State, beta: float) -> FloatArray:
    """Return the score of every sample; for "vectorized" w has L d entries."""
    found = np.empty(len(data.y))
    for X, _, rows in data.blocks():
        F = features(Arrays(X, np.empty(len(X))), model, state.q, beta)
        found[rows] = F @ state.w + state.b
    return found
