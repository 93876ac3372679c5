"""The mean loss of the training bags and its gradient, for many models in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...losses import Loss
from .requests import Batch, Request


class Evaluation(NamedTuple):
    """The mean loss, its gradient in all parameters as one vector, and the scores of bags."""

    loss: float
    gradient: FloatArray
    scores: FloatArray


@dataclass(frozen=True, eq=False)
class LossRequest(Request):
    """The loss of a model on training bags and its gradient; with ``all``, also all scores.

    If ``held_out``, only the scores of held-out bags.
    """

    loss: Loss
    all: bool = field(default=False, kw_only=True)
    held_out: bool = field(default=False, kw_only=True)

    @property
    def kind(self) -> tuple[Any, ...]:
        """What requests of one batch have in common."""
        return (*super().kind, id(self.loss), self.all, self.held_out)


class LossBatch(Batch):
    """What models have in common: the derivative of the loss at the scores of bags."""

    def __init__(self, requests: Sequence[Any], count: int, b: list[float]) -> None:
        super().__init__(requests, count)
        first = requests[0]
        self.loss, self.held_out, self.y = first.loss, first.held_out, first.fold.y
        self.weight = np.stack([request.fold.weight for request in requests])
        self.b, self.scores = np.array(b)[:, None], np.zeros((len(requests), count))

    def wants(self, place: slice) -> bool:
        """Whether the bags at this place are needed: training bags, all, or held-out bags."""
        if not self.held_out:
            return self.requests[0].all or super().wants(place)
        return not all(request.fold.in_training[place].all() for request in self.requests)

    def derivatives(self, scores: FloatArray, place: slice) -> FloatArray:
        """Keep the scores of bags, and return the derivatives of their part of the loss."""
        self.scores[:, place] = scores = scores + self.b
        y = np.broadcast_to(self.y[place], scores.shape)
        return np.asarray(self.weight[:, place] * self.loss.derivative(scores, y))

    def evaluations(self, gradients: list[FloatArray]) -> list[Evaluation]:
        """Return losses with their gradients, that in the bias appended."""
        y = np.broadcast_to(self.y, self.scores.shape)
        losses = (self.weight * self.loss.value(self.scores, y)).sum(axis=1)
        in_b = (self.weight * self.loss.derivative(self.scores, y)).sum(axis=1)
        return [
            Evaluation(float(loss), np.append(gradient, b), scores)
            for loss, gradient, b, scores in zip(losses, gradients, in_b, self.scores, strict=True)
        ]
