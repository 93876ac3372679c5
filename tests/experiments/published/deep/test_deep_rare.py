"""The experiment "deep_rare": its units, and what is compared."""

from __future__ import annotations

import pandas as pd
import pytest
from scipy.special import ndtri, stdtr

from needlescope.experiments.published.deep import deep_errors
from needlescope.experiments.published.deep.base import Size
from needlescope.experiments.published.deep.deep_rare import DRAWN, EXPERIMENT, SHARES, scores

FAR = ndtri(stdtr(1, -50.0))  # two trials, 50 standard errors below


def shares(call, full=False):
    return [unit.arguments["task"]["pi"] for unit in EXPERIMENT.units(full) if unit.call == call]


@pytest.mark.parametrize("full", [False, True])
def test_every_share_of_every_architecture(full):
    found = shares("simulate_deep", full)
    assert set(found) == {*SHARES, 0.5}
    assert len(found) == len(DRAWN) * (len(SHARES) + 1) * Size.of(full).trials


def test_those_at_one_half_are_of_another_figure():
    even = [unit for unit in EXPERIMENT.units(False)
            if unit.call == "simulate_deep" and unit.arguments["task"]["pi"] == 0.5]  # fmt: skip
    assert {unit.key for unit in even} < {unit.key for unit in deep_errors.units(False)}


def test_dots_have_their_limits():
    assert {*SHARES, 0.5} <= set(shares("bayes_optimal")) == set(shares("oracle"))


def test_only_what_is_below_the_limit_of_its_share_is_scored():
    rows = []
    for pi, error in ((0.1, 0.05), (0.5, 0.2)):
        rows.append({"call": "bayes_optimal", "task.pi": pi, "test_error": 0.1})
        row = {"call": "simulate_deep", "architecture": "max", "task.pi": pi}
        rows += [{**row, "test_error": error + shift} for shift in (-0.001, 0.001)]
    assert scores(pd.DataFrame(rows))["z"].tolist() == pytest.approx([FAR, 0.0])
