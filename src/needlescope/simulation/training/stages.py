"""The four stages of training, as pure functions of the data and the parameters so far.

1. `start`: w = q = 0, b = 0.
2. `first_step`: one gradient step of the mean loss on D0 moves b and w.
   If the training is balanced, `balance` then moves b to where the slopes add up to zero.
3. `query_step`: one more moves q only; repeat it for more steps. Or, in place of 2 and 3,
   `scheduled_steps`: each on a fresh batch, moving all at once.
4. `features`, then `readout`: with q fixed, (w, b) minimise the ridge-regularised loss on D1.

All gradients come from one function, `gradient`, for the score wᵀXᵀa + b with a = softmax(β X q):
∂/∂w = Xᵀa and ∂/∂q = β Xᵀ(a ∘ (Xw − wᵀXᵀa)).

>>> import numpy as np
>>> import needlescope as ns
>>> from needlescope.models import ATTENTION
>>> from needlescope.simulation.samples.data import Arrays
>>> rng = np.random.default_rng(0)
>>> y = np.where(rng.random(200) < 0.5, 1.0, -1.0)
>>> X = rng.standard_normal((200, 8, 5))
>>> X[y > 0, 0, 0] += 4.0
>>> data, training = Arrays(X, y), ns.Training(alpha0=40.0, alpha1=40.0)
>>> state = query_step(data, first_step(data, start(5), training), training)
>>> fit = readout(features(data, ATTENTION, state.q, training.beta), y, training)
>>> int(np.argmax(np.abs(state.q))), int(np.argmax(np.abs(fit.w)))
(0, 0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, project
from ...losses import Loss, get_loss
from ...losses.balance import balancing_shift
from ...models import Model
from ...models.segments import Segments
from ...solvers.minimise import minimise
from ...solvers.problem import Fit
from ...training import Training
from ..samples.data import Data


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


def balance(
    data: Data, state: State, loss: Loss, beta: float, weight: FloatArray | None = None
) -> State:
    """Between the stages 2 and 3: move the bias to where the mean slope of the loss is zero."""
    shift = balancing_shift(attended(data, state, beta), data.y, loss, weight)
    return state._replace(b=state.b + shift)


def query_step(data: Data, state: State, training: Training) -> State:
    """Stage 3: a gradient step moves q."""
    pull = gradient(data, state, get_loss(training.loss), training.beta, moving="q")
    return State(state.q - training.eta_q * pull.q, state.w, state.b)


def scheduled_steps(batches: Sequence[Data], state: State, training: Training) -> State:
    """Stages 2 and 3 by a schedule: on each batch a gradient step moves w, b and q together."""
    schedule, loss = training.schedule, get_loss(training.loss)
    assert schedule is not None
    sizes = (schedule.sizes(name, getattr(training, name)) for name in ("eta_w", "eta_b", "eta_q"))
    for batch, eta_w, eta_b, eta_q in zip(batches, *sizes, strict=True):
        pull = gradient(batch, state, loss, training.beta)
        state = State(state.q - eta_q * pull.q, state.w - eta_w * pull.w, state.b - eta_b * pull.b)
    return state


def readout(F: Any, y: FloatArray, training: Training) -> Fit:
    """Stage 4: minimise the ridge-regularised loss of a linear readout of the features."""
    return minimise(F, y, get_loss(training.loss), training.ridge)


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

    The loss and its derivative in b always come along. With several queries, rows of ``state.q``
    and ``state.w``, the scores of all add up. ``weight`` gives each sample its share in the mean.
    Products are taken in the precision of the tokens, or in ``dtype``; sums over blocks in double
    precision.
    """
    shape, d = state.q.shape, state.q.shape[-1]
    queries, readouts = state.q.reshape(-1, d), state.w.reshape(-1, d)
    moved = slice(0 if "w" in moving else 1, 2 if "q" in moving else 1)
    total, pull_b, pulls = 0.0, 0.0, np.zeros((2, len(queries), d))  # of w, of q
    for block in data.blocks():
        rows, segments, y = block.table, block.segments, block.y
        rows = rows if dtype is None else rows.astype(dtype, copy=False)
        heads = look(rows, segments, queries, readouts, beta)
        score = sum((head.score for head in heads[1:]), heads[0].score) + state.b
        slope, value = loss.derivative(score, y), loss.value(score, y)
        if weight is not None:
            slope, value = slope * weight[block.rows], value * weight[block.rows]
        total += float(value.sum())
        pull_b += float(slope.sum())
        each = segments.spread(slope)
        on_tokens = np.empty((2, len(heads), len(rows)), rows.dtype)
        for k, head in enumerate(heads):
            share = each * head.a
            on_tokens[0, k] = share
            if "q" in moving:
                on_tokens[1, k] = beta * share * (head.seen - segments.spread(head.score))
        pulls[moved] += (on_tokens[moved].reshape(-1, len(rows)) @ rows).reshape(-1, len(heads), d)
    n = len(data.y) if weight is None else 1.0
    pull_w, pull_q = (pulls / n).reshape(2, *shape)
    return Gradient(total / n, pull_q, pull_w, pull_b / n)


@dataclass(frozen=True)
class Together:
    """All parameters as one vector (q, w, b), and the ridge-regularised mean loss of them.

    The ridge applies to q and w alike, to the bias not.
    """

    data: Data
    loss: Loss
    ridge: float
    shape: tuple[int, ...]  # of q, and of w
    beta: float = 1.0
    weight: FloatArray | None = None
    dtype: Any = None

    @staticmethod
    def pack(state: State) -> FloatArray:
        """Return the vector of a state."""
        return np.concatenate([state.q.ravel(), state.w.ravel(), [state.b]])

    def unpack(self, at: FloatArray) -> State:
        """Return the state of a vector."""
        q, w = at[:-1].reshape(2, *self.shape)
        return State(q, w, float(at[-1]))

    def __call__(self, at: FloatArray) -> tuple[float, FloatArray]:
        """Return the objective and its gradient."""
        pull = gradient(
            self.data, self.unpack(at), self.loss, self.beta, weight=self.weight, dtype=self.dtype
        )
        slope = self.pack(State(pull.q, pull.w, pull.b))
        slope[:-1] += self.ridge * at[:-1]
        return pull.loss + 0.5 * self.ridge * float(at[:-1] @ at[:-1]), slope


class Head(NamedTuple):
    """What one query and its readout make of a block."""

    a: FloatArray  # attention on each token
    seen: FloatArray  # ⟨w, x⟩ of each token
    score: FloatArray  # ⟨w, Xᵀa⟩ of each sample


def look(
    rows: Any, segments: Segments, queries: FloatArray, readouts: FloatArray, beta: float
) -> list[Head]:
    """Attend to the tokens of each sample, and read them: one pass over the tokens for all."""
    pairs = list(zip(queries, readouts, strict=True))
    asked = [beta * q for q in queries if q.any()], [w for w in readouts if w.any()]
    logits, seen_by = (iter(part) for part in _along(rows, *asked))
    heads = []
    for q, w in pairs:
        a = segments.softmax(next(logits)) if q.any() else segments.uniform(len(rows))
        seen = next(seen_by) if w.any() else np.zeros(len(rows))
        heads.append(Head(a, seen, segments.dot(a, seen)))
    return heads


def _along(rows: Any, *kinds: list[FloatArray]) -> list[FloatArray]:
    """Return ⟨x, v⟩ of all tokens x for each vector v of every kind."""
    vectors = [vector for kind in kinds for vector in kind]
    if not vectors:
        return [np.zeros((0, len(rows))) for _ in kinds]
    asked = vectors[0] if len(vectors) == 1 else np.stack(vectors, axis=1)
    result = np.ascontiguousarray(project(rows, asked).reshape(len(rows), -1).T)
    return np.split(result, np.cumsum([len(kind) for kind in kinds])[:-1])


def attended(data: Data, state: State, beta: float) -> FloatArray:
    """Return the score of every sample by attention; those of several queries add up."""
    d, result = state.q.shape[-1], np.full(len(data.y), state.b)
    queries, readouts = state.q.reshape(-1, d), state.w.reshape(-1, d)
    for block in data.blocks():
        for head in look(block.table, block.segments, queries, readouts, beta):
            result[block.rows] += head.score
    return result


def features(data: Data, model: Model, q: FloatArray, beta: float) -> Any:
    """Return what the readout sees of each sample: a row of d numbers, or more.

    Those of a model with weights for each token keep the tokens' precision; there are many of them.
    """
    (L, d), n = data.tokens, len(data.y)
    result: Any = None
    for block in data.blocks():
        seen = model.features(block.table, block.segments, q, beta)
        if result is None:
            kind = block.table.dtype if model.fixed_length else float
            result = np.empty((n, model.weights(L) * d), kind)
        result[block.rows] = seen
    return result


def scores(data: Data, model: Model, state: State, beta: float) -> FloatArray:
    """Return the score of every sample; w has as many entries as the model has features."""
    result = np.empty(len(data.y))
    for block in data.blocks():
        F = model.features(block.table, block.segments, state.q, beta)
        result[block.rows] = F @ state.w + state.b
    return result
