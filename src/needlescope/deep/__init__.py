"""Fuller attention, in torch: on the theory's task, and on bags. An extra, loaded on first use.

Names are given as words, not as imports: what rests on one of these modules rests on no other.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {"ARCHITECTURES": "catalogue", "DeepClassifier": "classifier", "simulate_deep": "simulate"}

__all__ = ["ARCHITECTURES", "DeepClassifier", "simulate_deep"]


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
