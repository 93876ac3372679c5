"""How long calls of theory and planner take: run as a script, by any version that can.

``python timings.py name`` prints where the package is and the milliseconds of CPU time of a call,
the best of a few, or null where this version lacks the call or refuses it. Every repetition asks
something slightly new, so that no answer is remembered; what several questions share, may be.
"""

from __future__ import annotations

import functools
import gc
import json
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

TIMES = 3


class Timing(NamedTuple):
    """A call as a function of the package and a small number, and the milliseconds aimed at."""

    call: Callable[[Any, float], Any]
    aim: float | None = None
    long: bool = False
    cold: bool = False
    part: str = "theory"


def _task(ns: Any, L: int = 10, R: int = 1, theta: float = 5.0) -> Any:
    return ns.Task(L=L, R=R, theta=theta, pi=0.5)


def _training(ns: Any, **given: Any) -> Any:
    return ns.Training(**{"alpha0": 4.0, "alpha1": 1.0, "ridge": 1e-2} | given)


def _grid(ns: Any, x: float) -> Any:
    alpha1 = np.geomspace(0.5, 40.0, 40)
    return ns.predict(_task(ns, theta=5.2 + x), _training(ns, alpha1=alpha1, ridge=1e-5))


def _long_law(ns: Any, x: float) -> Any:
    task = _task(ns, 100, theta=4.265)
    return ns.predict(task, ns.Training(alpha1=100.0), query=ns.Query(3.0 + x, 0.576))


def _capacity(ns: Any, x: float) -> Any:
    return ns.capacity(_task(ns, theta=5.0 + x), query=ns.Query(0.6843, 0.9762), tol=1e-2)


def _limit(L: int, R: int, theta: float) -> Callable[[Any, float], Any]:
    return lambda ns, x: ns.bayes_optimal(_task(ns, L, R, theta + x), 4.0)


def _diagram(ns: Any, x: float) -> Any:
    theta, alpha = np.linspace(2.0, 6.0, 100)[:, None] + x, np.geomspace(0.1, 30.0, 100)
    return ns.bayes_optimal(_task(ns, 100, 1, theta), alpha)


def _plan(ns: Any, **given: Any) -> Any:
    """Plan in the limit of large d."""
    return ns.plan(**{"d": 100, "learner": "attention", "interval": False} | given)


def _planner(call: Callable[[Any, float], Any], aim: float) -> Timing:
    return Timing(call, aim, part="planner")


TIMINGS = {
    "predict, a new θ": Timing(
        lambda ns, x: ns.predict(_task(ns, theta=5 + x), _training(ns)), 100
    ),
    "predict, a new θ, tolerance 1e-3": Timing(
        lambda ns, x: ns.predict(_task(ns, theta=5.1 + x), _training(ns), tol=1e-3), 25
    ),
    "predict, the same law, another α1": Timing(
        lambda ns, x: ns.predict(_task(ns), _training(ns, alpha1=1.5 + x)), 10
    ),
    "predict, the same law, another ridge": Timing(
        lambda ns, x: ns.predict(_task(ns), _training(ns, ridge=0.03 + x)), 10
    ),
    "predict, a grid of 40 α1": Timing(_grid, 600),
    "predict, L = 100, α1 = 100, κ = 3": Timing(_long_law, 1000),
    "oracle_threshold, attention": Timing(
        lambda ns, x: ns.oracle_threshold(_task(ns, 100), "attention", 0.1 + x), 300
    ),
    "crossover": Timing(lambda ns, x: ns.crossover(_task(ns), 1.0 + x), 500),
    "capacity, a new θ, tolerance 1e-2": Timing(_capacity),
    "oracle, bayes, L = 1000, cold": Timing(
        lambda ns, x: ns.oracle(_task(ns, 1000, theta=3.72 + x), "bayes"), 30, cold=True
    ),
    "bayes_optimal, L = 1000, R = 1": Timing(_limit(1000, 1, 4.0)),
    "bayes_optimal, L = 1000, R = 12": Timing(_limit(1000, 12, 1.5)),
    "bayes_optimal, L = 1000, R = 100": Timing(_limit(1000, 100, 1.0), 50),
    "bayes_optimal, L = 100,000, R = 1": Timing(_limit(100_000, 1, 5.0)),
    "simulate_amp, one trial, d = 1000": Timing(
        lambda ns, x: ns.simulate_amp(
            _task(ns, theta=4.0 + x), 2.0, d=1000, trials=1, seed=1, n_jobs=1
        )
    ),
    "bayes_optimal, 100 × 100 points": Timing(_diagram, long=True),
    "tune, all losses": _planner(lambda ns, x: ns.tune(_task(ns, theta=4.0 + x), 4.0), 1500),
    "tune, all losses, L = 100": _planner(
        lambda ns, x: ns.tune(_task(ns, 100, theta=4.0 + x), 16.0), 1500
    ),
    "compare, 77 bags at d = 64": _planner(
        lambda ns, x: ns.compare(_task(ns, theta=3.0 + x), 77, d=64), 500
    ),
    "compare, 4 bags for each dimension": _planner(
        lambda ns, x: ns.compare(_task(ns, theta=4.0 + x), 4.0), 500
    ),
    "compare, L = 100": _planner(
        lambda ns, x: ns.compare(_task(ns, 100, theta=4.0 + x), 16.0), 500
    ),
    "sensitivity": _planner(
        lambda ns, x: ns.sensitivity(_task(ns, theta=5.0 + x), ns.Training(4.0, 1.0)), 500
    ),
    "sensitivity, L = 50": _planner(
        lambda ns, x: ns.sensitivity(_task(ns, 50, theta=4.0 + x), ns.Training(4.0, 8.0)), 500
    ),
    "plan n, no interval": _planner(lambda ns, x: _plan(ns, L=10, theta=4.0 + x, error=0.1), 2000),
    "plan n for pooled, no interval": _planner(
        lambda ns, x: _plan(ns, L=4, theta=4.0 + x, error=0.2, learner="pooled"), 2000
    ),
    "plan θ, no interval": _planner(lambda ns, x: _plan(ns, L=25, n=400, error=0.1 + x), 2000),
    "plan L, no interval": _planner(lambda ns, x: _plan(ns, theta=4.5 + x, n=300, error=0.1), 2000),
    "plan error, no interval": _planner(lambda ns, x: _plan(ns, L=10, theta=5.0 + x, n=400), 2000),
}


def milliseconds(timing: Timing) -> float | None:
    """Return the CPU time of a call, the best of a few, or None where it cannot be made."""
    import needlescope as ns

    spent = []
    try:
        if not timing.long:
            timing.call(ns, 0.0)
        for k in range(1, 2 if timing.long else 1 + TIMES):
            if timing.cold:
                _forget()
            start = time.process_time()
            timing.call(ns, 1e-6 * k)
            spent.append(time.process_time() - start)
    except (AttributeError, TypeError, ValueError, ArithmeticError, RuntimeError):
        return None
    return 1e3 * min(spent)


def _forget() -> None:
    """Empty what the package remembers between calls."""
    for thing in gc.get_objects():
        room = getattr(thing, "__module__", None) if callable(thing) else None
        if isinstance(thing, functools._lru_cache_wrapper) and str(room).startswith("needlescope."):
            thing.cache_clear()


if __name__ == "__main__":
    import needlescope

    print(json.dumps([needlescope.__file__, milliseconds(TIMINGS[sys.argv[1]])]))
