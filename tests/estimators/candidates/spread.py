"""Bags of which the positives differ in how far instances are apart, and in nothing else."""

from __future__ import annotations

import numpy as np


def spread_bags(n=120, L=8, d=3, seed=0):
    """Return bags whose positives have one feature that varies more, and nothing else."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, L, d)), np.where(np.arange(n) % 2, 1.0, -1.0)
    X[y > 0.0, :, 1] *= 2.5
    return X, y
