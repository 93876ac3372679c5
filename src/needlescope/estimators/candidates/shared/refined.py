"""Candidates that L-BFGS refines: a path from an initial model for each ridge.

Few iterations come first, to see whether a candidate is worth more, and more later: what was
computed is kept with the fold, and a path is continued where it was left. Along a path

    J(θ) = Σ_i w_i ℓ(score_i(θ); y_i) + (ridge/2) ‖θ‖², θ without the bias,

decreases; where to stop is part of the configuration, as stopping early regularises.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ....losses import Loss
from ....solvers.smooth.lbfgs import LBFGS, TOLERANCE, Point
from ...engine.computation import Computation, Fit, Scored
from ...engine.fold_data import FoldData
from ...engine.objective import Evaluation, LossRequest
from ...engine.requests import Request
from .candidate import Candidate, Configuration, ridges_of
from .search_space import FIRST_ITERATIONS, SearchSpace

SINGLE_TOLERANCE = 1e-7  # of the loss, in single precision
SPARE = 2  # points beyond one in each iteration, where bags are read for every point


class RefinedCandidate(Candidate):
    """A candidate with a query, by ridge and number of iterations."""

    attends = True
    tuned = ("ridge", "max_refine_iter")

    def configurations(self, space: SearchSpace, unit: float) -> list[Configuration]:
        """List every ridge with every number of iterations."""
        iterations = space.iterations()
        return [Configuration(self, ridge, k) for ridge in space.ridges(unit) for k in iterations]

    def few(self, configurations: list[Configuration]) -> list[Configuration]:
        """Return those that say enough: without iterations, and with few of a middling ridge."""
        ridges = ridges_of(configurations)
        middling = ridges[len(ridges) // 2]
        most = max(FIRST_ITERATIONS, min(item.max_refine_iter for item in configurations))
        return [
            item
            for item in configurations
            if item.max_refine_iter == 0
            or (item.max_refine_iter <= most and item.ridge == middling)
        ]


class Initial(Computation):
    """The initial models of a candidate, one for each of some ridges: ``results``."""

    ridges: list[float]
    results: list[Scored]


class Paths(ABC):
    """What a fold knows of a candidate: for each ridge the initial model, and a path from there."""

    def __init__(self, fold: FoldData, loss: Loss) -> None:
        self.fold, self.loss = fold, loss
        self.paths: dict[float, LBFGS] = {}
        self.scored: dict[tuple[float, int], Scored] = {}

    @abstractmethod
    def pack(self, model: Any) -> FloatArray:
        """Return all parameters as one vector, the bias last."""

    @abstractmethod
    def unpack(self, at: FloatArray) -> Any:
        """Return the model of a vector."""

    @abstractmethod
    def request(self, at: FloatArray, **whom: bool) -> LossRequest:
        """Request loss and gradient, and scores of training bags, of ``all``, or ``held_out``."""

    def new(self, configurations: list[Configuration]) -> list[float]:
        """Return the ridges of configurations that have no path yet."""
        return [ridge for ridge in ridges_of(configurations) if ridge not in self.paths]

    def begin(self, ridge: float, first: Scored) -> None:
        """Begin the path of a ridge at a model."""
        spare = SPARE if self.fold.streamed else None
        tol = SINGLE_TOLERANCE if self.fold.single else TOLERANCE
        self.paths[ridge] = LBFGS(self.pack(first.model), tol, spare)
        self.scored[ridge, 0] = first


class RefinedFit(Fit):
    """Initial models of new ridges, then their paths side by side, then what scores are missing."""

    def __init__(
        self, paths: Paths, initial: Initial | None, configurations: list[Configuration]
    ) -> None:
        super().__init__()
        self.paths, self.initial = paths, initial
        self.wanted = [(item.ridge, item.max_refine_iter) for item in configurations]
        self.stops: dict[float, list[int]] = {}
        for ridge, iterations in self.wanted:
            self.stops.setdefault(ridge, []).append(iterations)
        self.required = initial.required if initial else ()

    def stage(self, number: int) -> Sequence[Computation] | None:
        """Return the computations of a stage, with what the stage before has found."""
        if number == 0:
            return [self.initial] if self.initial else []
        if number == 1:
            if self.initial:
                for ridge, first in zip(self.initial.ridges, self.initial.results, strict=True):
                    self.paths.begin(ridge, first)
            return [
                _Refinement(self.paths, ridge, some)
                for ridge, some in self.stops.items()
                if max(some)
            ]
        if number == 2:
            return [
                _Scores(self.paths, *item) for item in self.wanted if item not in self.paths.scored
            ]
        self.results = [self.paths.scored[item] for item in self.wanted]
        return None


class _Refinement(Computation):
    """The path of one ridge, as far as the last of its stops.

    A point of it keeps the scores there: where it stops those of all bags, if the passes leave out
    held-out bags, and of the training bags elsewhere.
    """

    def __init__(self, paths: Paths, ridge: float, stops: Sequence[int]) -> None:
        self.paths, self.ridge, self.stops = paths, ridge, stops
        self.lbfgs = paths.paths[ridge]
        self._at: FloatArray
        self._everyone = False

    def ask(self) -> list[Request] | None:
        at = self.lbfgs.ask(max(self.stops))
        if at is None:
            return None
        self._at, self._everyone = at, len(self.lbfgs.path) in self.stops
        every_bag = self._everyone and self.paths.fold.fold_id is not None
        return [self.paths.request(at, all=every_bag)]

    def tell(self, answers: list[Evaluation]) -> None:
        (result,), at = answers, self._at
        gradient = result.gradient
        gradient[:-1] += self.ridge * at[:-1]
        value = result.loss + 0.5 * self.ridge * float(at[:-1] @ at[:-1])
        self.lbfgs.tell(Point(at, value, gradient, (result.scores, self._everyone)))


class _Scores(Computation):
    """The scores of all bags after some iterations, where those of held-out bags are missing."""

    def __init__(self, paths: Paths, ridge: float, iterations: int) -> None:
        self.paths, self.key = paths, (ridge, iterations)
        self.point = paths.paths[ridge].after(iterations)

    def ask(self) -> list[Request] | None:
        scores, everyone = self.point.info
        if self.key in self.paths.scored:
            return None
        if self.paths.fold.fold_id is not None and not everyone:
            return [self.paths.request(self.point.at, held_out=True)]
        self._keep(scores)
        return None

    def tell(self, answers: list[FloatArray]) -> None:
        self._keep(np.where(self.paths.fold.in_training, self.point.info[0], answers[0]))

    def _keep(self, scores: FloatArray) -> None:
        self.paths.scored[self.key] = Scored(self.paths.unpack(self.point.at), scores)
