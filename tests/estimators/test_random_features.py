"""Random nonlinear features, before a classifier."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from needlescope.estimators import AttentionClassifier, RandomFeatures


def rings(n, seed):
    """Needles whose length, not their direction, is unusual."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, 6, 3)).astype(np.float32)
    X /= np.linalg.norm(X, axis=2, keepdims=True)
    X[y == 1, 0] *= 2.5
    return X, y


def test_they_show_what_no_direction_does():
    (X, y), test = rings(300, 0), rings(400, 1)
    plain = AttentionClassifier(random_state=0)
    assert plain.fit(X, y).score(*test) < 0.8
    assert make_pipeline(RandomFeatures(random_state=0), clone(plain)).fit(X, y).score(*test) > 0.9


def test_inner_products_are_a_gaussian_kernel():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 1, 4))
    found = RandomFeatures(count=20_000, random_state=0).fit(X).transform(X[:3])
    z, waves = found.instances[:, :4], found.instances[:, 4:]
    kernel = 2.0 * waves @ waves.T / 20_000
    distance = ((z[:, None] - z[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(kernel, np.exp(-distance / (2.0 * 4)), atol=0.03)


def test_same_for_the_same_random_state_and_precision_kept():
    X, _ = rings(20, 0)
    one, other = (RandomFeatures(5, random_state=2).fit(X).transform(X) for _ in range(2))
    np.testing.assert_array_equal(one.instances, other.instances)
    assert one.instances.dtype == np.float32 and one.d == 8


@pytest.mark.parametrize("change", [{"count": 0}, {"count": 2.5}, {"sharpness": 0.0}])
def test_refusals(change):
    with pytest.raises(ValueError, match=f"{next(iter(change))} must be"):
        RandomFeatures(**change).fit(np.zeros((3, 2, 1)))
    with pytest.raises(ValueError, match="X has 3 features, but RandomFeatures is expecting 1"):
        RandomFeatures().fit(np.zeros((3, 2, 1))).transform(np.zeros((2, 2, 3)))
