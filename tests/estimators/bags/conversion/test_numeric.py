"""Bags from tables: columns, bags and indices that say enough, and those that do not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from needlescope.estimators import Bags
from needlescope.estimators.bags.bags import as_bags

COVERS = ("metadata", "values")


def same(one, other):
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


def test_frames_of_all_kinds_of_numbers():
    frame = pd.DataFrame({"u": [1.5, 2.0], "v": [True, False], "w": [1, 2]})
    bags = Bags.from_table(frame.astype({"u": "Float64", "w": "Int64"}), [0, 0])
    np.testing.assert_array_equal(bags[0], [[1.5, 1.0, 1.0], [2.0, 0.0, 2.0]])
    same = as_bags([frame[["u", "w"]], frame[["u", "w"]][:1]])
    assert same.names == ["u", "w"] and len(same) == 2
    assert Bags.from_table(pd.DataFrame({7: [1, 2], "u": [0.5, 0.5]}), 7).ids.tolist() == [1, 2]
    nullable = as_bags([frame.astype({"u": "Float64", "w": "Int64"})] * 2)
    np.testing.assert_array_equal(nullable[1], [[1.5, 1.0, 1.0], [2.0, 0.0, 2.0]])
    single = pd.DataFrame({"u": np.zeros(2, np.float32)})
    assert Bags.from_table(single, [0, 1]).instances.dtype == np.float32


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: Bags.from_table(pd.DataFrame({"u": [1.0], "k": ["a"]}), [0]),
            "column 'k' must hold numbers",
        ),
        (
            lambda: as_bags(Bags.from_table(pd.DataFrame({"u": pd.array([1.0, None])}), [3, 3])),
            r"bag 0 \(3\) has a NaN or infinity in instance 1, feature 'u'",
        ),
        (lambda: Bags.from_table(np.zeros((2, 1)), [None, 1]), "got none in row 0"),
        (lambda: Bags.from_table(np.zeros((2, 1)), pd.Series(["a", np.nan])), "got none in row 1"),
        (
            lambda: Bags.from_table(np.zeros((2, 1)), np.array(["2020-01-01", "NaT"], "M8[D]")),
            "got none in row 1",
        ),
        (
            lambda: Bags.from_table(np.zeros((2, 1)), np.array(["a", 1], object)),
            "bag must be of one kind",
        ),
        (
            lambda: as_bags(
                [pd.DataFrame({"u": [1], "v": [2]}), pd.DataFrame({"v": [1], "u": [2]})]
            ),
            "the same columns in the same order",
        ),
        (lambda: Bags.from_table(np.ma.masked_less(np.zeros((2, 1)), 1), [0, 1]), "masked array"),
        (lambda: as_bags([np.ma.masked_less(np.zeros((2, 1)), 1)]), "masked array"),
    ],
)
def test_tables_that_say_too_little_are_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


def test_bags_go_by_index_or_by_position_but_not_by_chance():
    X = pd.DataFrame({"u": [1.0, 2.0, 3.0]}, index=[4, 5, 6])
    groups = pd.Series(["a", "b", "a"], index=X.index)
    wanted = [np.array([[1.0], [3.0]]), np.array([[2.0]])]
    for good in (groups, groups.to_numpy(), groups.tolist(), groups[::-1].loc[X.index]):
        same(Bags.from_table(X, good), wanted)
    same(Bags.from_table(X.to_numpy(), groups[::-1].set_axis([0, 1, 2])), wanted)
    for other in (groups[::-1], groups.set_axis([0, 1, 2]), groups.reset_index(drop=True)):
        with pytest.raises(ValueError, match=r"bag.loc\[X.index\] .* bag.to_numpy\(\)"):
            Bags.from_table(X, other)


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        ([1, "a"], "bag must be of one kind, .* got int and str"),
        (pd.Series([1, None], dtype="Int64"), "got none in row 1"),
        (pd.Series(["a", None], dtype="string"), "got none in row 1"),
        (pd.Categorical(["a", None]), "got none in row 1"),
    ],
)
def test_bags_that_say_too_little_are_refused(groups, sentence):
    with pytest.raises(ValueError, match=sentence):
        Bags.from_table(np.zeros((2, 1)), groups)
