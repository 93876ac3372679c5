"""What theory and simulation both return.

Fields are floats, or arrays in the shape of the grid. A field ``x`` that carries
an uncertainty has it beside it as ``x_se``: the quasi-Monte Carlo error for theory, the standard
error over trials for simulation.
"""

from __future__ import annotations

from .deep import DeepOutcome as DeepOutcome
from .gather import Kind as Kind
from .gather import gather as gather
from .learned import BayesOptimal as BayesOptimal
from .learned import BayesThreshold as BayesThreshold
from .learned import PhaseBoundaries as PhaseBoundaries
from .learned import SimulatedAMP as SimulatedAMP
from .learned import StateEvolution as StateEvolution
from .limits import Asymptote as Asymptote
from .limits import BestQuery as BestQuery
from .limits import Capacity as Capacity
from .limits import Crossover as Crossover
from .limits import Oracle as Oracle
from .limits import Threshold as Threshold
from .planned import BagsOrInstances as BagsOrInstances
from .planned import ClassifierPlan as ClassifierPlan
from .planned import Comparison as Comparison
from .planned import PilotPlan as PilotPlan
from .planned import Plan as Plan
from .planned import Sensitivity as Sensitivity
from .planned import Tuned as Tuned
from .trained import Alignment as Alignment
from .trained import Focus as Focus
from .trained import Outcome as Outcome
from .trained import Separability as Separability
