"""No figure computes: they are drawn from tables, in memory."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from needlescope.figures.style import RC


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    """Drawing must not compute; figures are closed."""

    def refuse(*_):
        raise AssertionError("a figure computed")

    monkeypatch.setattr("needlescope.experiments.units.calls.run_call", refuse)
    monkeypatch.setattr("needlescope.experiments.units.unit.run_call", refuse)
    monkeypatch.setattr(plt, "show", refuse)
    monkeypatch.setitem(RC, "figure.dpi", 50)  # a sixteenth of the dots to fill
    plt.switch_backend("agg")
    yield
    plt.close("all")
