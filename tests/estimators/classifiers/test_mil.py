"""The search over kinds of pooling, and what it has in common with attention alone."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from needlescope.estimators import AttentionClassifier, MILClassifier, PooledClassifier
from needlescope.estimators.candidates.registry import POOLINGS
from tests.estimators.hay import needles

COVERS = ("search",)
X, Y = needles(n=80)


def parameters(kind):
    return set(inspect.signature(kind).parameters)


@pytest.fixture(scope="module")
def searched():
    return MILClassifier(random_state=0).fit(X, Y)


def test_all_kinds_of_pooling_are_compared_by_the_search_and_one_by_attention(searched):
    assert set(searched.cv_results_["param_pooling"]) == set(POOLINGS)
    attends = AttentionClassifier("quick", random_state=0).fit(X, Y)
    assert set(attends.cv_results_["param_pooling"]) == {"attention"}
    mean = AttentionClassifier("quick", kappa=0.0, random_state=0).fit(X, Y)
    assert set(mean.cv_results_["param_pooling"]) == {"mean"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("pooling", POOLINGS)
def test_a_pooling_that_is_given_is_the_only_one(pooling):
    clf = MILClassifier("quick", pooling=pooling, random_state=0).fit(X, Y)
    assert {item.configuration.candidate.pooling for item in clf.estimators_} == {pooling}
    assert set(clf.cv_results_["param_pooling"]) == {pooling}


def test_the_search_over_attention_alone_is_the_attention_classifier():
    item, other = (
        kind("quick", random_state=0, **given).fit(X, Y)
        for kind, given in (
            (MILClassifier, {"pooling": "attention", "n_queries": 1}),
            (AttentionClassifier, {}),
        )
    )
    np.testing.assert_array_equal(item.decision_function(X), other.decision_function(X))


def test_each_has_its_own_parameters_and_the_rest_in_common():
    mil, attention = parameters(MILClassifier), parameters(AttentionClassifier)
    assert mil - attention == {"pooling"}
    assert attention - mil == {"kappa", "append_mean", "split"}


def test_the_best_parameters_are_those_of_the_first_row(searched):
    assert searched.best_params_ == searched.cv_results_["params"][0]
    names = {"pooling", "ridge", "shrinkage", "random_features"}
    assert set(PooledClassifier(random_state=0).fit(X, Y).best_params_) == names


def test_the_summary_counts_candidates_not_configurations(searched):
    compared = {item.configuration.candidate for item in searched._compared}
    assert f"of {len(compared)} candidates" in searched.selection_summary_
    assert len(compared) < len(searched.cv_results_["params"])


def test_log_odds_are_a_weighted_mean(searched):
    members = searched.estimators_
    assert len(members) > 1 and sum(item.weight for item in members) == pytest.approx(1.0)
    assert max(item.weight for item in members) > 1.2 / len(members)  # or this shows nothing
    odds = [
        item.calibration.log_odds(item.model.scores(data))
        for item, data in zip(members, searched._prepare(X), strict=True)
    ]
    mean = np.sum([item.weight * one for item, one in zip(members, odds, strict=True)], axis=0)
    sign = searched._positive.sign
    np.testing.assert_allclose(searched.decision_function(X), sign * searched.blend_.log_odds(mean))
    column = searched.cv_results_["weight"]
    assert column[column > 0.0].tolist() == [item.weight for item in members]


def test_the_mean_of_several_candidates_is_calibrated(searched, monkeypatch):
    assert len(searched.estimators_) > 1
    blend, before = searched.blend_, searched.decision_function(X)
    monkeypatch.setattr(searched, "blend_", blend._replace(intercept=blend.intercept + 1.0))
    np.testing.assert_allclose(searched.decision_function(X), before + 1.0, rtol=1e-12)


def test_instances_may_be_explained_by_the_best_candidate_that_attends(searched):
    explainer, preprocessed = searched.explainer_, searched._prepare(X, [searched.explainer_])[0]
    assert explainer.configuration.candidate.attends
    odds = explainer.calibration.log_odds(explainer.model.scores(preprocessed))
    each = searched.instance_scores(X, explain="attention")
    assert [len(item) for item in each] == [len(bag) for bag in X]
    total = np.array([item.sum() for item in each])
    np.testing.assert_allclose(total, searched._positive.sign * odds, rtol=1e-9)


def test_what_the_explanation_costs_is_known(searched):
    auc, auc_of_all = searched.explainer_auc_
    own = roc_auc_score(searched.classes_[1] == Y, searched.cv_decision_function_)
    assert auc_of_all == pytest.approx(own) and 0.5 < auc <= 1.0


def test_trees_alone_are_explained_by_trees_alone():
    clf = MILClassifier("quick", pooling="forest", random_state=0).fit(X, Y)
    assert clf.explainer_ is None and clf.explainer_auc_ is None
    with pytest.raises(ValueError, match=r"needs a candidate that attends.*pass explain=\"all\""):
        clf.instance_scores(X, explain="attention")
    with pytest.raises(ValueError, match=r"explain must be"):
        clf.instance_scores(X, explain="trees")


def test_attention_has_one_weight_for_each_instance_unless_several_queries_are_asked_for():
    options = {"pooling": "attention", "init": "two_steps", "random_state": 0}
    clf = MILClassifier("quick", n_queries=3, **options).fit(X, Y)
    assert len(clf.estimators_[0].model.q) == 3
    three, importance = clf.attention_weights(X), clf.alignment_["importance"]
    assert importance.sum() == pytest.approx(1.0) and np.ptp(importance) > 0.01
    each = clf.set_params(n_queries="auto").attention_weights(X)
    assert [item.shape for item in each] == [(len(bag),) for bag in X]
    np.testing.assert_allclose([item.sum() for item in each], 1.0)
    np.testing.assert_allclose(each[0], importance @ three[0], rtol=1e-12)
