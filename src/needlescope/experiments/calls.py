"""What a unit can ask: each call turns plain arguments into numbers.

| call | answers |
| --- | --- |
| predict, simulate | an `Outcome` |
| align, simulate_alignment | an `Alignment` |
| focus, simulate_focus | a `Focus`: what the query looks at |
| capacity, simulate_separability | separable until which n/d, and how often |
| oracle, detection_threshold | what is possible when the signal is known |
| asymptote, crossover | the square loss with much data |

A call's version is part of the key of every unit: raise it when its numbers change.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..query import Query
from ..simulation.noise import Noise
from ..simulation.simulate import (
    simulate,
    simulate_alignment,
    simulate_focus,
    simulate_separability,
)
from ..task import Positions, Task
from ..theory.alignment import align
from ..theory.asymptote import asymptote
from ..theory.capacity import capacity
from ..theory.crossover import crossover
from ..theory.focus import focus
from ..theory.learning import predict
from ..theory.oracle import detection_threshold, oracle
from ..training import Training

CALLS: dict[str, Callable[..., Any]] = {
    "align": align,
    "asymptote": asymptote,
    "capacity": capacity,
    "crossover": crossover,
    "detection_threshold": detection_threshold,
    "focus": focus,
    "oracle": oracle,
    "predict": predict,
    "simulate": simulate,
    "simulate_alignment": simulate_alignment,
    "simulate_focus": simulate_focus,
    "simulate_separability": simulate_separability,
}
VERSIONS = dict.fromkeys(CALLS, 1)
SIMULATED = tuple(name for name in CALLS if name.startswith("simulate"))


def run_call(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call a function of the package with plain arguments; return its numbers by name.

    Examples
    --------
    >>> task = {"L": 4, "R": 1, "theta": 4.0, "pi": 0.5}
    >>> round(run_call("capacity", {"task": task, "model": "pooled"})["alpha"], 3)
    3.7
    """
    given = {key: decode(key, value) for key, value in arguments.items()}
    if name in SIMULATED:
        given |= {"workers": 1, "progress": False}  # the engine has the processes and the bar
    return flatten(CALLS[name](**given))


def decode(name: str, value: Any) -> Any:
    """Turn a plain argument into the object it stands for."""
    if value is None:
        return None
    if name in ("task", "test_task"):
        positions = value.get("positions", "uniform")
        if isinstance(positions, dict):
            value = {**value, "positions": Positions(**positions)}
        return Task(**value)
    kinds: dict[str, Callable[..., Any]] = {
        "training": Training,
        "query": Query,
        "noise": Noise,
    }
    return kinds[name](**value) if name in kinds else value


def flatten(result: Any) -> dict[str, Any]:
    """Return the single numbers and words of a result, those of its alignment included.

    A NaN says that there is no such number, and is left out.
    """
    found: dict[str, Any] = {}
    for field in dataclasses.fields(result):
        value = getattr(result, field.name)
        if field.name == "alignment" and value is not None:
            inner = flatten(value)
            found |= {key: inner[key] for key in inner if key not in found and key != "provenance"}
        elif isinstance(value, str):
            found[field.name] = value
        elif isinstance(value, int | float | np.number) and not np.isnan(value):
            found[field.name] = float(value)
    return found
