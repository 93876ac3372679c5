"""Bags in several blocks."""

from __future__ import annotations

import pytest

from needlescope.estimators.engine import prepared


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(prepared, "TOKEN_BLOCK", 60)
