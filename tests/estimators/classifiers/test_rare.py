"""Rare positives and strong ridges: the query finds the signal, and probabilities stay honest."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from needlescope.estimators import (
    AttentionClassifier,
    MILClassifier,
    PooledClassifier,
    VectorizedClassifier,
)

CLASSIFIERS = (MILClassifier, PooledClassifier, VectorizedClassifier)


def rare(n, positives, seed=0, shift=3.0, L=8, d=6):
    """Bags, few of them with a signal in one instance."""
    rng = np.random.default_rng(seed)
    y = rng.permutation((np.arange(n) < positives).astype(int))
    X = rng.standard_normal((n, L, d))
    X[y == 1, 0, 0] += shift
    return X, y


@pytest.mark.sampled(8)
@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared_hinge"])
@pytest.mark.parametrize("positives", [20, 40, 200])
def test_the_query_lies_along_the_signal(loss, positives):
    """With a bias that does not balance the slopes, hinge losses point the other way (−0.8)."""
    X, y = rare(400, positives)
    plain = {
        "kappa": 2.0,
        "max_refine_iter": 0,
        "init": "two_steps",
        "append_mean": False,
        "random_features": False,
    }
    clf = AttentionClassifier(**plain, loss=loss, random_state=0).fit(X, y)
    q = clf.query_[0]
    assert q[0] > 0.8 * np.linalg.norm(q)
    new, truth = rare(1000, 300, seed=1)
    assert roc_auc_score(truth, clf.decision_function(new)) > 0.85


@pytest.mark.sampled(15)
@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("ridge", [1.0, 1e2, 1e6, 1e12])
def test_a_strong_ridge_leaves_the_share_of_positives(classifier, ridge):
    """The bias of a fold differs from that of the whole by more than scores differ."""
    X, y = rare(200, 17)
    p = classifier(ridge=ridge, random_state=0).fit(X, y).predict_proba(rare(2000, 170, 1)[0])
    assert p[:, 1].mean() == pytest.approx(0.085, rel=0.25)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("loss", ["logistic", "square", "squared_hinge"])
def test_bags_that_are_all_the_same_get_the_share_of_positives(classifier, loss):
    X, y = np.ones((400, 4, 3)), (np.arange(400) % 20 == 0).astype(int)
    clf = classifier(loss=loss, random_state=0).fit(X, y)
    assert clf.predict_proba(X[:1])[0, 1] == pytest.approx(0.05, abs=1e-3)
    assert clf.intercept_ == pytest.approx(np.log(0.05 / 0.95), rel=0.02)
    assert (clf.predict(X[:2]) == 0).all()


@pytest.mark.parametrize("loss", ["square", "hinge", "squared_hinge"])
@pytest.mark.parametrize("why", ["no folds", "one positive"])
def test_scores_that_are_no_log_odds_make_no_probabilities(loss, why):
    X, y = rare(120, 1 if why == "one positive" else 60)
    folds = 0 if why == "no folds" else 3
    clf = PooledClassifier(loss=loss, ridge=0.1, cv=folds, random_state=0).fit(X, y)
    assert np.isfinite(clf.decision_function(X)).all()
    assert set(clf.predict(X)) <= {0, 1}
    with pytest.raises(ValueError, match=f"loss='{loss}' makes no probabilities by itself"):
        clf.predict_proba(X)
