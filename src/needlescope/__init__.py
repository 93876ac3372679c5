"""needlescope: see when attention finds the needle.

Exact predictions in the limit of high dimension for classifiers that detect a weak signal in a few
of many tokens, and simulations to check them. Public names load on first use, so that the import
stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import deep, estimators, figures
    from .deep.simulate import simulate_deep
    from .errors import NoMinimiser, NotConverged
    from .estimators.task.pilot import plan_from_pilot
    from .experiments.engine import run_units
    from .experiments.stores.store import Store
    from .experiments.sweep import Sweep
    from .experiments.units.unit import Unit
    from .losses import Loss, PiecewiseQuadratic
    from .noise import Noise
    from .planning.compare import compare
    from .planning.plan import plan
    from .planning.sensitivity import sensitivity
    from .planning.tune import tune
    from .query import Query
    from .results import (
        Alignment,
        Asymptote,
        BayesOptimal,
        BayesThreshold,
        BestQuery,
        Capacity,
        Comparison,
        Crossover,
        DeepOutcome,
        Focus,
        Oracle,
        Outcome,
        PhaseBoundaries,
        PilotPlan,
        Plan,
        Sensitivity,
        Separability,
        SimulatedAMP,
        StateEvolution,
        Threshold,
        Tuned,
    )
    from .schedule import Schedule
    from .signal_count import SignalCount
    from .simulation.amp.simulate_amp import simulate_amp
    from .simulation.oracle import simulate_oracle
    from .simulation.simulate import (
        simulate,
        simulate_alignment,
        simulate_focus,
        simulate_separability,
    )
    from .task import Positions, Task
    from .theory.alignment import align
    from .theory.asymptote import asymptote
    from .theory.bayes.bayes_optimal import bayes_optimal
    from .theory.bayes.bayes_threshold import bayes_threshold
    from .theory.bayes.boundaries import phase_boundaries
    from .theory.bayes.state_evolution import state_evolution
    from .theory.best_query import best_query
    from .theory.capacity import capacity
    from .theory.crossover import crossover
    from .theory.focus import focus
    from .theory.learning import predict
    from .theory.oracle.least_error import oracle
    from .theory.oracle.threshold import oracle_threshold
    from .theory.training_threshold import training_threshold
    from .training import Training

__version__ = "0.1.0"

_NAMES = {
    "deep.simulate": "simulate_deep",
    "errors": "NoMinimiser NotConverged",
    "estimators.task.pilot": "plan_from_pilot",
    "experiments.engine": "run_units",
    "experiments.stores.store": "Store",
    "experiments.sweep": "Sweep",
    "experiments.units.unit": "Unit",
    "losses": "Loss PiecewiseQuadratic",
    "noise": "Noise",
    "planning.compare": "compare",
    "planning.plan": "plan",
    "planning.sensitivity": "sensitivity",
    "planning.tune": "tune",
    "query": "Query",
    "results": (
        "Alignment Asymptote BayesOptimal BayesThreshold BestQuery Capacity Comparison Crossover "
        "DeepOutcome Focus Oracle Outcome PhaseBoundaries PilotPlan Plan Sensitivity "
        "Separability SimulatedAMP StateEvolution Threshold Tuned"
    ),
    "schedule": "Schedule",
    "signal_count": "SignalCount",
    "simulation.amp.simulate_amp": "simulate_amp",
    "simulation.oracle": "simulate_oracle",
    "simulation.simulate": "simulate simulate_alignment simulate_focus simulate_separability",
    "task": "Positions Task",
    "theory.alignment": "align",
    "theory.asymptote": "asymptote",
    "theory.bayes.bayes_optimal": "bayes_optimal",
    "theory.bayes.bayes_threshold": "bayes_threshold",
    "theory.bayes.boundaries": "phase_boundaries",
    "theory.bayes.state_evolution": "state_evolution",
    "theory.best_query": "best_query",
    "theory.capacity": "capacity",
    "theory.crossover": "crossover",
    "theory.focus": "focus",
    "theory.learning": "predict",
    "theory.oracle.least_error": "oracle",
    "theory.oracle.threshold": "oracle_threshold",
    "theory.training_threshold": "training_threshold",
    "training": "Training",
}  # the public names of each module
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}
_PACKAGES = ("deep", "estimators", "figures")  # with public names of their own

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f".{name}", __name__)
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_PACKAGES])
