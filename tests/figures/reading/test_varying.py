"""Which parameters change in a table, and which of its rows have one of their values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from needlescope.figures.reading.varying import varying, with_value

ROW = {"call": "predict", "model": "attention", "task.theta": 5.0, "training.alpha1": 1.0}


def table(*rows):
    return pd.DataFrame([{**ROW, **row} for row in rows])


def test_numbers_come_in_order_and_what_has_one_value_does_not_vary():
    result = varying(table({"task.theta": 5.0}, {"task.theta": 4.0}, {"task.theta": 5.0}))
    assert result == {"task.theta": [4.0, 5.0]}


def test_sizes_of_a_simulation_are_no_parameters():
    rows = [{"call": "simulate", "d": d, "trials": t} for d, t in ((10, 1), (20, 2))]
    assert varying(table(*rows)) == {}


@pytest.mark.parametrize(
    ("column", "value", "unsaid"),
    [
        ("query.kappa", 2.0, "trained"),
        ("reuse", "all", "none"),
        ("noise.entries", "student", "gaussian"),
        ("training.query_steps", 3, 1),
        ("training.balanced", True, False),
        ("training.ridge_q", 0.1, "two steps"),
    ],
)
def test_what_some_rows_leave_unsaid_is_a_value_too(column, value, unsaid):
    given = table({column: value}, {}, {column: np.nan})
    result = varying(given)[column]
    assert set(result) == {value, unsaid}
    chosen = {item: with_value(given, column, item).tolist() for item in result}
    assert chosen == {value: [True, False, False], unsaid: [False, True, True]}


def test_the_usual_start_of_joint_training_is_that_of_the_call():
    both = {"training.ridge_q": 0.1, "start": "informed"}
    trained = {**both, "call": "simulate"}
    given = table(both, {**both, "start": "uninformed"}, trained, {**trained, "start": "random"})
    given.loc[len(given)] = {**ROW, "training.ridge_q": 0.1}
    assert varying(given) == {"start": ["informed", "uninformed", "usual"]}
    assert with_value(given, "start", "usual").tolist() == [True, False, False, True, True]
    assert varying(given.iloc[[0, 3, 4]]) == {}


def test_a_model_without_a_query_has_none_unsaid():
    result = varying(table({"query.kappa": 2.0}, {"model": "pooled"}))
    assert result == {"model": ["attention", "pooled"]}


def test_an_error_is_a_parameter_of_thresholds_and_a_result_of_oracles():
    rows = [{"error": 0.1}, {"error": 0.2}]
    assert varying(table(*({**row, "call": "oracle"} for row in rows))) == {}
    asked = varying(table(*({**row, "call": "oracle_threshold"} for row in rows)))
    assert asked == {"error": [0.1, 0.2]}


def test_positions_are_told_apart_though_they_have_no_hash():
    given = table(*({"task.positions": {"sets": [[k]]}} for k in (0, 1)), {})
    result = varying(given)["task.positions"]
    assert len(result) == 3 and "uniform" in result
    assert sum(with_value(given, "task.positions", item).sum() for item in result) == 3


def test_several_signals_are_told_apart_from_one():
    given = table(*({"task.signals": weights} for weights in ([0.5, 0.5], [0.2, 0.8])), {})
    result = varying(given)["task.signals"]
    assert result == ["[0.2, 0.8]", "[0.5, 0.5]", "one"]
    assert sum(with_value(given, "task.signals", item).sum() for item in result) == 3


def test_a_training_of_fuller_attention_is_asked_alpha_and_its_architecture():
    rows = [{"call": "simulate_deep", "architecture": item, "model": item, "alpha": 2.0 * k}
            for k, item in enumerate(("gru", "max"), 1)]  # fmt: skip
    assert varying(pd.DataFrame(rows)) == {"architecture": ["gru", "max"], "alpha": [2.0, 4.0]}
    rates = [{**rows[0], "rates": item} for item in ([0.1], [0.1, 0.2])]
    assert varying(pd.DataFrame(rates)) == {"rates": ["[0.1, 0.2]", "[0.1]"]}
