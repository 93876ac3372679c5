"""What the comparisons share."""

from __future__ import annotations

import pytest

from needlescope.simulation.error import attention as exact
from needlescope.simulation.error import estimated


@pytest.fixture(autouse=True)
def rough_integrals(monkeypatch):
    """Test errors of a trial to about 1e-3: without bias, and in the scatter over trials."""
    monkeypatch.setattr(exact, "TOL", 1.0)
    monkeypatch.setattr(exact, "FIRST", 1 << 6)
    monkeypatch.setattr(estimated, "ESTIMATE_TOL", 1.0)
