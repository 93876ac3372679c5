"""Samples that are easy to learn, for tests of training."""

from __future__ import annotations

import numpy as np

from needlescope.deep.training.samples import Samples


def samples(n: int = 60, L: int = 3, d: int = 4, seed: int = 0) -> Samples:
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    X = rng.standard_normal((n, L, d))
    X[y > 0, 0, 0] += 4.0
    return Samples.of_array(X, y)
