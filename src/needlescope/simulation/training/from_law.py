"""Training on the reduced law: a trial without its tokens, in the basis of the law."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...running.seeds import generator
from ..error.attention import ScoreLaw
from ..samples.data import Marks, flipped, kinds, labels, signal_tokens
from . import reduced, stages
from .specification import Trial
from .trained import TrainedReadout, Weights, aligned, several_cosines


def train(trial: Trial) -> TrainedReadout:
    """Train the classifier of one trial."""
    spec, task = trial.spec, trial.spec.task
    alignment = _alignment(trial)
    kappa, s = _query_law(trial, alignment)
    F, y = _features(trial, kappa, s)
    fit = stages.readout(F, y, spec.training)
    several = task.signals is not None
    if not spec.model.has_query:
        signals = fit.w[: task.kinds * spec.model.weights(task.L)]
        signals = signals.reshape(task.kinds, -1).T if several else signals
        return TrainedReadout(fit, y, signals, None, np.nan, alignment)
    along, signal = float(fit.w[0]), np.zeros(0)
    if several:
        signal = np.array(s) * along + reduced.beside(s) @ fit.w[1 : 1 + task.kinds]
    else:
        beside = float(fit.w[1]) if spec.d > 1 else 0.0
        signal = np.array([s * along + float(np.sqrt((1.0 - s) * (1.0 + s))) * beside])
    tilt = np.array(s) if np.isinf(kappa) else kappa * np.array(s)
    score_law = ScoreLaw(kappa, tilt, signal, along, float(np.linalg.norm(fit.w[1:])), fit.b)
    query_part = along if kappa > 0.0 or spec.query is not None else 0.0
    return TrainedReadout(
        fit, y, signal[None] if several else signal, score_law, query_part, alignment
    )


def align(trial: Trial) -> dict[str, float]:
    """Take stages 1 to 3 of one trial and return the realised alignment."""
    spec, task = trial.spec, trial.spec.task
    rng = generator(trial.stream("D0"))
    y = labels(task, trial.point.n0, rng)
    first, means = reduced.first_step(task, spec.training, y, spec.d, rng)
    if spec.training.balanced:
        first = reduced.balance(task, spec.training, first, means)
    state = reduced.query_step(task, spec.training, first, means, rng)
    basis = np.eye(task.kinds, spec.d)
    return aligned(trial, basis[0] if task.signals is None else basis, first.w, state.q)


def attention(trial: Trial) -> tuple[Weights, dict[str, float]]:
    """Return the attention weights on fresh positives, some at a time, and the alignment."""
    spec = trial.spec
    alignment = _alignment(trial)
    task, rng = spec.task, generator(trial.stream("test"))
    assert spec.model.weigh is not None
    (kappa, cosine), carried = _query_law(trial, alignment), kinds(task, spec.n_test, rng)
    own = cosine if carried is None else cosine[carried]
    tokens = signal_tokens(task, np.ones(spec.n_test), rng)
    blocks = reduced.attention_weights(task, tokens, kappa, own, rng, spec.model.weigh)
    return (
        (a, _first(tokens[rows]), None if carried is None else carried[rows])
        for rows, _, a in blocks
    ), alignment


def _first(tokens: IndexArray) -> Marks:
    """Mark the first ``tokens`` tokens of each sample."""
    carry = reduced.first_tokens(tokens)
    return Marks(np.broadcast_to(np.arange(carry.shape[1]), carry.shape), carry)


def features(trial: Trial) -> tuple[FloatArray, FloatArray]:
    """Return the features and labels of stage 4 of one trial."""
    return _features(trial, *_query_law(trial, _alignment(trial)))


def _alignment(trial: Trial) -> dict[str, float]:
    if trial.spec.trains_query:
        return align(trial)
    return aligned(trial, np.zeros(0), None, None)


def _query_law(trial: Trial, alignment: dict[str, float]) -> tuple[float, Any]:
    """Return κ and the cosine of the first basis vector, which is free if a trained query is zero.

    In one dimension that vector is the signal. With several signals, the cosines with each.
    """
    kappa, cosine = alignment["kappa"], alignment["cosine_q"]
    if trial.spec.task.signals is not None:
        return kappa, several_cosines(trial, alignment)
    return kappa, 1.0 if trial.spec.d == 1 and cosine == 0.0 else cosine


def _features(trial: Trial, kappa: float, cosine: Any) -> tuple[FloatArray, FloatArray]:
    spec = trial.spec
    task, d, rng = spec.task, spec.d, generator(trial.stream("D1"))
    truth = labels(task, trial.point.n, rng)
    F = reduced.FEATURES[spec.model.name](task, truth, d, kappa, cosine, rng)
    return F, flipped(task, truth, rng)
