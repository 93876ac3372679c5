"""The experiment "deep_generalise": the trainings of `deep_errors` that are tested further."""

from __future__ import annotations

import pandas as pd
import pytest
from scipy.special import ndtri, stdtr

from needlescope.experiments.published.deep import deep_errors
from needlescope.experiments.published.deep.base import NAMES, TASK, Size
from needlescope.experiments.published.deep.deep_generalise import EXPERIMENT, scores

FAR = ndtri(stdtr(1, -50.0))  # two trials, 50 standard errors below


@pytest.mark.parametrize("full", [False, True])
def test_nothing_is_trained_twice(full):
    units = [unit for unit in EXPERIMENT.units(full) if unit.call == "simulate_deep"]
    assert len(units) == len(NAMES) * Size.of(full).trials
    assert {unit.key for unit in units} <= {unit.key for unit in deep_errors.units(full)}


def test_theory_is_tested_where_trainings_are_and_where_it_was_trained():
    units = [unit.arguments for unit in EXPERIMENT.units(False) if unit.call == "predict"]
    assert {*deep_errors.LENGTHS, TASK["L"]} <= {one["test_task"]["L"] for one in units}
    assert all(one["task"] == TASK and one["test_task"]["R"] == TASK["R"] for one in units)
    known = {unit.arguments["task"]["L"] for unit in EXPERIMENT.units(False)
             if unit.call == "oracle"}  # fmt: skip
    assert known == {one["test_task"]["L"] for one in units}


def test_only_what_is_below_the_limit_is_scored():
    rows = [{"call": "bayes_optimal", "alpha": 16.0, "test_error": 0.1}]
    for name, error in (("cls", 0.05), ("gru", 0.2)):
        row = {"call": "simulate_deep", "architecture": name, "alpha": 16.0}
        rows += [{**row, "test_error": error + shift} for shift in (-0.001, 0.001)]
    assert scores(pd.DataFrame(rows))["z"].tolist() == pytest.approx([FAR, 0.0])
