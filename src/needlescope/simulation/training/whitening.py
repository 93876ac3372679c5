"""Features whitened by the covariance of the very instances that train the classifier.

With S the covariance of all instances of the training data, or of those of negatives, and the
shrinkage ρ, tokens x become Σ̂^{-1/2} x:

    Σ̂ = (1 − ρ) S + ρ (tr S/d) I

Whitening is a change of the task: with M = Σ̂^{-1/2} the noise has the covariance M Σ Mᵀ, and the
signal is θ M ξ. So a trial first draws its data for S, and then trains on the same data in that
task. As rotations of all features change nothing, M is the one for which the root of M Σ Mᵀ that
the tokens are drawn with is lower triangular.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...errors import NoMinimiser
from ...models.blocks import Data
from ...noise import Noise
from .from_tokens import training_sets
from .specification import GridPoint, Trial

AUTO = "auto"
NEGATIVES = "negatives"


def whitened_trial(trial: Trial) -> Trial:
    """Return the trial on whitened features: with another task and noise, and the same draws."""
    spec = trial.spec
    xi, parts = training_sets(trial)
    S, n = covariance(parts, spec.whitening == NEGATIVES)
    M = inverse_root(S, n, spec.shrinkage)
    root = spec.noise.root
    A = M if root is None else M * root if root.ndim == 1 else M @ root
    M, lower = _triangular(M, A)
    xi = M @ xi
    size = float(np.linalg.norm(xi))
    task = spec.task.replace(
        theta=spec.task.theta * size,
        noise=Noise(covariance=lower @ lower.T, token_correlation=spec.noise.token_correlation),
        signal=tuple((xi / size).tolist()),
    )
    noise = task.noise.at_dimension(spec.d)
    moved = replace(spec, task=task, test_task=task, noise=noise, whitening=None)
    return Trial(GridPoint(moved), trial.seed)


def covariance(parts: tuple[Data, ...], negatives: bool = False) -> tuple[FloatArray, int]:
    """Return the covariance of all instances of some data, or of negatives, and their number."""
    total: Any = 0.0
    square: Any = 0.0
    count = 0
    for data in parts:
        for block in data.blocks():
            X = block.X[block.y < 0.0] if negatives else block.X
            rows = X.reshape(-1, X.shape[-1])
            total = total + rows.sum(axis=0, dtype=float)
            square = square + (rows.T @ rows).astype(float)
            count += len(rows)
    if not count:
        raise NoMinimiser("there is no negative bag to whiten by: raise alpha1, or d")
    mean = total / count
    return np.asarray(square / count - np.outer(mean, mean)), count


def inverse_root(S: FloatArray, n: int, shrinkage: Any) -> FloatArray:
    """Return Σ̂^{-1/2} for a covariance of n instances.

    Examples
    --------
    >>> inverse_root(np.diag([4.0, 1.0]), 100, 1.0).round(3)
    array([[0.632, 0.   ],
           [0.   , 0.632]])
    """
    rho = oracle_approximating(S, n) if shrinkage == AUTO else float(shrinkage)
    values, vectors = np.linalg.eigh(S)
    shrunk = (1.0 - rho) * values.clip(0.0) + rho * float(values.mean())
    return np.asarray((vectors / np.sqrt(shrunk)) @ vectors.T)


def oracle_approximating(S: FloatArray, n: int) -> float:
    """Return the shrinkage ρ of Chen, Wiesel, Eldar and Hero (2010), for n Gaussian instances.

    Examples
    --------
    White noise is shrunk to the identity, and a clear spectrum hardly:

    >>> oracle_approximating(np.eye(4), 100)
    1.0
    >>> oracle_approximating(np.diag([9.0, 1.0]), 100)
    0.03125
    """
    d, square, trace2 = len(S), float((S * S).sum()), float(np.trace(S)) ** 2
    apart = (n + 1.0 - 2.0 / d) * (square - trace2 / d)
    pull = (1.0 - 2.0 / d) * square + trace2
    return 1.0 if apart <= pull else pull / apart


def _triangular(M: FloatArray, A: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return both rotated, such that A is lower triangular with a positive diagonal."""
    Q, upper = np.linalg.qr(A[:, ::-1])
    lower = upper[::-1, ::-1]
    sign = np.where(np.diag(lower) < 0.0, -1.0, 1.0)[:, None]
    return sign * (Q[:, ::-1].T @ M), np.tril(sign * lower)
