"""Rows of a table as a figure shows them."""

from __future__ import annotations

import pandas as pd
import pytest

from needlescope.figures.reading.rows import means


def test_only_the_largest_dimension_is_shown():
    both = pd.DataFrame({"x0": [1.0] * 4, "y": [0.1, 0.3, 0.6, 0.8], "d": [50, 50, 100, 100]})
    result = means(both, "x0", "y")
    assert result["mean"].tolist() == pytest.approx([0.7]) and result["count"].tolist() == [2]
