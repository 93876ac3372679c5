"""Numbered columns become rows, one for each moment."""

from __future__ import annotations

import pandas as pd
import pytest

from needlescope.figures.reading.numbered_columns import numbered_columns, row_for_each


def test_columns_are_in_the_order_of_their_numbers():
    names = [f"path_{k}" for k in (10, 3, 2, 1, 4, 5, 6, 7, 8, 9)]
    assert numbered_columns(pd.DataFrame(columns=names), "path") == [
        f"path_{k}" for k in range(1, 11)
    ]


def test_a_moment_without_a_number_is_left_out():
    rows = [{"a_1": 1.0, "a_2": 2.0, "b_1": 3.0}, {"a_1": 4.0, "b_1": 5.0, "b_2": 6.0}]
    result = row_for_each(pd.DataFrame(rows), "a", "b")
    assert result[["a", "b"]].values.tolist() == [[1.0, 3.0], [4.0, 5.0]]
    assert not len(row_for_each(pd.DataFrame(rows), "a", "c"))


def test_words_are_no_numbers():
    with pytest.raises(ValueError, match="column a_1 must hold numbers, got 'x' in row 0"):
        row_for_each(pd.DataFrame({"a_1": ["x"]}), "a")
