"""Tests of fuller attention: those that need torch are left out where it is not installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

LIGHT = ("test_catalogue.py", "test_torch_needed.py")
HERE = Path(__file__).parent
collect_ignore = (
    [] if find_spec("torch") else [str(item) for item in HERE.iterdir() if item.name not in LIGHT]
)
