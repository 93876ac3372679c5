"""Training on explicit tokens: the stages, applied to real arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..models.attention import attend
from ..running.seeds import generator
from ..solvers.problem import Fit
from . import stages
from .end_to_end import train_together
from .error.attention import Readout
from .samples.data import Data, Joined, Tokens, hold, tokens
from .setup import Setup
from .stages import State
from .trained import Trained, Weights, aligned


def train(setup: Setup) -> Trained:
    """Train the classifier of one trial."""
    xi, D0, D1 = _draw(setup)
    first, state, direction = _query(setup, xi, D0)
    if setup.starts:
        data: Data = hold(Joined((D0, D1)))
        rng = generator(setup.stream("starts"))
        state, residual = train_together(data, state, setup.training, setup.starts, rng)
        direction = _unit(state.q)
        scores = stages.scores(data, "attention", state, setup.training.beta)
        fit = Fit(state.w, state.b, scores, residual, 0)
    else:
        data = _readout_data(setup, D0, D1)
        F = stages.features(data, setup.model, state.q, setup.sharpness)
        fit = stages.readout(F, data.y, setup.training)
        state = State(state.q, fit.w, fit.b)
    signals = fit.w.reshape(-1, setup.d) @ xi
    if setup.model != "attention":
        alignment = aligned(setup, xi, None, None)
        return Trained(fit, data.y, signals, None, np.nan, alignment, state, xi)
    alignment = aligned(setup, xi, None if first is None else first.w, state.q)
    look, query_part = _look(setup, state, xi), float(fit.w @ direction)
    return Trained(fit, data.y, signals, look, query_part, alignment, state, xi)


def align(setup: Setup) -> dict[str, float]:
    """Take stages 1 to 3 of one trial and return the realised alignment."""
    xi, D0, _ = _draw(setup)
    first, state = _train_query(setup, D0)
    return aligned(setup, xi, first.w, state.q)


def attention(setup: Setup) -> tuple[Weights, dict[str, float]]:
    """Return the attention weights on fresh positives, block by block, and the alignment."""
    xi, D0, _ = _draw(setup)
    first, state, _ = _query(setup, xi, D0)
    data = Tokens(setup.task, np.ones(setup.n_test), xi, setup.noise, setup.stream("test"))
    beta = setup.sharpness
    weights = (
        (attend(block.table, block.segments, state.q, beta).reshape(len(block.y), -1), marked)
        for block, marked in zip(data.blocks(), data.marks(), strict=True)
    )
    return weights, aligned(setup, xi, None if first is None else first.w, state.q)


def features(setup: Setup) -> tuple[Any, FloatArray]:
    """Return the features and labels that stage 4 of one trial is given."""
    xi, D0, D1 = _draw(setup)
    _, state, _ = _query(setup, xi, D0)
    data = _readout_data(setup, D0, D1)
    return stages.features(data, setup.model, state.q, setup.sharpness), data.y


def _draw(setup: Setup) -> tuple[FloatArray, Data, Data]:
    """Return the signal, D0 and D1; tokens are not made before they are asked for."""
    xi = setup.signal
    xi = generator(setup.stream("signal")).standard_normal(setup.d) if xi is None else xi
    xi = xi / np.linalg.norm(xi)
    D0 = tokens(setup.task, setup.n0, xi, setup.noise, setup.stream("D0"))
    D1 = tokens(setup.task, setup.n1, xi, setup.noise, setup.stream("D1"))
    return xi, D0, D1


def _readout_data(setup: Setup, D0: Data, D1: Data) -> Data:
    if setup.reuse == "D0":
        return D0
    return Joined((D0, D1)) if setup.joins else D1


def _query(setup: Setup, xi: FloatArray, D0: Data) -> tuple[State | None, State, FloatArray]:
    """Return the state after the first step, if any, that with the query, and its direction."""
    start = stages.start(setup.d)
    if setup.model != "attention":
        return None, start, start.q
    if setup.query is None:
        first, state = _train_query(setup, D0)
        return first, state, _unit(state.q)
    kappa, s = setup.query.kappa, setup.query.cosine
    across = generator(setup.stream("query")).standard_normal(setup.d)
    across -= (across @ xi) * xi
    across *= np.sqrt((1.0 - s) * (1.0 + s)) / max(float(np.linalg.norm(across)), 1e-300)
    direction = s * xi + across
    norm = 1.0 if np.isinf(kappa) else kappa / setup.training.beta  # of a hard query any will do
    return None, start._replace(q=norm * direction), direction


def _unit(vector: FloatArray) -> FloatArray:
    """Return the direction of a vector; zero stays zero."""
    norm = float(np.linalg.norm(vector))
    return vector / norm if norm > 0.0 else vector


def _train_query(setup: Setup, D0: Data) -> tuple[State, State]:
    D0 = hold(D0) if setup.holds else D0
    first = state = stages.first_step(D0, stages.start(setup.d), setup.training)
    for _ in range(setup.query_steps):
        state = stages.query_step(D0, state, setup.training)
    return first, state


def _look(setup: Setup, state: State, xi: FloatArray) -> Readout:
    (q, w, b), beta, noise = state, setup.sharpness, setup.noise
    size = float(np.sqrt(noise.covary(q, q)))
    along = noise.covary(w, q) / size if size > 0.0 else 0.0
    across = float(np.sqrt(max(noise.covary(w, w) - along**2, 0.0)))
    tilt = float(q @ xi) / size if np.isinf(beta) else beta * float(q @ xi)
    return Readout(beta * size, tilt, float(w @ xi), along, across, b)
