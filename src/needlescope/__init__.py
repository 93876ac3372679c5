"""needlescope: see when attention finds the needle.

Predictions, in the limit of high dimension, for classifiers that look for a weak signal hidden in a
few of many tokens, and simulations to check them. Public names load on first use, so that importing
the package stays quick.
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

_HOME = {
    "Alignment": "results",
    "Asymptote": "results",
    "BestQuery": "results",
    "Capacity": "results",
    "Comparison": "results",
    "Crossover": "results",
    "DeepOutcome": "results",
    "Focus": "results",
    "BayesOptimal": "results",
    "BayesThreshold": "results",
    "Loss": "losses",
    "NoMinimiser": "errors",
    "Noise": "noise",
    "NotConverged": "errors",
    "Oracle": "results",
    "Outcome": "results",
    "PhaseBoundaries": "results",
    "PiecewiseQuadratic": "losses",
    "PilotPlan": "results",
    "Plan": "results",
    "Positions": "task",
    "Query": "query",
    "Schedule": "schedule",
    "Sensitivity": "results",
    "Separability": "results",
    "SignalCount": "signal_count",
    "SimulatedAMP": "results",
    "StateEvolution": "results",
    "Store": "experiments.stores.store",
    "Sweep": "experiments.sweep",
    "Task": "task",
    "Threshold": "results",
    "Training": "training",
    "Tuned": "results",
    "Unit": "experiments.units.unit",
    "align": "theory.alignment",
    "asymptote": "theory.asymptote",
    "best_query": "theory.best_query",
    "capacity": "theory.capacity",
    "compare": "planning.compare",
    "crossover": "theory.crossover",
    "oracle_threshold": "theory.oracle.threshold",
    "focus": "theory.focus",
    "bayes_optimal": "theory.bayes.bayes_optimal",
    "bayes_threshold": "theory.bayes.bayes_threshold",
    "oracle": "theory.oracle.least_error",
    "phase_boundaries": "theory.bayes.boundaries",
    "plan": "planning.plan",
    "plan_from_pilot": "estimators.task.pilot",
    "predict": "theory.learning",
    "run_units": "experiments.engine",
    "sensitivity": "planning.sensitivity",
    "simulate": "simulation.simulate",
    "simulate_alignment": "simulation.simulate",
    "simulate_deep": "deep.simulate",
    "simulate_focus": "simulation.simulate",
    "simulate_amp": "simulation.amp.simulate_amp",
    "simulate_oracle": "simulation.oracle",
    "simulate_separability": "simulation.simulate",
    "state_evolution": "theory.bayes.state_evolution",
    "training_threshold": "theory.training_threshold",
    "tune": "planning.tune",
}

_ROOMS = ("deep", "estimators", "figures")  # of several names each, as ns.figures.errors

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
