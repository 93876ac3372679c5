"""The door of the figures: rows that can be drawn come in, whole; the rest is refused, and why."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from needlescope.figures.reading.validation import NothingToDraw, RowSpec, TableSpec, read_table

LINE = TableSpec(
    "line",
    {"predict": RowSpec(["training.alpha1"], ["test_error", "train_loss"])},
    across=["training.alpha1", "model"],
    only={"model": ("attention", "pooled")},
)
ROW = {"call": "predict", "model": "pooled", "training.alpha1": 2.0, "test_error": 0.1}


def table(*rows):
    return pd.DataFrame([{**ROW, **row} for row in rows])


def test_rows_come_in_with_every_column_and_those_of_other_calls_do_not():
    result = read_table(
        table({}, {"call": "oracle", "test_error": 0.3}, {"training.alpha1": 3.0}), LINE
    )
    assert result["training.alpha1"].tolist() == [2.0, 3.0]
    assert result["training.loss"].tolist() == ["logistic"] * 2  # the default
    assert result["train_error"].isna().all()  # which the table lacks


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (table({"call": "oracle"}), "draws rows of the calls predict, the table has oracle"),
        (table({}).drop(columns="call"), "the table has no column call"),
        (table({"test_error": np.nan}), "its rows have no numbers in test_error or train_loss"),
        (table({"training.alpha1": None}), "its rows of predict need the column training.alpha1"),
        (
            table({"test_error": np.nan, "error_message": "NoMinimiser: none"}),
            "all of its 1 units failed, the first with 'NoMinimiser: none'",
        ),
        (table({"model": "vectorized"}), "it draws model attention and pooled, the table has vec"),
    ],
)
def test_a_table_with_nothing_to_draw_is_told_why(given, why):
    with pytest.raises(NothingToDraw, match=f"^figures.line has nothing to draw: .*{why}"):
        read_table(given, LINE)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([ROW], "table must be a pandas DataFrame, as Store.to_pandas makes it, got list"),
        (pd.concat([table({})] * 2, axis=1), "table must have each column once, got 'call' twice"),
        (table({}, {"model": "vectorized"}), "got vectorized; leave the rest out"),
        (table({"task.pi": 0.1}, {"task.pi": 0.2}), "draws a single task.pi, got 0.1, 0.2; select"),
        (table({"noise.df": 4.0}, {}), "or draw it with figures.robustness$"),
    ],
)
def test_what_would_be_drawn_wrongly_is_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence) as told:
        read_table(given, LINE)
    assert not isinstance(told.value, NothingToDraw)


def test_the_selection_that_is_proposed_can_be_drawn():
    given = table({"task.pi": 0.1}, {"task.pi": 0.2})
    with pytest.raises(ValueError, match="select one, as ") as told:
        read_table(given, LINE)
    proposed = str(told.value).split("select one, as ")[1]
    assert proposed == 'table[table["task.pi"] == 0.1]'
    assert len(read_table(given[given["task.pi"] == 0.1], LINE)) == 1


def test_a_figure_of_more_curves_takes_one_parameter_more_and_not_two():
    more = LINE._replace(more=1)
    assert len(read_table(table({"task.pi": 0.1}, {"task.pi": 0.2}), more)) == 2
    both = table({"task.pi": 0.1, "task.theta": 1.0}, {"task.pi": 0.2, "task.theta": 2.0})
    with pytest.raises(ValueError, match="of which it draws one with a curve for each value"):
        read_table(both, more)
