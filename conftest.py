"""For tests and doctests alike: no figure stays open for the next one to stumble over."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

DEEP = Path(__file__).parent / "src" / "needlescope" / "deep"
LIGHT = ("__init__", "catalogue", "course", "plan", "torch_needed")
# Modules that import torch, or whose examples need it: make test-deep has it.
collect_ignore = (
    []
    if find_spec("torch")
    else [str(path) for path in DEEP.rglob("*.py") if path.stem not in LIGHT or path.parent != DEEP]
)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Ten thousand tests stay to the end: no collection of garbage needs to walk them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
