"""What a column may hold, and lists in words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from needlescope.figures.reading.columns import check_column, is_missing, listed, read_columns


@pytest.mark.parametrize(
    "values", [[1, 2], [1.5, np.nan], pd.array([1, None], dtype="Int64"), [np.float32(1), None]]
)
def test_numbers_of_any_kind_are_plain_numbers_or_missing(values):
    result = check_column("test_error", pd.Series(values))
    assert result.dtype.kind in "if" and result.iloc[0] in (1, 1.5)
    assert result.isna().tolist() == pd.Series(values).isna().tolist()


@pytest.mark.parametrize(
    ("name", "values", "sentence"),
    [
        ("test_error", [0.1, "0.2"], "column test_error must hold numbers, got '0.2' in row 1"),
        ("test_error", [True, 0.2], "column test_error must hold numbers, got True in row 0"),
        ("test_error", [np.inf], "column test_error must hold finite numbers, got inf in row 0"),
        ("task.L", [5, 0], "column task.L must hold finite numbers above 0, got 0.0 in row 1"),
        ("model", ["pooled", 3], "column model must hold words, got 3 in row 1"),
    ],
)
def test_what_a_column_cannot_hold_is_refused_with_its_row(name, values, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        check_column(name, pd.Series(values))


def test_a_capacity_and_the_strength_of_hard_attention_may_be_infinite():
    for name in ("alpha", "query.kappa"):
        assert check_column(name, pd.Series([np.inf])).tolist() == [np.inf]


def test_truths_are_true_or_false_or_missing():
    for values in ([True, False], [np.True_, None], [np.nan, True], pd.array([True, None])):
        result = check_column("training.balanced", pd.Series(values))
        assert result.isna().tolist() == pd.Series(values).isna().tolist()
        assert {type(item) for item in result.dropna()} <= {bool, np.bool_}
    with pytest.raises(
        ValueError, match=r"^column training.balanced must hold True or False, got "
    ):
        check_column("training.balanced", pd.Series([True, 1.0]))


def test_columns_that_no_figure_reads_are_left_alone():
    table = pd.DataFrame({"test_error": [0.1], "colour": ["red"], "task.positions": [{}]})
    assert read_columns(table) == ["test_error"]


def test_few_values_are_listed_and_many_are_counted():
    assert [listed("ab"[:n]) for n in (1, 2)] == ["a", "a and b"]
    assert listed("abc", "or") == "a, b or c" and listed("abc", ",") == "a, b, c"
    assert listed(range(7)) == "7 values from 0 to 6"


def test_empty_cells():
    assert all(is_missing(item) for item in (None, pd.NA, np.nan))
    assert not any(is_missing(item) for item in (0, 0.0, "", False))
