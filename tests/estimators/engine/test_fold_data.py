"""Bags as one fold sees them: parts, orders, what is kept, and what is known without a pass."""

from __future__ import annotations

import numpy as np

from needlescope.estimators import Bags
from needlescope.estimators.bags.preprocessing import Preprocessor
from needlescope.estimators.bags.scaling import no_scaling
from needlescope.estimators.engine.affine import AffineMap
from needlescope.estimators.engine.bag_statistics import summaries
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.estimators.engine.prepared import PreparedBags
from needlescope.models.blocks import Arrays
from tests.estimators.engine.fits import TRAINED, WEIGHT, D, prepared


def test_a_part_trains_on_some_bags_and_sees_the_same():
    fold = FoldData(prepared(), WEIGHT, AffineMap(np.ones(D), np.full(D, 2.0)), fold_id=3)
    places = np.flatnonzero(TRAINED)[::2]
    part = fold.part(places)
    assert part.data is fold.data and part.view is fold.view and part.fold_id == 3
    np.testing.assert_array_equal(np.flatnonzero(part.in_training), places)
    np.testing.assert_allclose(part.weight[places], WEIGHT[places] / WEIGHT[places].sum())
    np.testing.assert_array_equal(part.means, fold.means)


def test_scores_are_put_in_the_order_of_the_bags():
    fold = FoldData(prepared(), WEIGHT)
    np.testing.assert_array_equal(fold.in_order(WEIGHT), WEIGHT)
    order = np.random.default_rng(0).permutation(len(WEIGHT))
    fold.order = order
    np.testing.assert_array_equal(fold.in_order(WEIGHT[order]), WEIGHT)


def test_what_is_cached_is_of_one_fold_and_of_no_part_of_it():
    fold = FoldData(prepared(), WEIGHT)
    fold.cache["query"] = 1
    assert not fold.part(np.flatnonzero(TRAINED)).cache
    assert not FoldData(fold.data, WEIGHT).cache


def test_statistics_are_of_the_instances_if_nothing_else_is_known():
    X = np.random.default_rng(0).standard_normal((6, 7, 3))
    weight, share = np.full(6, 1 / 6), np.arange(6.0) - 2.0
    plain = FoldData(Arrays(X, np.tile([-1.0, 1.0], 3)), weight)
    np.testing.assert_allclose(plain.means, X.mean(axis=1))
    np.testing.assert_allclose(plain.summaries, summaries(plain.data))
    covariance = sum(c * np.cov(bag.T, bias=True) for c, bag in zip(share, X, strict=True))
    np.testing.assert_allclose(plain.within(share), covariance, atol=1e-12)
    seen = FoldData(plain.data, weight, AffineMap(np.ones(3), np.array([1.0, 2.0, 3.0])))
    scale = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(seen.within(share), covariance * np.outer(scale, scale), atol=1e-12)


def test_precision_is_that_of_the_instances():
    X, y = np.zeros((2, 1, 1)), np.array([-1.0, 1.0])
    assert not FoldData(Arrays(X, y), np.ones(2)).single
    for dtype in (np.float32, np.float64):
        bags = Bags.from_array(X.astype(dtype))
        data = PreparedBags(bags, np.arange(2), y, Preprocessor(no_scaling(1)))
        assert FoldData(data, np.ones(2)).single is (dtype is np.float32)
