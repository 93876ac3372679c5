"""A random forest on summaries: the mean vote of trees grown at random, which need no scale.

On its way from the root of a tree every question changes the share of positives, and the change is
what the summary that it asks for adds to the score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.tree import ExtraTreeRegressor

from ...arrays import FloatArray
from .shared.trees import Trees, path_changes, single
from .summaries import SummaryModel

TREES = 100
LEAF = 2  # bags that end in the same leaf, at least
STEEPNESS = 4.0  # of log p/(1 − p) at p = ½


@dataclass(frozen=True)
class ForestModel(SummaryModel):
    """The mean vote of trees: 4 (p − ½), with p the share of positives in the leaf of a bag.

    That is log p/(1 − p) to first order around p = ½, and zero where it is.
    """

    trees: list[ExtraTreeRegressor]

    def scores_of(self, table: FloatArray) -> FloatArray:
        """Return the mean vote, by the trees' own quick way."""
        rows = single(table)
        share = np.mean([tree.tree_.predict(rows)[:, 0] for tree in self.trees], axis=0)
        return np.asarray(_score(share))

    def parts(self, table: FloatArray) -> FloatArray:
        """Return what the questions about each summary change."""
        rows, total = single(table), np.zeros(table.shape)
        for tree in self.trees:
            total += (
                tree.tree_.decision_path(rows)
                @ path_changes(tree.tree_, tree.tree_.value[:, 0, 0], rows.shape[1])
            ).toarray()
        return np.asarray(STEEPNESS * total / len(self.trees))


def grow(table: FloatArray, y: FloatArray, weight: FloatArray, random: Any) -> ForestModel:
    """Grow trees that ask for summaries at random, on the bags of a weight above 0."""
    own = np.flatnonzero(weight > 0.0)
    share = weight[own] * (len(own) / weight[own].sum())
    even = bool((share == share[0]).all())  # then to say nothing of weights is quicker
    rows, votes = single(table[own]), np.where(y[own] > 0.0, 1.0, 0.0)
    trees = []
    with config_context(skip_parameter_validation=True):  # it takes longer than to grow a tree
        for _ in range(TREES):
            tree = ExtraTreeRegressor(
                min_samples_leaf=LEAF, max_features="sqrt", random_state=random
            )
            tree.fit(rows, votes, sample_weight=None if even else share, check_input=False)
            trees.append(tree)
    b = float(_score(share @ votes / share.sum()))
    return ForestModel(weight @ table / weight.sum(), b, trees)


def _score(share: Any) -> Any:
    """Return the score of a share of positives."""
    return STEEPNESS * (share - 0.5)


@dataclass(frozen=True)
class Forest(Trees):
    """Summaries with a forest."""

    pooling = "forest"
    order = 2
    grow = staticmethod(grow)

    @property
    def words(self) -> str:
        """The candidate in words."""
        return f"a random forest on summaries of {self.instances}"
