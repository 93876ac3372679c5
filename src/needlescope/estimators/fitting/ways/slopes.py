"""The mean loss of bags and its gradient, in the parameters of attention or of evidence.

For the score Σ_k ⟨w_k, Xᵀ a_k⟩ + b with a_k = softmax(X q_k), as in `models.gradient`,
by `token_coefficients`, for many models at once. For the evidence log mean exp(X q) + b:
∂/∂q = Xᵀ softmax(X q).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ....arrays import FloatArray
from ....losses import Loss
from ....models.gradient import State, token_coefficients
from ..descent import Descent, Point
from ..lockstep.asks import Ask, Reaction
from ..lockstep.conductor import Job
from ..lockstep.runs import Runs
from ..lockstep.sight import Sight


class Slope(NamedTuple):
    """The mean loss, its gradient in (q, w, b) or (q, b) as one vector, and scores of all bags."""

    loss: float
    gradient: FloatArray
    scores: FloatArray


@dataclass(frozen=True, eq=False)
class _OfModel(Ask):
    """A model whose slope is asked for, of bags that count, or beside it the scores of all.

    If ``held``, only the scores are asked for, of bags that do not count.
    """

    loss: Loss
    all: bool = field(default=False, kw_only=True)
    held: bool = field(default=False, kw_only=True)

    @property
    def kind(self) -> tuple[Any, ...]:
        return (*super().kind, id(self.loss), self.all, self.held)


@dataclass(frozen=True, eq=False)
class AttentionSlope(_OfModel):
    """The slope of attention: q and w (queries, d), and b."""

    state: State


@dataclass(frozen=True, eq=False)
class EvidenceSlope(_OfModel):
    """The slope of evidence: q (d,) and b, and the sign of the score."""

    q: FloatArray
    b: float
    sign: float = 1.0


class _Slopes(Reaction):
    """What both have in common: slopes of the loss at the scores of bags."""

    def __init__(self, asks: Sequence[Any], count: int, b: list[float]) -> None:
        super().__init__(asks, count)
        self.loss, self.held, self.y = asks[0].loss, asks[0].held, asks[0].sight.y
        self.weight = np.stack([ask.sight.weight for ask in asks])
        self.b, self.scores = np.array(b)[:, None], np.zeros((len(asks), count))

    def wants(self, place: slice) -> bool:
        if not self.held:
            return self.asks[0].all or super().wants(place)
        return not all(ask.sight.counts[place].all() for ask in self.asks)

    def pulls(self, scores: FloatArray, place: slice) -> FloatArray:
        """Keep the scores of bags, and return the slopes of their part of the loss."""
        self.scores[:, place] = scores = scores + self.b
        y = np.broadcast_to(self.y[place], scores.shape)
        return np.asarray(self.weight[:, place] * self.loss.derivative(scores, y))

    def slopes(self, gradients: list[FloatArray]) -> list[Slope]:
        """Put gradients, but for that of the bias, together with the loss."""
        y = np.broadcast_to(self.y, self.scores.shape)
        losses = (self.weight * self.loss.value(self.scores, y)).sum(axis=1)
        in_b = (self.weight * self.loss.derivative(self.scores, y)).sum(axis=1)
        return [
            Slope(float(loss), np.append(gradient, b), scores)
            for loss, gradient, b, scores in zip(losses, gradients, in_b, self.scores, strict=True)
        ]


class _AttentionSlopes(_Slopes):
    def __init__(self, asks: Sequence[AttentionSlope], count: int) -> None:
        super().__init__(asks, count, [ask.state.b for ask in asks])
        heads = [len(ask.state.q) for ask in asks]
        self.heads, self.firsts = sum(heads), np.cumsum([0, *heads[:-1]])
        self.owner = np.repeat(np.arange(len(asks)), heads)

    @property
    def directions(self) -> list[tuple[Sight, FloatArray]]:
        queries = [(ask.sight, ask.state.q) for ask in self.asks]
        return queries + [(ask.sight, ask.state.w) for ask in self.asks]

    @property
    def sums(self) -> list[tuple[Sight, int]]:
        return [] if self.held else [(sight, len(piece)) for sight, piece in self.directions]

    def react(self, seen: FloatArray, runs: Runs, place: slice, number: int) -> Any:
        a, read = runs.softmax(seen[: self.heads]), seen[self.heads :]
        each = runs.sum(a * read)
        pulls = self.pulls(np.add.reduceat(each, self.firsts, axis=0), place)
        if self.held:
            return None
        result = np.empty(seen.shape)
        in_q, in_w = result[: self.heads], result[self.heads :]
        token_coefficients(runs, a, read, each, pulls[self.owner], out=(in_q, in_w))
        return result

    def answers(self, sums: list[FloatArray]) -> list[Any]:
        if self.held:
            return list(self.scores)
        pairs = zip(sums[: len(self.asks)], sums[len(self.asks) :], strict=True)
        return self.slopes([np.concatenate([q.ravel(), w.ravel()]) for q, w in pairs])


class _EvidenceSlopes(_Slopes):
    def __init__(self, asks: Sequence[EvidenceSlope], count: int) -> None:
        super().__init__(asks, count, [ask.b for ask in asks])
        self.sign = np.array([ask.sign for ask in asks])[:, None]

    @property
    def directions(self) -> list[tuple[Sight, FloatArray]]:
        return [(ask.sight, ask.q[None]) for ask in self.asks]

    @property
    def sums(self) -> list[tuple[Sight, int]]:
        return [] if self.held else [(ask.sight, 1) for ask in self.asks]

    def react(self, seen: FloatArray, runs: Runs, place: slice, number: int) -> Any:
        top = runs.max(seen)
        odds = np.exp(seen - runs.spread(top))
        total = runs.sum(odds)
        pulls = self.pulls(self.sign * (top + np.log(total / runs.lengths)), place)
        if self.held:
            return None
        odds *= runs.spread(self.sign * pulls / total)
        return odds

    def answers(self, sums: list[FloatArray]) -> list[Any]:
        if self.held:
            return list(self.scores)
        return self.slopes([item[0] for item in sums])


AttentionSlope.reaction, EvidenceSlope.reaction = _AttentionSlopes, _EvidenceSlopes


def walk(
    descent: Descent, ask: Callable[[FloatArray, bool], Any], ridge: float, stops: Sequence[int]
) -> Job[None]:
    """Answer a descent: the mean loss, and (ridge/2) the square of all parameters but the bias.

    Beside a point of its path are the scores of bags there: of all bags, if ``ask`` is told so, at
    the iterations where it stops, and of those that count elsewhere.
    """
    asked = descent.walk(max(stops))
    at = next(asked, None)
    while at is not None:
        everyone = len(descent.path) in stops
        (result,) = yield [ask(at, everyone)]
        slope = result.gradient
        slope[:-1] += ridge * at[:-1]
        value = result.loss + 0.5 * ridge * float(at[:-1] @ at[:-1])
        try:
            at = asked.send(Point(at, value, slope, (result.scores, everyone)))
        except StopIteration:
            at = None
