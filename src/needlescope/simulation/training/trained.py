"""A trained classifier, from tokens or from their reduced law."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...models.gradient import State
from ...solvers.algebra.problem import Fit
from ..error.attention import ScoreLaw
from ..samples.data import Marks
from ..samples.placed import whitened_signal
from .specification import Trial

ALIGNMENT = ("signal_w", "norm_w", "cosine_w", "signal_q", "norm_q", "cosine_q", "kappa")
COSINES = ("cosines_w", "cosines_q")  # with each of several signals


Weights: TypeAlias = "Iterator[tuple[FloatArray, Marks, IndexArray | None]]"
"""Attention weights (m, L) of m positives at a time, which tokens carry the signal, and, where
there are several, which signal."""


class TrainedReadout(NamedTuple):
    """The readout, its fit to the training data, and its projections."""

    fit: Fit
    y: FloatArray  # labels of the training data, flipped ones included
    signals: FloatArray  # ⟨w, ξ⟩; for a flat readout ⟨W_l, ξ⟩ for each token; × several signals
    score_law: ScoreLaw | None  # of attention
    query_part: float  # ⟨w, q̂⟩
    alignment: dict[str, float]
    state: State | None = None  # in the coordinates of the tokens, where there are tokens
    xi: FloatArray | None = None
    gain: float = 1.0  # ‖R⁻¹ξ‖, the norm of the signal in whitened coordinates
    norm: float | None = None  # √(wᵀΣw), where the task has a covariance Σ


def aligned(
    trial: Trial, xi: FloatArray, first: FloatArray | None, q: FloatArray | None
) -> dict[str, float]:
    """Return signal, norm and cosine of w after the first step and of the query.

    They are those in whitened coordinates where the task has a covariance.

    With several signals, they refer to the positives' mean signal; the cosines with each are added.
    """
    spec, task = trial.spec, trial.spec.task
    result = dict.fromkeys(ALIGNMENT, np.nan)
    several = task.signals is not None
    if task.levels is not None:
        xi = whitened_signal(spec.noise, xi)
        xi = xi / np.linalg.norm(xi)
        first, q = (None if item is None else spec.noise.transform(item) for item in (first, q))
    if several:
        result |= {item: np.nan for name in COSINES for item in each_of(name, trial)}
    for name, vector in (("w", first), ("q", q)):
        if vector is not None:
            mean = task.mean_signal @ xi if several else xi
            signal, norm = float(vector @ mean), float(np.linalg.norm(vector))
            result[f"signal_{name}"], result[f"norm_{name}"] = signal, norm
            result[f"cosine_{name}"] = float(np.clip(signal / norm, -1, 1)) if norm > 0.0 else 0.0
            if several:
                each = np.clip(xi @ vector / norm, -1, 1) if norm > 0.0 else np.zeros(len(xi))
                result |= zip(each_of(f"cosines_{name}", trial), each.tolist(), strict=True)
    result["kappa"] = spec.training.beta * result["norm_q"]
    if spec.query is not None:  # given, also where q is zero
        kappa, cosine = spec.query.kappa, spec.query.toward(task.mean_signal)
        norm = kappa / spec.training.beta
        result |= {"kappa": kappa, "cosine_q": cosine, "norm_q": norm, "signal_q": norm * cosine}
        if several:
            result |= zip(each_of("cosines_q", trial), spec.query.cosines, strict=True)
    return result


def each_of(name: str, trial: Trial) -> list[str]:
    """Return the names of a number that exists for each of several signals."""
    return [f"{name}_{k}" for k in range(1, trial.spec.task.kinds + 1)]


def several_cosines(trial: Trial, alignment: Mapping[str, float]) -> FloatArray:
    """Return the query's cosine with each of several signals."""
    return np.array([alignment[name] for name in each_of("cosines_q", trial)])
