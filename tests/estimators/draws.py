"""Bags of the theory's own model, and simpler ones with a needle in the first instance."""

from __future__ import annotations

import numpy as np


def draw(task, d, n, seed=0, noise=None):
    """Bags of the theory's own model; returns the hidden direction too."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < task.pi).astype(int)
    xi = rng.standard_normal(d)
    xi /= np.linalg.norm(xi)
    X = rng.standard_normal((n, task.L, d)) if noise is None else noise(rng, (n, task.L, d))
    for k in np.flatnonzero(y):
        X[k, rng.permutation(task.L)[: task.R]] += task.theta * xi
    return X, y, xi


def loud_directions(count, times):
    """Noise that is larger along some directions, hidden by a rotation."""

    def noise(rng, size):
        d = size[-1]
        scale = np.where(np.arange(d) < count, times, 1.0)
        return (rng.standard_normal(size) * scale) @ np.linalg.qr(rng.standard_normal((d, d)))[0]

    return noise


def needles(n=100, L=6, d=4, theta=4.0, seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, L, d)), np.arange(n) % 2
    X[y == 1, 0, 0] += theta
    return X, y


def correlated():
    """Needles among features of other sizes and centres, each with something of all others."""
    X, y = needles()
    mix = np.random.default_rng(1).standard_normal((4, 4))
    return (X @ mix) * [0.1, 1.0, 3.0, 20.0] + [5.0, -3.0, 0.0, 70.0], y
