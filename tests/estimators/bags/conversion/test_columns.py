"""Columns of a table: those that are features, and those that say something else of a row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from needlescope.estimators import Bags
from needlescope.estimators.bags.bags import as_bags

FRAME = pd.DataFrame(
    {
        "slide": ["b", "a", "b", "a", "c"],
        "label": ["sick", "well", "sick", "well", "well"],
        "x": [1, 2, 3, 4, 5],
        "y": [5, 4, 3, 2, 1],
        "u": [0.5, 1.5, 2.5, 3.5, 4.5],
        "v": [9.0, 8.0, 7.0, 6.0, 5.0],
    }
)
NUMBERS = FRAME[["u", "v"]]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_named_columns_are_no_features(kind):
    frame = pytest.importorskip(kind).DataFrame({name: FRAME[name].tolist() for name in FRAME})
    bags, y = Bags.from_table(
        frame, "slide", label="label", drop="v", metadata={"coords": ["x", "y"]}
    )
    assert bags.names == ["u"] and bags.ids.tolist() == ["b", "a", "c"]
    assert y.tolist() == ["sick", "well", "well"]
    np.testing.assert_array_equal(bags.instances.ravel(), [0.5, 2.5, 1.5, 3.5, 4.5])
    np.testing.assert_array_equal(bags.metadata["coords"], [[1, 5], [3, 3], [2, 4], [4, 2], [5, 1]])
    apart = Bags.from_table(frame[["u", "v", "x"]], frame["slide"], metadata=["x"])
    assert apart.names == ["u", "v"] and apart.metadata["x"].tolist() == [1, 3, 2, 4, 5]


def test_polars_frames_are_read_as_those_of_pandas():
    polars = pytest.importorskip("polars")
    columns = {"u": [1.5, 2.0], "v": [True, False], "w": [1, 2]}
    frame = polars.DataFrame(columns)
    np.testing.assert_array_equal(
        Bags.from_table(frame, [0, 0])[0], Bags.from_table(pd.DataFrame(columns), [0, 0])[0]
    )
    assert Bags.from_list([frame, frame[:1]]).names == ["u", "v", "w"]
    single = frame.select(polars.col("u").cast(polars.Float32))
    assert Bags.from_table(single, [0, 1]).instances.dtype == np.float32
    gap = polars.DataFrame({"u": [1.0, None], "v": [1, 2]})
    with pytest.raises(ValueError, match=r"bag 0 \(3\) has a NaN .* in instance 1, feature .u"):
        as_bags(Bags.from_table(gap, [3, 3]))
    with pytest.raises(ValueError, match=r"a LazyFrame is not read yet: pass X.collect\(\)"):
        Bags.from_table(frame.lazy(), [0, 0])
    with pytest.raises(ValueError, match="column 'k' must hold numbers, got String; leave it out"):
        Bags.from_table(polars.DataFrame({"u": [1.0], "k": ["a"]}), [3])


def test_labels_given_for_each_row_follow_the_bags():
    wanted = ["sick", "well", "well"]
    for labels in (FRAME["label"], FRAME["label"].tolist(), FRAME["label"].to_numpy()):
        bags, y = Bags.from_table(NUMBERS, FRAME["slide"], label=labels)
        assert y.tolist() == wanted and bags.names == ["u", "v"]
    bags, y = Bags.from_table(NUMBERS.to_numpy(), FRAME["slide"].to_numpy(), [1, 0, 1, 0, 0])
    assert y.tolist() == [1, 0, 0]


def test_columns_of_an_array_are_dropped_by_number():
    bags = Bags.from_table(NUMBERS.to_numpy(), FRAME["slide"].tolist(), drop=0)
    np.testing.assert_array_equal(bags[2], [[5.0]])
    beside = {"time": FRAME["x"].to_numpy()}
    kept = Bags.from_table(NUMBERS.to_numpy(), FRAME["slide"].tolist(), metadata=beside)
    assert kept.metadata["time"].tolist() == [1, 3, 2, 4, 5]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"drop": ["x", "y"]},
            "^column 'label' must hold numbers, got .*; leave it out by drop='label', or encode it "
            "as numbers first; a label goes by label='label'$",
        ),
        ({"label": "Label"}, "^label must name a column, got 'Label'; there are 'slide', 'label"),
        ({"label": "label", "drop": "w"}, "^drop must name a column, got 'w'"),
        ({"label": "label", "metadata": ["t"]}, "^metadata 't' must name a column, got 't'"),
        ({"label": "label", "metadata": 3}, "^metadata must be a list of columns of a DataFrame"),
        ({"label": FRAME["label"][::-1]}, r"^label must have the index of X.*label.loc\[X.ind"),
        (
            {"label": [1, 0], "drop": "label"},
            "^label must name .* of the 5 rows",
        ),
        (
            {"label": [1, 0, None, 0, 0], "drop": "label"},
            "^label .* none in row 2$",
        ),
    ],
)
def test_columns_that_are_not_there_or_no_numbers(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        Bags.from_table(FRAME, "slide", **given)


def test_all_columns_without_numbers_are_named():
    two = FRAME.assign(site="north")
    with pytest.raises(ValueError, match=r"^columns 'label' and 'site' .*drop=\['label', 'site'\]"):
        Bags.from_table(two, "slide")


def test_names_of_columns_need_a_frame():
    with pytest.raises(ValueError, match=r"label must be one for each row of an array, got the n"):
        Bags.from_table(NUMBERS.to_numpy(), [0, 0, 1, 1, 1], label="label")
    with pytest.raises(ValueError, match=r"drop must name a column, got 5; there are 0, 1$"):
        Bags.from_table(NUMBERS.to_numpy(), [0, 0, 1, 1, 1], drop=[5])


def test_a_table_of_pyarrow_is_told_where_to_go():
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match=r"pass X.to_pandas\(\)"):
        Bags.from_table(pa.table({"u": [1.0]}), [0])
