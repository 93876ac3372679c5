"""Boosted trees on summaries: Newton's steps of the logistic loss, and what instances add."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from needlescope.estimators import MILClassifier
from needlescope.estimators.candidates import boosted
from needlescope.estimators.candidates.boosted import PENALTY, RATE, asked, boost
from needlescope.estimators.engine.bag_statistics import summaries
from needlescope.models.blocks import Arrays
from needlescope.models.segments import Even
from tests.estimators.candidates.spread import spread_bags


def fitted(weight=None, seed=0):
    X, y = spread_bags()
    table = summaries(Arrays(X, y))
    weight = np.full(len(y), 1.0 / len(y)) if weight is None else weight
    return X, y, table, boost(table, y, weight, np.random.RandomState(seed))


def test_what_instances_add_is_the_score():
    X, y, _, model = fitted()
    each, score = model.contributions(X.reshape(-1, 3), Even(8))
    np.testing.assert_allclose(each.reshape(-1, 8).sum(axis=1), score, atol=1e-12)
    np.testing.assert_allclose(model.scores(Arrays(X, y)), score, atol=1e-12)
    assert ((score > 0.0) == (y > 0.0)).mean() > 0.95


def test_a_tree_is_a_step_of_newtons_method_on_its_leaves(monkeypatch):
    monkeypatch.setattr(boosted, "TREES", 1)
    _, y, table, model = fitted()
    leaf = model.trees[0].apply(asked(table))
    share = (y > 0.0).mean()
    for node in np.unique(leaf):
        own = y[leaf == node] > 0.0
        step = RATE * (own - share).sum() / (len(own) * share * (1.0 - share) + PENALTY)
        assert model.values[0][node] == pytest.approx(step, rel=1e-12)
    root = np.log(share / (1.0 - share))
    np.testing.assert_allclose(model.scores_of(table), root + model.values[0][leaf], atol=1e-12)


def test_the_loss_falls_from_tree_to_tree(monkeypatch):
    losses = []
    for count in (1, 10, 40):
        monkeypatch.setattr(boosted, "TREES", count)
        _, y, table, model = fitted()
        losses.append(np.logaddexp(0.0, -y * model.scores_of(table)).mean())
    assert losses[0] > losses[1] > losses[2]


def test_a_range_is_asked_for_and_counts_for_its_end():
    """Positive bags are no higher and no lower, only wider around a mean of their own."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 6, 1)), np.where(np.arange(200) % 2, 1.0, -1.0)
    X[y > 0.0] *= 2.0
    X += 20.0 * rng.standard_normal((200, 1, 1))
    table = np.hstack([summaries(Arrays(X, y))[:, :3], np.zeros((200, 1))])  # no deviation
    model = boost(table, y, np.full(200, 1.0 / 200), np.random.RandomState(0))
    assert roc_auc_score(y, model.scores_of(table)) > 0.9
    parts = model.parts(table)
    assert parts.shape == table.shape
    np.testing.assert_allclose(parts.sum(axis=1) + model.b, model.scores_of(table), atol=1e-12)
    ends, rest = parts[:, 1:3].std(), parts[:, [0, 3]].std()
    assert ends > 2.0 * rest


def test_bags_of_no_weight_have_no_part():
    X, y = spread_bags()
    table, weight = summaries(Arrays(X, y)), np.where(np.arange(len(y)) < 80, 1.0 / 80, 0.0)
    wrong = np.where(weight > 0.0, y, -y)
    item, other = (boost(table, labels, weight, np.random.RandomState(0)) for labels in (y, wrong))
    np.testing.assert_array_equal(item.scores_of(table), other.scores_of(table))
    alone = boost(table[:80], y[:80], weight[:80], np.random.RandomState(0))
    np.testing.assert_allclose(alone.scores_of(table), item.scores_of(table), atol=1e-12)


def test_weights_of_bags_count():
    _, y, table, even = fitted()
    weight = np.where(y > 0.0, 4.0, 1.0)
    heavier = fitted(weight / weight.sum())[3]
    assert heavier.scores_of(table).mean() > even.scores_of(table).mean() + 0.1


def test_the_classifier_takes_and_explains_them():
    X, y = spread_bags()
    clf = MILClassifier(pooling="boosted", random_features=False, shrinkage=1.0, random_state=0)
    clf.fit(X, y)
    fresh, labels = spread_bags(seed=1)
    assert clf.score(fresh, labels) > 0.85
    total = np.array([item.sum() for item in clf.instance_scores(fresh)])
    np.testing.assert_allclose(total, clf.decision_function(fresh), atol=1e-9)
    assert clf.best_params_ == {"pooling": "boosted", "shrinkage": 1.0, "random_features": False}
    assert "boosted trees on summaries" in clf.selection_summary_.lower()


def test_a_range_is_ascribed_to_its_end():
    """The largest instance lies far out in positive bags, and the mean says nothing."""
    rng = np.random.default_rng(0)
    table = np.zeros((200, 4))
    table[:, 0] = 20.0 * rng.standard_normal(200)
    y = np.where(np.arange(200) % 2, 1.0, -1.0)
    table[:, 1] = table[:, 0] + 1.0 + (y > 0.0) + 0.1 * rng.standard_normal(200)
    table[:, 2] = table[:, 0] - 1.0 + 0.1 * rng.standard_normal(200)
    parts = np.abs(
        boost(table, y, np.full(200, 1.0 / 200), np.random.RandomState(0)).parts(table)
    ).mean(axis=0)
    assert parts[1] > 0.9 * parts.sum()
