"""The experiment "deep_errors": its units, and what is compared."""

from __future__ import annotations

import pandas as pd
import pytest
from scipy.special import ndtri, stdtr

from needlescope.experiments.published.deep.base import NAMES, Size
from needlescope.experiments.published.deep.deep_errors import (
    ALPHAS,
    EXPERIMENT,
    LENGTHS,
    TESTED,
    WATCHED,
    scores,
)

FAR = ndtri(stdtr(1, -50.0))  # two trials, 50 standard errors below


def asked(full, call="simulate_deep"):
    return [unit.arguments for unit in EXPERIMENT.units(full) if unit.call == call]


@pytest.mark.parametrize("full", [False, True])
def test_every_architecture_is_trained_at_every_amount_of_data(full):
    found, count = asked(full), Size.of(full).trials
    assert len(found) == len(NAMES) * len(ALPHAS) * count
    assert {(one["architecture"], one["alpha"]) for one in found} == {
        (name, alpha) for name in NAMES for alpha in ALPHAS
    }
    assert {one["d"] for one in [*found, *asked(full, "simulate")]} == {Size.of(full).d}


def test_some_are_watched_and_some_are_tested_at_other_lengths():
    for one in asked(False):
        assert one.get("watch", False) == (one["alpha"] == WATCHED)
        assert one.get("lengths", []) == (list(LENGTHS) if one["alpha"] == TESTED else [])


def test_dots_of_theory_have_all_samples():
    for one in asked(False, "simulate"):
        assert one["training"]["alpha0"] + one["training"]["alpha1"] in ALPHAS
    assert set(ALPHAS) < {one["alpha"] for one in asked(False, "bayes_optimal")}


def test_only_what_is_below_the_limit_is_scored():
    rows = [{"call": "bayes_optimal", "alpha": one, "test_error": 0.1} for one in (1.0, 2.0)]
    for alpha, error in ((1.0, 0.05), (2.0, 0.2)):
        row = {"call": "simulate_deep", "architecture": "cls", "alpha": alpha}
        rows += [{**row, "test_error": error + shift} for shift in (-0.001, 0.001)]
    assert scores(pd.DataFrame(rows))["z"].tolist() == pytest.approx([FAR, 0.0])
