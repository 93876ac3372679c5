"""What a fit says it has fitted, against the same thing written out."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import AttentionClassifier, PooledClassifier, VectorizedClassifier
from needlescope.losses import get_loss
from needlescope.models.blocks import Arrays
from needlescope.models.gradient import State, gradient
from needlescope.solvers.minimise import minimise
from tests.estimators.draws import correlated, needles

KINDS = {
    AttentionClassifier: {"kappa": 1.0, "max_refine_iter": 0},
    PooledClassifier: {},
    VectorizedClassifier: {},
}


@pytest.mark.parametrize("ridge", [0.003, 0.03])
def test_refining_ends_where_the_penalised_loss_is_least(ridge):
    X, y = needles()
    clf = AttentionClassifier(kappa=1.0, ridge=ridge, max_refine_iter=2000, shrinkage=None, cv=0)
    clf.fit(X, y)
    q, w = clf.query_[0], clf.readout_[0]
    state = State(q, w, clf.intercept_)
    pull = gradient(Arrays(X, 2.0 * y - 1.0), state, get_loss("logistic"), 1.0)
    assert np.linalg.norm(ridge * q) > 0.002
    np.testing.assert_allclose(pull.q, -ridge * q, atol=2e-5)
    np.testing.assert_allclose(pull.w, -ridge * w, atol=2e-5)
    assert abs(pull.b) < 2e-5


@pytest.mark.parametrize("n_queries", [1, 2])
@pytest.mark.parametrize("shrinkage", [1.0, 0.3, None])
def test_queries_and_readouts_are_for_instances_as_they_come(shrinkage, n_queries):
    X, y = correlated() if shrinkage else needles()
    clf = AttentionClassifier(
        kappa=1.0, ridge=0.1, max_refine_iter=3, n_queries=n_queries, shrinkage=shrinkage, cv=0
    ).fit(X, y)
    a = np.exp(X @ clf.query_.T)
    a /= a.sum(axis=1, keepdims=True)
    result = np.stack(
        [np.atleast_2d(attention_weight) for attention_weight in clf.attention_weights(X)]
    )
    np.testing.assert_allclose(result, a.swapaxes(1, 2), rtol=1e-6)
    score = np.einsum("nlk,nld,kd->n", a, X, clf.readout_) + clf.intercept_
    np.testing.assert_allclose(clf.decision_function(X), score, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", ["logistic", "square", "squared_hinge", "hinge"])
def test_the_readout_minimises_the_loss_asked_for(kind, loss):
    X, y = needles(theta=2.0)
    clf = kind(ridge=0.1, loss=loss, cv=0, **KINDS[kind]).fit(X, y)
    wanted = minimise(clf.transform(X), 2.0 * y - 1.0, loss, 0.1).scores
    np.testing.assert_allclose(clf.decision_function(X), wanted, atol=2e-3)
