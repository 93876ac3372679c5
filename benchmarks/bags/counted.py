"""Multiple-instance learning by guessing the label of every instance: milwrap.

Its learner alternates, as mi-SVM does, between fitting a classifier of instances and relabelling
them so that each bag keeps its promise: a positive bag at least one positive instance, a negative
bag none. The score of a bag is that of its most positive instance, less the value that tells the
training bags apart best: as it comes, longer bags are positive too often.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from milwrap import MilCountBasedMultiClassLearner
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from needlescope.estimators.bags.bags import Bags, as_bags


class Counted(ClassifierMixin, BaseEstimator):
    """milwrap around a scikit-learn classifier of instances."""

    def __init__(self, classifier: Any, iterations: int = 10, random_state: int = 0) -> None:
        self.classifier = classifier
        self.iterations = iterations
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Counted:
        """Train on bags; milwrap draws from the global generators, which are left as found."""
        bags = as_bags(X)
        self.classes_, place = np.unique(y, return_inverse=True)
        before = random.getstate(), np.random.get_state()  # noqa: NPY002
        np.random.seed(self.random_state)  # noqa: NPY002
        try:
            self.model_, _ = MilCountBasedMultiClassLearner(clone(self.classifier)).fit(
                [np.asarray(bag, float) for bag in bags],
                *thresholds(bags.lengths, place),
                n_classes=2,
                max_iter=self.iterations,
                seed=self.random_state,
                debug=False,
            )
        finally:
            random.setstate(before[0])
            np.random.set_state(before[1])  # noqa: NPY002
        self.level_ = best_level(self._largest(bags), place)
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the largest log-odds among the instances of each bag, above the level."""
        return self._largest(as_bags(X)) - self.level_

    def _largest(self, bags: Bags) -> Any:
        chance = np.clip(self.model_.predict_proba(bags.instances)[:, 1], 1e-12, 1.0 - 1e-12)
        return np.maximum.reduceat(np.log(chance / (1.0 - chance)), bags.starts[:-1])

    def predict(self, X: Any) -> Any:
        """Return the positive label where some instance is positive enough."""
        return self.classes_[(self.decision_function(X) > 0.0).astype(int)]


def thresholds(lengths: Any, y: Any) -> tuple[Any, Any]:
    """Return the fewest and the most instances of each class in each bag.

    >>> fewest, most = thresholds([3, 4], [0, 1])
    >>> fewest.tolist(), most.tolist()
    ([[3, 0], [0, 1]], [[3, 0], [3, 4]])
    """
    lengths, positive = np.asarray(lengths), np.asarray(y) == 1
    zero = np.zeros_like(lengths)
    fewest = np.stack([np.where(positive, zero, lengths), np.where(positive, 1, zero)], axis=1)
    most = np.stack([lengths - positive, np.where(positive, lengths, zero)], axis=1)
    return fewest, most


def best_level(scores: Any, y: Any) -> float:
    """Return the level between two scores that has the best balanced accuracy.

    >>> best_level([3.0, 1.0, 2.0, 4.0], [1, 0, 0, 1])
    2.5
    """
    scores, y = np.asarray(scores), np.asarray(y)
    order = np.unique(scores)
    levels = np.concatenate([[order[0] - 1.0], (order[1:] + order[:-1]) / 2.0])
    above = scores > levels[:, None]
    gain = above[:, y == 1].mean(axis=1) - above[:, y == 0].mean(axis=1)
    return float(levels[np.argmax(gain)])
