"""Products with the features, block by block."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.losses import LOGISTIC
from needlescope.solvers.algebra.products import Products
from needlescope.solvers.minimise import minimise
from needlescope.solvers.smooth import subspace
from tests.solvers.problems import LARGE, relative, sample

COVERS = ("cholesky", "coordinates", "problem")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_in_many_blocks(dtype, monkeypatch):
    monkeypatch.setattr("needlescope.solvers.algebra.products.PRODUCT_BLOCK", 700)
    monkeypatch.setattr("needlescope.solvers.algebra.products.SINGLE_PANEL", 700)
    monkeypatch.setattr("needlescope.solvers.algebra.cholesky.MATRIX_PANEL", 700)
    monkeypatch.setattr(subspace, "MOST_DIRECTIONS", 12)
    monkeypatch.setattr(subspace, "KEPT_DIRECTIONS", 5)
    for shape in LARGE[:2]:
        F, y = sample(*shape, seed=19)
        F = F.astype(dtype)
        for ridge in (0.3, 1e-6):
            fit = minimise(F, y, "logistic", ridge)
            assert relative(F, y, LOGISTIC, ridge, fit) <= 1.01e-9
    products, exact = Products(F), F.astype(float)
    v = np.linspace(-1.0, 1.0, F.shape[1])
    np.testing.assert_allclose(products.forward(v), exact @ v, atol=1e-12)
    z = (exact @ v) ** 2
    np.testing.assert_allclose(products.backward(z), exact.T @ z, rtol=1e-11)
    at, blocks = zip(*((item, block.copy()) for item, block in products.blocks()), strict=True)
    assert len(blocks) > 1 and np.array_equal(np.concatenate(blocks), exact)
    assert [item.start for item in at[1:]] == [item.stop for item in at[:-1]]
