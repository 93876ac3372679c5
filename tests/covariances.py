"""Covariances: without structure, and of tokens that forget those before them."""

from __future__ import annotations

import numpy as np


def spread(d: int, seed: int = 0) -> np.ndarray:
    """A covariance with no structure."""
    root = np.random.default_rng(seed).standard_normal((d, d + 2))
    return root @ root.T / d


def ar1(L: int, rho: float) -> np.ndarray:
    tokens = np.arange(L)
    return rho ** np.abs(tokens[:, None] - tokens)
