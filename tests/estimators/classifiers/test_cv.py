"""Splitters and pairs of indices as ``cv=``: what is held out is what they say."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)

from needlescope.estimators import AttentionClassifier, MILClassifier, PooledClassifier
from needlescope.estimators.selection import fit as fitting
from tests.estimators.hay import needles


def pooled(cv):
    return PooledClassifier(ridge=0.1, cv=cv, random_state=0)


def test_the_folds_of_a_number_are_those_of_its_splitter():
    X, y = needles(n=90)
    random = np.random.RandomState(3)
    random.randint(2**31 - 1)  # what a fit draws before its folds
    pairs = list(StratifiedKFold(3, shuffle=True, random_state=random).split(X, y))
    for kind, options in ((PooledClassifier, {}), (MILClassifier, {"effort": "quick"})):
        number = kind(random_state=3, **options).fit(X, y)
        listed = kind(random_state=3, cv=pairs, **options).fit(X, y)
        np.testing.assert_array_equal(listed.decision_function(X), number.decision_function(X))
        np.testing.assert_array_equal(listed.cv_decision_function_, number.cv_decision_function_)


@pytest.mark.parametrize(("cv", "folds"), [("auto", 5), (4, 4)])
def test_thorough_cuts_the_bags_into_folds_twice(cv, folds):
    X, y = needles(n=80)  # as many of a class in every fold
    random = np.random.RandomState(3)
    random.randint(2**31 - 1)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=random)
    pairs = [pair for _ in range(2) for pair in splitter.split(X, y)]
    options = {"pooling": "attention", "init": "two_steps", "shrinkage": 1.0, "random_state": 3}
    options |= {"random_features": False, "ridge": 0.1, "n_queries": 1, "max_refine_iter": 10}
    number = MILClassifier("thorough", cv=cv, **options).fit(X, y)
    listed = MILClassifier(cv=pairs, **options).fit(X, y)
    np.testing.assert_array_equal(listed.cv_decision_function_, number.cv_decision_function_)
    np.testing.assert_array_equal(listed.decision_function(X), number.decision_function(X))
    once = MILClassifier(cv=pairs[:folds], **options).fit(X, y)
    assert (once.cv_decision_function_ != number.cv_decision_function_).any()


def test_auto_is_a_number_of_folds_and_no_other_word_is():
    X, y = needles(n=60)
    options = {"effort": "quick", "pooling": "mean", "random_features": False}
    three, auto = (MILClassifier(cv=cv, random_state=0, **options) for cv in (3, "auto"))
    for clf in (three, auto):
        clf.fit(X, y)
    np.testing.assert_array_equal(three.decision_function(X), auto.decision_function(X))
    with pytest.raises(ValueError, match="cv must be a number of folds"):
        MILClassifier(cv="automatic").fit(X, y)


def test_bags_in_no_test_part_are_not_held_out():
    X, y = needles(n=90)
    fold = np.where(np.arange(90) < 30, -1, np.arange(90) // 2 % 2)
    clf = pooled(PredefinedSplit(fold)).fit(X, y)
    np.testing.assert_array_equal(np.isnan(clf.cv_decision_function_), fold < 0)
    assert pooled(0).fit(X, y).cv_decision_function_.shape == (90,)


def test_calibration_is_by_the_bags_held_out():
    """Labels of the others are right, of those held out by chance: nothing is known of these."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    X = rng.standard_normal((400, 3, 2)) + 2.0 * y[:, None, None]
    told, held = y.copy(), np.arange(400) % 5 == 0
    told[held] = rng.permutation(y[held])
    pair = (np.flatnonzero(~held), np.flatnonzero(held))
    sure = [
        np.abs(pooled(cv).fit(X, told).predict_proba(X)[:, 1] - 0.5).mean() for cv in (3, [pair])
    ]
    assert sure[0] > 0.3 and sure[1] < 0.2


def test_repeats_share_the_weight_of_a_bag():
    X, y = needles(n=60)
    pairs = list(StratifiedKFold(3).split(X, y))
    once, twice = (pooled(folds).fit(X, y) for folds in (pairs, pairs + pairs))
    np.testing.assert_allclose(twice.decision_function(X), once.decision_function(X), rtol=1e-9)
    np.testing.assert_allclose(twice.cv_decision_function_, once.cv_decision_function_, rtol=1e-9)
    # A fold twice over: its bags have as much to say as the others.
    more = pooled([*pairs, pairs[0]]).fit(X, y)
    losses = [*more.cv_results_["mean_test_score"]], [*once.cv_results_["mean_test_score"]]
    np.testing.assert_allclose(*losses, rtol=1e-9)


@pytest.mark.slow
def test_repeats_do_not_make_errors_smaller():
    X, y = needles(n=60, theta=3.0)
    pairs = list(StratifiedKFold(3).split(X, y))
    errors = []
    for folds in (pairs, 4 * pairs):
        clf = MILClassifier("quick", cv=folds, random_state=0).fit(X, y)
        errors.append(clf.cv_results_["difference_to_best_se"].tolist())
    np.testing.assert_allclose(errors[1], errors[0], rtol=1e-9)


@pytest.mark.slow
def test_splitters_of_scikit_learn():
    X, y = needles(n=60)
    groups = np.arange(60) // 4
    for splitter, given in (
        (RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0), None),
        (GroupKFold(3), groups),
        (LeaveOneGroupOut(), groups),
        (LeaveOneOut(), None),
    ):
        fixed = AttentionClassifier(kappa=1.0, ridge=0.1, max_refine_iter=0, init="two_steps")
        clf = clone(fixed).set_params(append_mean=False, random_features=False, cv=splitter)
        clf.fit(X, y, groups=given)
        assert clf.score(*needles(seed=7)) > 0.75
    search = GridSearchCV(pooled(KFold(3, shuffle=True, random_state=0)), {"ridge": [0.1, 1.0]})
    assert search.fit(list(X), y).best_estimator_.best_params_["ridge"] in (0.1, 1.0)


@pytest.mark.slow
def test_one_patient_at_a_time_though_each_has_one_label_only():
    """No fold has both classes; there is a first round, and probabilities are as honest."""
    X, y = needles(n=60)
    order = np.argsort(y, kind="stable")
    X, y, groups = X[order], y[order], np.arange(60) // 6
    fixed = {"shrinkage": 1.0, "random_features": False, "ridge": 0.1, "random_state": 0}
    clf = AttentionClassifier(cv=LeaveOneGroupOut(), **fixed)
    clf.fit(X, y, groups=groups)
    three = AttentionClassifier(**fixed).fit(X, y)
    assert np.isnan(clf.cv_results_["mean_test_score"]).any()
    fresh, labels = needles(n=1000, seed=1)
    own = (np.arange(1000), (labels == "needle").astype(int))
    loss = [-np.log(item.predict_proba(fresh)[own]).mean() for item in (clf, three)]
    assert loss[0] < loss[1] + 0.05 < 0.35


@pytest.mark.parametrize("size", [10, 30])
def test_a_class_that_is_left_out_is_not_told_by_what_is_left(size):
    """Of one feature nobody knows more than it says, whichever way the mean of the rest moves."""
    better = []
    for seed in range(6):
        y = (np.arange(120) >= 60).astype(int)
        X = np.random.default_rng(seed).standard_normal((120, 1, 1)) + y[:, None, None]
        clf = pooled(LeaveOneGroupOut()).fit(X, y, groups=np.arange(120) // size)
        better.append(roc_auc_score(y, clf.cv_decision_function_) - roc_auc_score(y, X[:, 0, 0]))
    error = np.std(better, ddof=1) / np.sqrt(6)
    assert abs(np.mean(better)) < 4.0 * error < 0.02  # 0.015 and 0.066 if it were told


def test_bags_held_out_one_by_one_keep_their_scores():
    """The scale of a classifier is not known by one bag: all would be equally far out."""
    X, y = needles(n=40)
    alone = pooled(LeaveOneOut()).fit(X, y).cv_decision_function_
    assert len(np.unique(alone.round(6))) > 30  # but for the middle ones, which make the scale


def test_bags_drawn_keep_their_folds(monkeypatch):
    monkeypatch.setattr(fitting, "VALIDATION", 1)
    monkeypatch.setattr(fitting, "ENOUGH", 100)
    monkeypatch.setattr("needlescope.estimators.selection.drawing.FEWEST", 20)
    X, y = needles(n=400)
    fold = np.where(np.arange(400) < 200, -1, np.arange(400) // 2 % 2)
    clf = pooled(PredefinedSplit(fold)).fit(X, y)
    held = ~np.isnan(clf.cv_decision_function_)
    assert 20 < held.sum() < 100 and (fold[held] >= 0).all()


N = np.arange(12)


@pytest.mark.parametrize(
    ("cv", "sentence"),
    [
        ([], "^cv must be a number of folds from 2 on, or 0 for none, got .* a generator"),
        ("abc", "^cv must be a number of folds .* a splitter of scikit-learn's is taken"),
        ([(N, [])], "^fold 0 of cv holds out no bags$"),
        ([(N[:6], N[6:]), ([], N)], "^fold 1 of cv trains on no bags$"),
        ([(N[:6], [12])], "^fold 0 of cv holds out bag 12, but bags are 0 to 11$"),
        ([([0, 1, -1], [3])], "^fold 0 of cv trains on bag -1, but bags are 0 to 11$"),
        ([(N[:7], N[6:])], "^fold 0 of cv trains on bag 6 and holds it out$"),
        ([([0, 1, 1], [2, 3])], "^fold 0 of cv trains on bag 1 more than once; sample_w"),
        ([(N < 6, N >= 6)], "^fold 0 of cv must be two arrays .*got bool values; np.flatn"),
        ([N, N], "^fold 0 of cv must be two arrays of indices"),
        ([3, 4], "^fold 0 of cv must be two arrays of indices"),
        ([(N[::2], N[1::2])], "^fold 0 of cv must train on bags of every class, but has n"),
        (
            [(N[:6], N[6::2])],
            "^cv must hold out bags of every class, .* labelled hay$",
        ),
        (GroupKFold(2), "groups"),  # in scikit-learn's words
    ],
)
def test_folds_that_cannot_be_are_refused(cv, sentence):
    with pytest.raises(ValueError, match=sentence):
        pooled(cv).fit(*needles(n=12))


def test_folds_that_cut_groups_are_refused():
    X, y = needles(n=12)
    with pytest.raises(ValueError, match="trains on bag 0 and holds out bag 1 of the same group"):
        pooled([(N[[0, 3, 5, 6]], N[[1, 2]])]).fit(X, y, groups=N // 2)


def test_a_fold_of_bags_without_weight_is_refused():
    X, y = needles(n=12)
    folds = [(N[:6], N[6:9]), (N[:6], N[9:])]
    with pytest.raises(ValueError, match="fold 1 of cv holds out no bag of weight above"):
        pooled(folds).fit(X, y, (N < 9).astype(float))
