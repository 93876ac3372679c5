"""More than two classes: each against the others, calibrated together."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import log_softmax
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold, cross_val_score

from needlescope.estimators import (
    MILClassifier,
    PooledClassifier,
    VectorizedClassifier,
)
from needlescope.estimators.classifiers.multiclass import calibrate

ALL = (MILClassifier, PooledClassifier, VectorizedClassifier)
DIGITS = load_digits()


def which_digit(n, seed, marks=(3, 5, 8), chances=(0.5, 0.3, 0.2), L=8):
    """Bags of noisy digits, one of which is a mark: the label says which."""
    rng = np.random.default_rng(seed)
    images, kinds = DIGITS.data / 16.0, DIGITS.target
    y = rng.choice(marks, n, p=chances)
    X = images[rng.choice(np.flatnonzero(~np.isin(kinds, marks)), (n, L))]
    for k, mark in enumerate(y):
        X[k, rng.integers(L)] = images[rng.choice(np.flatnonzero(kinds == mark))]
    return X + 0.2 * rng.standard_normal(X.shape), y


def shifted(n=90, classes=3, shift=2.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.standard_normal((n, 4, 5))
    X[np.arange(n), :, y] += shift
    return X, np.array(["ash", "beech", "cedar", "dogwood"])[y]


@pytest.mark.slow
def test_probabilities_of_digits_are_honest():
    """Of the bags given about the same probability of a class, that share is of it.

    Each classifier has a calibration of its own, off by chance: the error is over classifiers.
    """
    edges = [0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0]
    off, losses = [], []
    for seed in range(4):
        clf = MILClassifier("quick", random_state=0).fit(*which_digit(300, 2 * seed))
        X, y = which_digit(1000, 2 * seed + 1)
        p, true = clf.predict_proba(X), y[:, None] == clf.classes_
        at = [(p >= low) & (p < high) for low, high in pairwise(edges)]
        off.append([float((true - p)[some].mean()) for some in at])
        own = np.column_stack([item.predict_proba(X)[:, 1] for item in clf.binary_])
        divided = own / own.sum(axis=1, keepdims=True)
        losses.append([log_loss(y, p), log_loss(y, divided)])
    mean, error = np.mean(off, axis=0), np.std(off, axis=0, ddof=1) / 2.0
    # Calibrated by classifiers of two thirds of the bags, they are a little timid (docs/bags.md).
    timid = np.array([-0.01, -0.03, -0.03, 0.03, 0.03, 0.01])
    assert (np.abs(mean - timid) < 4.0 * error + np.abs(timid)).all(), (mean, error)
    together, divided = np.mean(losses, axis=0)
    assert together < divided - 0.03 and together < 0.45  # 1.03 knows nothing


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ALL)
def test_shapes_and_what_belongs_together(kind):
    X, y = shifted()
    clf = kind(random_state=0, **({"effort": "quick"} if kind is MILClassifier else {}))
    clf.fit(X, y)
    assert clf.classes_.tolist() == ["ash", "beech", "cedar"] and len(clf.binary_) == 3
    p, scores = clf.predict_proba(X), clf.decision_function(X)
    assert p.shape == scores.shape == (90, 3)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.log(p), log_softmax(scores, axis=1), atol=1e-6)
    assert (clf.predict(X) == clf.classes_[p.argmax(axis=1)]).all()
    assert clf.score(*shifted(seed=1)) > 0.9
    names = clf.get_feature_names_out()
    assert clf.transform(X).shape == (90, len(names)) and names[0].startswith("ash_")
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.decision_function(X), scores)
    assert cross_val_score(clf, list(X), y, cv=2).mean() > 0.8


@pytest.mark.slow
def test_what_instances_add_is_all_there_is():
    X, y = shifted()
    bags = [bag[: 1 + k % 4] for k, bag in enumerate(X)]
    clf = MILClassifier("quick", random_state=0).fit(bags, y)
    each = clf.instance_scores(bags)
    assert [item.shape for item in each[:3]] == [(1, 3), (2, 3), (3, 3)]
    total = np.stack([item.sum(axis=0) for item in each])
    np.testing.assert_allclose(total, clf.decision_function(bags), atol=1e-9)


@pytest.mark.slow
def test_what_one_classifier_has_is_asked_of_each():
    X, y = shifted()
    clf = MILClassifier("quick", random_state=0).fit(X, y)
    for name in ("best_params_", "query_", "readout_", "intercept_"):
        with pytest.raises(AttributeError, match=r"with 3 classes each has its own"):
            getattr(clf, name)
    with pytest.raises(AttributeError, match=r"see binary_\[0\]"):
        clf.attention_weights(X)
    assert clf.binary_[2].attention_weights(X)[0].shape == (4,)
    assert clf.binary_[1].cv_decision_function_.shape == (90,)
    assert list(clf.cv_results_) == ["ash", "beech", "cedar"] == list(clf.nested_)
    assert clf.cv_results_["beech"] is clf.binary_[1].cv_results_
    assert clf.nested_["cedar"] is clf.binary_[2].nested_
    assert clf.selection_summary_.splitlines()[1] == f"beech: {clf.binary_[1].selection_summary_}"


def test_a_fit_to_other_classes_leaves_nothing_of_the_last():
    X, y = shifted()
    two = y != "cedar"
    clf = PooledClassifier(random_state=0).fit(X, y).fit(X[two], y[two])
    fresh = PooledClassifier(random_state=0).fit(X[two], y[two])
    np.testing.assert_array_equal(clf.decision_function(X), fresh.decision_function(X))
    assert vars(clf).keys() == vars(fresh).keys()
    assert vars(clf.fit(X, y)).keys() == vars(PooledClassifier().fit(X, y)).keys()


def test_weights_stand_for_repetitions_and_classes_are_balanced():
    X, y = shifted(n=60)
    heavy = (y == "ash") & (np.arange(60) % 2 == 0)
    rows = np.concatenate([np.arange(60), np.flatnonzero(heavy)])
    for balance in (None, "balanced", {"ash": 0.3, "cedar": 2.0}):
        clf = PooledClassifier(ridge=0.1, cv=0, class_weight=balance)
        weighted = clf.fit(X, y, 1.0 + heavy).decision_function(X)
        np.testing.assert_allclose(
            weighted, clf.fit(X[rows], y[rows]).decision_function(X), rtol=1e-4, atol=1e-5
        )
    X, y = shifted(n=300, shift=0.4)
    result = [
        PooledClassifier(random_state=0, class_weight=weight).fit(X, y).predict(X).tolist()
        for weight in (None, {"cedar": 5.0})
    ]
    assert result[1].count("cedar") > 1.5 * result[0].count("cedar")


def test_groups_and_folds_are_the_same_for_every_class():
    X, y = shifted(n=120, classes=4)
    groups = np.arange(120) // 8
    clf = PooledClassifier(cv=GroupKFold(3), random_state=0).fit(X, y, groups=groups)
    alone = PooledClassifier(cv=list(GroupKFold(3).split(X, y, groups)), random_state=0).fit(
        X, y == "beech", groups=groups
    )
    np.testing.assert_allclose(
        clf.binary_[1].cv_decision_function_, alone.cv_decision_function_, rtol=1e-6
    )
    assert len(PooledClassifier(random_state=0).fit(X, y, groups=groups).binary_) == 4


def test_without_bags_held_out_probabilities_are_divided_by_their_sum():
    X, y = shifted()
    clf = PooledClassifier(ridge=0.1, cv=0).fit(X, y)
    own = np.column_stack([item.predict_proba(X)[:, 1] for item in clf.binary_])
    assert clf.joint_ is None
    np.testing.assert_allclose(clf.predict_proba(X), own / own.sum(axis=1, keepdims=True))
    hinge = PooledClassifier(ridge=0.1, cv=0, loss="squared_hinge").fit(X, y)
    with pytest.raises(ValueError, match="makes no probabilities by itself"):
        hinge.predict_proba(X)
    single = PooledClassifier(random_state=0).fit(X[:5], y[:5])  # one bag of a class
    np.testing.assert_allclose(single.predict_proba(X).sum(axis=1), 1.0)


def test_the_joint_calibration_finds_what_scores_were_made_with():
    rng = np.random.default_rng(0)
    scores = 2.0 * rng.standard_normal((20_000, 3))
    p = np.exp(log_softmax(0.7 * scores + [0.5, 0.0, -0.5], axis=1))
    kinds = (rng.random(20_000)[:, None] > np.cumsum(p, axis=1)).sum(axis=1)
    result = calibrate(scores, np.arange(3) == kinds[:, None], np.full(20_000, 1 / 20_000))
    assert result.slope == pytest.approx(0.7, abs=0.03)
    np.testing.assert_allclose(result.shifts - result.shifts.mean(), [0.5, 0.0, -0.5], atol=0.06)


@pytest.mark.parametrize(
    ("change", "weight", "sentence"),
    [
        ({}, np.arange(9) % 3 != 1, "with a weight above zero of every class, .* labelled beech"),
        (
            {"class_weight": {"oak": 1.0}},
            None,
            "y, 'ash', 'beech' and 'cedar', got 'oak'",
        ),
        (
            {"class_weight": dict.fromkeys(["ash", "beech", "cedar"], 0)},
            None,
            "class_weight must not be zero for all labels",
        ),
        ({}, np.where(np.arange(9) % 3 == 1, 1e-30, 1.0), "1e-09 of all, got .* labelled beech"),
        ({"cv": [([0, 3, 1, 4], [2, 5])]}, None, "train on .* has none labelled cedar"),
    ],
)
def test_classes_that_cannot_be_told_are_refused(change, weight, sentence):
    with pytest.raises(ValueError, match=sentence):
        PooledClassifier(**change).fit(*shifted(n=9), sample_weight=weight)
