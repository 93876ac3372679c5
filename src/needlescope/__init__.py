"""needlescope: see when attention finds the needle.

Exact predictions in the limit of high dimension for classifiers that detect a weak signal in a few
of many tokens, and simulations to check them. Public names load on first use, so that the import
stays quick.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import deep, estimators, figures
    from .deep.simulate import simulate_deep
    from .errors import NoMinimiser, NotConverged
    from .estimators.pilot.plan import plan_from_pilot
    from .experiments.engine import run_units
    from .experiments.stores.store import Store
    from .experiments.sweep import Sweep
    from .experiments.units.unit import Unit
    from .explorer.notebook.opening import Explorer
    from .instances.curves import predict_instances, simulate_instances
    from .instances.from_bags import task_from_bags
    from .instances.task import task_from_instances
    from .losses import Loss, PiecewiseQuadratic
    from .noise import Noise
    from .planner.default import plan
    from .planning.compare import compare
    from .planning.designs.bags_or_instances import bags_or_instances
    from .planning.sensitivity import sensitivity
    from .planning.tune import tune
    from .query import Query
    from .results import (
        Alignment,
        Asymptote,
        BagsOrInstances,
        BayesOptimal,
        BayesThreshold,
        BestQuery,
        Capacity,
        ClassifierPlan,
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
    from .spectrum import Spectrum
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

    __version__: str


def _modules() -> dict[str, str]:
    """Return the module of each public name: the imports above, which are the only list of them."""
    tree = ast.parse(Path(__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    return {
        alias.name: node.module or ""
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


_MODULES = _modules()
_PACKAGES = [name for name, module in _MODULES.items() if not module]  # as ns.figures.errors

__all__ = sorted(name for name, module in _MODULES.items() if module)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f".{_MODULES[name] or name}", __name__)
    if not _MODULES[name]:
        return module
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_PACKAGES])
