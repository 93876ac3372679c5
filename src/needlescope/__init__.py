"""needlescope: see when attention finds the needle.

Exact predictions for classifiers that look for a weak signal hidden in a few of many tokens. Public
names load on first use, so that importing the package stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import NoMinimiser, NotConverged
    from .losses import Loss, PiecewiseQuadratic
    from .outcome import Alignment, Asymptote, Capacity, Crossover, Oracle, Outcome, Threshold
    from .query import Query
    from .task import Positions, Task
    from .theory.alignment import align
    from .theory.asymptote import asymptote
    from .theory.capacity import capacity
    from .theory.crossover import crossover
    from .theory.learning import predict
    from .theory.oracle import detection_threshold, oracle
    from .training import Training

__version__ = "0.1.0"

_HOME = {
    "Alignment": "outcome",
    "Asymptote": "outcome",
    "Capacity": "outcome",
    "Crossover": "outcome",
    "Loss": "losses",
    "NoMinimiser": "errors",
    "NotConverged": "errors",
    "Oracle": "outcome",
    "Outcome": "outcome",
    "PiecewiseQuadratic": "losses",
    "Positions": "task",
    "Query": "query",
    "Task": "task",
    "Threshold": "outcome",
    "Training": "training",
    "align": "theory.alignment",
    "asymptote": "theory.asymptote",
    "capacity": "theory.capacity",
    "crossover": "theory.crossover",
    "detection_threshold": "theory.oracle",
    "oracle": "theory.oracle",
    "predict": "theory.learning",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
