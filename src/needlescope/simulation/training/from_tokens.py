"""Training on generated tokens."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import FloatArray, project
from ...losses import get_loss
from ...models.blocks import Data, Joined, hold
from ...models.blocks import features as model_features
from ...models.gradient import State, model_scores
from ...models.segments import peak
from ...running.seeds import child, generator
from ...solvers.algebra.problem import Fit
from ..error.attention import ScoreLaw
from ..samples.data import Tokens, tokens
from ..samples.placed import from_whitened, placed, whitened_signal
from . import stages
from .end_to_end import joint_starts, random_starts, train_together
from .specification import Trial
from .trained import TrainedReadout, Weights, aligned


def train(trial: Trial) -> TrainedReadout:
    """Train the classifier of one trial."""
    spec = trial.spec
    xi, D0, D1 = _draw(trial)
    if spec.together:
        first, state = None, stages.start(spec.d)
    else:
        first, state, direction = _query(trial, xi, D0)
    if spec.starts:
        data: Data = hold(D1 if spec.together else Joined((D0, D1)))
        rng = generator(trial.stream("starts"))
        if spec.together:
            begin = joint_starts(xi, float(spec.task.theta), spec.start, spec.starts, rng)
        else:
            begin = [state, *random_starts(state, spec.training, spec.starts - 1, rng)]
        state, residual = train_together(data, begin, spec.training)
        direction = _unit(state.q)
        first = state if spec.together else first
        scores = model_scores(data, spec.model, state, spec.training.beta)
        fit = Fit(state.w, state.b, scores, residual, 0)
    else:
        data = _readout_data(trial, D0, D1)
        F = model_features(data, spec.model, state.q, trial.point.beta)
        fit = stages.readout(F, data.y, spec.training)
        state = State(state.q, fit.w, fit.b)
    signals = fit.w.reshape(-1, spec.d) @ xi.T
    more = (state, xi, *_whitened(trial, xi, fit.w))
    if not spec.model.has_query:
        alignment = aligned(trial, xi, None, None)
        return TrainedReadout(fit, data.y, signals, None, np.nan, alignment, *more)
    alignment = aligned(trial, xi, None if first is None else first.w, state.q)
    score_law, query_part = _score_law(trial, state, xi), float(fit.w @ direction)
    if spec.task.levels is not None:
        query_part = score_law.along
    return TrainedReadout(fit, data.y, signals, score_law, query_part, alignment, *more)


def _whitened(trial: Trial, xi: FloatArray, w: FloatArray) -> tuple[float, float | None]:
    """Return the norms of signal and readout in whitened coordinates, 1 and None without a Σ."""
    spec = trial.spec
    if spec.task.levels is None:
        return 1.0, None
    gain = float(np.linalg.norm(whitened_signal(spec.noise, xi)))
    return gain, float(np.linalg.norm(spec.noise.transform(w.reshape(-1, spec.d))))


def align(trial: Trial) -> dict[str, float]:
    """Take stages 1 to 3 of one trial and return the realised alignment."""
    xi, D0, _ = _draw(trial)
    first, state = _train_query(trial, D0)
    return aligned(trial, xi, first.w, state.q)


def attention(trial: Trial) -> tuple[Weights, dict[str, float]]:
    """Return the attention weights on fresh positives, block by block, and the alignment."""
    spec = trial.spec
    xi, D0, _ = _draw(trial)
    first, state, _ = _query(trial, xi, D0)
    data = Tokens(spec.task, np.ones(spec.n_test), xi, spec.noise, trial.stream("test"))
    weights = (
        (_weights(trial, block.table, state.q), marked, carried)
        for block, marked, carried in data.marked_blocks()
    )
    return weights, aligned(trial, xi, None if first is None else first.w, state.q)


def _weights(trial: Trial, rows: Any, q: FloatArray) -> FloatArray:
    """Return the attention weights on L tokens of each sample."""
    spec = trial.spec
    assert spec.model.weigh is not None
    hard = np.isinf(trial.point.beta)
    logits = project(rows, q if hard else trial.point.beta * q).reshape(-1, spec.task.L)
    return (peak if hard else spec.model.weigh)(logits, 1)


def features(trial: Trial) -> tuple[Any, FloatArray]:
    """Return the features and labels of stage 4 of one trial."""
    xi, D0, D1 = _draw(trial)
    _, state, _ = _query(trial, xi, D0)
    data = _readout_data(trial, D0, D1)
    return model_features(data, trial.spec.model, state.q, trial.point.beta), data.y


def _draw(trial: Trial) -> tuple[FloatArray, Data, Data]:
    """Return the signal, D0 and D1; tokens are generated on demand."""
    xi = _signal(trial)
    D0 = _first_data(trial, xi)
    D1 = tokens(trial.spec.task, trial.point.n1, xi, trial.spec.noise, trial.stream("D1"))
    return xi, D0, D1


def training_sets(trial: Trial) -> tuple[FloatArray, tuple[Data, ...]]:
    """Return the signal, and all data that a classifier is trained on."""
    spec = trial.spec
    xi, D0, D1 = _draw(trial)
    if spec.together or (not spec.trains_query and not spec.joins and spec.reuse != "D0"):
        return xi, (D1,)
    return xi, (D0,) if spec.reuse == "D0" else (D0, D1)


def _signal(trial: Trial) -> FloatArray:
    """Return the direction of the signal, given or random; of several, orthonormal rows."""
    spec, task = trial.spec, trial.spec.task
    rng = generator(trial.stream("signal"))
    if task.levels is not None:
        return placed(task, spec.d, rng)
    if task.signals is None:
        xi = rng.standard_normal(spec.d) if spec.signal is None else spec.signal
        return np.asarray(xi / np.linalg.norm(xi))
    if spec.signal is not None:
        return np.asarray(spec.signal)
    return np.ascontiguousarray(np.linalg.qr(rng.standard_normal((spec.d, task.kinds)))[0].T)


def _first_data(trial: Trial, xi: FloatArray) -> Data:
    """Return D0; with a schedule, its batches one after the other."""
    spec, task = trial.spec, trial.spec.task
    stream = trial.stream("D0")
    if spec.together:
        return Joined(())
    if spec.training.schedule is None:
        return tokens(task, trial.point.n0, xi, spec.noise, stream)
    return Joined(
        tuple(
            tokens(task, n, xi, spec.noise, child(stream, k))
            for k, n in enumerate(trial.point.batches)
        )
    )


def _readout_data(trial: Trial, D0: Data, D1: Data) -> Data:
    if trial.spec.reuse == "D0":
        return D0
    return Joined((D0, D1)) if trial.spec.joins else D1


def _query(trial: Trial, xi: FloatArray, D0: Data) -> tuple[State | None, State, FloatArray]:
    """Return the state after the first step, if any, that with the query, and its direction."""
    spec = trial.spec
    start = stages.start(spec.d)
    if not spec.model.has_query:
        return None, start, start.q
    if spec.query is None:
        first, state = _train_query(trial, D0)
        return first, state, _unit(state.q)
    kappa = spec.query.kappa
    across = generator(trial.stream("query")).standard_normal(spec.d)
    if spec.task.levels is not None:
        xi = whitened_signal(spec.noise, xi)
        xi = xi / np.linalg.norm(xi)
    if spec.query.cosines is None:
        s = spec.query.cosine
        across -= (across @ xi) * xi
        along, left = s * xi, (1.0 - s) * (1.0 + s)
    else:
        across -= (xi @ across) @ xi
        along = np.array(spec.query.cosines) @ xi
        left = max(1.0 - float(along @ along), 0.0)
    across *= np.sqrt(left) / max(float(np.linalg.norm(across)), 1e-300)
    direction = along + across
    norm = 1.0 if np.isinf(kappa) else kappa / spec.training.beta  # of a hard query any will do
    if spec.task.levels is not None:
        direction = from_whitened(spec.noise, direction)
    return None, start._replace(q=norm * direction), direction


def _unit(vector: FloatArray) -> FloatArray:
    """Return the direction of a vector; zero stays zero."""
    norm = float(np.linalg.norm(vector))
    return vector / norm if norm > 0.0 else vector


def _train_query(trial: Trial, D0: Data) -> tuple[State, State]:
    """Return the state after the first step, whose w is reported, and that after the query steps.

    After a schedule, which moves both at once, they are the same.
    """
    spec = trial.spec
    if isinstance(D0, Joined):
        state = stages.scheduled_steps(D0.parts, stages.start(spec.d), spec.training)
        return state, state
    D0 = hold(D0) if trial.point.holds else D0
    first = stages.first_step(D0, stages.start(spec.d), spec.training)
    if spec.training.balanced:
        first = stages.balance(D0, first, get_loss(spec.training.loss), spec.training.beta)
    state = first
    for _ in range(spec.training.query_steps):
        state = stages.query_step(D0, state, spec.training)
    return first, state


def _score_law(trial: Trial, state: State, xi: FloatArray) -> ScoreLaw:
    """Return the parameters of the law of the score on fresh samples."""
    (q, w, b), beta, noise = state, trial.point.beta, trial.spec.noise
    size = float(np.sqrt(noise.covary(q, q)))
    along = noise.covary(w, q) / size if size > 0.0 else 0.0
    across = float(np.sqrt(max(noise.covary(w, w) - along**2, 0.0)))
    tilt = xi @ q / size if np.isinf(beta) else beta * (xi @ q)
    return ScoreLaw(beta * size, tilt, xi @ w, along, across, b)
