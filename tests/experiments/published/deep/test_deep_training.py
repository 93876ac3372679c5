"""The experiment "deep_training": the trainings of `deep_errors` that are watched."""

from __future__ import annotations

import pandas as pd
import pytest
from scipy.special import ndtri, stdtr

from needlescope.experiments.published.deep import deep_errors
from needlescope.experiments.published.deep.base import NAMES, Size
from needlescope.experiments.published.deep.deep_training import EXPERIMENT, scores

FAR = ndtri(stdtr(1, -50.0))  # two trials, 50 standard errors below


@pytest.mark.parametrize("full", [False, True])
def test_nothing_is_trained_twice(full):
    units = [unit for unit in EXPERIMENT.units(full) if unit.call.startswith("simulate")]
    every = {unit.key for unit in deep_errors.units(full)}
    assert {unit.key for unit in units} <= every
    watched = [unit for unit in units if unit.arguments.get("watch")]
    assert len(watched) == len(NAMES) * Size.of(full).trials
    assert {unit.arguments["starts"] for unit in units if unit not in watched} == {2}


def test_two_steps_are_given_as_much_data():
    [align] = [unit for unit in EXPERIMENT.units(False) if unit.call == "align"]
    assert align.arguments["training"]["alpha0"] == deep_errors.WATCHED / 2.0


def test_only_what_is_below_the_limit_is_scored():
    rows = [{"call": "bayes_optimal", "alpha": 8.0, "test_error": 0.1}]
    for name, error in (("cls", 0.05), ("gru", 0.2)):
        row = {"call": "simulate_deep", "architecture": name, "alpha": 8.0}
        rows += [{**row, "test_error": error + shift} for shift in (-0.001, 0.001)]
    assert scores(pd.DataFrame(rows))["z"].tolist() == pytest.approx([FAR, 0.0])
