"""The experiment on capacity: its units, and the half point that is held against α*."""

import numpy as np
import pandas as pd
import pytest

import needlescope as ns
from needlescope.experiments import capacity

TASK = {f"task.{key}": value for key, value in capacity.TASK.items()}


def made(shift: float, width: float = 0.08) -> pd.DataFrame:
    """A table of 200 trials at each ratio whose fractions fall around 1 + shift."""
    rows = [{"call": "capacity", "model": "pooled", "alpha": 2.95, **TASK}]
    for ratio in np.linspace(0.6, 1.4, 9):
        share = 1.0 / (1.0 + np.exp((ratio - 1.0 - shift) / width * 1.7))
        for number in range(200):
            rows.append(
                {"call": "simulate_separability", "model": "pooled", "d": 300, **TASK}
                | {"training.alpha1": 2.95 * ratio, "fraction": float(number < share * 200)}
            )
    return pd.DataFrame(rows)


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_every_trial_has_its_own_seed(full):
    units = capacity.units(full)
    assert len({unit.key for unit in units}) == len(units)
    seeds = {}
    for unit in units:
        if unit.call == "simulate_separability":
            seeds.setdefault(unit.arguments["model"], []).append(tuple(unit.arguments["seed"]))
    assert all(len(set(found)) == len(found) for found in seeds.values())


def test_dots_are_placed_around_the_capacity_that_is_predicted():
    task, query = ns.Task(**capacity.TASK), ns.Query(**capacity.QUERY)
    for model, near in capacity.NEAR.items():
        found = ns.capacity(task, model, query=query if model == "attention" else None)
        assert found.alpha == pytest.approx(near, rel=5e-3)


def test_right_theory_passes_and_wrong_theory_is_seen():
    right, wrong = (capacity.scores(made(shift)).iloc[0] for shift in (0.0, 0.1))
    assert right.simulation == pytest.approx(1.0, abs=0.01)
    assert abs(right.z) < 2.0
    assert wrong.simulation == pytest.approx(1.1, abs=0.01)
    assert wrong.z > 5.0


def test_half_point_error_is_the_spread_over_repetitions():
    rng = np.random.default_rng(0)
    ratio = np.linspace(0.6, 1.4, 9)
    share = 1.0 / (1.0 + np.exp((ratio - 1.0) * 20.0))
    found = [
        capacity.half_point(
            pd.DataFrame({"ratio": ratio, "fraction": rng.binomial(40, share) / 40, "trials": 40})
        )
        for _ in range(400)
    ]
    middle, error = np.array(found).T
    assert middle.std() == pytest.approx(error.mean(), rel=0.15)
    assert abs(middle.mean() - 1.0) < 4.0 * middle.std() / 20.0


def test_half_point_of_trials_that_all_agree_has_an_error():
    part = pd.DataFrame({"ratio": [0.9, 1.1], "fraction": [1.0, 0.0], "trials": [20, 20]})
    middle, error = capacity.half_point(part)
    assert middle == pytest.approx(1.0)
    assert error > 0.0


def test_nothing_to_compare():
    assert capacity.scores(pd.DataFrame()).empty
    assert capacity.scores(made(0.0).iloc[:1]).empty
