"""The model written out in plain loops, and small data for it."""

from __future__ import annotations

from math import exp

import numpy as np

from needlescope.losses import Loss
from needlescope.models.blocks import Arrays
from needlescope.models.gradient import State

N, L, D, BETA = 9, 4, 3, 1.3
STEP = 1e-5
DIFFERENCES = 1e-8  # rounding 1e-16/1e-5 and STEP² times a third derivative, with room for both


def plain_feature(X: np.ndarray, q: np.ndarray, beta: float) -> list[float]:
    tokens, dims = X.shape
    logits = [beta * sum(X[t, j] * q[j] for j in range(dims)) for t in range(tokens)]
    top = max(logits)
    masses = [exp(logit - top) for logit in logits]
    return [sum(masses[t] * X[t, j] for t in range(tokens)) / sum(masses) for j in range(dims)]


def plain_score(X: np.ndarray, state: State, beta: float) -> float:
    feature = plain_feature(X, state.q, beta)
    return sum(f * w for f, w in zip(feature, state.w, strict=True)) + state.b


def plain_loss(data: Arrays, state: State, loss: Loss, beta: float) -> float:
    values = [
        float(loss.value(np.array(plain_score(X, state, beta)), int(y)))
        for X, y in zip(data.X, data.y, strict=True)
    ]
    return sum(values) / len(values)


def plain_slope(data: Arrays, state: State, loss: Loss, beta: float) -> np.ndarray:
    """The gradient in (q, w, b) by central differences."""
    at, d = np.concatenate([state.q, state.w, [state.b]]), len(state.q)
    slope = []
    for move in STEP * np.eye(2 * d + 1):
        up, down = (
            plain_loss(data, State(x[:d], x[d:-1], x[-1]), loss, beta)
            for x in (at + move, at - move)
        )
        slope.append((up - down) / (2.0 * STEP))
    return np.array(slope)


def sample(n: int = N, seed: int = 0, dtype: type = np.float64) -> Arrays:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    X = rng.standard_normal((n, L, D))
    X[y > 0, 1] += [2.0, 0.0, 1.0]
    return Arrays(X.astype(dtype), y)


STATES = {
    "zero": State(np.zeros(D), np.zeros(D), 0.0),
    "bias": State(np.zeros(D), np.zeros(D), -0.37),
    "readout": State(np.zeros(D), np.array([0.4, -0.3, 0.2]), 0.11),
    "query": State(np.array([0.5, 0.1, -0.7]), np.zeros(D), 0.2),
    "all": State(np.array([0.5, 0.1, -0.7]), np.array([0.4, -0.3, 0.2]), 0.13),
    "large": State(np.array([6.0, -9.0, 4.0]), np.array([-2.1, 1.0, 3.0]), -1.3),
}
