"""The square loss without a ridge: of all minimisers the one of least norm."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.solvers.minimise import minimise
from tests.solvers.problems import LARGE, SMALL, sample


@pytest.mark.parametrize("shape", SMALL + LARGE, ids=str)
@pytest.mark.parametrize("rank", ["full", "lacking"])
def test_square_without_ridge_is_least_norm(shape, rank):
    F, y = sample(*shape, seed=11)
    if rank == "lacking":
        F[:, -5:] = F[:, :5] @ np.random.default_rng(12).standard_normal((5, 5))
        F[-4:] = F[:4]
    c = np.random.default_rng(13).dirichlet(np.full(shape[0], 5.0))
    mean, level = c @ F, c @ y
    X = np.sqrt(c)[:, None] * (F - mean)
    expected = np.linalg.pinv(X, rcond=1e-11) @ (np.sqrt(c) * (y - level))
    fit = minimise(F, y, "square", 0.0, c)
    size = np.abs(expected).max()
    np.testing.assert_allclose(fit.w, expected, atol=1e-8 * size)
    assert fit.b == pytest.approx(level - expected @ mean, abs=1e-7 * size)
    small = minimise(F, y, "square", 1e-8, c)
    assert np.linalg.norm(small.w) <= np.linalg.norm(fit.w) * (1.0 + 1e-9)
