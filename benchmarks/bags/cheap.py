"""What a person would try in a dozen lines: summaries of each bag, and scikit-learn behind them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from needlescope.estimators.bags.bags import Bags, as_bags


def means(X: Any) -> Any:
    """Return the mean instance of every bag.

    >>> means([np.zeros((2, 1)), np.arange(3.0)[:, None]]).tolist()
    [[0.0], [1.0]]
    """
    bags = as_bags(X)
    return _each(np.add, bags) / bags.lengths[:, None]


def summaries(X: Any) -> Any:
    """Return mean, largest and standard deviation of every feature of every bag.

    >>> summaries([np.arange(3.0)[:, None]]).round(3).tolist()
    [[1.0, 2.0, 0.816]]
    """
    bags = as_bags(X)
    mean = _each(np.add, bags) / bags.lengths[:, None]
    squares = np.add.reduceat(np.square(bags.instances, dtype=float), bags.starts[:-1], axis=0)
    spread = np.sqrt(np.maximum(squares / bags.lengths[:, None] - mean * mean, 0.0))
    return np.hstack([mean, np.maximum.reduceat(bags.instances, bags.starts[:-1], axis=0), spread])


def _each(ufunc: Any, bags: Bags) -> Any:
    return ufunc.reduceat(bags.instances, bags.starts[:-1], axis=0, dtype=float)


class MeanLogistic(ClassifierMixin, BaseEstimator):
    """scikit-learn's logistic regression of the mean instance, its penalty cross-validated."""

    def __init__(self, class_weight: str | None = "balanced") -> None:
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any) -> MeanLogistic:
        """Train on the standardised means of bags."""
        self.model_ = _logistic(means(X), y, self.class_weight)
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the log-odds of the positive class."""
        return self.model_.decision_function(means(X))


class CosinesLogistic(ClassifierMixin, BaseEstimator):
    """The same of the mean of random cosines of standardised instances."""

    def __init__(
        self, class_weight: str | None = "balanced", count: int = 512, random_state: int = 0
    ) -> None:
        self.class_weight = class_weight
        self.count = count
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> CosinesLogistic:
        """Draw the cosines, of sharpness 0.5 to 4, and train on their means."""
        bags, rng = as_bags(X), np.random.default_rng(self.random_state)
        self.scaler_ = StandardScaler().fit(bags.instances)
        sharp = np.exp(rng.uniform(np.log(0.5), np.log(4.0), self.count))
        self.weights_ = sharp / np.sqrt(bags.d) * rng.standard_normal((bags.d, self.count))
        self.phases_ = rng.uniform(0.0, 2.0 * np.pi, self.count)
        self.model_ = _logistic(self._seen(bags), y, self.class_weight)
        return self

    def _seen(self, X: Any) -> Any:
        bags = as_bags(X)
        waves = np.cos(self.scaler_.transform(bags.instances) @ self.weights_ + self.phases_)
        return means(Bags(waves, bags.starts))

    def decision_function(self, X: Any) -> Any:
        """Return the log-odds of the positive class."""
        return self.model_.decision_function(self._seen(X))


class BoostedSummaries(ClassifierMixin, BaseEstimator):
    """Gradient boosting of mean, largest and standard deviation, as it comes."""

    def __init__(self, class_weight: str | None = "balanced", random_state: int = 0) -> None:
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> BoostedSummaries:
        """Train on the summaries of bags."""
        self.model_ = HistGradientBoostingClassifier(
            class_weight=self.class_weight, random_state=self.random_state
        ).fit(summaries(X), y)
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the log-odds of the positive class."""
        return self.model_.decision_function(summaries(X))


def _logistic(features: Any, y: Any, class_weight: str | None) -> Any:
    """Return logistic regression fitted to standardised features, its penalty cross-validated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of defaults that will change
        search = LogisticRegressionCV(
            Cs=np.logspace(-4, 2, 13),
            cv=5,
            class_weight=class_weight,
            scoring="roc_auc",
            max_iter=1000,
        )
        return make_pipeline(StandardScaler(), search).fit(features, y)
