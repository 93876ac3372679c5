"""Rows of a sweep's table: means over trials, one for each point."""

from __future__ import annotations

import needlescope as ns
from needlescope.cli.means import means
from needlescope.experiments.engine import local
from needlescope.experiments.sweep import Sweep

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
