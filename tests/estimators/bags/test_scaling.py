"""Standardising and whitening, in one pass and on the training part only."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import Bags
from needlescope.estimators.bags.moments import chunks
from needlescope.estimators.bags.scaling import fit_scaling, no_scaling


def ragged(n=300, d=4, dtype=float, seed=0):
    rng = np.random.default_rng(seed)
    mix = rng.standard_normal((d, d))
    parts = [rng.standard_normal((rng.integers(1, 6), d)) @ mix + 5.0 for _ in range(n)]
    return Bags.from_list([part.astype(dtype) for part in parts])


def everything(bags, weight):
    share = np.repeat(weight / bags.lengths, bags.lengths)
    return bags.instances.astype(float), share / share.sum()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shrinkage", [1.0, 0.3, 1e-6])
def test_moments_after_scaling(dtype, shrinkage, monkeypatch):
    monkeypatch.setattr("needlescope.estimators.bags.moments.CHUNK", 97)
    bags = ragged(dtype=dtype)
    weight = np.random.default_rng(1).random(len(bags))
    scaling = fit_scaling(bags, np.arange(len(bags)), weight, shrinkage)
    Z = scaling.apply(bags.instances)
    assert Z.dtype == dtype
    Z, share = everything(Bags(Z, bags.starts), weight)
    np.testing.assert_allclose(share @ Z, 0.0, atol=2e-5)
    C = (Z * share[:, None]).T @ Z
    if shrinkage == 1.0:
        np.testing.assert_allclose(np.diag(C), 1.0, atol=1e-4)
        assert np.abs(C - np.eye(4)).max() > 0.1
    elif shrinkage < 1e-3:
        np.testing.assert_allclose(C, np.eye(4), atol=2e-3)
    else:
        size = np.abs(np.linalg.eigvalsh(C))
        raw, share = everything(bags, weight)
        before = np.cov(raw.T, aweights=share)
        before /= np.sqrt(np.outer(np.diag(before), np.diag(before)))
        assert size.max() / size.min() < np.linalg.cond(before)


def test_only_the_bags_used_count():
    bags = ragged()
    used = np.arange(0, 300, 3)
    some = fit_scaling(bags, used, np.ones(100), 1.0)
    alone = fit_scaling(bags[used], np.arange(100), np.ones(100), 1.0)
    np.testing.assert_allclose(some.centre, alone.centre)
    np.testing.assert_allclose(some.scale, alone.scale)


@pytest.mark.parametrize("shrinkage", [1.0, 0.2])
def test_constant_features_are_only_centred(shrinkage):
    X = np.random.default_rng(0).standard_normal((40, 3, 3)).astype(np.float32)
    X[..., 1] = 1234.5
    scaling = fit_scaling(Bags.from_array(X), np.arange(40), np.ones(40), shrinkage)
    Z = scaling.apply(X.reshape(-1, 3))
    assert np.isfinite(Z).all()
    np.testing.assert_allclose(Z[:, 1], 0.0, atol=1e-2)


def test_a_large_mean_does_not_drown_the_spread():
    X = np.random.default_rng(0).standard_normal((200, 3, 2)) + 1e7
    scaling = fit_scaling(Bags.from_array(X), np.arange(200), np.ones(200), 1.0)
    assert scaling.apply(X.reshape(-1, 2)).std(axis=0) == pytest.approx([1.0, 1.0], rel=1e-6)


def test_no_scaling_leaves_instances_alone():
    X = np.random.default_rng(0).standard_normal((5, 2))
    np.testing.assert_array_equal(no_scaling(2).apply(X), X)


def test_chunks_keep_order_and_lose_nothing():
    bags = ragged(n=50)
    used = np.arange(3, 47)
    result = chunks(bags, used, 40)
    assert np.concatenate(result).tolist() == used.tolist()
    assert len(result) > 5


@pytest.mark.parametrize(
    ("mean", "deviation", "kind"), [(300.0, 1e-3, np.float32), (1e6, 1e-8, np.float64)]
)
def test_small_changes_of_large_numbers_are_scaled(mean, deviation, kind):
    X = mean + deviation * np.random.default_rng(0).standard_normal((100, 4, 3))
    bags = Bags.from_array(X.astype(kind))
    result = fit_scaling(bags, np.arange(100), np.full(100, 0.01), 1.0)
    assert result.scale == pytest.approx(1.0 / deviation, rel=0.1)


def test_rounding_is_not_scaled():
    X = np.nextafter(np.float32(300.0), np.where(np.arange(24) % 2, np.inf, 0.0), dtype=np.float32)
    bags = Bags.from_array(X.reshape(6, 2, 2))
    assert fit_scaling(bags, np.arange(6), np.full(6, 1 / 6), 1.0).scale.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("shrinkage", [1.0, 0.5])
def test_many_instances_in_single_precision_are_scaled_as_few_are(shrinkage):
    """A sum of a million numbers in single precision is off by more than they differ."""
    rng = np.random.default_rng(0)
    X = (300.0 + 1e-3 * rng.standard_normal((10_000, 100, 2))).astype(np.float32)
    bags, count = Bags.from_array(X), 10_000
    result = fit_scaling(bags, np.arange(count), np.full(count, 1.0 / count), shrinkage)
    scaled = result.apply(X[:200].reshape(-1, 2))
    assert scaled.std(axis=0) == pytest.approx([1.0, 1.0], rel=0.05)
    assert scaled.mean(axis=0) == pytest.approx([0.0, 0.0], abs=0.05)


def test_whitening_of_too_many_features_is_refused():
    bags = Bags.from_array(np.zeros((2, 1, 10_001), np.float32))
    with pytest.raises(ValueError, match="at most 10000 features, got 10001; pass shrinkage=1"):
        fit_scaling(bags, np.arange(2), np.ones(2), 0.5)
