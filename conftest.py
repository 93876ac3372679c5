"""For tests and doctests alike: what is slow, and no figure that stays open for the next test."""

from __future__ import annotations

import gc
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

import pytest

DEEP = Path(__file__).parent / "src" / "needlescope" / "deep"
LIGHT = ("__init__", "catalogue", "torch_needed", "training_spec")
# Modules that import torch, or whose examples need it: make test-deep has it.
collect_ignore = (
    []
    if find_spec("torch")
    else [str(path) for path in DEEP.rglob("*.py") if path.stem not in LIGHT or path.parent != DEEP]
)
WIDGET = DEEP.parent / "explorer" / "notebook"
if find_spec("anywidget") is None:  # make test has it
    collect_ignore += [str(WIDGET / "widget.py"), str(WIDGET / "opening.py")]
LIVE = DEEP.parent / "explorer" / "live"
if not find_spec("starlette"):  # an extra; the tests say that they were skipped
    collect_ignore += [str(path) for path in LIVE.glob("*.py")]

SLOW_EXAMPLES = {  # 2 to 12 seconds each; the tests of these calls have smaller ones
    "needlescope.estimators.task.fit.fit_task",
    "needlescope.planning.compare.compare",
    "needlescope.planning.learning_curves.learning_curves",
    "needlescope.planning.sensitivity.sensitivity",
    "needlescope.planning.tune.tune",
    "needlescope.planning.tuning.search.best_attention",
    "needlescope.estimators.task.estimate.estimate_task",
    "needlescope.estimators.task.result.TaskEstimate",
    "needlescope.results.planned.Comparison",
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark slow what is not sampled, a part of the cases by a hash of their names."""
    cases = defaultdict(list)
    for item in items:
        if sampled := item.get_closest_marker("sampled"):
            cases[item.nodeid.partition("[")[0], sampled.args[0]].append(item)
        elif item.name in SLOW_EXAMPLES:
            item.add_marker(pytest.mark.slow)
    for (_, part), some in cases.items():
        some.sort(key=lambda item: crc32(item.name.encode()))
        for item in some[-(-len(some) // part) :]:
            item.add_marker(pytest.mark.slow)


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
