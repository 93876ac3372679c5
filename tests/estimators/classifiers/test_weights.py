"""Weights of bags: they count in every stage of a fit, not in the last one alone."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import AttentionClassifier, PooledClassifier, VectorizedClassifier
from tests.estimators.draws import needles

KINDS = {
    AttentionClassifier: {"kappa": 1.0, "max_refine_iter": 0},
    PooledClassifier: {},
    VectorizedClassifier: {},
}
FIXED = {"kappa": 2.0, "ridge": 0.1, "max_refine_iter": 0, "cv": 0}


def mislabelled(n=160):
    """Bags of which half, of no weight to speak of, have the other label."""
    rng = np.random.default_rng(0)
    y, light = np.arange(n) % 2, np.arange(n) % 4 < 2
    X = rng.standard_normal((n, 4, 3))
    X[y == 1, :, 0] += 2.0
    return X, y, np.where(light, 1 - y, y), np.where(light, 1e-9, 1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_light_bags_do_not_spoil_the_choice(kind):
    X, y, told, weight = mislabelled()
    clf = kind(ridge=0.01, random_state=0, **KINDS[kind]).fit(X, told, weight)
    assert clf.cv_results_["mean_test_score"][0] > -0.3  # 0.69 knows nothing
    assert clf.score(X, y) > 0.9


@pytest.mark.parametrize("kind", KINDS)
def test_light_bags_do_not_spoil_the_probabilities(kind):
    X, y, told, weight = mislabelled()
    clf = kind(ridge=0.01, random_state=0, **KINDS[kind]).fit(X, told, weight)
    p = clf.predict_proba(X)[np.arange(len(y)), y]
    assert -np.log(p).mean() < 0.2


@pytest.mark.parametrize("kind", KINDS)
def test_without_folds_a_weight_is_a_repetition(kind):
    X, y = needles(n=60)
    weight = np.random.default_rng(0).integers(0, 5, 60)
    clf = kind(ridge=0.1, cv=0, **KINDS[kind])
    weighted = clf.fit(X, y, weight).decision_function(X)
    rows = np.repeat(np.arange(60), weight)
    np.testing.assert_allclose(weighted, clf.fit(X[rows], y[rows]).decision_function(X), rtol=1e-6)


def test_a_heavy_class_is_a_repeated_class():
    X, y = needles(n=60)
    rows = np.concatenate([np.arange(60), np.repeat(np.flatnonzero(y), 2)])
    # Scaled bags are centred, and then a bias hardly matters to the query.
    clf = AttentionClassifier(**FIXED, shrinkage=None)
    weighted = clf.fit(X + 1.0, y, np.where(y == 1, 3.0, 1.0)).query_
    np.testing.assert_allclose(weighted, clf.fit(X[rows] + 1.0, y[rows]).query_, rtol=1e-6)
