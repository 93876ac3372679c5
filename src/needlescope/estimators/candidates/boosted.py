"""Boosted trees on summaries: small trees whose questions are drawn at random, one after another.

Every tree is fitted to what those before it have left: with p the probability that these give to a
bag, t its label (0 or 1), g = t − p and h = p(1 − p), a node adds

    v = η Σ g/(Σ h + λ)

over its bags to the log odds: a step of Newton's method, shrunk. On its way from the root of a tree
every question changes v, and the change is what the summary that it asks for adds to the score.
Random questions make trees an order faster than searched ones, and err at other bags than a forest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit
from sklearn import config_context
from sklearn.tree import ExtraTreeRegressor

from ...arrays import FloatArray, IndexArray
from ..engine.bag_statistics import N_STATISTICS
from .shared.trees import Trees, path_changes, single
from .summaries import SummaryModel

TREES = 100
RATE = 0.1  # η
LEAVES, LEAF = 8, 3  # at most in a tree, and bags that end in the same leaf at least
FEATURES = 0.2  # of the summaries, drawn for each question
PENALTY = 1.0  # λ, in bags
CERTAIN = 1e-3  # p is kept this far from 0 and 1


@dataclass(frozen=True)
class BoostedModel(SummaryModel):
    """A sum of trees: ``values`` has the v of every node of each."""

    trees: list[Any]
    values: list[FloatArray]

    def scores_of(self, table: FloatArray) -> FloatArray:
        """Return the sum of the leaves."""
        rows, scores = asked(table), np.full(len(table), self.b)
        for tree, values in zip(self.trees, self.values, strict=True):
            scores += values[tree.apply(rows)] - values[0]
        return scores

    def parts(self, table: FloatArray) -> FloatArray:
        """Return what the questions about each summary change."""
        rows = asked(table)
        total = np.zeros(rows.shape)
        for tree, values in zip(self.trees, self.values, strict=True):
            total += (
                tree.decision_path(rows) @ path_changes(tree, values, rows.shape[1])
            ).toarray()
        return by_summary(total)


def asked(table: FloatArray) -> Any:
    """Return what trees ask for: summaries, and how far maximum and minimum are from the mean.

    A question about one of these is about a difference, which trees would else need many for.

    Examples
    --------
    >>> asked(np.array([[1.0, 5.0, -2.0, 3.0]]))
    array([[ 1.,  5., -2.,  3.,  4.,  3.]], dtype=float32)
    """
    mean, largest, least, _ = np.split(table, N_STATISTICS, axis=1)
    return single(np.hstack([table, largest - mean, mean - least]))


def by_summary(changes: FloatArray) -> FloatArray:
    """Return what each summary adds, from what is asked for: a range is that of its end."""
    d = changes.shape[1] // (N_STATISTICS + 2)
    result = changes[:, : N_STATISTICS * d].copy()
    result[:, d : 3 * d] += changes[:, N_STATISTICS * d :]
    return result


def boost(table: FloatArray, y: FloatArray, weight: FloatArray, random: Any) -> BoostedModel:
    """Fit the trees one after another, on the bags of a weight above 0."""
    own = np.flatnonzero(weight > 0.0)
    share, rows = weight[own] / weight[own].mean(), asked(table[own])
    labels = np.where(y[own] > 0.0, 1.0, 0.0)
    b = float(logit(share @ labels / share.sum()))
    scores, trees, values = np.full(len(own), b), [], []
    with config_context(skip_parameter_validation=True):  # it takes longer than to grow a tree
        for _ in range(TREES):
            p = np.clip(expit(scores), CERTAIN, 1.0 - CERTAIN)
            g, h = share * (labels - p), share * p * (1.0 - p)
            grown = ExtraTreeRegressor(
                max_leaf_nodes=LEAVES,
                min_samples_leaf=LEAF,
                max_features=FEATURES,
                random_state=random,
            )
            tree = grown.fit(rows, g / h, sample_weight=h, check_input=False).tree_
            leaf = tree.apply(rows)
            v = RATE * _totals(tree, leaf, g) / (_totals(tree, leaf, h) + PENALTY)
            scores += v[leaf]
            b += float(v[0])
            trees.append(tree)
            values.append(v)
    return BoostedModel(weight @ table / weight.sum(), b, trees, values)


def _totals(tree: Any, leaf: IndexArray, each: FloatArray) -> FloatArray:
    """Return the sum over the bags of every node, of those of its leaves."""
    totals: FloatArray = np.bincount(leaf, each, tree.node_count).astype(float)
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    for node in range(tree.node_count - 1, -1, -1):  # children come after their parent
        if left[node] >= 0:
            totals[node] = totals[left[node]] + totals[right[node]]
    return totals


@dataclass(frozen=True)
class Boosted(Trees):
    """Summaries with boosted trees."""

    pooling = "boosted"
    order = 3
    grow = staticmethod(boost)

    @property
    def words(self) -> str:
        """The candidate in words."""
        return f"boosted trees on summaries of {self.instances}"
