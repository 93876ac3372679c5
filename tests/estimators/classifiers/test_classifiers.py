"""The classifiers on bags: what they learn, what they refuse, and what scikit-learn expects."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from needlescope.estimators import (
    AttentionClassifier,
    Bags,
    MILClassifier,
    PooledClassifier,
    VectorizedClassifier,
)
from needlescope.estimators.candidates.shared.search_space import MEAN_RIDGES
from tests.estimators.hay import needles

COVERS = ("base",)
ALL = (MILClassifier, PooledClassifier, VectorizedClassifier)
FIXED = {"kappa": 1.0, "ridge": 0.1, "max_refine_iter": 0, "cv": 0}


def quick(kind, **options):
    """A classifier that is soon fitted: the search of few candidates is a search as well."""
    return kind(**({"effort": "quick"} if kind is MILClassifier else {}), **options)


@pytest.mark.parametrize("kind", ALL)
def test_same_answer_for_the_same_random_state_and_after_pickling(kind):
    X, y = needles(n=80)
    item, other = (clone(quick(kind, random_state=3)).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(item.decision_function(X), other.decision_function(X))
    again = pickle.loads(pickle.dumps(item))
    np.testing.assert_array_equal(item.decision_function(X), again.decision_function(X))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ALL)
def test_arrays_lists_and_bags_give_the_same(kind):
    X, y = needles(n=80)
    result = [
        quick(kind, random_state=0).fit(bags, y).decision_function(X)
        for bags in (X, list(X), Bags.from_array(X))
    ]
    np.testing.assert_allclose(result[0], result[1], rtol=1e-9)
    np.testing.assert_allclose(result[0], result[2], rtol=1e-9)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", (MILClassifier, PooledClassifier))
def test_searches_and_pipelines(kind):
    X, y = needles(n=120)
    bags, clf = Bags.from_array(X), quick(kind, random_state=0)
    assert cross_val_score(clf, bags, y, cv=2).mean() > 0.5
    search = GridSearchCV(clf, {"ridge": [0.1, 0.01]}, cv=2).fit(list(X), y)
    assert search.best_estimator_.best_params_["ridge"] in (0.1, 0.01)
    pipe = make_pipeline(clf, LogisticRegression()).fit(bags, y)
    assert pipe.predict(bags).shape == (120,)


def test_weights_stand_for_repetitions_and_zero_for_absence():
    X, y = needles(n=60)
    weight = np.ones(60)
    weight[:20], weight[40:] = 2.0, 0.0
    rows = np.concatenate([np.arange(40), np.arange(20)])
    for kind, options in (
        (AttentionClassifier, FIXED),
        (PooledClassifier, {"ridge": 0.1, "cv": 0}),
    ):
        weighted = kind(**options).fit(X, y, sample_weight=weight)
        repeated = kind(**options).fit(X[rows], y[rows])
        np.testing.assert_allclose(
            weighted.decision_function(X), repeated.decision_function(X), rtol=1e-5, atol=1e-6
        )


def test_class_weight_moves_the_threshold():
    X, y = needles(n=300, theta=3.0)
    rare = np.concatenate([np.flatnonzero(y == "hay"), np.flatnonzero(y == "needle")[:15]])
    plain = PooledClassifier(random_state=0).fit(X[rare], y[rare])
    even = PooledClassifier(random_state=0, class_weight="balanced").fit(X[rare], y[rare])
    assert (even.predict(X) == "needle").mean() > (plain.predict(X) == "needle").mean()


def test_more_bags_than_fit_are_read_in_every_pass(monkeypatch):
    X, y = needles(n=60, dtype=np.float32)
    whole = AttentionClassifier(kappa=1.0, ridge=0.1, max_refine_iter=4, cv=0).fit(X, y)
    monkeypatch.setattr("needlescope.estimators.engine.prepared.MAX_HELD", 100)
    monkeypatch.setattr("needlescope.estimators.engine.prepared.TOKEN_BLOCK", 1000)
    told = []
    streamed = AttentionClassifier(
        kappa=1.0, ridge=0.1, max_refine_iter=4, cv=0, progress=lambda *both: told.append(both)
    ).fit(X, y)
    np.testing.assert_allclose(streamed.query_, whole.query_, rtol=1e-3, atol=1e-5)
    assert told[-1] == (60, 60) and told.count((60, 60)) > 5


@pytest.mark.sampled(3)
@pytest.mark.parametrize("loss", ["square", "squared_hinge", "hinge"])
def test_other_losses(loss):
    X, y = needles(n=100)
    clf = MILClassifier("quick", loss=loss, random_state=0).fit(X, y)
    assert clf.score(*needles(seed=6)) > 0.8
    if loss == "hinge":
        with pytest.raises(
            ValueError, match="max_refine_iter=3 needs a loss without kinks, got 'hinge'"
        ):
            MILClassifier(loss=loss, max_refine_iter=3).fit(X, y)


@pytest.mark.slow
def test_extremes_have_answers():
    rng = np.random.default_rng(0)
    y = np.array([0, 1] * 10)
    single = rng.standard_normal((20, 1, 3)) + y[:, None, None]
    assert MILClassifier(random_state=0).fit(single, y).attention_weights(single)[0].tolist() == [
        1.0
    ]
    wide = rng.standard_normal((20, 4, 500))
    assert MILClassifier("quick", random_state=0).fit(wide, y).predict(wide).shape == (20,)
    flat = np.zeros((20, 4, 3))
    p = MILClassifier("quick", random_state=0).fit(flat, y).predict_proba(flat)
    np.testing.assert_allclose(p, 0.5, atol=1e-6)
    few = MILClassifier("quick", random_state=0).fit(single[:2], y[:2])  # one bag of each class
    assert few.predict(single).shape == (20,)
    large = single * 1e6 + 1e9
    assert MILClassifier("quick", random_state=0).fit(large, y).score(large, y) > 0.6


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kappa": -1.0}, 'kappa must be "auto" or a finite number of at least 0, got -1.0'),
        ({"kappa": "large"}, "kappa must be"),
        ({"ridge": 0.0}, "ridge must be"),
        ({"max_refine_iter": 1.5}, 'max_refine_iter must be "auto" or a whole number'),
        ({"n_queries": 0}, 'n_queries must be "auto" or a whole number of at least 1, got 0'),
        ({"split": "all"}, "split must be one of"),
        ({"shrinkage": 0.0}, r'shrinkage must be "auto", None or a number in \(0, 1\], got 0.0'),
        ({"cv": -1}, "cv must be a number of folds"),
        ({"cv": 1}, "cv must be a number of folds from 2 on, or 0 for none, got 1"),
        ({"cv": 0}, 'leaves nothing to choose parameters by that are "auto"'),
        ({"loss": "cubic"}, "cubic"),
        ({"progress": "yes"}, "progress must be"),
    ],
)
def test_bad_parameters_are_refused_in_fit(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        AttentionClassifier(**change).fit(*needles(n=20))


@pytest.mark.parametrize(
    ("X", "y", "weight", "sentence"),
    [
        (np.zeros((4, 2, 1)), [1, 1, 1, 1], None, "y must have two classes, .* one class only: 1"),
        (np.zeros((4, 2, 1)), [1, 0, 1], None, "a label for each of the 4 bags, got 3"),
        (np.zeros((4, 2, 1)), [0.5, 1.5, 2.5, 3.0], None, "Unknown label type: continuous"),
        (np.zeros((4, 2, 1)), [0, 1, 0, 1], [1, -1, 1, 1], "sample_weight must be 4 finite"),
        (np.zeros((4, 2, 1)), [0, 1, 0, 1], [1, 0, 1, 0], "with a weight above zero have one"),
    ],
)
def test_bad_labels_and_weights_are_refused(X, y, weight, sentence):
    with pytest.raises(ValueError, match=sentence):
        MILClassifier().fit(X, y, sample_weight=weight)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("share", [0.02, 0.04])
def test_rare_positives_have_honest_probabilities(share):
    def draw(n, seed):
        rng = np.random.default_rng(seed)
        y = (np.arange(n) < share * n).astype(int)
        X = rng.standard_normal((n, 20, 10))
        X[y == 1, 0] += 6.0 / np.sqrt(10.0)
        return X, y

    clf = MILClassifier("quick", random_state=0).fit(*draw(1000, 1))
    X, y = draw(4000, 2)
    p = clf.predict_proba(X)[:, 1]
    assert abs(p.mean() - share) < 0.25 * share
    assert -np.mean(np.log(np.where(y == 1, p, 1.0 - p))) < 0.02


def test_renamed_or_reordered_features_are_refused():
    X, y = needles(n=40, d=3)
    bags = Bags.from_array(X)
    bags.names = ["u", "v", "w"]
    clf = PooledClassifier(ridge=0.1, cv=0).fit(bags, y)
    clf.predict(X)  # without names there is nothing to compare
    other = Bags.from_array(X)
    other.names = ["u", "w", "v"]
    with pytest.raises(ValueError, match="'w' is where 'v' was"):
        clf.predict(other)


@pytest.mark.parametrize("kind", ALL)
def test_no_bags_have_no_answer(kind):
    X, y = needles(n=8)
    options = {"ridge": 0.1, "cv": 0}
    if kind is MILClassifier:
        options |= {"pooling": "attention", "max_refine_iter": 0}
    clf, bags = kind(**options).fit(X, y), Bags.from_array(X)
    asked = ["predict", "predict_proba", "decision_function", "transform"]
    for none in (bags[:0], bags[[]], [], X[:0]):
        for name in asked + ["attention_weights"] * (kind is MILClassifier):
            with pytest.raises(ValueError, match="there must be at least one bag"):
                getattr(clf, name)(none)
        with pytest.raises(ValueError, match="there must be at least one bag"):
            kind(**options).fit(none, [])
        with pytest.raises(ValueError, match="there must be at least one bag"):
            clf.score(none, [])


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("state", [np.random.default_rng(0), "seven", 1.5])
def test_random_states_are_those_of_scikit_learn(kind, state):
    with pytest.raises(ValueError, match="cannot be used to seed a numpy"):
        kind(random_state=state).fit(*needles(n=8))


@pytest.mark.slow
def test_few_positives_among_many_bags_are_held_out_in_turn():
    X = np.random.default_rng(0).standard_normal((5000, 3, 2))
    y = np.zeros(5000, int)
    y[:6] = 1
    X[:6] += 3.0
    for seed in range(3):
        clf = PooledClassifier(random_state=seed).fit(X, y)
        assert len(clf.cv_results_["params"]) == len(MEAN_RIDGES)
        assert clf.predict(X)[:6].mean() > 0.5


def test_bags_of_many_instances_are_not_left_out_of_the_choice(monkeypatch):
    monkeypatch.setattr(
        "needlescope.estimators.selection.fit.VALIDATION", 1000
    )  # less than one bag
    X, y = needles(n=160, L=60)
    clf = MILClassifier("quick", random_state=0).fit(X, y)
    assert clf.best_params_["pooling"] != "mean"
    assert clf.score(*needles(n=400, L=60, seed=1)) > 0.8


def test_some_of_many_bags_say_which_setting(monkeypatch):
    monkeypatch.setattr("needlescope.estimators.selection.fit.VALIDATION", 1000)
    monkeypatch.setattr("needlescope.estimators.selection.fit.ENOUGH", 200)
    X, y = needles(n=1500)
    clf = MILClassifier("quick", random_state=0).fit(X, y)
    assert clf.best_params_["pooling"] != "mean"
    rare = np.concatenate([np.flatnonzero(y == "hay"), np.flatnonzero(y == "needle")[:20]])
    clf = MILClassifier("quick", random_state=0).fit(X[rare], y[rare])
    X, y = needles(n=2000, seed=1)
    chance = clf.predict_proba(X)[:, 1]
    share = 20 / 770  # of positives where it was trained
    odds = share / (1.0 - share)
    expected = np.mean(chance[y == "needle"]) * share + np.mean(chance[y == "hay"]) * (1.0 - share)
    assert expected / (1.0 - expected) == pytest.approx(odds, rel=0.5)


@pytest.mark.slow
def test_garbage_of_almost_no_weight_does_no_harm():
    X, y = needles(n=200)
    rng = np.random.default_rng(1)
    both = np.concatenate([X, 30.0 * rng.standard_normal((800, *X.shape[1:]))])
    labels = np.concatenate([y, rng.permutation(np.repeat(["hay", "needle"], 400))])
    test = needles(n=1000, seed=2)
    clear = MILClassifier("quick", random_state=0).fit(X, y)
    mixed = MILClassifier("quick", random_state=0)
    mixed.fit(both, labels, np.where(np.arange(1000) < 200, 1.0, 1e-9))
    losses = [
        -np.mean(np.log(np.where(test[1] == "needle", p, 1.0 - p)))
        for p in (item.predict_proba(test[0])[:, 1] for item in (clear, mixed))
    ]
    assert losses[1] < losses[0] + 0.1


def test_balanced_classes_see_weights_as_repeats():
    X, y = needles(n=60)
    heavy = (y == "needle") & (np.arange(60) % 3 == 0)  # of one class more than of the other
    twice = np.concatenate([np.arange(60), np.flatnonzero(heavy)])
    weight = 1.0 + heavy
    clf = AttentionClassifier(**FIXED, class_weight="balanced")
    repeated = clf.fit(X[twice], y[twice]).decision_function(X)
    assert clf.fit(X, y, weight).decision_function(X) == pytest.approx(repeated, abs=1e-3)


def test_a_fit_that_fails_leaves_the_labels_of_the_last():
    X, y = needles(n=60)
    clf = PooledClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="sample_weight"):
        clf.fit(X, y == "needle", sample_weight=np.full(60, -1.0))
    assert clf.classes_.tolist() == ["hay", "needle"]


def test_labels_in_another_order_are_not_scored():
    pd = pytest.importorskip("pandas")
    rows = pd.DataFrame({"bag": ["b", "b", "a", "a"] * 10, "x": np.sin(np.arange(40.0))})
    rows["bag"] += np.repeat(np.arange(10).astype(str), 4)
    bags = Bags.from_table(rows, "bag")
    y = pd.Series(np.char.startswith(bags.ids.astype(str), "b"), index=bags.ids)
    clf = PooledClassifier(random_state=0).fit(bags, y)
    with pytest.raises(ValueError, match="another order"):
        clf.score(bags, y.sort_index())


def test_a_fit_that_fails_leaves_the_last_one_whole():
    X, y = needles(n=60)
    clf = MILClassifier("quick", random_state=0).fit(X, y)
    before = clf.decision_function(X)
    clf.set_params(cv=0)
    with pytest.raises(ValueError, match="cv=0 leaves nothing"):
        clf.fit(X[:, :, :3], y)
    np.testing.assert_array_equal(clf.decision_function(X), before)


def test_without_a_random_state_folds_are_of_the_global_generator():
    X, y = needles(n=60)
    result = []
    for seed in (0, 1):
        np.random.seed(seed)  # noqa: NPY002
        result.append(PooledClassifier(ridge=0.1).fit(X, y).cv_results_["mean_test_score"].tolist())
    assert result[0] != result[1]


def test_weights_in_another_order_are_not_scored():
    X, y = needles(n=10)
    groups = np.repeat([f"m{k}" for k in range(10)], X.shape[1])
    bags = Bags.from_table(X.reshape(-1, X.shape[2]), groups)
    clf = PooledClassifier(ridge=0.1, cv=0).fit(bags, y)
    weight = pd.Series(1.0, index=bags.ids[::-1])
    with pytest.raises(ValueError, match="the index of sample_weight names the bags in another"):
        clf.score(bags, y, weight)
