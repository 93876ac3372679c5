"""One trial as a competent user would script it: NumPy for the data, scikit-learn for the readout.

The package under test is not imported. Arrays in double precision, whole data sets in memory, BLAS
for every product; the readout by the fastest scikit-learn solver that reaches the gradient norm
asked (L-BFGS stops short of it).
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression


class Trial(NamedTuple):
    """What a trial measures; the test error is NaN if no test set was asked for."""

    cosine: float
    train_loss: float
    test_error: float
    gradient: float


def sample(rng: np.random.Generator, n: int, L: int, d: int, theta: float, pi: float) -> Any:
    """Draw n samples with one signal token each; the signal is the first unit vector."""
    y = np.where(rng.random(n) < pi, 1.0, -1.0)
    X = rng.standard_normal((n, L, d))
    X[np.arange(n), rng.integers(0, L, n), 0] += theta * (y > 0)
    return X, y


def features(X: Any, q: Any) -> Any:
    """Return the attention features of each sample."""
    a = X @ q
    a = np.exp(a - a.max(axis=1, keepdims=True))
    a /= a.sum(axis=1, keepdims=True)
    return np.einsum("nl,nld->nd", a, X)


def gradient(F: Any, y: Any, ridge: float, w: Any, b: float) -> float:
    """Return the gradient's norm relative to its norm at zero."""

    def norm(w: Any, b: float) -> float:
        slope = -y * expit(-y * (F @ w + b)) / len(y)
        return float(np.linalg.norm(np.append(slope @ F + ridge * w, slope.sum())))

    return norm(w, b) / norm(0.0 * w, 0.0)


def fit(F: Any, y: Any, ridge: float, solver: str = "newton-cg", tol: float = 1e-10) -> Any:
    """Fit a ridge-regularised logistic regression."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some solvers warn that they stopped short: we measure it
        model = LogisticRegression(C=1.0 / (ridge * len(y)), solver=solver, tol=tol, max_iter=10**4)
        return model.fit(F, y)


def trial(
    seed: int,
    *,
    L: int = 10,
    d: int = 1000,
    theta: float = 5.0,
    pi: float = 0.5,
    alpha0: float = 4.0,
    alpha1: float = 4.0,
    ridge: float = 1e-2,
    n_test: int = 0,
) -> Trial:
    """Train attention by two gradient steps and a readout; unit steps on w and b, 10 on q."""
    rng = np.random.default_rng(seed)
    X, y = sample(rng, int(alpha0 * d), L, d, theta, pi)
    n = len(y)
    b, w = 0.5 * y.mean(), 0.5 * (y @ X.mean(axis=1)) / n
    seen = X @ w
    mean = seen.mean(axis=1)
    slope = -y * expit(-y * (mean + b))
    weights = slope[:, None] * (seen - mean[:, None])
    q = -10.0 / (n * L) * (weights.ravel() @ X.reshape(n * L, d))
    del X
    X, y = sample(rng, int(alpha1 * d), L, d, theta, pi)
    F = features(X, q)
    del X
    model = fit(F, y, ridge)
    w, b = model.coef_[0], float(model.intercept_[0])
    loss = np.logaddexp(0.0, -y * (F @ w + b)).mean()
    error = np.nan
    if n_test:
        X, z = sample(rng, n_test, L, d, theta, pi)
        error = float(np.mean(z * (features(X, q) @ w + b) <= 0))
    residual = gradient(F, y, ridge, w, b)
    return Trial(float(q[0] / np.linalg.norm(q)), float(loss), error, residual)
