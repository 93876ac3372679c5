"""Folds: which bags train and which are held out, and the row of every held-out score."""

from __future__ import annotations

import numpy as np

from needlescope.estimators.selection.cv_splits import (
    Rows,
    first_fold,
    held_out,
    restrict_folds,
    scale_together,
)

Y = np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])
N = np.arange(6)


def leave(*held):
    return [(np.setdiff1d(N, part), np.array(part)) for part in held]


def test_bags_held_out_once_have_rows_in_their_own_order():
    folds = leave([0, 3], [1, 4])
    rows = Rows.of(folds, 6)
    assert rows.bag.tolist() == N.tolist() and rows.folds is folds and not rows.repeated
    assert rows.share.tolist() == [1.0] * 6


def test_bags_held_out_again_have_more_rows_of_less_weight():
    rows = Rows.of(leave([0, 3], [1, 4], [0, 5], [0]), 6)
    assert rows.repeated
    for bag, times in enumerate([3, 1, 0, 1, 1, 1]):
        own = rows.bag == bag
        assert own.sum() == times
        assert np.isclose(rows.share[own].sum(), min(times, 1))
    tests = [rows.bag[own].tolist() for _, own in rows.folds]
    assert tests == [[0, 3], [1, 4], [0, 5], [0]]


def test_the_first_fold_has_both_classes():
    rows = Rows.of(leave([0, 1], [2, 3], [4, 5]), 6)
    assert first_fold(rows, Y)[1].tolist() == [2, 3]


def test_two_folds_of_one_class_each_are_joined():
    for held in ([0, 1], [3]), ([3], [4], [0, 1]), ([3], [0, 1], [3], [0, 1]):
        rows = Rows.of(leave(*held), 6)
        known, own = first_fold(rows, Y)
        test = rows.bag[own]
        assert test.tolist() == [0, 1, 3]
        assert known.tolist() == [2, 4, 5]


def test_folds_among_some_bags_have_the_same_bags():
    some = np.array([1, 2, 4, 5])
    ((known, test),) = restrict_folds(leave([0, 4, 5]), some, 6)
    assert some[known].tolist() == [1, 2] and some[test].tolist() == [4, 5]


def test_every_bag_is_held_out_once_and_many_bags_once_in_part(monkeypatch):
    y = np.where(np.random.default_rng(0).random(400) < 0.4, 1.0, -1.0)
    held = [test for _, test in held_out(y, 5, np.random.RandomState(0))]
    assert len(held) == 5 and sorted(np.concatenate(held)) == list(range(len(y)))
    monkeypatch.setattr("needlescope.estimators.selection.cv_splits.MANY", 300)
    monkeypatch.setattr("needlescope.estimators.selection.cv_splits.RARE", 100)
    assert [len(test) for _, test in held_out(y, 5, np.random.RandomState(0))] == [80]


def test_small_parts_share_a_scale_and_none_is_lost():
    parts = np.split(np.arange(57), np.cumsum([1] * 12 + [30, 3]))
    result = scale_together(parts)
    assert np.concatenate(result).tolist() == list(range(57))
    assert min(map(len, result)) >= 10 and len(result) > 2
    assert len(scale_together([np.arange(3)])) == 1
