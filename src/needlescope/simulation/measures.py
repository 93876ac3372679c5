"""The test error of a trained classifier, integrated or counted, and its order parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..arrays import FloatArray, IndexArray
from ..losses import get_loss
from ..models import WITH_QUERY
from ..models.gradient import model_scores
from ..running.seeds import generator
from ..task import Positions, Task
from .error.attention import attention_error
from .error.linear import pooled_error, vectorized_error
from .samples.data import kinds, labels, marks, signal_tokens, tokens
from .training import reduced
from .training.specification import Trial
from .training.trained import TrainedReadout, several_cosines

COUNTED = 1 << 16  # samples of a test set that are drawn at a time


def summarise(trial: Trial, trained: TrainedReadout) -> dict[str, float]:
    """Return training loss and error, and the readout's order parameters."""
    fit, y = trained.fit, trained.y
    norm = float(np.linalg.norm(fit.w)) if trained.norm is None else trained.norm
    law = REDUCED.get(trial.spec.model.name)
    white = trained._replace(signals=trained.signals / trained.gain)
    signal, part, inside = law.parts(trial, white) if law else (np.nan, np.nan, np.nan)
    several = {
        f"signals_{k}": along_signal
        for k, along_signal in enumerate(_along_signals(trial, trained), 1)
    }
    return several | {
        "train_loss": float(np.mean(get_loss(trial.spec.training.loss).value(fit.scores, y))),
        "train_error": float(np.mean(y * fit.scores <= 0.0)),
        "bias": fit.b,
        "signal": signal,
        "norm": norm,
        "cosine": signal / norm if norm > 0.0 else 0.0,
        "query_part": trained.query_part,
        "signal_part": part,
        "rest": float(np.sqrt(max(norm**2 - inside, 0.0))),
    }


def _along_signals(trial: Trial, trained: TrainedReadout) -> list[float]:
    """Return the readout's component along each of several signals."""
    spec, task = trial.spec, trial.spec.task
    if task.signals is None or spec.model.name not in REDUCED:
        return [np.nan] * task.kinds if task.signals else []
    pattern = _directions(task)[1] if spec.model.fixed_length else np.ones(1)
    return [float(item) for item in pattern @ trained.signals]


def _attention_parts(trial: Trial, trained: TrainedReadout) -> tuple[float, float, float]:
    if trial.spec.task.signals is not None:
        return _several_parts(trial, trained, several_cosines(trial, trained.alignment))
    signal, s = float(trained.signals[0]), trained.alignment["cosine_q"]
    across = float(np.sqrt((1.0 - s) * (1.0 + s)))
    part = (signal - s * trained.query_part) / across if across > 1e-9 else 0.0
    return signal, part, trained.query_part**2 + part**2


def _several_parts(
    trial: Trial, trained: TrainedReadout, s: FloatArray
) -> tuple[float, float, float]:
    """Return them where the query has the cosines s with several signals."""
    signals, along = trained.signals[0], trained.query_part
    beside = signals - s * along  # products of w with what is left of each signal beside q̂
    left = np.eye(len(s)) - np.outer(s, s)
    inside = float(beside @ np.linalg.pinv(left, 1e-9) @ beside)
    return float(trial.spec.task.mean_signal @ signals), np.nan, along**2 + inside


def _pooled_parts(trial: Trial, trained: TrainedReadout) -> tuple[float, float, float]:
    if trial.spec.task.signals is not None:
        signals = trained.signals[0]
        return float(trial.spec.task.mean_signal @ signals), np.nan, float(signals @ signals)
    signal = float(trained.signals[0])
    return signal, signal, signal**2


def _vectorized_parts(trial: Trial, trained: TrainedReadout) -> tuple[float, float, float]:
    task = trial.spec.task
    basis, mean = _directions(task)
    inside = float(np.sum((basis @ trained.signals) ** 2))
    if task.signals is not None:
        return float(task.mean_signal @ (mean @ trained.signals)), np.nan, inside
    signal = float(mean @ trained.signals)
    return signal, signal, inside


def _directions(task: Task) -> tuple[FloatArray, FloatArray]:
    """Return the directions of R^L that positions mark, and the direction of their mean."""
    if not isinstance(task.positions, Positions):
        even = np.full(task.L, 1.0 / np.sqrt(task.L))
        return even[None], even
    patterns = task.positions.patterns(task.L)
    _, size, rows = np.linalg.svd(patterns, full_matrices=False)
    mean = np.array(task.positions.probabilities) @ patterns
    return rows[size > 1e-10 * size[0]], mean / np.linalg.norm(mean)


def error_rate(trial: Trial, trained: TrainedReadout) -> tuple[float, float]:
    """Return the test error, and the standard error of its integral or its count."""
    rng = generator(trial.stream("test"))
    if trial.spec.test == "sampled":
        wrong = _sampled(trial, trained, rng)
        error = float(wrong.mean())
        return error, float(np.sqrt(error * (1.0 - error) / len(wrong)))
    return REDUCED[trial.spec.model.name].error(trial, trained, rng)


def _attention_error(
    trial: Trial, trained: TrainedReadout, rng: np.random.Generator
) -> tuple[float, float]:
    spec = trial.spec
    assert trained.score_law is not None and spec.model.weigh is not None
    return attention_error(spec.test_task, trained.score_law, spec.noise, rng, spec.model.weigh)


def _pooled_error(
    trial: Trial, trained: TrainedReadout, rng: np.random.Generator
) -> tuple[float, float]:
    fit, noise = trained.fit, trial.spec.noise
    spread = float(np.sqrt(noise.covary(fit.w, fit.w)))
    task, signals = trial.spec.test_task, np.ravel(trained.signals)
    errors = [pooled_error(task, float(signal), spread, fit.b, noise) for signal in signals]
    return float(_shares(task) @ errors), 0.0


def _vectorized_error(
    trial: Trial, trained: TrainedReadout, rng: np.random.Generator
) -> tuple[float, float]:
    task, fit, noise = trial.spec.test_task, trained.fit, trial.spec.noise
    deviation = float(np.linalg.norm(fit.w))
    if not noise.standard:
        W = fit.w.reshape(task.L, -1)
        deviation = float(np.sqrt(noise.token_variance(noise.transform(W).T).sum()))
    rows = trained.signals.T.reshape(task.kinds, -1)
    result = np.array([vectorized_error(task, row, deviation, fit.b, rng) for row in rows])
    shares = _shares(task)
    return float(shares @ result[:, 0]), float(np.linalg.norm(shares * result[:, 1]))


def _shares(task: Task) -> FloatArray:
    """Return the weight of each signal among the positives."""
    return np.ones(1) if task.signals is None else np.array(task.signals)


def _sampled(trial: Trial, trained: TrainedReadout, rng: np.random.Generator) -> IndexArray:
    """Return which of ``n_test`` fresh samples get the wrong sign."""
    spec = trial.spec
    task, n = spec.test_task, spec.n_test
    if trained.state is not None and trained.xi is not None:
        data = tokens(task, n, trained.xi, spec.noise, trial.stream("test"))
        scores = model_scores(data, spec.model, trained.state, trial.point.beta)
        return np.asarray(data.true_labels * scores <= 0.0)
    parts = [
        _wrong_by_law(trial, trained, min(COUNTED, n - first), rng)
        for first in range(0, n, COUNTED)
    ]
    return np.concatenate(parts)


def _wrong_by_law(
    trial: Trial, trained: TrainedReadout, n: int, rng: np.random.Generator
) -> IndexArray:
    """Return the same for n samples of the reduced law."""
    y = labels(trial.spec.test_task, n, rng)
    mean, deviation = REDUCED[trial.spec.model.name].scores(trial, trained, y, rng)
    scores = mean + deviation * rng.standard_normal(n) + trained.fit.b
    return np.asarray(y * scores <= 0.0)


Scores: TypeAlias = "tuple[FloatArray, float | FloatArray]"


def _attention_scores(
    trial: Trial, trained: TrainedReadout, y: FloatArray, rng: np.random.Generator
) -> Scores:
    spec = trial.spec
    task, at = spec.test_task, trained.score_law
    assert at is not None and spec.model.weigh is not None
    carried = kinds(task, len(y), rng)
    cosine: Any = trained.alignment["cosine_q"]
    signal = trained.signals[0]
    if carried is not None:
        cosine, signal = several_cosines(trial, trained.alignment)[carried], signal[carried]
    a, mass, along = reduced.attention_scalars(task, y, at.kappa, cosine, rng, spec.model.weigh)
    lift = task.theta * (y > 0.0)
    return lift * mass * signal + at.along * along, at.across * np.sqrt(a)


def _pooled_scores(
    trial: Trial, trained: TrainedReadout, y: FloatArray, rng: np.random.Generator
) -> Scores:
    task = trial.spec.test_task
    carried = kinds(task, len(y), rng)
    signal = trained.signals[0] if carried is None else trained.signals[0][carried]
    mean = task.theta * signal_tokens(task, y, rng) / task.L * signal
    return mean, float(np.linalg.norm(trained.fit.w)) / float(np.sqrt(task.L))


def _vectorized_scores(
    trial: Trial, trained: TrainedReadout, y: FloatArray, rng: np.random.Generator
) -> Scores:
    task = trial.spec.test_task
    place, carried = marks(task, len(y), rng), kinds(task, len(y), rng)
    if carried is None:
        marked = place.total(trained.signals[place.tokens])
    else:
        marked = place.total(trained.signals[place.tokens, carried[:, None]])
    return task.theta * (y > 0.0) * marked, float(np.linalg.norm(trained.fit.w))


class ReducedModel(NamedTuple):
    """What can be computed for a trained model without its tokens.

    Attributes
    ----------
    parts
        ⟨w, signal⟩, its part beside the query, and ‖w‖² within the special directions.
    error
        The test error, as an integral, and its standard error.
    scores
        Mean and deviation of the scores of fresh samples.
    """

    parts: Callable[[Trial, TrainedReadout], tuple[float, float, float]]
    error: Callable[[Trial, TrainedReadout, np.random.Generator], tuple[float, float]]
    scores: Callable[[Trial, TrainedReadout, FloatArray, np.random.Generator], Scores]


ATTENDING = ReducedModel(_attention_parts, _attention_error, _attention_scores)
REDUCED: dict[str, ReducedModel] = {
    **dict.fromkeys(WITH_QUERY, ATTENDING),
    "pooled": ReducedModel(_pooled_parts, _pooled_error, _pooled_scores),
    "vectorized": ReducedModel(_vectorized_parts, _vectorized_error, _vectorized_scores),
}
"""The models that are tested without tokens; others are tested on generated tokens."""
