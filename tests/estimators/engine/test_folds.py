"""Folds: every bag in one of them, both classes in each, the same for the same random state."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.engine.folds import grouped, rarer, stratified

Y = np.where(np.arange(53) % 4 == 0, 1.0, -1.0)  # 14 positives, 39 negatives


def test_the_rarer_class_is_counted_whichever_it_is():
    assert rarer(Y) == rarer(-Y) == 14
    assert rarer(np.ones(3)) == 0


@pytest.mark.parametrize("count", [2, 5])
def test_parts_are_of_both_classes_and_all_bags_together(count):
    parts = stratified(Y, count, np.random.RandomState(0))
    assert len(parts) == count
    assert sorted(place for _, rest in parts for place in rest) == list(range(53))
    for known, rest in parts:
        assert np.array_equal(np.sort(np.concatenate([known, rest])), np.arange(53))
        assert (np.diff(known) > 0).all() and (np.diff(rest) > 0).all()
        assert abs((Y[rest] > 0).sum() - 14 / count) < 1.0
        assert abs((Y[rest] < 0).sum() - 39 / count) < 1.0


def test_a_random_state_decides():
    item, same, other = (
        [rest.tolist() for _, rest in stratified(Y, 5, np.random.RandomState(seed))]
        for seed in (0, 0, 1)
    )
    assert item == same != other


@pytest.mark.parametrize("seed", range(5))
def test_groups_are_in_one_part_and_both_classes_train(seed):
    groups = np.random.default_rng(seed).integers(0, 12, 53)
    parts = grouped(Y, groups, 4, np.random.RandomState(seed))
    assert sorted(place for _, rest in parts for place in rest) == list(range(53))
    for known, rest in parts:
        assert not set(groups[known]) & set(groups[rest])
        assert rarer(Y[known]) > 0 and len(rest)


def test_there_are_as_many_parts_as_groups_of_the_rarer_class():
    groups = np.where(Y > 0.0, np.arange(53) % 8 // 4, np.arange(53))  # positives in two groups
    assert len(grouped(Y, groups, 5, np.random.RandomState(0))) == 2


def test_a_class_in_one_group_cannot_be_held_out():
    with pytest.raises(ValueError, match="all bags of the positive class are in one group"):
        grouped(Y, np.where(Y > 0.0, 0, np.arange(53)), 3, np.random.RandomState(0))
    shared = np.array([0, 0, 1, 1])  # either part would have both classes: this one can
    assert len(grouped(np.array([1.0, -1, 1, -1]), shared, 3, np.random.RandomState(0))) == 2
