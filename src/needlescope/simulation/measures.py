"""What a trained classifier is worth: its test error, integrated or counted, and its summary."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import FloatArray, IndexArray
from ..losses import get_loss
from ..running.seeds import generator
from ..task import Positions, Task
from .error.attention import attention_error
from .error.linear import pooled_error, vectorized_error
from .point import Trial
from .samples.data import labels, positions, tokens
from .training import reduced, stages
from .training.trained import Trained

COUNTED = 1 << 16  # samples of a test set that are drawn at a time


def summarise(trial: Trial, trained: Trained) -> dict[str, float]:
    """Return training loss and error, and the readout's order parameters."""
    fit, y = trained.fit, trained.y
    norm = float(np.linalg.norm(fit.w))
    signal, part, inside = _parts(trial, trained)
    return {
        "train_loss": float(np.mean(get_loss(trial.training.loss).value(fit.scores, y))),
        "train_error": float(np.mean(y * fit.scores <= 0.0)),
        "bias": fit.b,
        "signal": signal,
        "norm": norm,
        "cosine": signal / norm if norm > 0.0 else 0.0,
        "query_part": trained.query_part,
        "signal_part": part,
        "rest": float(np.sqrt(max(norm**2 - inside, 0.0))),
    }


def _parts(trial: Trial, trained: Trained) -> tuple[float, float, float]:
    """Return ⟨w, signal⟩, its part beside the query, and ‖w‖² within the special directions."""
    signals = trained.signals
    if trial.model.has_query:
        signal, s = float(signals[0]), trained.alignment["cosine_q"]
        across = float(np.sqrt((1.0 - s) * (1.0 + s)))
        part = (signal - s * trained.query_part) / across if across > 1e-9 else 0.0
        return signal, part, trained.query_part**2 + part**2
    if len(signals) == 1:
        return float(signals[0]), float(signals[0]), float(signals[0]) ** 2
    if not trial.model.fixed_length:  # what a signal leaves in the features is not known here
        return np.nan, np.nan, np.nan
    basis, mean = _directions(trial.task)
    signal = float(mean @ signals)
    return signal, signal, float(np.sum((basis @ signals) ** 2))


def _directions(task: Task) -> tuple[FloatArray, FloatArray]:
    """Return the directions of R^L that positions mark, and the one of their mean."""
    if not isinstance(task.positions, Positions):
        even = np.full(task.L, 1.0 / np.sqrt(task.L))
        return even[None], even
    patterns = task.positions.patterns(task.L)
    _, size, rows = np.linalg.svd(patterns, full_matrices=False)
    mean = np.array(task.positions.probabilities) @ patterns
    return rows[size > 1e-10 * size[0]], mean / np.linalg.norm(mean)


def error_rate(trial: Trial, trained: Trained) -> tuple[float, float]:
    """Return the test error, and the standard error of its integral or its count."""
    rng = generator(trial.stream("test"))
    if trial.test == "sampled":
        wrong = _sampled(trial, trained, rng)
        error = float(wrong.mean())
        return error, float(np.sqrt(error * (1.0 - error) / len(wrong)))
    return EXACT[trial.model.name](trial, trained, rng)


def _attention_error(
    trial: Trial, trained: Trained, rng: np.random.Generator
) -> tuple[float, float]:
    assert trained.look is not None
    return attention_error(trial.test_task, trained.look, trial.noise, rng)


def _pooled_error(trial: Trial, trained: Trained, rng: np.random.Generator) -> tuple[float, float]:
    fit, noise = trained.fit, trial.noise
    spread = float(np.sqrt(noise.covary(fit.w, fit.w)))
    return pooled_error(trial.test_task, float(trained.signals[0]), spread, fit.b, noise), 0.0


def _vectorized_error(
    trial: Trial, trained: Trained, rng: np.random.Generator
) -> tuple[float, float]:
    task, fit, noise = trial.test_task, trained.fit, trial.noise
    deviation = float(np.linalg.norm(fit.w))
    if not noise.standard:
        W = fit.w.reshape(task.L, -1)
        W = W if noise.root is None else W @ noise.root
        deviation = float(np.sqrt(noise.token_variance(W.T).sum()))
    return vectorized_error(task, trained.signals, deviation, fit.b, rng)


EXACT: dict[str, Callable[[Trial, Trained, np.random.Generator], tuple[float, float]]] = {
    "attention": _attention_error,
    "pooled": _pooled_error,
    "vectorized": _vectorized_error,
}
"""The models whose test error is an integral that is known here."""


def _sampled(trial: Trial, trained: Trained, rng: np.random.Generator) -> IndexArray:
    """Return which of ``n_test`` fresh samples get the wrong sign."""
    task, n = trial.test_task, trial.n_test
    if trained.state is not None and trained.xi is not None:
        data = tokens(task, n, trained.xi, trial.noise, trial.stream("test"))
        scores = stages.scores(data, trial.model, trained.state, trial.sharpness)
        return np.asarray(data.y * scores <= 0.0)
    parts = [
        _sampled_scores(trial, trained, min(COUNTED, n - first), rng)
        for first in range(0, n, COUNTED)
    ]
    return np.concatenate(parts)


def _sampled_scores(trial: Trial, trained: Trained, n: int, rng: np.random.Generator) -> IndexArray:
    """Return the same for n samples of the reduced law."""
    task, fit, y = trial.test_task, trained.fit, labels(trial.test_task, n, rng)
    lift = task.theta * (y > 0.0)
    deviation: float | FloatArray = float(np.linalg.norm(fit.w))
    if trained.look is not None:
        at = trained.look
        cosine = trained.alignment["cosine_q"]
        a, mass, along = reduced.attention_scalars(task, y, at.kappa, cosine, rng)
        mean = lift * mass * at.signal + at.along * along
        deviation = at.across * np.sqrt(a)
    elif not trial.model.fixed_length:
        mean = lift * task.R / task.L * trained.signals[0]
        deviation /= float(np.sqrt(task.L))
    else:
        mean = lift * trained.signals[positions(task, n, rng)].sum(axis=1)
    scores = mean + deviation * rng.standard_normal(n) + fit.b
    return np.asarray(y * scores <= 0.0)
