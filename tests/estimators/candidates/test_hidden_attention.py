"""Attention after a hidden layer: what no direction of instances shows, and what instances add."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from needlescope.estimators import MILClassifier
from needlescope.estimators.bags.preprocessing import Preprocessing
from needlescope.estimators.candidates.hidden_attention import (
    FARTHEST,
    HiddenAttention,
    _training_table,
)
from needlescope.estimators.candidates.shared.candidate import Configuration
from needlescope.estimators.candidates.shared.search_space import SearchSpace, SearchSpec
from needlescope.estimators.engine.affine import AffineMap
from needlescope.estimators.engine.computation import compute
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.losses import get_loss
from needlescope.models.blocks import Arrays
from needlescope.models.segments import Even


def rings(n=160, L=8, seed=0):
    """Return bags of which a positive one has an instance on a ring, far from all directions."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, L, 2)), np.where(np.arange(n) % 2, 1.0, -1.0)
    X /= np.maximum(np.linalg.norm(X, axis=2, keepdims=True), 1.0)  # within the unit circle
    angle, places = rng.uniform(0.0, 2.0 * np.pi, n), rng.integers(L, size=n)
    far = 2.2 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    X[y > 0.0, places[y > 0.0]] = far[y > 0.0]
    return X, y, places


def fitted(X, y, weight=None, view=None):
    weight = np.full(len(y), 1.0 / len(y)) if weight is None else weight
    data = Arrays(X, y)
    fold, candidate = FoldData(data, weight, view), HiddenAttention()
    fit = candidate.fit(
        fold, [Configuration(candidate)], get_loss("logistic"), np.random.RandomState(0)
    )
    compute(data, fit)
    (result,) = fit.results
    return result, fold, candidate


def test_what_instances_add_is_the_score_and_attention_is_on_the_ring():
    X, y, _ = rings()
    (model, scores), _, _ = fitted(X, y)
    fresh, labels, where = rings(seed=1)
    rows = fresh.reshape(-1, 2)
    each, score = model.contributions(rows, Even(8))
    np.testing.assert_allclose(each.reshape(-1, 8).sum(axis=1), score, atol=1e-12)
    np.testing.assert_allclose(model.scores(Arrays(fresh, labels)), score, atol=1e-12)
    assert ((score > 0.0) == (labels > 0.0)).mean() > 0.95
    positive = labels > 0.0
    (a,) = model.attention(rows, Even(8))
    np.testing.assert_allclose(a.reshape(-1, 8).sum(axis=1), 1.0)
    assert (a.reshape(-1, 8).argmax(axis=1) == where)[positive].mean() > 0.9
    assert (each.reshape(-1, 8).argmax(axis=1) == where)[positive].mean() > 0.9
    np.testing.assert_allclose(scores, model.scores(Arrays(X, y)), atol=1e-4)


def test_importance_is_a_share_of_all_queries():
    X, y, _ = rings(60)
    (model, _), _, _ = fitted(X, y)
    assert model.importance.min() > 0.0 and model.importance.sum() == pytest.approx(1.0)
    assert len(model.importance) == len(model.heads(X.reshape(-1, 2), Even(8)))


def test_a_fold_that_maps_instances_is_one_of_mapped_instances():
    X, y, _ = rings(60)
    view = AffineMap(np.array([0.3, -0.2]), np.array([0.5, 1.4]))
    (mapped, scores), _, _ = fitted(view.apply(X.reshape(-1, 2)).reshape(X.shape), y)
    (model, same), _, _ = fitted(X, y, view=view)
    np.testing.assert_array_equal(same, scores)
    np.testing.assert_array_equal(model.networks.hidden, mapped.networks.hidden)


def test_a_fold_is_trained_once():
    X, y, _ = rings(40)
    (model, _), fold, candidate = fitted(X, y)
    again = candidate.fit(fold, [], get_loss("logistic"), np.random.RandomState(5))
    compute(fold.data, again)
    assert again.results[0].model is model


def test_features_end_far_out():
    X, y, _ = rings(40)
    (model, _), _, _ = fitted(X, y)
    far = X.copy()
    far[0, 0] = 1e30, -1e30
    near = X.copy()
    near[0, 0] = FARTHEST, -FARTHEST
    scores = [model.scores(Arrays(item, y)) for item in (far, near)]
    np.testing.assert_array_equal(*scores)
    assert np.isfinite(scores[0]).all()


def test_the_classifier_takes_it_where_it_is_best_and_explains_it():
    X, y, _ = rings()
    clf = MILClassifier(pooling="hidden_attention", shrinkage=1.0, random_features=False)
    clf.set_params(random_state=0).fit(X, y)
    fresh, labels, places = rings(seed=1)
    assert clf.score(fresh, labels) > 0.95
    total = np.array([item.sum() for item in clf.instance_scores(fresh)])
    np.testing.assert_allclose(total, clf.decision_function(fresh), atol=1e-9)
    attention = clf.attention_weights(fresh)
    found = np.array([item.argmax() for item in attention]) == places
    assert found[labels > 0.0].mean() > 0.9
    assert all(item.sum() == pytest.approx(1.0) for item in attention)
    assert clf.transform(fresh).shape == (len(fresh), 2)
    assert clf.best_params_ == {
        "pooling": "hidden_attention",
        "shrinkage": 1.0,
        "random_features": False,
    }
    assert "attention after a hidden layer" in clf.selection_summary_.lower()
    for name in ("query_", "readout_"):
        with pytest.raises(AttributeError, match="attention after a hidden layer"):
            getattr(clf, name)


def test_the_default_takes_it_for_the_ring():
    X, y, _ = rings()
    clf = MILClassifier(random_state=0, random_features=False).fit(X, y)
    weights = clf.cv_results_["weight"]
    poolings = np.array([item["pooling"] for item in clf.cv_results_["params"]])
    assert weights[poolings == "hidden_attention"].sum() > 0.3


def test_the_fit_is_the_same_again():
    X, y, _ = rings(60)
    first, again = (fitted(X, y)[0].scores for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_thorough_trains_for_longer():
    standard, thorough = (
        next(HiddenAttention.offered(SearchSpace(spec, Preprocessing(), 3)))
        for spec in (
            SearchSpec(n_queries="auto", effort=effort) for effort in ("standard", "thorough")
        )
    )
    assert thorough.steps == 2 * standard.steps == 2 * HiddenAttention().steps
    X, y, _ = rings(40)
    fold = FoldData(Arrays(X, y), np.full(len(y), 1.0 / len(y)))
    losses = []
    for candidate in (replace(standard, steps=20), standard):
        fit = candidate.fit(fold, [], get_loss("logistic"), np.random.RandomState(0))
        compute(fold.data, fit)
        losses.append(np.logaddexp(0.0, -y * fit.results[0].scores).mean())
    assert losses[1] < 0.5 * losses[0]


def test_only_training_bags_are_held_for_training():
    X, y, _ = rings(60)
    weight = np.where(np.arange(60) < 40, 1.0 / 40, 0.0)
    (alone, _), _, _ = fitted(X[:40], y[:40])
    (model, scores), fold, _ = fitted(X, y, weight)
    np.testing.assert_array_equal(model.networks.hidden, alone.networks.hidden)
    assert len(scores) == 60
    rows, bags = _training_table(fold)
    np.testing.assert_allclose(rows, X[:40].reshape(-1, 2), rtol=1e-6)
    assert len(bags.lengths) == 40


def offered(held=True, **fixed):
    spec = SearchSpec(**{"n_queries": "auto", **fixed})
    return [
        item
        for preprocessing in spec.preprocessings(roomy=True)
        for item in HiddenAttention.offered(
            SearchSpace(spec, preprocessing, 4, held=held, first=preprocessing.shrinkage == 1.0)
        )
    ]


def test_random_features_go_with_it_only_if_asked_for():
    free = {"shrinkage": "auto", "random_features": "auto"}
    assert len(offered(**free)) == 1
    assert len(offered(**free, pooling="hidden_attention")) == 2  # standardised, and whitened
    assert not offered(shrinkage="auto", random_features=True)
    asked = offered(shrinkage=1.0, random_features=True, pooling="hidden_attention")
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"shrinkage": None}, "needs instances of unit size, got shrinkage=None"),
        ({"n_queries": 4}, "has four queries in each of its networks, got n_queries=4"),
    ],
)
def test_what_it_cannot_have_is_refused(options, sentence):
    X, y, _ = rings(20)
    with pytest.raises(ValueError, match=sentence):
        MILClassifier(pooling="hidden_attention", **options).fit(X, y)


def test_more_than_is_held_is_refused_and_raw_instances_are_left_to_others():
    with pytest.raises(ValueError, match="holds all instances while it trains"):
        offered(held=False, pooling="hidden_attention")
    assert not offered(shrinkage=None)
    assert not offered(held=False)
