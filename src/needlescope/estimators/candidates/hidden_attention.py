"""Attention after a hidden layer: Σ_k ⟨w_k, Hᵀ softmax(H q_k)⟩ + b with H = max(X A + c, 0).

What no direction of the instances singles out, a few rectified linear units may. The loss is not
convex in A, and where a fit begins matters: a few networks with random weights are trained side by
side, and the score is their mean. Training is by steps of Adam on a few bags each, with half of the
units left out at random in every step: L-BFGS on all bags, with or without a ridge, found networks
that do no better on held-out bags than attention to the instances themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...losses import Loss
from ...models.blocks import Block, Data
from ...models.gradient import Head
from ...models.segments import Ragged, Segments
from ..engine.computation import Scored
from ..engine.fold_data import FoldData
from .shared.candidate import Candidate, no_query
from .shared.hidden_networks import NETWORKS, QUERIES, UNITS, Networks, train
from .shared.readout import importance
from .shared.search_space import SearchSpace, is_auto
from .shared.trained import TrainedCandidate

MOST_IN_BAG = 30_000  # instances × (features + units) of a bag, above which training takes too long
STEPS = {"quick": 400, "standard": 400, "thorough": 800}  # of Adam
FARTHEST = 5.0  # standard deviations from the mean, where features end


@dataclass(frozen=True)
class HiddenModel:
    """The mean of some networks; ``importance`` is the weight of each query's attention."""

    networks: Networks
    importance: FloatArray

    @property
    def q(self) -> FloatArray:
        """There is no query of the instances themselves."""
        return no_query(self.networks.hidden.shape[2])

    @property
    def w(self) -> FloatArray:
        """There is no readout of the instances themselves."""
        return self.q

    @property
    def b(self) -> float:
        """The constant of the score."""
        return float(self.networks.constants.mean())

    def heads(self, rows: Any, segments: Segments) -> list[Head]:
        """Return attention and part in the score of each query of each network."""
        bags, count = segments.ragged(len(rows)), len(self.networks.constants)
        logits, seen = self.networks.project(clipped(rows))
        a = bags.softmax(logits.reshape(-1, len(rows)))
        seen = seen.reshape(a.shape) / count
        return [Head(*item, bags.dot(*item)) for item in zip(a, seen, strict=True)]

    def attention(self, rows: Any, segments: Segments) -> FloatArray:
        """Return the mean attention, each query's by its importance: one row."""
        a = np.stack([head.a for head in self.heads(rows, segments)])
        return np.asarray(self.importance @ a)[None]

    def scores(self, data: Data) -> FloatArray:
        """Return the score of every bag."""
        return np.asarray(self.parts(data.blocks(), len(data.y)).sum(axis=0) + self.b)

    def parts(self, blocks: Iterable[Block], count: int) -> FloatArray:
        """Return the part of each query in the score of every bag: (queries, bags)."""
        result = np.empty((len(self.importance), count))
        for block in blocks:
            heads = self.heads(block.table, block.segments)
            result[:, block.rows] = [head.score for head in heads]
        return result

    def contributions(self, rows: Any, segments: Segments) -> tuple[FloatArray, FloatArray]:
        """Return what each instance adds by its attention and readout, and the scores."""
        heads = self.heads(rows, segments)
        each = sum(head.a * head.seen for head in heads) + self.b * segments.uniform(len(rows))
        return np.asarray(each), np.asarray(sum(head.score for head in heads) + self.b)


@dataclass(frozen=True)
class HiddenAttention(TrainedCandidate):
    """Attention of several queries to hidden units."""

    steps: int = STEPS["standard"]

    pooling = "hidden_attention"
    order = 6
    attends = True

    @classmethod
    def offered(cls, space: SearchSpace) -> Iterator[Candidate]:
        """Offer it on standardised instances, where it does not take too long.

        Random features are appended only if they are asked for: hidden units are a learned kind.
        """
        spec, (shrinkage, expanded) = space.spec, space.preprocessing
        if not space.any_pooling:
            _check(space)
            if not expanded or not is_auto(spec.random_features):
                yield cls(steps=STEPS[spec.effort])
            return
        short = space.in_bag * (space.width + UNITS) <= MOST_IN_BAG
        pays = short and space.held and not space.quick and is_auto(spec.n_queries)
        if pays and space.first and not expanded and shrinkage is not None:
            yield cls(steps=STEPS[spec.effort])

    def train(self, fold: FoldData, loss: Loss, random: np.random.RandomState) -> Scored:
        """Train the networks."""
        own = fold.in_training
        table = _training_table(fold)
        networks = train(*table, fold.y[own], fold.weight[own], loss, random, self.steps)
        model = HiddenModel(networks, np.ones(NETWORKS * QUERIES))
        parts = model.parts(fold.blocks(), len(fold.y))
        model = HiddenModel(networks, importance(parts, fold.weight))
        return Scored(model, parts.sum(axis=0) + model.b)

    @property
    def words(self) -> str:
        """The candidate in words."""
        return f"attention after a hidden layer, on {self.instances}"


def _check(space: SearchSpace) -> None:
    """Refuse instances as they are, and more of them than are held in memory."""
    if space.preprocessing.shrinkage is None:
        raise ValueError(
            'pooling="hidden_attention" needs instances of unit size, got shrinkage=None, which '
            'leaves them as they are; pass shrinkage=1, or pooling="attention"'
        )
    if not space.held:
        raise ValueError(
            'pooling="hidden_attention" holds all instances while it trains, and these are too '
            'many; pass fewer bags, or pooling="attention", which reads them block by block'
        )


def clipped(rows: Any) -> Any:
    """Return instances whose features end where they are far out."""
    return np.clip(rows, -FARTHEST, FARTHEST)


def _training_table(fold: FoldData) -> tuple[FloatArray, Ragged]:
    """Return the instances of the training bags as the fold sees them, in single precision."""
    lengths = np.zeros(len(fold.y), int)
    for block in fold.data.blocks():
        lengths[block.rows] = block.segments.ragged(len(block.table)).lengths
    lengths = lengths[fold.in_training]
    bags = Ragged.at(np.concatenate([[0], np.cumsum(lengths)]))
    rows, first = np.empty((bags.starts[-1], fold.d), np.float32), 0
    for block in fold.blocks():
        own = fold.in_training[block.rows]
        part = block.table[block.segments.ragged(len(block.table)).spread(own)]
        rows[first : first + len(part)] = clipped(part)
        first += len(part)
    return rows, bags
