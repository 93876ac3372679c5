"""The experiment "deep_heads": its units, and that one signal alone is compared."""

from __future__ import annotations

import pandas as pd
import pytest
from scipy.special import ndtri, stdtr

from needlescope.experiments.published.deep.base import Size
from needlescope.experiments.published.deep.deep_heads import (
    EXPERIMENT,
    HEADS,
    KINDS,
    SIGNALS,
    scores,
    task,
)

FAR = ndtri(stdtr(1, -50.0))  # two trials, 50 standard errors below


@pytest.mark.parametrize("full", [False, True])
def test_every_number_of_heads_for_every_number_of_signals(full):
    found = [unit.arguments for unit in EXPERIMENT.units(full) if unit.call == "simulate_deep"]
    points = {(one["architecture"], len(one["task"].get("signals", [1])), one["heads"])
              for one in found}  # fmt: skip
    assert points == {(name, n, heads) for name in KINDS for n in SIGNALS for heads in HEADS}
    assert len(found) == len(points) * Size.of(full).trials


def test_signals_are_equally_frequent():
    assert task(4)["signals"] == [0.25] * 4 and "signals" not in task(1)


def test_what_one_query_reaches_is_asked_where_there_are_several_signals():
    found = [
        unit.arguments["task"] for unit in EXPERIMENT.units(False) if unit.call == "best_query"
    ]
    assert found == [task(n) for n in SIGNALS if n > 1]


def test_several_signals_are_not_held_against_the_limit_of_one():
    rows = [{"call": "bayes_optimal", "alpha": 32.0, "test_error": 0.1, "task.signals": None}]
    for signals, error in ((None, 0.05), ([0.5, 0.5], 0.01)):
        row = {"call": "simulate_deep", "architecture": "block", "heads": 2, "alpha": 32.0}
        row["task.signals"] = signals
        rows += [{**row, "test_error": error + shift} for shift in (-0.001, 0.001)]
    found = scores(pd.DataFrame(rows))
    assert found["z"].tolist() == pytest.approx([FAR])
    assert found["what"].tolist() == ["block (2 heads) not below the limit at alpha=32.0"]
    alone = pd.DataFrame(rows[:3]).drop(columns="task.signals")
    assert scores(alone)["z"].tolist() == pytest.approx([FAR])
