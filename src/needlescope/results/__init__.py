"""What theory and simulation both return.

Fields are floats, or arrays in the shape of the grid that was asked. A field ``x`` that carries
an uncertainty has it beside it as ``x_se``: the quasi-Monte Carlo error for theory, the standard
error over trials for simulation.
"""

from __future__ import annotations

from .deep import DeepOutcome
from .gather import Kind, gather
from .learned import (
    BayesOptimal,
    BayesThreshold,
    PhaseBoundaries,
    SimulatedAMP,
    StateEvolution,
)
from .limits import Asymptote, BestQuery, Capacity, Crossover, Oracle, Threshold
from .planned import Comparison, PilotPlan, Plan, Sensitivity, Tuned
from .trained import Alignment, Focus, Outcome, Separability

__all__ = [
    "Alignment",
    "Asymptote",
    "BayesOptimal",
    "BayesThreshold",
    "BestQuery",
    "Capacity",
    "Comparison",
    "Crossover",
    "DeepOutcome",
    "Focus",
    "Kind",
    "Oracle",
    "Outcome",
    "PhaseBoundaries",
    "PilotPlan",
    "Plan",
    "Sensitivity",
    "Separability",
    "SimulatedAMP",
    "StateEvolution",
    "Threshold",
    "Tuned",
    "gather",
]
