"""The experiment "deep_lengths": its units, and what is compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri, stdtr

from needlescope.experiments.published.deep.base import Size
from needlescope.experiments.published.deep.deep_lengths import (
    DRAWN,
    EXPERIMENT,
    FACTOR,
    FINE,
    LENGTHS,
    LONGEST,
    SLOW,
    D,
    scores,
    task,
)

FAR = ndtri(stdtr(1, -50.0))  # two trials, 50 standard errors below


def lengths(full, name):
    units = [unit.arguments for unit in EXPERIMENT.units(full) if unit.call == "simulate_deep"]
    own = [one for one in units if one["architecture"] == name]
    assert {one["d"] for one in own} == {D}
    found = [one["task"]["L"] for one in own]
    assert all(found.count(L) == Size.of(full).trials for L in found)
    return sorted(set(found))


def test_the_longest_are_left_to_the_full_size():
    for name in DRAWN:
        assert lengths(True, name) == [*LENGTHS, LONGEST]
        assert lengths(False, name) == list(LENGTHS[:-1] if name in SLOW else LENGTHS)
    assert max(LENGTHS) > D and {*LENGTHS, LONGEST} <= set(FINE)


def test_the_signal_is_a_factor_above_the_threshold():
    for L in FINE:
        assert task(L)["theta"] == pytest.approx(FACTOR * np.sqrt(2.0 * np.log(L)), rel=1e-3)


def test_every_length_has_its_limit():
    found = [unit.arguments["task"] for unit in EXPERIMENT.units(False)
             if unit.call == "bayes_optimal"]  # fmt: skip
    assert found == [task(L) for L in FINE]


def test_only_what_is_below_the_limit_of_its_length_is_scored():
    rows = []
    for L, error in ((4, 0.05), (16, 0.2)):
        rows.append({"call": "bayes_optimal", "task.L": L, "test_error": 0.1})
        row = {"call": "simulate_deep", "architecture": "max", "task.L": L}
        rows += [{**row, "test_error": error + shift} for shift in (-0.001, 0.001)]
    assert scores(pd.DataFrame(rows))["z"].tolist() == pytest.approx([FAR, 0.0])
