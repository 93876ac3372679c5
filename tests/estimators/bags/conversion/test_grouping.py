"""Labels of bags, and labels that were left among the features."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from needlescope.estimators import Bags, PooledClassifier

RNG = np.random.default_rng(0)
GROUPS = np.repeat(np.arange(12), 3)
Y = np.arange(12) % 2
TABLE = pd.DataFrame(RNG.standard_normal((36, 2)), columns=["u", "v"])


def test_labels_that_differ_within_a_bag_name_the_bag():
    frame = TABLE.assign(bag=[f"m{k}" for k in GROUPS], musk=Y[GROUPS])
    frame.loc[7, "musk"] = 1
    with pytest.raises(
        ValueError,
        match=r"^label must be the same for all rows of a bag, got 0 in row 6 and 1 in row 7 of "
        r"bag 'm2'$",
    ):
        Bags.from_table(frame, "bag", label="musk")


def test_labels_of_bags_are_told_from_labels_of_rows():
    with pytest.raises(
        ValueError, match=r"got as many as there are bags, 12: .* y.loc\[bags.ids\]"
    ):
        Bags.from_table(TABLE, GROUPS, label=pd.Series(Y).to_numpy())


def test_labels_are_in_the_order_of_bags_whatever_that_of_rows():
    rows = RNG.permutation(36)
    bags, y = Bags.from_table(TABLE.iloc[rows], GROUPS[rows], label=Y[GROUPS][rows])
    assert y.tolist() == Y[bags.ids].tolist() and len(set(y.tolist())) == 2


def test_a_label_left_in_the_table_is_warned_of_and_passed_as_one_it_is_none():
    frame = TABLE.assign(bag=GROUPS, musk=Y[GROUPS])
    with pytest.warns(UserWarning, match=r"^column 'musk' takes two values .* pass it as label="):
        leaked = Bags.from_table(frame, "bag")
    assert PooledClassifier(ridge=1e-3, cv=0).fit(leaked, Y).score(leaked, Y) == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bags, y = Bags.from_table(frame, "bag", label="musk")
        Bags.from_table(frame, "bag", drop="musk")
    assert bags.names == ["u", "v"]
    np.testing.assert_array_equal(y, Y)


def test_a_copy_of_the_label_under_another_name_is_warned_of():
    frame = TABLE.assign(bag=GROUPS, musk=Y[GROUPS], kind=np.array([7, 3])[Y[GROUPS]])
    with pytest.warns(UserWarning, match=r"^column 'kind' tells the labels apart .* out by drop="):
        Bags.from_table(frame, "bag", label="musk")
    three = np.arange(12) % 3
    frame = TABLE.assign(copy=three[GROUPS] / 7.0)
    with pytest.warns(UserWarning, match="^column 'copy' tells the labels apart"):
        Bags.from_table(frame, GROUPS, label=np.array(list("xyz"))[three[GROUPS]])


def test_the_warning_is_where_the_table_was_read():
    with pytest.warns(UserWarning) as caught:
        Bags.from_table(np.c_[TABLE, Y[GROUPS]], GROUPS)
    assert caught[0].filename == __file__ and str(caught[0].message).startswith("column 2 takes")


@pytest.mark.parametrize(
    "column",
    [
        np.arange(12)[GROUPS] // 4,  # three values: an age, say
        np.where(GROUPS == 3, 1.0, 0.0),  # one bag only, as rare words are
        np.where(np.arange(36) == 20, 1 - Y[GROUPS], Y[GROUPS]),  # not the same within a bag
        np.zeros(36),
    ],
)
def test_other_columns_are_features(column):
    bags = Bags.from_table(TABLE.assign(other=column), GROUPS)  # a warning is an error here
    assert bags.names == ["u", "v", "other"]


def test_what_a_bag_is_beside_its_label_is_a_feature():
    sex = (np.arange(12) // 2) % 2
    bags, _ = Bags.from_table(TABLE.assign(sex=sex[GROUPS]), GROUPS, label=Y[GROUPS])
    assert bags.names == ["u", "v", "sex"]


def test_bags_of_one_instance_say_nothing_about_labels():
    assert Bags.from_table(np.c_[TABLE, Y[GROUPS]], np.arange(36)).d == 3
