"""Tables with labels by bag, columns of vectors, and features that are named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from needlescope.estimators import Bags

FRAME = pd.DataFrame({"bag": list("bab"), "u": [1.0, 2.0, 3.0], "v": [4.0, 5.0, 6.0]})
VECTORS = pd.DataFrame({"bag": list("bab"), "z": [[1.0, 2.0], np.array([3, 4]), (5.0, 6.0)]})


@pytest.mark.parametrize(
    "labels",
    [
        {"a": "no", "b": "yes", "c": "no"},
        pd.Series({"a": "no", "b": "yes"}),
        pd.Series({"b": "yes", "a": "no", "c": "yes", "d": "no"}),
    ],
)
def test_labels_by_the_names_of_bags(labels):
    bags, y = Bags.from_table(FRAME, "bag", label=labels)
    assert bags.ids.tolist() == ["b", "a"] and y.tolist() == ["yes", "no"]
    bags, y = Bags.from_table(FRAME[["u"]].to_numpy(), FRAME["bag"].tolist(), label=labels)
    assert y.tolist() == ["yes", "no"]


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ({"a": 1}, "^label must have one for each bag, got none for bag 'b'; there are 'a'$"),
        ({"a": 1.0, "b": np.nan}, "^label must have one for each bag, got none for bag 'b'$"),
        (pd.Series([1, 0], ["a", "a"]), "^label must name each bag once, got 'a' twice$"),
        ([1, 0], "^label must be one for each of the 3 rows, got as many as there are bags, 2:"),
    ],
)
def test_labels_that_do_not_name_each_bag_once(labels, sentence):
    with pytest.raises(ValueError, match=sentence):
        Bags.from_table(FRAME, "bag", label=labels)


def test_a_series_of_as_many_labels_as_rows_goes_by_its_names_or_is_refused():
    """One row a bag: an index of names is no index of rows, and one that may be both is neither."""
    frame = pd.DataFrame({"bag": list("vuw"), "z": [1.0, 2.0, 3.0]})
    _, y = Bags.from_table(frame, "bag", label=pd.Series({"u": 1, "v": 0, "w": 2}))
    assert y.tolist() == [0, 1, 2]
    numbered = pd.DataFrame({"bag": [2, 0, 1], "z": [1.0, 2.0, 3.0]})
    labels = pd.Series([10, 11, 12])
    with pytest.raises(ValueError, match=r"^label may be that of the rows or, by its index"):
        Bags.from_table(numbered, "bag", label=labels)
    _, by_row = Bags.from_table(numbered, "bag", label=labels.to_numpy())
    _, by_bag = Bags.from_table(numbered, "bag", label=labels.to_dict())
    assert by_row.tolist() == [10, 11, 12] and by_bag.tolist() == [12, 10, 11]


def test_a_column_of_vectors_is_all_features():
    bags = Bags.from_table(VECTORS, "bag")
    assert bags.names is None and bags[0].tolist() == [[1.0, 2.0], [5.0, 6.0]]
    both = VECTORS.assign(u=1.0)
    assert Bags.from_table(both, "bag", features="z").d == 2
    assert Bags.from_table(both, "bag", drop="z").names == ["u"]
    with pytest.raises(ValueError, match=r"^column 'z' holds vectors, .* pass features='z', or"):
        Bags.from_table(both, "bag")
    single = VECTORS.assign(z=[np.float32([1, 2])] * 3)
    assert Bags.from_table(single, "bag").dtype == np.float32


@pytest.mark.parametrize(
    "cells", [[[1, 2], [1], [1, 2]], [[1, 2], None, [1, 2]], [[1, 2], ["a", "b"], [1, 2]]]
)
def test_vectors_that_are_not_alike(cells):
    with pytest.raises(
        ValueError, match=r"^column 'z' must hold vectors of 2 numbers, got .* row 1"
    ):
        Bags.from_table(VECTORS.assign(z=cells), "bag")


@pytest.mark.parametrize("wanted", [["v"], "v", ("v",), np.array(["v"]), pd.Index(["v"])])
def test_features_that_are_named(wanted):
    assert Bags.from_table(FRAME, "bag", features=wanted).names == ["v"]
    assert Bags.from_table(FRAME, "bag", features=iter([*np.ravel(wanted)])).names == ["v"]
    assert Bags.from_table(FRAME, "bag", drop=iter("u")).names == ["v"]


def test_features_of_an_array_are_numbers():
    rows = FRAME[["u", "v"]].to_numpy()
    assert Bags.from_table(rows, [0, 0, 1], features=[1])[1].tolist() == [[6.0]]
    assert Bags.from_table(rows, [0, 0, 1], features=[1, 0])[1].tolist() == [[6.0, 3.0]]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"features": []}, "^features must name at least one column, got none; leave it out"),
        ({"features": iter([])}, "^features must name at least one column, got none"),
        (
            {"features": ["u", "bag"]},
            "^features must be columns that are named nowhere else, got 'b",
        ),
        (
            {"features": ["u", "u"]},
            "^features must be columns that are named nowhere else, got 'u'",
        ),
        ({"features": ["u"], "drop": "u"}, "^features must be columns that are named nowhere else"),
        ({"features": ["q"]}, "^features must name a column, got 'q'; there are 'bag', 'u', 'v'"),
    ],
)
def test_features_that_are_none(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        Bags.from_table(FRAME, "bag", **given)
