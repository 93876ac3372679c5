"""Bags of which some hold a needle, as a user would label them."""

from __future__ import annotations

import numpy as np


def needles(n=240, L=10, d=20, theta=5.0, seed=0, dtype=float):
    """Bags of the theory's own making; the signal is the first unit vector."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, "needle", "hay")
    X = rng.standard_normal((n, L, d)).astype(dtype)
    positive = np.flatnonzero(y == "needle")
    X[positive, rng.integers(0, L, len(positive)), 0] += theta
    return X, y


def kinds(count, n, rng):
    """Bags with one of so many kinds of signal, each along a feature of its own."""
    y = np.arange(n) % 2
    X = rng.standard_normal((n, 12, 8))
    for k in np.flatnonzero(y):
        X[k, rng.integers(12), rng.integers(count)] += 6.0
    return X, y
