"""The classifiers without a query: bags of one size, names of features, readouts."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import PooledClassifier, VectorizedClassifier
from tests.estimators.hay import needles


def test_a_flat_classifier_wants_bags_of_one_size():
    X, y = needles(n=40)
    ragged = [x[: 5 + k % 2] for k, x in enumerate(X)]
    with pytest.raises(ValueError, match="needs bags of one size, got bags of 5 to 6 instances"):
        VectorizedClassifier().fit(ragged, y)
    clf = VectorizedClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="fitted to bags of 10 instances, got bags of 4"):
        clf.predict(X[:, :4])


def test_linear_features_have_names_too():
    X, y = needles(n=40, L=2, d=2)
    for kind, names in (
        (PooledClassifier, ["mean_x0", "mean_x1"]),
        (VectorizedClassifier, ["x0_0", "x1_0", "x0_1", "x1_1"]),
    ):
        clf = kind(ridge=0.1, cv=0).set_output(transform="pandas").fit(X, y)
        assert clf.transform(X).columns.tolist() == names


@pytest.mark.parametrize("shrinkage", [1.0, 0.3])
def test_readouts_of_linear_classifiers(shrinkage):
    X, y = needles(n=100)
    X = X @ np.random.default_rng(1).standard_normal((20, 20)) + 5.0
    fixed = {"ridge": 0.1, "cv": 0, "shrinkage": shrinkage}
    pooled = PooledClassifier(**fixed).fit(X, y)
    scores = X.mean(axis=1) @ pooled.readout_[0] + pooled.intercept_
    assert scores == pytest.approx(pooled.decision_function(X))
    flat = VectorizedClassifier(**fixed).fit(X, y)
    scores = np.einsum("nld,ld->n", X, flat.readout_) + flat.intercept_
    assert scores == pytest.approx(flat.decision_function(X))
