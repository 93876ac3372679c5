"""Summaries of a bag: mean, largest, least and standard deviation of every feature.

They are what a person would try in a dozen lines, and where a bag is more than its telling
instances (how far its parts differ, say) nothing beats them. Two readouts of them are offered: one
that is linear, of standardised summaries, and the votes of trees grown at random, which no scale of
a feature changes.

Either score is a sum over summaries and a constant. What a summary adds is shared by the instances
of the bag, by weights that are positive and add up to 1: all to the instance with the largest (or
least) value; by the squared distance from the bag's mean, for the standard deviation; by how far an
instance is on the side of its bag's mean, for the mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.tree import ExtraTreeRegressor

from ....arrays import FloatArray
from ....losses import Loss
from ....models.blocks import Data
from ....models.segments import Ragged, Segments
from ....solvers.minimise import minimise_path
from ..lockstep.moments import summaries, summarise
from ..settings import KINDS

TREES = 100
LEAF = 2  # bags that end in the same leaf, at least
STEEPNESS = 4.0  # of log p/(1 − p) at p = ½
CONSTANT = 1e-6  # of its size: a summary that deviates by less has nothing to say
TOLERANCE = 1e-4  # of a readout's gradient, relative to that at zero


@dataclass(frozen=True)
class Summarised:
    """A classifier of summaries, which are counted from their ``centre``."""

    centre: FloatArray
    b: float

    @property
    def q(self) -> FloatArray:
        """The query: attention is uniform."""
        return np.zeros((1, len(self.centre) // KINDS))

    @property
    def w(self) -> FloatArray:
        """There is no readout of instances."""
        return np.zeros_like(self.q)

    def parts(self, result: FloatArray) -> FloatArray:
        """Return what each summary adds to the score of its bag."""
        raise NotImplementedError

    def scores(self, data: Data) -> FloatArray:
        """Return the score of every bag."""
        return self.of(summaries(data))

    def of(self, result: FloatArray) -> FloatArray:
        """Return the score of bags that are summarised."""
        scores: FloatArray = self.parts(result).sum(axis=1) + self.b
        return scores

    def each(self, rows: Any, segments: Segments) -> tuple[FloatArray, FloatArray]:
        """Return what each instance adds, and the score of each bag."""
        bags, result = segments.ragged(len(rows)), summarise(rows, segments)
        parts, total = self.parts(result), self.b * segments.uniform(len(rows))
        shares = _shares(rows, bags, result, self.centre)
        for own, share in zip(np.split(parts, KINDS, axis=1), shares, strict=True):
            total += np.einsum("ij,ij->i", np.repeat(own, bags.lengths, axis=0), share)
        return total, parts.sum(axis=1) + self.b


@dataclass(frozen=True)
class Linear(Summarised):
    """A linear readout."""

    weights: FloatArray

    def parts(self, result: FloatArray) -> FloatArray:
        """Return weights times summaries."""
        return (result - self.centre) * self.weights


@dataclass(frozen=True)
class Forest(Summarised):
    """The mean vote of trees: 4 (p − ½), with p the share of positives in the leaf of a bag.

    That is log p/(1 − p) to first order around p = ½, and zero where it is. On its way from the
    root every question changes p, and the change is what the summary that it asks for adds.
    """

    trees: list[ExtraTreeRegressor]

    def of(self, result: FloatArray) -> FloatArray:
        """Return the mean vote, by the trees' own quick way."""
        rows = result.astype(np.float32)
        share = np.mean([tree.tree_.predict(rows)[:, 0] for tree in self.trees], axis=0)
        return np.asarray(_score(share))

    def parts(self, result: FloatArray) -> FloatArray:
        """Return what the questions about each summary change."""
        rows, total = result.astype(np.float32), np.zeros(result.shape)
        for tree in self.trees:
            total += (
                tree.tree_.decision_path(rows) @ _changes(tree.tree_, rows.shape[1])
            ).toarray()
        return np.asarray(STEEPNESS * total / len(self.trees))


def _score(share: Any) -> Any:
    """Return the score of a share of positives."""
    return STEEPNESS * (share - 0.5)


def _changes(tree: Any, width: int) -> csr_array:
    """Return by how much each node of a tree differs from the one before: node × summary."""
    votes, inner = tree.value[:, 0, 0], np.flatnonzero(tree.children_left >= 0)
    nodes = np.concatenate([tree.children_left[inner], tree.children_right[inner]])
    before = np.concatenate([inner, inner])
    change = votes[nodes] - votes[before]
    return csr_array((change, (nodes, tree.feature[before])), shape=(len(votes), width))


def _shares(
    rows: Any, bags: Ragged, result: FloatArray, centre: FloatArray
) -> Iterator[FloatArray]:
    """Go through the kinds of summaries: by how much each instance has a part in each feature's.

    Weights are positive, and those of the instances of a bag add up to 1.
    """
    starts, lengths = bags.starts[:-1], bags.lengths
    mean, largest, least, _ = (
        np.repeat(item, lengths, axis=0) for item in np.split(result, KINDS, axis=1)
    )
    middle = centre[: rows.shape[1]]
    on_side = np.maximum((rows - middle) * np.sign(mean - middle), 0.0)
    for weights in (on_side, rows == largest, rows == least, np.square(rows - mean)):
        total = np.repeat(np.add.reduceat(weights, starts, axis=0, dtype=float), lengths, axis=0)
        even = (1.0 / np.repeat(lengths, lengths))[:, None]
        yield np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), even)


def linear(
    result: FloatArray, y: FloatArray, weight: FloatArray, loss: Loss, ridges: list[float]
) -> list[Summarised]:
    """Train a linear readout of standardised summaries for each ridge."""
    centre = weight @ result / weight.sum()
    deviation = np.sqrt(weight @ np.square(result - centre) / weight.sum())
    changes = deviation > CONSTANT * np.abs(result).max(axis=0)
    scale = np.where(changes, deviation, np.inf)
    fits = minimise_path((result - centre) / scale, y, loss, ridges, weight, tolerance=TOLERANCE)
    return [Linear(centre, float(fit.b), fit.w / scale) for fit in fits]


def forest(result: FloatArray, y: FloatArray, weight: FloatArray, seed: int) -> Summarised:
    """Grow trees that ask for summaries at random, on the bags of a weight above 0."""
    own, random = np.flatnonzero(weight > 0.0), np.random.RandomState(seed)
    share = weight[own] * (len(own) / weight[own].sum())
    even = bool((share == share[0]).all())  # then to say nothing of weights is quicker
    rows, votes = result[own].astype(np.float32), np.where(y[own] > 0.0, 1.0, 0.0)
    trees = []
    with config_context(skip_parameter_validation=True):  # it takes longer than to grow a tree
        for _ in range(TREES):
            tree = ExtraTreeRegressor(
                min_samples_leaf=LEAF, max_features="sqrt", random_state=random
            )
            tree.fit(rows, votes, sample_weight=None if even else share, check_input=False)
            trees.append(tree)
    b = float(_score(share @ votes / share.sum()))
    return Forest(weight @ result / weight.sum(), b, trees)
