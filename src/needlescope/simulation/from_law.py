"""Training on the reduced law: the same trial without its tokens, in a basis of its own."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray
from ..running.seeds import generator
from . import reduced, stages
from .error.attention import Readout
from .samples.data import labels
from .setup import Setup
from .trained import Trained, Weights, aligned


def train(setup: Setup) -> Trained:
    """Train the classifier of one trial."""
    alignment = _alignment(setup)
    kappa, s = _seen(setup, alignment)
    F, y = _features(setup, kappa, s)
    fit = stages.readout(F, y, setup.training)
    if setup.model != "attention":
        signals = fit.w[: setup.task.L if setup.model == "vectorized" else 1]
        return Trained(fit, y, signals, None, np.nan, alignment)
    along = float(fit.w[0])
    beside = float(fit.w[1]) if setup.d > 1 else 0.0
    signal = s * along + float(np.sqrt((1.0 - s) * (1.0 + s))) * beside
    tilt = s if np.isinf(kappa) else kappa * s
    look = Readout(kappa, tilt, signal, along, float(np.linalg.norm(fit.w[1:])), fit.b)
    query_part = along if kappa > 0.0 or setup.query is not None else 0.0
    return Trained(fit, y, np.array([signal]), look, query_part, alignment)


def align(setup: Setup) -> dict[str, float]:
    """Take stages 1 to 3 of one trial and return the realised alignment."""
    rng = generator(setup.stream("D0"))
    y = labels(setup.task, setup.n0, rng)
    first, means = reduced.first_step(setup.task, setup.training, y, setup.d, rng)
    state = reduced.query_step(setup.task, setup.training, first, means, rng)
    return aligned(setup, np.eye(1, setup.d)[0], first.w, state.q)


def attention(setup: Setup) -> tuple[Weights, dict[str, float]]:
    """Return the attention weights on fresh positives, some at a time, and the alignment."""
    alignment = _alignment(setup)
    rng, marked = generator(setup.stream("test")), np.arange(setup.task.R)
    blocks = reduced.attention_weights(
        setup.task, np.ones(setup.n_test), *_seen(setup, alignment), rng
    )
    return ((a, np.tile(marked, (len(a), 1))) for _, _, a in blocks), alignment


def features(setup: Setup) -> tuple[FloatArray, FloatArray]:
    """Return the features and labels that stage 4 of one trial is given."""
    return _features(setup, *_seen(setup, _alignment(setup)))


def _alignment(setup: Setup) -> dict[str, float]:
    if setup.model == "attention" and setup.query is None:
        return align(setup)
    return aligned(setup, np.zeros(0), None, None)


def _seen(setup: Setup, alignment: dict[str, float]) -> tuple[float, float]:
    """Return κ and the cosine of the first basis vector: free where a trained query is zero.

    In one dimension that vector is the signal's, whatever became of the query.
    """
    kappa, cosine = alignment["kappa"], alignment["cosine_q"]
    return kappa, 1.0 if setup.d == 1 and cosine == 0.0 else cosine


def _features(setup: Setup, kappa: float, cosine: float) -> tuple[FloatArray, FloatArray]:
    task, d, rng = setup.task, setup.d, generator(setup.stream("D1"))
    y = labels(task, setup.n, rng)
    if setup.model == "attention":
        return reduced.attention_features(task, y, d, kappa, cosine, rng), y
    if setup.model == "pooled":
        return reduced.pooled_features(task, y, d, rng), y
    return reduced.vectorized_features(task, y, d, rng), y
