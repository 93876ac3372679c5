"""Figures are drawn small, and closed."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from needlescope.figures.style import RC


@pytest.fixture(autouse=True)
def small_figures(monkeypatch):
    """Draw with a sixteenth of the dots."""
    monkeypatch.setitem(RC, "figure.dpi", 50)
    plt.switch_backend("agg")
    yield
    plt.close("all")
