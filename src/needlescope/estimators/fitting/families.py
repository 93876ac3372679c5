"""Settings of one way, trained together: one start, one table of features, a path for each ridge.

Few iterations come first, to see whether a way is worth more, and more later: what was found is
kept, and a path is taken up where it was left.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...losses import Loss
from ...models.gradient import pack, unpack
from . import steps
from .descent import SETTLED, Descent
from .lockstep.asks import Ask, Features
from .lockstep.conductor import Job, side_by_side
from .lockstep.sight import Sight
from .settings import Setting
from .steps import Scored
from .ways import evidence, starts
from .ways.slopes import AttentionSlope, EvidenceSlope, walk

SINGLE = 1e-7  # a gain in the loss that ends a refinement, as single precision tells no less
SPARE = 2  # points beyond one in each iteration, where bags are read for every point
SOON, NEARLY = 9, 1e-3  # rounds of iterated attention there, at most, and when it has settled
QUITE = 1e-6  # when it has settled elsewhere


def start_of(sight: Sight, loss: Loss, way: Setting) -> Job[FloatArray]:
    """Return the query (d,) that training starts from; of strength κ, if it is above 0."""
    kappa, start, sign = way.kappa, way.init, way.sign

    def find() -> Job[FloatArray]:
        if start == "two_steps":
            scores = np.full(len(sight.y), steps.no_query(sight, loss))
            return (yield from steps.add_query(sight, scores, loss, kappa))
        if start == "contrastive_pca":
            result = yield from starts.contrast(sight, sign)
        else:
            rounds, settled = (SOON, NEARLY) if sight.hurried else (starts.ROUNDS, QUITE)
            result = yield from sight.once(
                ("amp", sign), lambda: starts.iterated(sight, rounds, settled, sign)
            )
        return (yield from steps.of_strength(sight, result, kappa)) if kappa > 0.0 else result

    query: FloatArray = yield from sight.once((kappa, start, sign), find)
    return query


class Paths(ABC):
    """The paths of one way: for each ridge a start, and a descent from there."""

    def __init__(self, sight: Sight, way: Setting, loss: Loss) -> None:
        self.sight, self.candidate, self.loss = sight, way, loss
        self.paths: dict[float, Descent] = {}
        self.found: dict[tuple[float, int], Scored] = {}

    @abstractmethod
    def begin(self, ridges: list[float]) -> Job[list[Scored]]:
        """Find where each of some ridges starts."""

    @abstractmethod
    def pack(self, model: Any) -> FloatArray:
        """Return all parameters as one vector, the bias last."""

    @abstractmethod
    def unpack(self, at: FloatArray) -> Any:
        """Return the model of a vector."""

    @abstractmethod
    def ask(self, at: FloatArray, **whom: bool) -> Ask:
        """Ask for the slope there, and scores of bags that count, of ``all``, or those ``held``."""

    def train(self, settings: list[Setting]) -> Job[list[Scored]]:
        """Refine all ridges together, as far as the settings say, and score all bags."""
        stops: dict[float, list[int]] = {}
        for setting in settings:
            stops.setdefault(setting.ridge, []).append(setting.max_refine_iter)
        new = [ridge for ridge in stops if ridge not in self.paths]
        if new:
            for ridge, first in zip(new, (yield from self.begin(new)), strict=True):
                self.start(ridge, first)
        yield from side_by_side(
            [walk(self.paths[r], self._asking, r, some) for r, some in stops.items() if max(some)]
        )
        return (
            yield from side_by_side(
                [self._scored(setting.ridge, setting.max_refine_iter) for setting in settings]
            )
        )

    def start(self, ridge: float, first: Scored) -> None:
        """Let the path of a ridge start at a model."""
        spare = SPARE if self.sight.hurried else None
        settled = SINGLE if self.sight.single else SETTLED
        self.paths[ridge] = Descent(self.pack(first.model), settled, spare)
        self.found[ridge, 0] = first

    def _asking(self, at: FloatArray, everyone: bool) -> Ask:
        return self.ask(at, all=everyone and self.sight.training is not None)

    def _scored(self, ridge: float, iterations: int) -> Job[Scored]:
        """Return the model after so many iterations, and the scores of all bags."""
        if (ridge, iterations) not in self.found:
            point = self.paths[ridge].after(iterations)
            scores, everyone = point.beside
            if self.sight.training is not None and not everyone:
                (held,) = yield [self.ask(point.at, held=True)]
                scores = np.where(self.sight.counts, scores, held)
            self.found[ridge, iterations] = Scored(self.unpack(point.at), scores)
        return self.found[ridge, iterations]


class AttentionPaths(Paths):
    """Attention: the readout first, then queries and readouts together."""

    def begin(self, ridges: list[float]) -> Job[list[Scored]]:
        """Find the start and the readouts of each ridge, with all the queries of the way."""
        sight, way, loss = self.sight, self.candidate, self.loss
        q = yield from start_of(sight, loss, way)
        (F,) = yield [Features(sight, q[None])]
        queries = q[None]
        if way.append_mean:
            F, queries = np.concatenate([F, sight.means[:, None]], axis=1), np.vstack([q, 0.0 * q])
        firsts = steps.readouts(_flat(F), sight.y, queries, loss, ridges, sight.weight)
        each = zip(ridges, firsts, strict=True)
        return (
            yield from side_by_side([_grown(sight, loss, way, r, F, first) for r, first in each])
        )

    def pack(self, model: Any) -> FloatArray:
        """Return (q, w, b), or (q, b), as one vector."""
        return pack(model)

    def unpack(self, at: FloatArray) -> Any:
        """Return the model of a vector."""
        heads = self.candidate.n_queries + self.candidate.append_mean
        return unpack(at, (heads, self.sight.d))

    def ask(self, at: FloatArray, **whom: bool) -> Ask:
        """Ask for the slope there, or for scores."""
        return AttentionSlope(self.sight, self.loss, self.unpack(at), **whom)


def _grown(
    sight: Sight, loss: Loss, way: Setting, ridge: float, F: FloatArray, first: Scored
) -> Job[Scored]:
    """Add the further queries of a way, one by one, each with a new readout."""
    for _ in range(way.n_queries - 1):
        q = yield from steps.add_query(sight, first.scores, loss, way.kappa)
        (more,) = yield [Features(sight, q[None])]
        F = np.concatenate([F, more], axis=1)
        queries = np.vstack([first.model.q, q])
        (first,) = steps.readouts(_flat(F), sight.y, queries, loss, [ridge], sight.weight)
    if way.append_mean:  # the mean comes last
        order, state = [0, *range(2, 1 + way.n_queries), 1], first.model
        first = first._replace(model=state._replace(q=state.q[order], w=state.w[order]))
    return first


class LogMeanExpPaths(Paths):
    """Evidence: the bias that suits the start first, then query and bias together."""

    def begin(self, ridges: list[float]) -> Job[list[Scored]]:
        """Find where each ridge starts: the readout of the mean, or a query."""
        sight, way, loss = self.sight, self.candidate, self.loss
        if way.init == "mean":
            nothing = np.zeros((1, sight.d))
            pooled = steps.readouts(sight.means, sight.y, nothing, loss, ridges, sight.weight)
            result = yield from side_by_side(
                [
                    evidence.balanced(sight, way.sign * item.model.w[0], loss, way.sign)
                    for item in pooled
                ]
            )
        else:
            q = yield from start_of(sight, loss, way)
            result = [(yield from evidence.balanced(sight, q, loss, way.sign))] * len(ridges)
        return [Scored(*item) for item in result]

    def pack(self, model: Any) -> FloatArray:
        """Return (q, w, b), or (q, b), as one vector."""
        return np.append(model.q[0], model.b)

    def unpack(self, at: FloatArray) -> Any:
        """Return the model of a vector."""
        return evidence.model(at, self.candidate.sign)

    def ask(self, at: FloatArray, **whom: bool) -> Ask:
        """Ask for the slope there, or for scores."""
        q, b = at[:-1], float(at[-1])
        return EvidenceSlope(self.sight, self.loss, q, b, self.candidate.sign, **whom)


def _flat(F: FloatArray) -> FloatArray:
    return F.reshape(len(F), -1)
