"""The positive class: it is said, or known by convention, or does not matter."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from needlescope.estimators import AttentionClassifier, MILClassifier, PooledClassifier

RNG = np.random.default_rng(0)
Y = RNG.permutation(np.arange(160) % 2)
X = RNG.standard_normal((160, 8, 5))
X[Y == 1, 0] += 2.0  # along a diagonal: one of eight instances
PLAIN = {"shrinkage": 1.0, "random_features": False, "random_state": 0}


def named(sick, well="healthy"):
    return np.where(Y == 1, sick, well)


def fitted(labels, count=80, kind=MILClassifier, **given):
    return kind(**{**PLAIN, **given}).fit(X[:count], labels[:count])


def of_the_sick(clf, sick):
    """The probability of the class that has the signal."""
    return clf.predict_proba(X[80:])[:, list(clf.classes_).index(sick)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("given", [{"pooling": "log_mean_exp"}, {"effort": "quick"}, {}])
def test_the_spelling_of_labels_decides_nothing(given):
    early, late = (fitted(named(sick), **given) for sick in ("cancer", "tumour"))
    np.testing.assert_allclose(of_the_sick(early, "cancer"), of_the_sick(late, "tumour"), atol=1e-4)
    right = early.predict(X[80:]) == named("cancer")[80:]
    np.testing.assert_array_equal(right, late.predict(X[80:]) == named("tumour")[80:])
    assert right.mean() > 0.85
    np.testing.assert_allclose(early.cv_decision_function_, -late.cv_decision_function_, atol=1e-4)


def test_a_signal_is_sought_in_either_class_unless_it_is_said_which():
    result = fitted(named("cancer"), pooling="log_mean_exp")
    sides = set(result.cv_results_["param_in_negatives"])
    assert sides == {False, True} and result.best_params_["in_negatives"]
    assert "the best candidate finds it in those labelled cancer" in result.selection_summary_
    for labels, given in ((named("cancer"), {"pos_label": "cancer"}), (Y, {}), (Y == 1, {})):
        item = fitted(labels, pooling="log_mean_exp", **given)
        assert not item.cv_results_["param_in_negatives"].any()
        assert "pos_label" not in item.selection_summary_
        assert (item.predict(X[80:]) == labels[80:]).mean() > 0.85


def test_the_class_that_is_said_is_taken():
    """Log odds stay those of the second label, and say the same as with labels 0 and 1."""
    said, usual = (
        fitted(named("cancer"), pooling="log_mean_exp", pos_label="cancer"),
        fitted(Y, pooling="log_mean_exp"),
    )
    np.testing.assert_allclose(
        said.decision_function(X[80:]), -usual.decision_function(X[80:]), atol=1e-9
    )
    np.testing.assert_allclose(said.readout_, -usual.readout_)
    assert said.intercept_ == pytest.approx(-usual.intercept_)
    wrong = fitted(named("cancer"), pooling="log_mean_exp", pos_label="healthy")
    right = named("cancer")[80:]
    assert wrong.score(X[80:], right) < said.score(X[80:], right) - 0.1


@pytest.mark.sampled(2)
@pytest.mark.parametrize("pos_label", [None, "cancer", "healthy"])
@pytest.mark.parametrize("pooling", ["log_mean_exp", "attention", "forest"])
def test_what_instances_add_is_the_log_odds_whichever_class_has_the_signal(pooling, pos_label):
    clf = fitted(named("cancer"), pooling=pooling, pos_label=pos_label, effort="quick")
    total = [instance_score.sum() for instance_score in clf.instance_scores(X[80:])]
    np.testing.assert_allclose(total, clf.decision_function(X[80:]), atol=1e-9)


def test_a_query_and_a_readout_make_the_log_odds_whichever_class_is_positive():
    for pos_label in ("cancer", "healthy"):
        clf = fitted(
            named("cancer"), kind=AttentionClassifier, kappa=1.0, ridge=0.1, max_refine_iter=2,
            init="amp", append_mean=False, cv=0, pos_label=pos_label,
        )  # fmt: skip
        a = np.stack(clf.attention_weights(X[80:]))
        result = np.einsum("nl,nld->nd", a, X[80:]) @ clf.readout_[0] + clf.intercept_
        np.testing.assert_allclose(result, clf.decision_function(X[80:]), atol=1e-9)


def test_where_nothing_can_be_compared_it_is_said_which_class_was_taken():
    given = {"pooling": "log_mean_exp", "ridge": 0.1, "max_refine_iter": 2, "init": "amp", "cv": 0}
    with pytest.warns(UserWarning, match="'healthy' is taken for the positive class, as it sorts"):
        fitted(named("cancer"), **given)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(named("cancer"), **given, pos_label="cancer")
        fitted(Y, **given)
        fitted(
            named("cancer"), kind=AttentionClassifier, kappa=1.0, ridge=0.1, max_refine_iter=0, cv=0
        )  # both are alike


def test_nothing_is_said_to_have_paid_or_not_that_was_not_compared():
    assert "did not help" not in fitted(Y, pooling="mean").selection_summary_
    with pytest.raises(TypeError, match="pos_label"):
        PooledClassifier(pos_label=1)  # which treats both classes alike
