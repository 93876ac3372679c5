"""The four stages of training, as pure functions of the data and the parameters so far.

1. `start`: w = q = 0, b = 0.
2. `first_step`: one gradient step of the mean loss on D0 moves b and w.
   If the training is balanced, `balance` then moves b to where the slopes add up to zero.
3. `query_step`: one more moves q only; repeat it for more steps. Or, in place of 2 and 3,
   `scheduled_steps`: each on a fresh batch, moving all at once.
4. `features` of `models.blocks`, then `readout`: with q fixed, (w, b) minimise the
   ridge-regularised loss on D1.

All gradients are those of `models.gradient`.

>>> import numpy as np
>>> import needlescope as ns
>>> from needlescope.models import ATTENTION
>>> from needlescope.models.blocks import Arrays, features
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
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...losses import Loss, get_loss
from ...losses.balance import balancing_shift
from ...models.blocks import Data
from ...models.gradient import State, attention_scores, gradient
from ...solvers.algebra.problem import Fit
from ...solvers.minimise import minimise
from ...training import Training


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


def balance(data: Data, state: State, loss: Loss, beta: float) -> State:
    """Between the stages 2 and 3: move the bias to where the mean slope of the loss is zero."""
    shift = balancing_shift(attention_scores(data, state, beta), data.y, loss)
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
