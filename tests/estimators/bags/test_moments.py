"""Moments by groups of bags: the sums of some groups are those of their bags."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import Bags
from needlescope.estimators.bags.moments import moments
from needlescope.estimators.bags.scaling import fit_scaling, scaling_of


@pytest.mark.parametrize("shrinkage", [1.0, 0.1])
def test_a_fold_has_the_scaling_of_its_bags(shrinkage, monkeypatch):
    monkeypatch.setattr("needlescope.estimators.bags.moments.CHUNK", 50)  # bags are cut, too
    rng = np.random.default_rng(0)
    bags = Bags.from_list([rng.standard_normal((k, 4)) + 9.0 for k in rng.integers(1, 60, 30)])
    weight, group = rng.random(30), rng.integers(0, 3, 30)
    result = moments(bags, np.arange(30), weight, group, deep=True)
    for groups in ([0], [0, 2], [0, 1, 2]):
        used = np.flatnonzero(np.isin(group, groups))
        wanted = fit_scaling(bags, used, weight[used], shrinkage)
        scaling = scaling_of(result, groups, shrinkage)
        np.testing.assert_allclose(scaling.centre, wanted.centre)
        np.testing.assert_allclose(scaling.scale, wanted.scale, atol=1e-12)
    means = np.stack([bag.mean(axis=0) for bag in bags])
    np.testing.assert_allclose(result.means + result.shift, means)


def test_a_bag_far_out_does_not_blur_the_others():
    """What is held out may be of any size: the others keep their precision."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 5, 3)).astype(np.float32)
    X[7] *= 1e12
    group = (np.arange(20) == 7).astype(int)
    result = scaling_of(
        moments(Bags.from_array(X), np.arange(20), np.ones(20), group, deep=False), [0], 1.0
    )
    rest = np.delete(X, 7, axis=0).reshape(-1, 3).astype(float)
    np.testing.assert_allclose(result.centre, rest.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(1.0 / result.scale, rest.std(axis=0), rtol=1e-5)
