"""Which columns are drawn: any, if there are such, they hold numbers, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from needlescope.figures.lines import lines
from needlescope.figures.rendered import drawing_of
from tests.figures.coupled import both, rows

drawn = drawing_of(lines)


@pytest.mark.parametrize(
    "given, words",
    [
        (
            {"x": "L"},
            "x must be a column of the table, got 'L'; did you mean 'task.L'. it has call, m",
        ),
        ({"y": "tset_error"}, "got 'tset_error'; did you mean 'test_error'"),
        ({"by": ["model", 3]}, "by must be a column of the table, got 3; it has call, model"),
        ({"by": 3}, "by must be a column of the table, or a list of some, got 3"),
        ({"x": "task.L", "by": "task.L"}, "by must not name x, the column 'task.L', again"),
        ({"x": "model"}, "x must be a column of numbers, got 'model' with .*with by='model'"),
        ({"y": "model"}, "y must be a column of numbers, got 'model'"),
        ({"xscale": "square"}, "xscale must be one of 'linear', 'log', got 'square'"),
        ({"y": "negative", "yscale": "log"}, "yscale must be 'linear' for negative, which has -1"),
        ({"y": "endless"}, "has nothing to draw: its numbers in endless are not finite"),
        ({"y": "empty"}, "has nothing to draw: its rows have no numbers in empty"),
        ({"x": "empty"}, "has nothing to draw: its rows with test_error have no numbers in empty"),
        ({"x": "task.L", "by": "many"}, "at most 40 curves, got 100, by many"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(given, words):
    table = both().assign(negative=-1.0, endless=np.inf, empty=np.nan)
    if given.get("by") == "many":
        table = pd.concat([table[:1].assign(many=k) for k in range(100)])
    with pytest.raises(ValueError, match=words):
        drawn(table, **given)


def test_tables_without_anything_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match="table must be a Store, or a pandas DataFrame as"):
        drawn([1])
    with pytest.raises(ValueError, match="the table has no rows"):
        drawn(both()[:0])
    with pytest.raises(ValueError, match="no column call"):
        drawn(both().drop(columns="call"))
    failed = rows().assign(test_error=None, error_message="ValueError: " + "x" * 10**6)
    with pytest.raises(ValueError, match="all of its 6 units failed, the first with") as stop:
        drawn(failed)
    assert len(str(stop.value)) < 600
    with pytest.raises(ValueError, match="no parameter of its rows changes; name a column as x"):
        drawn(both()[:1])
