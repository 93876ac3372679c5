"""A forest on summaries: what its trees are grown on, and what they add to each instance."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import MILClassifier
from needlescope.estimators.candidates import forest
from needlescope.estimators.candidates.forest import grow
from needlescope.estimators.engine.bag_statistics import summaries
from needlescope.models.blocks import Arrays
from needlescope.models.segments import Even
from tests.estimators.candidates.spread import spread_bags


def test_what_instances_add_is_the_score():
    X, y = spread_bags()
    data, weight = Arrays(X, y), np.full(len(y), 1.0 / len(y))
    model = grow(summaries(data), y, weight, np.random.RandomState(0))
    each, score = model.contributions(X.reshape(-1, 3), Even(8))
    np.testing.assert_allclose(each.reshape(-1, 8).sum(axis=1), score, atol=1e-12)
    np.testing.assert_allclose(model.scores(data), score, atol=1e-12)
    assert ((score > np.median(score)) == (y > 0.0)).mean() > 0.9


def test_weights_of_bags_count():
    X, y = spread_bags()
    F, weight = summaries(Arrays(X, y)), np.where(y > 0.0, 4.0, 1.0)
    weight /= weight.sum()
    even = np.full(len(y), 1.0 / len(y))
    assert (
        grow(F, y, weight, np.random.RandomState(0)).b
        > 0.75
        > 0.55
        > grow(F, y, even, np.random.RandomState(0)).b
    )


def test_bags_of_no_weight_have_no_part():
    """Held-out bags are among those summarised: what they show must not be learned."""
    X, y = spread_bags()
    F, weight = summaries(Arrays(X, y)), np.where(np.arange(len(y)) < 80, 1.0 / 80, 0.0)
    wrong = np.where(weight > 0.0, y, -y)
    item, other = (grow(F, labels, weight, np.random.RandomState(0)) for labels in (y, wrong))
    np.testing.assert_array_equal(item.scores_of(F), other.scores_of(F))
    alone = grow(F[:80], y[:80], weight[:80], np.random.RandomState(0))
    np.testing.assert_array_equal(alone.scores_of(F), item.scores_of(F))


def test_the_classifier_reads_summaries_and_explains_them():
    X, y = spread_bags()
    clf = MILClassifier(pooling="forest", random_features=False, shrinkage=1.0, random_state=0).fit(
        X, y
    )
    fresh, labels = spread_bags(seed=1)
    assert clf.score(fresh, labels) > 0.85
    each = clf.instance_scores(fresh)
    total = np.array([item.sum() for item in each])
    np.testing.assert_allclose(total, clf.decision_function(fresh), atol=1e-9)
    np.testing.assert_array_equal(clf.attention_weights(fresh)[0], 1 / 8)
    assert "Attention is uniform" in clf.selection_summary_
    with pytest.raises(
        AttributeError, match="no readout of instances in a random forest on summaries"
    ):
        _ = clf.readout_


@pytest.mark.slow
def test_trees_are_grown_once_for_every_fold_and_once_for_all(monkeypatch):
    grown = []

    def recorded(table, y, weight, seed):
        grown.append(int((weight > 0.0).sum()))
        return grow(table, y, weight, seed)

    monkeypatch.setattr(forest, "grow", recorded)
    X, y = spread_bags(n=160)
    clf = MILClassifier(random_state=0).fit(X, y)
    assert "forest" in [item.configuration.candidate.pooling for item in clf.estimators_]
    assert sorted(grown) == [106, 107, 107, 160]


@pytest.mark.parametrize(("positives", "fewest", "most"), [(20, 10, 25), (1, 0, 3)])
def test_trees_that_no_bags_were_held_out_for_call_the_more_probable_class(positives, fewest, most):
    """Their votes are shares from 0 to 1, which say as much for either class at one half."""
    X, _ = spread_bags(60)
    y = np.arange(60) < positives
    X[y] += 2.0
    given = {"pooling": "forest", "random_state": 0, **({"cv": 0} if positives > 1 else {})}
    clf = MILClassifier(shrinkage=1.0, random_features=False, **given).fit(X, y)
    fresh = spread_bags(60, seed=1)[0]
    fresh[y] += 2.0
    assert fewest <= clf.predict(fresh).sum() <= most
    np.testing.assert_allclose(
        [instance_score.sum() for instance_score in clf.instance_scores(fresh)],
        clf.decision_function(fresh),
        atol=1e-9,
    )
