"""Rows of a sweep's table: means over trials, one for each point."""

from __future__ import annotations

import pandas as pd

import needlescope as ns
from needlescope.experiments.engine import local
from needlescope.experiments.stores.means import means
from needlescope.experiments.sweep import Sweep
from needlescope.experiments.units.unit import Unit

TASK = {"L": 4, "R": 1, "theta": [1.0, 2.0], "pi": 0.5}


def test_several_positions_are_told_apart(tmp_path):
    laws = [ns.Positions([(0,)]), ns.Positions([(1,), (2,)]), "uniform"]
    units = Sweep(
        "oracle", {"task": {**TASK, "theta": 1.0, "positions": laws}}, {"model": "bayes"}
    ).units()
    with ns.Store(tmp_path / "a.sqlite") as store:
        assert ns.run_units(units, store, engine=local(1)).failed == 0
        table = store.to_pandas(units)
    assert table["task.positions"].tolist() == ["given", "given", "uniform"]
    assert table["task.positions.sets"].tolist()[:2] == [[[0]], [[1], [2]]]
    assert len(means(table, units)) == 3


def test_a_limit_shows_its_overlap_beside_the_iterations():
    task = {"L": 10, "R": 1, "theta": 4.0, "pi": 0.5}
    calls = ("bayes_optimal", "simulate_amp")
    units = [Unit(call, {"task": task, "alpha": 1.0}) for call in calls]
    table = pd.DataFrame({"call": calls, "alpha": 1.0, "task.L": 10, "overlap": [0.88, 0.87]})
    assert [row["overlap"] for row in means(table, units)] == [0.88, 0.87]


def test_a_limit_says_its_phase_and_what_has_none_says_nothing():
    """A unit that failed has no word either."""
    task = {"L": 10, "R": 1, "theta": 4.0, "pi": 0.5}
    calls = ("bayes_optimal", "phase_boundaries", "simulate_amp", "bayes_optimal")
    units = [Unit(calls[0], {"task": task, "alpha": 1.0})]
    table = pd.DataFrame(
        {
            "call": calls,
            "alpha": [1.0, 1.0, 1.0, 2.0],
            "overlap": [0.9, None, 0.8, None],
            "phase": ["hard", None, None, None],
            "verdict": [None, "jump", None, None],
        }
    )
    rows = means(table, units)
    assert [row["phase"] for row in rows] == ["hard", "", "", ""]
    assert [row["verdict"] for row in rows] == ["", "jump", "", ""]
    assert list(rows[0]).index("phase") < list(rows[0]).index("overlap")
    assert "phase" not in means(table.drop(columns="phase"), units)[0]
