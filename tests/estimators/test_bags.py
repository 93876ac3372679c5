"""Bags as people have them, and what is refused at the door."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from needlescope.estimators import Bags
from needlescope.estimators.bags import as_bags

RNG = np.random.default_rng(0)
RAGGED = [RNG.standard_normal((size, 3)) for size in (2, 1, 4)]


def same(one, other):
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


def test_all_ways_to_say_the_same_bags():
    table, groups = np.concatenate(RAGGED), ["a", "a", "b", "c", "c", "c", "c"]
    padded, mask = np.full((3, 4, 3), 9.0), np.zeros((3, 4), bool)
    for k, bag in enumerate(RAGGED):
        padded[k, : len(bag)], mask[k, : len(bag)] = bag, True
    objects = np.empty(3, object)
    objects[:] = RAGGED
    frame = pd.DataFrame(table, columns=["u", "v", "w"]).assign(bag=groups)
    for bags in (
        as_bags(RAGGED),
        as_bags(tuple(RAGGED)),
        as_bags(objects),
        as_bags([bag.tolist() for bag in RAGGED]),
        Bags.from_array(padded, mask),
        Bags.from_table(table, groups),
        Bags.from_table(frame, "bag"),
        Bags.from_table(frame.drop(columns="bag"), frame["bag"]),
    ):
        same(bags, RAGGED)
    assert Bags.from_table(frame, "bag").names == ["u", "v", "w"]
    assert Bags.from_table(frame, "bag").ids.tolist() == ["a", "b", "c"]


def test_rows_of_a_bag_need_not_be_together():
    table, groups = np.arange(10.0).reshape(5, 2), [7, 3, 7, 9, 3]
    bags = Bags.from_table(table, groups)
    assert bags.ids.tolist() == [7, 3, 9]
    same(bags, [table[[0, 2]], table[[1, 4]], table[[3]]])


def test_single_precision_is_kept_and_whole_numbers_become_double():
    assert as_bags(np.zeros((2, 3, 4), np.float32)).instances.dtype == np.float32
    assert as_bags([np.zeros((2, 3), np.float32)] * 2).instances.dtype == np.float32
    assert as_bags(np.zeros((2, 3, 4), int)).instances.dtype == np.float64


def test_an_array_is_not_copied(tmp_path):
    X = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float32, (6, 3, 4))
    X[:] = 1.0
    assert np.shares_memory(as_bags(X).instances, X)
    assert np.shares_memory(as_bags(X)[1:4].instances, X)


def test_indexing_is_that_of_a_list():
    bags = as_bags(RAGGED)
    np.testing.assert_array_equal(bags[-1], RAGGED[2])
    same(bags[[2, 0]], [RAGGED[2], RAGGED[0]])
    same(bags[np.array([True, False, True])], [RAGGED[0], RAGGED[2]])
    same(bags[1:], RAGGED[1:])
    same(bags[np.array([0, 0]), ...], [RAGGED[0], RAGGED[0]])
    assert len(bags[[]]) == 0
    with pytest.raises(IndexError):
        bags[3]
    assert repr(bags) == "<3 bags of 1 to 4 instances, 3 features, float64>"
    assert repr(as_bags(np.zeros((2, 5, 1)))) == "<2 bags of 5 instances, 1 features, float64>"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (np.zeros((4, 3)), r"got shape \(4, 3\); a table .* Bags.from_table\(X, groups\)"),
        (np.zeros(4), r"got shape \(4,\)"),
        (np.zeros((0, 3, 2)), r"got shape \(0, 3, 2\)"),
        (np.zeros((2, 3, 0)), r"got shape \(2, 3, 0\)"),
        ([], "at least one bag, got an empty list"),
        ([np.zeros((2, 3)), np.zeros((0, 3))], "bag 1 is empty; .* drop it and its label"),
        ([np.zeros((2, 3)), np.zeros((1, 4))], "got 3 in bag 0 and 4 in bag 1"),
        ([np.zeros((2, 3)), np.zeros(3)], r"bag 1 must be an array .* of shape \(3,\)"),
        ([np.array([["a"]])], "bag 0 must be an array .* of numbers"),
        ([sparse.eye_array(3)], "sparse instances .* are not taken"),
        (sparse.eye_array(3), "sparse instances .* pass X.toarray"),
        (pd.DataFrame({"u": [1.0]}), r"does not say which rows make a bag.*from_table"),
        (np.ma.masked_array(np.zeros((2, 3, 4))), r"mask=~X.mask.any\(axis=2\)"),
        ([np.ones((2, 2)), np.array([[1.0, 2.0], [np.nan, 1.0]])], "bag 1 .* in instance 1"),
        (np.full((2, 3, 4), np.inf), "bag 0 has a NaN or infinity in instance 0"),
        (np.full((2, 3, 4), "x"), "instances must be a table of numbers"),
    ],
)
def test_refused_with_a_sentence(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        as_bags(given)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Bags.from_array(np.zeros((2, 3, 1)), np.ones((2, 2))), "mask must be 2 × 3"),
        (lambda: Bags.from_array(np.zeros((2, 3, 1)), np.full((2, 3), 5)), "mask must be 2 × 3"),
        (
            lambda: Bags.from_array(np.zeros((2, 3, 1)), [[1, 1, 1], [0, 0, 0]]),
            "bag 1 is empty",
        ),
        (lambda: Bags.from_table(np.zeros((3, 2)), [1, 2]), "groups must name the bag of each"),
        (lambda: Bags.from_table(np.zeros((2, 2)), [1.0, np.nan]), "got none in row 1"),
        (lambda: Bags.from_table(pd.DataFrame({"u": [1.0]}), "bag"), "must name a column"),
        (lambda: Bags(np.zeros((3, 2)), [0, 2]), "starts must be whole numbers"),
        (lambda: Bags(np.zeros((3, 2)), [0, 2, 2, 3]), "bag 1 is empty"),
    ],
)
def test_refused_by_their_makers(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


def test_large_finite_numbers_are_not_taken_for_infinity():
    assert len(as_bags(np.full((2, 3, 4), 1e308))) == 2


def test_frames_of_all_kinds_of_numbers():
    frame = pd.DataFrame({"u": [1.5, 2.0], "v": [True, False], "w": [1, 2]})
    bags = Bags.from_table(frame.astype({"u": "Float64", "w": "Int64"}), [0, 0])
    np.testing.assert_array_equal(bags[0], [[1.5, 1.0, 1.0], [2.0, 0.0, 2.0]])
    same = as_bags([frame[["u", "w"]], frame[["u", "w"]][:1]])
    assert same.names == ["u", "w"] and len(same) == 2
    assert Bags.from_table(pd.DataFrame({7: [1, 2], "u": [0.5, 0.5]}), 7).ids.tolist() == [1, 2]
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
            lambda: Bags.from_table(pd.DataFrame({"u": pd.array([1.0, None])}), [3, 3]),
            "bag 0 has a NaN or infinity in instance 1",
        ),
        (lambda: Bags.from_table(np.zeros((2, 1)), [None, 1]), "got none in row 0"),
        (lambda: Bags.from_table(np.zeros((2, 1)), pd.Series(["a", np.nan])), "got none in row 1"),
        (
            lambda: Bags.from_table(np.zeros((2, 1)), np.array(["2020-01-01", "NaT"], "M8[D]")),
            "got none in row 1",
        ),
        (
            lambda: Bags.from_table(np.zeros((2, 1)), np.array(["a", 1], object)),
            "groups must be of one kind",
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
