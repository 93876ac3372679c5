"""The search over kinds of pooling, and what it has in common with attention alone."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

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
        for kind, given in ((MILClassifier, {"pooling": "attention"}), (AttentionClassifier, {}))
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


def test_the_summary_counts_candidates_not_settings(searched):
    ways = {item.configuration.candidate for item in searched._compared}
    assert f"of {len(ways)} candidates" in searched.selection_summary_
    assert len(ways) < len(searched.cv_results_["params"])


def test_the_mean_of_several_candidates_is_calibrated(searched, monkeypatch):
    assert len(searched.estimators_) > 1
    blend, before = searched.blend_, searched.decision_function(X)
    monkeypatch.setattr(searched, "blend_", blend._replace(intercept=blend.intercept + 1.0))
    np.testing.assert_allclose(searched.decision_function(X), before + 1.0, rtol=1e-12)
