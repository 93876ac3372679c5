"""Statistics of bags: those of NumPy, of bags of any size and in any order."""

from __future__ import annotations

import numpy as np

from needlescope.estimators.engine.bag_statistics import (
    covariances,
    mean_instances,
    summaries,
    summarise,
)
from needlescope.models.blocks import Arrays
from needlescope.models.segments import Even, Ragged
from tests.estimators.engine.fits import BAGS, N, prepared


def test_summaries_are_those_of_numpy():
    X = np.random.default_rng(0).standard_normal((5, 4, 3))
    parts = X.mean(axis=1), X.max(axis=1), X.min(axis=1), X.std(axis=1)
    np.testing.assert_allclose(summarise(X.reshape(-1, 3), Even(4)), np.hstack(parts), atol=1e-14)


def test_bags_of_several_sizes():
    rows = np.random.default_rng(0).standard_normal((7, 2)).astype(np.float32)
    result = summarise(rows, Ragged.at(np.array([0, 1, 7])))
    for own, bag in zip(result, (rows[:1], rows[1:]), strict=True):
        wide = bag.astype(float)
        parts = wide.mean(axis=0), wide.max(axis=0), wide.min(axis=0), wide.std(axis=0)
        np.testing.assert_allclose(own, np.concatenate(parts), atol=1e-6)


def test_summaries_of_many_bags_in_order():
    rng, y = np.random.default_rng(0), np.tile([-1.0, 1.0], 3)
    X = rng.standard_normal((6, 8, 3))
    X[y > 0.0, :, 1] *= 2.5
    result = summaries(Arrays(X, y))
    np.testing.assert_array_equal(result[2:4], summaries(Arrays(X[2:4], y[2:4])))


def test_means_and_covariances_are_those_of_numpy(small_blocks):
    """Also with shares of either sign, and of none, in several blocks."""
    data, share = prepared(), np.random.default_rng(0).standard_normal(N)
    share[:9] = 0.0
    assert len(list(data.blocks())) > 5
    means = mean_instances(data)
    np.testing.assert_allclose(means, [bag.mean(axis=0) for bag in BAGS])
    wanted = sum(c * np.cov(bag.T, bias=True) for c, bag in zip(share, BAGS, strict=True))
    np.testing.assert_allclose(covariances(data, share, means), wanted, atol=1e-10)
