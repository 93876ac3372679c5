"""Columns that give away where a bag stands are named, and ordinary ones are not."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pandas as pd
import pytest

from needlescope.estimators import Bags, read_parquet
from needlescope.estimators.bags.conversion.leakage import index_columns

RNG = np.random.default_rng(0)
BAG = np.repeat(np.arange(30), RNG.integers(2, 6, 30))
FRAME = pd.DataFrame(RNG.standard_normal((len(BAG), 3)), columns=["u", "v", "w"]).assign(
    bag_id=BAG, label=(BAG >= 15).astype(int)
)


def named(frame, **given):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Bags.from_table(frame, "bag_id", label="label", **given)
    return [str(item.message) for item in caught]


def test_the_index_of_a_csv_is_named():
    back = pd.read_csv(io.StringIO(FRAME.to_csv()))
    (said,) = named(back)
    assert said.startswith("column 'Unnamed: 0' numbers the rows of the table, or has a range of")
    assert "leave it out by drop=, or name the columns to take by features=" in said
    assert named(back, drop="Unnamed: 0") == [] == named(back, features=["u", "v", "w"])


@pytest.mark.parametrize(
    "column",
    [
        np.arange(len(BAG)),
        np.arange(len(BAG))[::-1],
        np.cumsum(RNG.integers(1, 5, len(BAG))),  # rows were dropped
        RNG.permutation(30)[BAG],  # a number for each bag
        RNG.standard_normal(30)[BAG],
        RNG.permutation(30)[BAG] + 0.5 * RNG.random(len(BAG)),  # a range for each bag
    ],
    ids=["index", "falling", "gaps", "number", "real", "range"],
)
def test_columns_that_order_bags_or_rows(column):
    (said,) = named(FRAME.assign(v=column))
    assert "column 'v' numbers the rows" in said
    shuffled = FRAME.assign(v=column).sample(frac=1.0, random_state=0)
    rows_only = len(np.unique(column)) == len(BAG) and column.dtype.kind == "i"
    assert len(named(shuffled)) == 1 or rows_only


def test_an_index_of_rows_in_any_order():
    mixed = FRAME.sample(frac=1.0, random_state=0).assign(v=np.arange(len(BAG)))
    assert len(named(mixed)) == 1


@pytest.mark.parametrize(
    "column",
    [
        np.concatenate([np.arange(np.sum(k == BAG)) for k in range(30)]),  # a place in its bag
        np.sort(RNG.standard_normal(len(BAG)))[RNG.permutation(len(BAG))],
        (BAG % 7).astype(float),  # shared by bags
        np.ones(len(BAG)),
        RNG.standard_normal(30)[BAG] + 0.2 * RNG.standard_normal(len(BAG)),  # a gain of each bag
    ],
    ids=["place", "noise", "site", "constant", "gain"],
)
def test_ordinary_columns_are_not(column):
    assert named(FRAME.assign(v=column)) == []


def test_noise_is_hardly_ever_named():
    """In few and small bags noise has such orders by chance: none of 40,000 columns is named."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        lengths = rng.integers(1, 5, rng.integers(1, 6))
        starts = np.concatenate([[0], np.cumsum(lengths)])
        rows = rng.standard_normal((starts[-1], 1000))
        rows[:, ::2] = rng.integers(0, 1000, rows[:, ::2].shape)
        assert index_columns(rows, starts, np.arange(len(rows))) == []


def test_a_parquet_file_with_its_index(tmp_path):
    pytest.importorskip("pyarrow")
    FRAME.reset_index().to_parquet(tmp_path / "t.parquet")
    with pytest.warns(UserWarning, match=r"^column 'index' numbers the rows of the table"):
        read_parquet(tmp_path / "t.parquet", "bag_id", "label")


def test_several_columns_are_one_warning():
    many = FRAME.assign(**{f"x{k}": np.arange(len(BAG)) for k in range(7)})
    (said,) = named(many)
    assert said.startswith("columns 'x0', 'x1', 'x2', 'x3', 'x4' and 2 more, each of which numbers")
