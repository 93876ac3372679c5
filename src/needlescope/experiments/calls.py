"""What a unit can ask: each call turns plain arguments into numbers.

| call | answers |
| --- | --- |
| predict, simulate | an `Outcome` |
| align, simulate_alignment | an `Alignment` |
| focus, simulate_focus | a `Focus`: what the query looks at |
| capacity, simulate_separability | separable until which n/d, and how often |
| oracle, simulate_oracle, detection_threshold | what is possible when the signal is known |
| asymptote, crossover | the square loss with much data |

Noise may have a ``covariance_decay`` c in place of a covariance: Σ_ij = c^|i − j| at the call's own
d, a number where the matrix would be d × d of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..grid import real
from ..query import Query
from ..simulation.noise import Noise
from ..simulation.oracle import simulate_oracle
from ..simulation.setup import whole
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
    "simulate_oracle": simulate_oracle,
    "simulate_separability": simulate_separability,
}
LARGEST = 20_000  # d of a covariance that is made here: 3.2 GB
SIMULATED = tuple(name for name in CALLS if name.startswith("simulate"))


def run_call(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call a function of the package with plain arguments; return its numbers by name.

    Examples
    --------
    >>> task = {"L": 4, "R": 1, "theta": 4.0, "pi": 0.5}
    >>> round(run_call("capacity", {"task": task, "model": "pooled"})["alpha"], 3)
    3.7
    """
    given = {key: decode(key, value, arguments.get("d")) for key, value in arguments.items()}
    if name in SIMULATED:
        given |= {"workers": 1, "progress": False}  # the engine has the processes and the bar
    return flatten(CALLS[name](**given))


def decode(name: str, value: Any, d: int | None = None) -> Any:
    """Turn a plain argument into the object it stands for; a decaying covariance needs d.

    Examples
    --------
    >>> decode("noise", {"covariance_decay": 0.5}, d=3).covariance
    array([[1.  , 0.5 , 0.25],
           [0.5 , 1.  , 0.5 ],
           [0.25, 0.5 , 1.  ]])
    """
    if value is None:
        return None
    if name == "noise" and "covariance_decay" in value:
        value = {**value}
        decay = value.pop("covariance_decay")
        if "covariance" in value:
            raise ValueError("noise has a covariance or a covariance_decay, got both")
        value["covariance"] = _decaying(decay, d)
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


def _decaying(decay: Any, d: Any) -> FloatArray:
    """Return the covariance decay^|i − j| of d dimensions."""
    if np.ndim(decay):
        raise ValueError(f"covariance_decay must be a single number, got {decay!r}")
    decay = real("covariance_decay", decay, -1.0, 1.0, open_low=True, open_high=True)
    if d is None:
        raise ValueError("covariance_decay describes a d × d matrix: give d as well")
    steps = np.arange(whole("d", d, 1, LARGEST))
    return np.asarray(decay ** np.abs(steps[:, None] - steps))


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
