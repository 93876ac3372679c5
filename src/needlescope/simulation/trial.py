"""One trial: draw the data, train, test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import numpy as np

from ..errors import NoMinimiser, NotConverged
from ..solvers.separation.separable import separability
from .measures import error_rate, summarise
from .training import from_law, from_tokens
from .training.specification import Trial
from .training.trained import each_of
from .training.whitening import whitened_trial


def run_trial(trial: Trial) -> dict[str, float]:
    """Train and test once; return the trial's numbers by name."""
    with _named(trial):
        if trial.spec.whitening is not None:
            trial = whitened_trial(trial)
        trained = _source(trial).train(trial)
    error, numeric = error_rate(trial, trained)
    return {
        "test_error": error,
        "test_error_numeric": numeric,
        **summarise(trial, trained),
        **trained.alignment,
        "residual": trained.fit.residual,
    }


def align_trial(trial: Trial) -> dict[str, float]:
    """Take the two steps once; return the realised alignment."""
    result: dict[str, float] = _source(trial).align(trial)
    return result


def focus_trial(trial: Trial) -> dict[str, float]:
    """Train the query once; return its attention in fresh positive samples."""
    task = trial.spec.task
    weights, alignment = _source(trial).attention(trial)
    R, others = task.mean_count, task.L - task.mean_count
    count = mass = largest = 0.0
    each = np.zeros((2, task.kinds))  # mass and number of positives of each signal
    for a, marked, carried in weights:  # (m, L) weights, signal tokens and signals of m positives
        owner, token = marked.pairs
        count += len(a)
        on_signal = a[owner, token]
        mass += float(on_signal.sum())
        if carried is not None:
            each[0] += np.bincount(carried[owner], on_signal, task.kinds)
            each[1] += np.bincount(carried, None, task.kinds)
        top = a == a.max(axis=1, keepdims=True)  # of equal weights each counts in part
        largest += float((top[owner, token] / top.sum(axis=1)[owner]).sum())
    several = {}
    if task.signals is not None:
        item = np.divide(each[0], R * each[1], out=np.full(task.kinds, np.nan), where=each[1] > 0)
        several = dict(zip(each_of("signals", trial), item.tolist(), strict=True))
    return several | {
        "signal": mass / (count * R),
        "noise": (1.0 - mass / count) / others if others else np.nan,
        "largest": largest / count,
        "kappa": alignment["kappa"],
        "cosine_q": alignment["cosine_q"],
    }


def separate_trial(trial: Trial) -> dict[str, float]:
    """Draw the training data once; return whether they are separable, and if that is proven.

    A negative without proof means that no margin above rounding exists.
    """
    with _named(trial):
        answer = separability(*_source(trial).features(trial))
    return {"separable": float(answer.separable), "proven": float(answer.proven)}


def _source(trial: Trial) -> ModuleType:
    return from_tokens if trial.spec.sampler == "tokens" else from_law


@contextmanager
def _named(trial: Trial) -> Iterator[None]:
    """Add to an error which trial of which problem failed."""
    spec = trial.spec
    try:
        yield
    except (NoMinimiser, NotConverged) as failure:
        number = trial.seed.spawn_key[-1] if trial.seed.spawn_key else 0
        where = (
            f"trial {number} of {spec.model.name} at d={spec.d}, n={trial.point.n}, {spec.task!r}"
        )
        raise type(failure)(f"{failure} (in {where}, {spec.training!r})") from None
