"""What the experiments of fuller attention share: their trials, and the limit that binds them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri, stdtr

from needlescope.gallery.deep_units import (
    RIDGES,
    STEPS,
    TASK,
    Size,
    bayes_unit,
    compare_with_bayes,
    fine_grid,
    oracle_unit,
    trial_units,
    two_step_arguments,
    two_step_units,
)


def table(errors, bound=0.1, **more):
    rows = [{"call": "bayes_optimal", "alpha": 2.0, "test_error": bound}]
    rows += [
        {"call": "simulate_deep", "architecture": "gru", "alpha": 2.0, "test_error": error, **more}
        for error in errors
    ]
    return pd.DataFrame(rows)


def test_a_mean_below_the_limit_is_scored_in_standard_errors():
    [row] = compare_with_bayes(table([0.05, 0.07]), ["alpha"]).to_dict("records")
    assert row["what"] == "gru not below Bayes-optimal at alpha=2.0"
    assert row["z"] == pytest.approx(ndtri(stdtr(1, (0.06 - 0.1) / 0.01)))
    assert (row["theory"], row["simulation"]) == pytest.approx((0.1, 0.06))


def test_a_mean_above_the_limit_is_no_score():
    assert compare_with_bayes(table([0.2, 0.3]), ["alpha"])["z"].tolist() == [0.0]


def test_the_doubt_of_the_limit_counts():
    unsure = table([0.05, 0.07]).assign(test_error_se=[0.02, None, None])
    t = (0.06 - 0.1) / np.hypot(0.01, 0.02)
    assert compare_with_bayes(unsure, ["alpha"])["z"].iloc[0] == pytest.approx(ndtri(stdtr(1, t)))


def test_trials_that_agree_are_no_surer_than_what_was_counted():
    [row] = compare_with_bayes(table([0.0, 0.0, 0.0], n_test=100), ["alpha"]).to_dict("records")
    assert row["simulation_se"] == pytest.approx(np.sqrt(0.1 * 0.9 / 300))
    assert row["z"] == pytest.approx(ndtri(stdtr(2, -0.1 / row["simulation_se"])))


def test_heads_are_compared_each_and_named():
    both = pd.concat([table([0.2, 0.3], heads=2), table([0.2, 0.3], heads=4)[1:]])
    result = compare_with_bayes(both, ["alpha"])["what"]
    assert [item.partition(" not")[0] for item in result] == ["gru (2 heads)", "gru (4 heads)"]


@pytest.mark.parametrize("errors", [[], [0.01], [0.01, None]])
def test_fewer_than_two_trials_are_not_compared(errors):
    assert not len(compare_with_bayes(table(errors), ["alpha"]))


def test_without_a_limit_nothing_is_compared():
    assert not len(compare_with_bayes(table([0.01, 0.02])[1:], ["alpha"]))
    assert not len(compare_with_bayes(table([0.01, 0.02]).assign(alpha=[4.0, 2.0, 2.0]), ["alpha"]))


def test_limits_are_those_of_all_that_is_named():
    rows = table([0.01, 0.02]).assign(**{"task.pi": 0.5})
    [row] = compare_with_bayes(rows, ["alpha", "task.pi"]).to_dict("records")
    assert row["what"].endswith("at alpha=2.0, pi=0.5") and row["z"] < -2.0


def test_two_steps_have_half_of_the_data_each():
    result = two_step_units(TASK, 8.0)
    assert len(result) == len(STEPS) * len(RIDGES)
    for unit in result:
        training = unit.arguments["training"]
        assert training["alpha0"] == training["alpha1"] == 4.0
    assert two_step_arguments(TASK, 8.0, 10.0, 1.0)["model"] == "attention"


def test_trials_are_as_many_as_the_size_says():
    for full in (False, True):
        size = Size.of(full)
        units = trial_units(size, "gru", 2.0, TASK, watch=True)
        assert len(units) == size.trials and len({unit.key for unit in units}) == size.trials
        assert all(unit.arguments["d"] == size.d and unit.arguments["watch"] for unit in units)


def test_bounds_are_of_the_task():
    assert bayes_unit(TASK, 2.0).arguments["alpha"] == 2.0
    assert oracle_unit(TASK).arguments["model"] == "bayes"


def test_a_fine_grid_has_the_points_asked_for():
    assert fine_grid(1.0, 4.0, 3, 3.0) == [1.0, 2.0, 3.0, 4.0]
