"""The classifiers that are compared; those that are not installed are named and left out.

All are made with the same ``class_weight``, "balanced" or None, but for milwrap: its classifier is
one of instances, whose classes are not those of bags, and does better without.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from needlescope.estimators.attention import AttentionClassifier
from needlescope.estimators.bags.bags import as_bags
from needlescope.estimators.bags.random_features import RandomFeatures
from needlescope.estimators.linear import PooledClassifier

ATTENTION, POOLED = "attention", "pooled"
SEED = 0


class MeanLogistic(ClassifierMixin, BaseEstimator):
    """scikit-learn's logistic regression of the mean instance, its penalty cross-validated."""

    def __init__(self, class_weight: str | None = "balanced") -> None:
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any) -> MeanLogistic:
        """Train on the standardised means of bags."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of defaults that will change
            self.model_ = make_pipeline(
                StandardScaler(),
                LogisticRegressionCV(
                    Cs=np.logspace(-4, 2, 13),
                    cv=5,
                    class_weight=self.class_weight,
                    scoring="roc_auc",
                    max_iter=1000,
                ),
            ).fit(means(X), y)
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the log-odds of the positive class."""
        return self.model_.decision_function(means(X))


def means(X: Any) -> Any:
    """Return the mean instance of every bag.

    >>> means([np.zeros((2, 1)), np.arange(3.0)[:, None]]).tolist()
    [[0.0], [1.0]]
    """
    bags = as_bags(X)
    sums = np.add.reduceat(bags.instances, bags.starts[:-1], axis=0, dtype=float)
    return sums / bags.lengths[:, None]


Make = Callable[[str | None], Any]
"""From a class weight to a new classifier."""


def _attention(weight: str | None, **parameters: Any) -> Any:
    return AttentionClassifier(class_weight=weight, random_state=SEED, **parameters)


def _several(weight: str | None) -> Any:
    return _attention(weight, queries="auto")


def _expanded(weight: str | None) -> Any:
    return make_pipeline(RandomFeatures(random_state=SEED), _attention(weight))


def _pooled(weight: str | None) -> Any:
    return PooledClassifier(class_weight=weight, random_state=SEED)


def _abmil(weight: str | None) -> Any:
    module = importlib.import_module(".abmil", __package__)
    return module.Abmil(hidden=0, class_weight=weight, random_state=SEED)


def _deep_abmil(weight: str | None) -> Any:
    module = importlib.import_module(".abmil", __package__)
    return module.Abmil(class_weight=weight, random_state=SEED)


def _counted(weight: str | None) -> Any:
    module = importlib.import_module(".counted", __package__)
    base = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000))
    return module.Counted(base, random_state=SEED)


def _two_steps(data: str) -> Make:
    """Share the bags between query and readout in one of three ways; nothing is refined."""
    return lambda weight: _attention(weight, data=data, refine=0)


ENTRANTS: dict[str, Make] = {
    ATTENTION: _attention,
    "attention, several queries": _several,
    "attention, random features": _expanded,
    POOLED: _pooled,
    "mean logistic": MeanLogistic,
    "milwrap": _counted,
    "ABMIL": _abmil,
    "ABMIL, hidden layer": _deep_abmil,
    "reuse": _two_steps("reuse"),
    "crossfit": _two_steps("crossfit"),
    "split": _two_steps("split"),
}
ASKED = ("reuse", "crossfit", "split")  # that run only if they are named


def available(
    weight: str | None = "balanced",
) -> tuple[dict[str, Callable[[], Any]], dict[str, str]]:
    """Return the entrants that can be made here, with a class weight, and what the others lack."""
    found: dict[str, Callable[[], Any]] = {}
    lacking = {}
    for name, make in ENTRANTS.items():
        try:
            make(weight)
        except ImportError as error:
            lacking[name] = str(error.name or error)
        else:
            found[name] = partial(make, weight)
    return found, lacking
