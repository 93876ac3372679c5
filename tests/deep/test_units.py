"""Units of fuller attention: one that is killed goes on from its checkpoint when it runs again."""

from __future__ import annotations

import pytest

import needlescope as ns
from needlescope.deep.training import checkpoint
from needlescope.experiments.engine import local

TASK = {"L": 4, "R": 1, "theta": 5.0, "pi": 0.5}
ASKED = {"task": TASK, "alpha": 8.0, "architecture": "cls", "d": 6, "epochs": 8, "n_test": 200}
UNITS = [ns.Unit("simulate_deep", {**ASKED, "trials": 1, "seed": [0, k]}) for k in range(2)]


class Killed(BaseException):
    """What no engine catches."""


def numbers(path):
    with ns.Store(path) as store:
        done = ns.run_units(UNITS, store, engine=local(1))
        return done, [row.numbers for row in store.rows(UNITS)]


def test_it_goes_on_and_leaves_nothing_behind(tmp_path, monkeypatch):
    _, whole = numbers(tmp_path / "whole.sqlite")
    monkeypatch.setattr(checkpoint.Checkpoint.__init__, "__defaults__", (0.0,))
    keep, epochs = checkpoint.Checkpoint.keep, []

    def kill(self, runs, model):
        keep(self, runs, model)
        epochs.append(sum(run.epoch for run in runs))
        if len(epochs) == 50:  # in the second unit
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint.Checkpoint, "keep", kill)
        with pytest.raises(Killed):
            numbers(tmp_path / "killed.sqlite")
    folder = tmp_path / "killed.checkpoints"
    assert [len(list(item.iterdir())) for item in folder.iterdir()] == [1]
    report = []
    with monkeypatch.context() as patch:
        patch.setattr(
            checkpoint.Checkpoint, "keep", lambda self, runs, model: report.append(runs[-1].epoch)
        )
        done, again = numbers(tmp_path / "killed.sqlite")
    assert done[:3] == (1, 1, 0) and again == whole
    assert len(report) < 36 - epochs[-1]  # four settings of eight epochs, and their starts
    assert not folder.exists()
