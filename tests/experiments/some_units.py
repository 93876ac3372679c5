"""Units: a trial, cheap ones, and one that fails."""

from __future__ import annotations

from needlescope.experiments.units.unit import Unit

TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
WRONG = Unit("oracle", {"task": TASK | {"R": 11}, "model": "pooled"})
TRIAL = Unit(
    "simulate",
    {
        "task": TASK,
        "training": {"alpha0": 2.0, "alpha1": 2.0},
        "model": "attention",
        "d": 60,
        "trials": 1,
        "seed": [0, 3],
    },
)


def cheap(count: int) -> list[Unit]:
    tasks = [TASK | {"theta": 1.0 + place / 50} for place in range(count)]
    return [Unit("oracle", {"task": task, "model": "pooled"}) for task in tasks]
