"""Summaries of bags: what reads them, and what each instance has to do with it."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import MILClassifier
from needlescope.estimators.candidates.shared.candidate import Configuration
from needlescope.estimators.candidates.summaries import LinearSummaries, Summaries, linear
from needlescope.estimators.engine.bag_statistics import summaries
from needlescope.estimators.engine.computation import compute
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.losses import Logistic
from needlescope.models.blocks import Arrays
from needlescope.models.segments import Even
from tests.estimators.candidates.spread import spread_bags


def test_what_instances_add_is_the_score():
    X, y = spread_bags()
    data, weight = Arrays(X, y), np.full(len(y), 1.0 / len(y))
    (model,) = linear(summaries(data), y, weight, Logistic(), [0.1])
    each, score = model.contributions(X.reshape(-1, 3), Even(8))
    np.testing.assert_allclose(each.reshape(-1, 8).sum(axis=1), score, atol=1e-12)
    np.testing.assert_allclose(model.scores(data), score, atol=1e-12)
    assert ((score > np.median(score)) == (y > 0.0)).mean() > 0.9


def test_a_summary_belongs_to_the_instances_that_make_it():
    """The largest to one; a deviation by its square; a mean to those on its side."""
    rows, nothing = np.array([[-1.0], [0.0], [4.0]]), np.zeros(4)
    shares = {}
    for k, name in enumerate(("mean", "largest", "least", "spread")):
        weights = np.where(np.arange(4) == k, 1.0, 0.0)
        each, score = LinearSummaries(nothing, 0.0, weights).contributions(rows, Even(3))
        shares[name] = each / score
    np.testing.assert_allclose(shares["mean"], [0.0, 0.0, 1.0])
    np.testing.assert_allclose(shares["largest"], [0.0, 0.0, 1.0])
    np.testing.assert_allclose(shares["least"], [1.0, 0.0, 0.0])
    np.testing.assert_allclose(shares["spread"], np.array([4.0, 1.0, 9.0]) / 14.0)


def test_equal_instances_share_what_is_largest():
    model = LinearSummaries(np.zeros(4), 0.0, np.array([0.0, 1.0, 0.0, 0.0]))
    each, _ = model.contributions(np.array([[2.0], [2.0], [1.0]]), Even(3))
    np.testing.assert_allclose(each, [1.0, 1.0, 0.0])


def test_a_feature_that_never_changes_has_no_weight():
    X, y = spread_bags()
    X[:, :, 0] = 7.0
    F = summaries(Arrays(X, y))
    (result,) = linear(F, y, np.full(len(y), 1.0 / len(y)), Logistic(), [0.1])
    assert isinstance(result, LinearSummaries)
    np.testing.assert_array_equal(result.weights[::3], 0.0)
    assert np.isfinite(result.scores(Arrays(X, y))).all()


def test_weights_of_bags_count():
    X, y = spread_bags()
    F, weight = summaries(Arrays(X, y)), np.where(y > 0.0, 4.0, 1.0)
    weight /= weight.sum()
    even = np.full(len(y), 1.0 / len(y))
    sides = [
        linear(F, y, item, Logistic(), [10.0])[0].scores_of(F).mean() for item in (even, weight)
    ]
    assert sides[1] > sides[0] + 1.0


def test_bags_of_no_weight_have_no_part():
    """Held-out bags are among those summarised: what they show must not be learned."""
    X, y = spread_bags()
    F, weight = summaries(Arrays(X, y)), np.where(np.arange(len(y)) < 80, 1.0 / 80, 0.0)
    wrong = np.where(weight > 0.0, y, -y)
    item, other = (linear(F, labels, weight, Logistic(), [0.1])[0] for labels in (y, wrong))
    np.testing.assert_array_equal(item.scores_of(F), other.scores_of(F))
    alone = linear(F[:80], y[:80], weight[:80], Logistic(), [0.1])[0]
    np.testing.assert_allclose(alone.scores_of(F), item.scores_of(F), rtol=1e-3, atol=1e-3)


def test_a_fit_has_a_readout_for_each_ridge():
    X, y = spread_bags()
    data, weight = Arrays(X, y), np.full(len(y), 1.0 / len(y))
    ridges = [1.0, 0.1]
    fit = Summaries().fit(
        FoldData(data, weight), [Configuration(Summaries(), r) for r in ridges], Logistic(), None
    )
    compute(data, fit)
    wanted = linear(summaries(data), y, weight, Logistic(), ridges)
    for (model, scores), other in zip(fit.results, wanted, strict=True):
        np.testing.assert_array_equal(model.weights, other.weights)
        np.testing.assert_allclose(scores, model.scores(data), atol=1e-12)
    assert model.q.shape == model.w.shape == (1, 3) and not model.q.any() and not model.w.any()


def test_the_classifier_reads_summaries_and_explains_them():
    X, y = spread_bags()
    clf = MILClassifier(
        pooling="summaries", random_features=False, shrinkage=1.0, random_state=0
    ).fit(X, y)
    fresh, labels = spread_bags(seed=1)
    assert clf.score(fresh, labels) > 0.85
    each = clf.instance_scores(fresh)
    total = np.array([item.sum() for item in each])
    np.testing.assert_allclose(total, clf.decision_function(fresh), atol=1e-9)
    np.testing.assert_array_equal(clf.attention_weights(fresh)[0], 1 / 8)
    assert "Attention is uniform" in clf.selection_summary_
    with pytest.raises(
        AttributeError, match="no readout of instances in summaries of standardised"
    ):
        _ = clf.readout_


@pytest.mark.slow
def test_summaries_are_found_where_a_spread_tells():
    """No direction of attention shows that one feature varies more on both sides."""
    X, y = spread_bags(n=160)
    clf = MILClassifier(random_state=0).fit(X, y)
    assert (
        clf.best_params_["pooling"] in ("summaries", "forest")
        or clf.best_params_["random_features"]
    )
    assert "summaries" in clf.cv_results_["param_pooling"]
