"""No figure computes: they are drawn from tables, in memory."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    """Drawing must not compute; figures are closed."""

    def refuse(*_):
        raise AssertionError("a figure computed")

    monkeypatch.setattr("needlescope.experiments.units.calls.run_call", refuse)
    monkeypatch.setattr("needlescope.experiments.units.unit.run_call", refuse)
    monkeypatch.setattr(plt, "show", refuse)
    plt.switch_backend("agg")
    yield
    plt.close("all")
