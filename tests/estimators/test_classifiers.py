"""The classifiers on bags: what they learn, what they refuse, and what scikit-learn expects."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import needlescope as ns
from needlescope.estimators import (
    AttentionClassifier,
    Bags,
    PooledClassifier,
    RandomFeatures,
    VectorizedClassifier,
    digit_bags,
)
from needlescope.losses import get_loss
from needlescope.simulation.samples.data import Arrays
from needlescope.simulation.training import stages

ALL = (AttentionClassifier, PooledClassifier, VectorizedClassifier)
FIXED = {"kappa": 1.0, "ridge": 0.1, "refine": 0, "validation": 0}


def needles(n=240, L=10, d=20, theta=5.0, seed=0, dtype=float):
    """Bags of the theory's own making; the signal is the first unit vector."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, "needle", "hay")
    X = rng.standard_normal((n, L, d)).astype(dtype)
    positive = np.flatnonzero(y == "needle")
    X[positive, rng.integers(0, L, len(positive)), 0] += theta
    return X, y


def kinds(count, n, rng):
    """Bags with one of so many kinds of signal, each along a feature of its own."""
    y = np.arange(n) % 2
    X = rng.standard_normal((n, 12, 8))
    for k in np.flatnonzero(y):
        X[k, rng.integers(12), rng.integers(count)] += 6.0
    return X, y


@pytest.fixture(scope="module")
def fitted():
    X, y = needles()
    return AttentionClassifier(random_state=0).fit(X, y)


def test_attention_finds_the_needle_and_pooling_does_not(fitted):
    X, y = needles(n=1000, seed=1)
    pooled = PooledClassifier(random_state=0).fit(*needles())
    assert fitted.score(X, y) > 0.9
    assert pooled.score(X, y) < 0.85
    assert fitted.setting_.kappa > 0.0
    assert fitted.classes_.tolist() == ["hay", "needle"]


def test_query_and_readout_point_at_the_signal(fitted):
    for vector in (fitted.query_[0], fitted.readout_[0]):
        assert abs(vector[0]) / np.linalg.norm(vector) > 0.9
    assert fitted.alignment_["cosine"][0] > 0.9
    assert fitted.alignment_["attended_positive"][0] < fitted.alignment_["attended_negative"][0]


def test_attend_says_which_instances(fitted):
    X, y = needles(seed=2)
    weights = fitted.attend(X)
    assert len(weights) == len(X)
    assert all(a.sum() == pytest.approx(1.0) for a in weights)
    hits = [np.argmax(a) == np.argmax(x[:, 0]) for a, x in zip(weights, X, strict=True)]
    assert np.mean(np.array(hits)[y == "needle"]) > 0.8
    ragged = fitted.attend([X[0][:3], X[1]])
    assert [len(a) for a in ragged] == [3, 10]


def test_parts_add_up_to_the_score(fitted):
    X, _ = needles(seed=3)
    logits = X @ fitted.query_[0]
    a = np.exp(logits - logits.max(axis=1, keepdims=True))
    a /= a.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(a, np.stack(fitted.attend(X)), rtol=1e-8)
    score = np.einsum("nl,nld->nd", a, X) @ fitted.readout_[0] + fitted.intercept_
    found = fitted.decision_function(X)
    platt = fitted.calibration_
    low, high = (platt.slope * end + platt.intercept for end in (platt.low, platt.high))
    inside = (found > low) & (found < high)
    assert inside.mean() > 0.8
    np.testing.assert_allclose(score[inside], found[inside], rtol=1e-7, atol=1e-8)
    assert (np.argsort(score) == np.argsort(found)).all()


def test_probabilities_are_honest():
    X, y = digit_bags(bags=1200, L=15, noise=0.3, random_state=0)
    clf = AttentionClassifier(random_state=0).fit(X[:300], y[:300])
    p = clf.predict_proba(X[300:])[:, 1]
    truth = y[300:]
    assert 0.02 < p.min() < 0.2 and 0.8 < p.max() < 0.999
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.0)):
        part = (p >= low) & (p < high)
        error = np.sqrt(max(part.sum() * 0.25, 1.0)) / max(part.sum(), 1)
        assert abs(truth[part].mean() - p[part].mean()) < 3.0 * error + 0.05, (low, part.sum())
    assert ((p > 0.5) == (clf.predict(X[300:]) == 1)).all()


def test_two_steps_are_those_of_the_simulation():
    """The query is that of the simulation's stages, with a first step to scores of unit size.

    Between the two, the bias makes the slopes of all bags add up to nothing.
    """
    X, y = needles(d=6)
    data = Arrays(X, np.where(y == "needle", 1.0, -1.0))
    pull = stages.gradient(data, stages.start(6), get_loss("logistic"), 1.0, moving="w").w
    step = 1.0 / np.std(X.mean(axis=1) @ pull)
    training = ns.Training(alpha0=1.0, alpha1=1.0, eta_w=step)
    moved = stages.first_step(data, stages.start(6), training)
    scores = X.mean(axis=1) @ moved.w
    bias = brentq(lambda b: np.sum(expit(scores + b) - (data.y > 0)), -9.0, 9.0, xtol=1e-12)
    wanted = stages.query_step(data, moved._replace(b=bias), training)
    found = AttentionClassifier(**FIXED, shrinkage=None).fit(X, y).query_[0]
    assert np.std(X @ found) == pytest.approx(1.0)
    sharp = AttentionClassifier(**FIXED | {"kappa": 3.0}, shrinkage=None).fit(X, y).query_[0]
    np.testing.assert_allclose(sharp, 3.0 * found, rtol=1e-9)
    np.testing.assert_allclose(
        found / np.linalg.norm(found), wanted.q / np.linalg.norm(wanted.q), atol=1e-9
    )


@pytest.mark.parametrize("kind", ALL)
def test_same_answer_for_the_same_random_state_and_after_pickling(kind):
    X, y = needles(n=80)
    one, other = (clone(kind(random_state=3)).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    again = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(one.decision_function(X), again.decision_function(X))


@pytest.mark.parametrize("kind", ALL)
def test_arrays_lists_and_bags_give_the_same(kind):
    X, y = needles(n=80)
    found = [
        kind(random_state=0).fit(bags, y).decision_function(X)
        for bags in (X, list(X), Bags.from_array(X))
    ]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)
    np.testing.assert_allclose(found[0], found[2], rtol=1e-9)


@pytest.mark.parametrize("kind", (AttentionClassifier, PooledClassifier))
def test_searches_and_pipelines(kind):
    X, y = needles(n=120)
    bags = Bags.from_array(X)
    assert cross_val_score(kind(random_state=0), bags, y, cv=3).mean() > 0.5
    search = GridSearchCV(kind(random_state=0), {"ridge": [0.1, 0.01]}, cv=3).fit(list(X), y)
    assert search.best_estimator_.setting_.ridge in (0.1, 0.01)
    pipe = make_pipeline(kind(random_state=0), LogisticRegression()).fit(bags, y)
    assert pipe.predict(bags).shape == (120,)


def test_transform_is_the_attention_feature_and_takes_pandas_output(fitted):
    X, _ = needles(n=10)
    F = fitted.transform(X)
    assert F.shape == (10, 20)
    frame = clone(fitted).set_output(transform="pandas").fit(*needles()).transform(X)
    np.testing.assert_allclose(frame.to_numpy(), F)
    assert frame.columns[0] == "attended_x0"
    pooled = PooledClassifier(shrinkage=None, random_state=0).fit(*needles())
    np.testing.assert_allclose(pooled.transform(X), X.mean(axis=1))


def test_feature_names_come_from_the_table():
    X, y = needles(n=40, d=3)
    bags = Bags.from_array(X)
    bags.names = ["u", "v", "w"]
    clf = AttentionClassifier(**FIXED, queries=2).fit(bags, y)
    assert clf.feature_names_in_.tolist() == ["u", "v", "w"]
    assert clf.get_feature_names_out().tolist()[2:4] == ["attended0_w", "attended1_u"]
    assert clf.attend(X)[0].shape == (2, 10)
    assert not hasattr(clf.fit(X, y), "feature_names_in_")


def test_weights_stand_for_repetitions_and_zero_for_absence():
    X, y = needles(n=60)
    weight = np.ones(60)
    weight[:20], weight[40:] = 2.0, 0.0
    rows = np.concatenate([np.arange(40), np.arange(20)])
    for kind, options in (
        (AttentionClassifier, FIXED),
        (PooledClassifier, {"ridge": 0.1, "validation": 0}),
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
    whole = AttentionClassifier(kappa=1.0, ridge=0.1, refine=4, validation=0).fit(X, y)
    monkeypatch.setattr("needlescope.estimators.fitting.prepared.HOLD", 100)
    monkeypatch.setattr("needlescope.estimators.fitting.prepared.TOKEN_BLOCK", 1000)
    told = []
    streamed = AttentionClassifier(
        kappa=1.0, ridge=0.1, refine=4, validation=0, progress=lambda *both: told.append(both)
    ).fit(X, y)
    np.testing.assert_allclose(streamed.query_, whole.query_, rtol=1e-3, atol=1e-5)
    assert told[-1] == (60, 60) and told.count((60, 60)) > 5


def test_refining_lowers_the_training_loss():
    X, y = needles(n=100, theta=3.0)
    losses = []
    for refine in (0, 5, 20):
        clf = AttentionClassifier(kappa=1.0, ridge=0.01, refine=refine, validation=0).fit(X, y)
        margin = np.where(y == "needle", 1.0, -1.0) * clf.decision_function(X)
        losses.append(np.logaddexp(0.0, -margin).mean())
    assert losses[0] > losses[1] > losses[2]


@pytest.mark.parametrize("data", ["split", "crossfit"])
def test_other_ways_to_share_the_bags(data):
    X, y = needles()
    clf = AttentionClassifier(data=data, random_state=0).fit(X, y)
    assert clf.score(*needles(seed=5)) > 0.8


def test_two_kinds_of_signal_want_two_queries():
    rng = np.random.default_rng(0)
    X, y = kinds(2, 400, rng)
    test = kinds(2, 800, rng)
    one, two = (
        AttentionClassifier(queries=k, random_state=0).fit(X, y).score(*test) for k in (1, 2)
    )
    assert two > one + 0.015  # 0.026 to 0.051 with six seeds
    chosen = AttentionClassifier(queries="auto", random_state=0).fit(X, y)
    assert chosen.setting_.queries == len(chosen.query_) == 4
    assert chosen.score(*test) > one + 0.015  # 0.022 to 0.050


@pytest.mark.parametrize("loss", ["square", "squared_hinge", "hinge"])
def test_other_losses(loss):
    X, y = needles(n=100)
    clf = AttentionClassifier(loss=loss, random_state=0).fit(X, y)
    assert clf.score(*needles(seed=6)) > 0.8
    if loss == "hinge":
        with pytest.raises(ValueError, match="refine=3 needs a loss without kinks, got 'hinge'"):
            AttentionClassifier(loss=loss, refine=3).fit(X, y)


def test_extremes_have_answers():
    rng = np.random.default_rng(0)
    y = np.array([0, 1] * 10)
    single = rng.standard_normal((20, 1, 3)) + y[:, None, None]
    assert AttentionClassifier(random_state=0).fit(single, y).attend(single)[0].tolist() == [1.0]
    wide = rng.standard_normal((20, 4, 500))
    assert AttentionClassifier(random_state=0).fit(wide, y).predict(wide).shape == (20,)
    flat = np.zeros((20, 4, 3))
    p = AttentionClassifier(random_state=0).fit(flat, y).predict_proba(flat)
    np.testing.assert_allclose(p, 0.5, atol=1e-6)
    few = AttentionClassifier(random_state=0).fit(single[:2], y[:2])  # one bag of each class
    assert few.predict(single).shape == (20,)
    large = single * 1e6 + 1e9
    assert AttentionClassifier(random_state=0).fit(large, y).score(large, y) > 0.6


def test_a_flat_classifier_wants_bags_of_one_size():
    X, y = needles(n=40)
    ragged = [x[: 5 + k % 2] for k, x in enumerate(X)]
    with pytest.raises(ValueError, match="needs bags of one size, got bags of 5 to 6 instances"):
        VectorizedClassifier().fit(ragged, y)
    clf = VectorizedClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="fitted to bags of 10 instances, got bags of 4"):
        clf.predict(X[:, :4])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kappa": -1.0}, 'kappa must be "auto" or a finite number of at least 0, got -1.0'),
        ({"kappa": "large"}, "kappa must be"),
        ({"ridge": 0.0}, "ridge must be"),
        ({"refine": 1.5}, 'refine must be "auto" or a whole number'),
        ({"queries": 0}, 'queries must be "auto" or a whole number of at least 1, got 0'),
        ({"data": "all"}, "data must be one of"),
        ({"shrinkage": 0.0}, r"shrinkage must be None or a number in \(0, 1\], got 0.0"),
        ({"validation": -1}, "validation must be a number of folds"),
        ({"validation": 1}, "validation must be a number of folds from 2 on, or 0 for none, got 1"),
        ({"validation": 0}, 'leaves nothing to choose parameters by that are "auto"'),
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
        (np.zeros((4, 2, 1)), [1, 2, 3, 1], None, "two labels, got 3"),
        (np.zeros((4, 2, 1)), [1, 0, 1], None, "a label for each of the 4 bags, got 3"),
        (np.zeros((4, 2, 1)), [0.5, 1.5, 2.5, 3.0], None, "Unknown label type: continuous"),
        (np.zeros((4, 2, 1)), [0, 1, 0, 1], [1, -1, 1, 1], "sample_weight must be 4 finite"),
        (np.zeros((4, 2, 1)), [0, 1, 0, 1], [1, 0, 1, 0], "with a weight above zero have one"),
    ],
)
def test_bad_labels_and_weights_are_refused(X, y, weight, sentence):
    with pytest.raises(ValueError, match=sentence):
        AttentionClassifier().fit(X, y, sample_weight=weight)


def test_other_features_than_those_of_the_fit_are_refused(fitted):
    with pytest.raises(ValueError, match="X has 3 features, but AttentionClassifier is expecting"):
        fitted.predict(np.zeros((2, 4, 3)))


@pytest.mark.parametrize("share", [0.02, 0.04])
def test_rare_positives_have_honest_probabilities(share):
    def draw(n, seed):
        rng = np.random.default_rng(seed)
        y = (np.arange(n) < share * n).astype(int)
        X = rng.standard_normal((n, 20, 10))
        X[y == 1, 0] += 6.0 / np.sqrt(10.0)
        return X, y

    clf = AttentionClassifier(random_state=0).fit(*draw(1000, 1))
    X, y = draw(4000, 2)
    p = clf.predict_proba(X)[:, 1]
    assert abs(p.mean() - share) < 0.25 * share
    assert -np.mean(np.log(np.where(y == 1, p, 1.0 - p))) < 0.02


def test_renamed_or_reordered_features_are_refused():
    X, y = needles(n=40, d=3)
    bags = Bags.from_array(X)
    bags.names = ["u", "v", "w"]
    clf = PooledClassifier(ridge=0.1, validation=0).fit(bags, y)
    clf.predict(X)  # without names there is nothing to compare
    other = Bags.from_array(X)
    other.names = ["u", "w", "v"]
    with pytest.raises(ValueError, match="'w' is where 'v' was"):
        clf.predict(other)


def test_shapes_do_not_depend_on_what_was_chosen():
    X, y = needles(n=40, d=3)
    pooled = AttentionClassifier(kappa=0.0, queries=2, ridge=0.1, validation=0).fit(X, y)
    assert pooled.query_.shape == pooled.readout_.shape == (2, 3)
    assert pooled.attend(X)[0].shape == (2, 10)
    plain = PooledClassifier(ridge=0.1, validation=0).fit(X, y)
    np.testing.assert_allclose(pooled.decision_function(X), plain.decision_function(X))


def test_linear_features_have_names_too():
    X, y = needles(n=40, L=2, d=2)
    for kind, names in (
        (PooledClassifier, ["mean_x0", "mean_x1"]),
        (VectorizedClassifier, ["x0_0", "x1_0", "x0_1", "x1_1"]),
    ):
        clf = kind(ridge=0.1, validation=0).set_output(transform="pandas").fit(X, y)
        assert clf.transform(X).columns.tolist() == names


@pytest.mark.parametrize("kind", ALL)
def test_no_bags_have_no_answer(kind):
    X, y = needles(n=8)
    options = FIXED if kind is AttentionClassifier else {"ridge": 0.1, "validation": 0}
    clf, bags = kind(**options).fit(X, y), Bags.from_array(X)
    asked = ["predict", "predict_proba", "decision_function", "transform"]
    for none in (bags[:0], bags[[]], [], X[:0]):
        for name in asked + ["attend"] * (kind is AttentionClassifier):
            with pytest.raises(ValueError, match="there must be at least one bag"):
                getattr(clf, name)(none)
        with pytest.raises(ValueError, match="there must be at least one bag"):
            kind(**options).fit(none, [])
        with pytest.raises(ValueError, match="there must be at least one bag"):
            clf.score(none, [])


def test_a_kinked_loss_may_be_told_to_refine_where_there_is_nothing_to():
    X, y = needles(n=40)
    asked = AttentionClassifier(loss="hinge", kappa=0, refine=5, random_state=0).fit(X, y)
    plain = AttentionClassifier(loss="hinge", kappa=0, refine=0, random_state=0).fit(X, y)
    np.testing.assert_array_equal(asked.decision_function(X), plain.decision_function(X))
    with pytest.raises(ValueError, match="refine=5 needs a loss without kinks"):
        AttentionClassifier(loss="hinge", refine=5).fit(X, y)


@pytest.mark.parametrize("kind", [*ALL, RandomFeatures])
@pytest.mark.parametrize("state", [np.random.default_rng(0), "seven", 1.5])
def test_random_states_are_those_of_scikit_learn(kind, state):
    with pytest.raises(ValueError, match="cannot be used to seed a numpy"):
        kind(random_state=state).fit(*needles(n=8))


def test_few_positives_among_many_bags_are_held_out_in_turn():
    X = np.random.default_rng(0).standard_normal((5000, 3, 2))
    y = np.zeros(5000, int)
    y[:6] = 1
    X[:6] += 3.0
    for seed in range(3):
        clf = PooledClassifier(random_state=seed).fit(X, y)
        assert len(clf.validation_losses_) == 3
        assert clf.predict(X)[:6].mean() > 0.5


def test_bags_of_many_instances_are_not_left_out_of_the_choice(monkeypatch):
    monkeypatch.setattr("needlescope.estimators.fitting.fit.VALIDATION", 1000)  # less than one bag
    X, y = needles(n=160, L=60)
    clf = AttentionClassifier(random_state=0).fit(X, y)
    assert clf.setting_.kappa > 0.0
    assert clf.score(*needles(n=400, L=60, seed=1)) > 0.8


def test_some_of_many_bags_say_which_setting(monkeypatch):
    monkeypatch.setattr("needlescope.estimators.fitting.fit.VALIDATION", 1000)
    monkeypatch.setattr("needlescope.estimators.fitting.fit.ENOUGH", 200)
    X, y = needles(n=1500)
    clf = AttentionClassifier(random_state=0).fit(X, y)
    assert clf.setting_.kappa > 0.0
    rare = np.concatenate([np.flatnonzero(y == "hay"), np.flatnonzero(y == "needle")[:20]])
    clf = AttentionClassifier(random_state=0).fit(X[rare], y[rare])
    X, y = needles(n=2000, seed=1)
    chance = clf.predict_proba(X)[:, 1]
    share = 20 / 770  # of positives where it was trained
    odds = share / (1.0 - share)
    expected = np.mean(chance[y == "needle"]) * share + np.mean(chance[y == "hay"]) * (1.0 - share)
    assert expected / (1.0 - expected) == pytest.approx(odds, rel=0.5)


def test_crossfit_puts_queries_in_one_order():
    rng = np.random.default_rng(0)
    X, y = kinds(4, 600, rng)
    test = kinds(4, 1000, rng)
    fixed = {"queries": 4, "kappa": 2.0, "ridge": 0.03, "refine": 20, "validation": 0}
    reuse, cross = (
        AttentionClassifier(data=data, random_state=0, **fixed).fit(X, y).score(*test)
        for data in ("reuse", "crossfit")
    )
    assert cross > reuse - 0.03  # 0.1 less, if each fold keeps its own


def test_garbage_of_almost_no_weight_does_no_harm():
    X, y = needles(n=200)
    rng = np.random.default_rng(1)
    both = np.concatenate([X, 30.0 * rng.standard_normal((800, *X.shape[1:]))])
    labels = np.concatenate([y, rng.permutation(np.repeat(["hay", "needle"], 400))])
    test = needles(n=1000, seed=2)
    clear = AttentionClassifier(random_state=0).fit(X, y)
    mixed = AttentionClassifier(random_state=0)
    mixed.fit(both, labels, np.where(np.arange(1000) < 200, 1.0, 1e-9))
    losses = [
        -np.mean(np.log(np.where(test[1] == "needle", p, 1.0 - p)))
        for p in (one.predict_proba(test[0])[:, 1] for one in (clear, mixed))
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


def test_a_scheme_is_not_asked_for_where_nothing_attends():
    X, y = needles(n=20)
    few = np.concatenate([np.flatnonzero(y == "hay"), np.flatnonzero(y == "needle")[:2]])
    AttentionClassifier(kappa=0.0, data="crossfit", random_state=0).fit(X[few], y[few])
    with pytest.raises(ValueError, match="two bags of each class wherever it trains"):
        AttentionClassifier(kappa=1.0, data="crossfit", random_state=0).fit(X[few], y[few])


@pytest.mark.parametrize("shrinkage", [1.0, 0.3])
def test_readouts_of_linear_classifiers(shrinkage):
    X, y = needles(n=100)
    X = X @ np.random.default_rng(1).standard_normal((20, 20)) + 5.0
    fixed = {"ridge": 0.1, "validation": 0, "shrinkage": shrinkage}
    pooled = PooledClassifier(**fixed).fit(X, y)
    scores = X.mean(axis=1) @ pooled.readout_[0] + pooled.intercept_
    assert scores == pytest.approx(pooled.decision_function(X))
    flat = VectorizedClassifier(**fixed).fit(X, y)
    scores = np.einsum("nld,ld->n", X, flat.readout_) + flat.intercept_
    assert scores == pytest.approx(flat.decision_function(X))


def test_a_fit_that_fails_leaves_the_labels_of_the_last():
    X, y = needles(n=60)
    clf = PooledClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="sample_weight"):
        clf.fit(X, y == "needle", sample_weight=np.full(60, -1.0))
    assert clf.classes_.tolist() == ["hay", "needle"]


def test_labels_in_another_order_are_not_scored():
    pd = pytest.importorskip("pandas")
    rows = pd.DataFrame({"bag": ["b", "b", "a", "a"] * 10, "x": np.arange(40.0)})
    rows["bag"] += np.repeat(np.arange(10).astype(str), 4)
    bags = Bags.from_table(rows, "bag")
    y = pd.Series(np.char.startswith(bags.ids.astype(str), "b"), index=bags.ids)
    clf = PooledClassifier(random_state=0).fit(bags, y)
    with pytest.raises(ValueError, match="another order"):
        clf.score(bags, y.sort_index())


def test_a_fit_that_fails_leaves_the_last_one_whole():
    X, y = needles(n=60)
    clf = AttentionClassifier(random_state=0).fit(X, y)
    before = clf.decision_function(X)
    clf.set_params(validation=0)
    with pytest.raises(ValueError, match="validation=0 leaves nothing"):
        clf.fit(X[:, :, :3], y)
    np.testing.assert_array_equal(clf.decision_function(X), before)


def test_without_a_random_state_folds_are_of_the_global_generator():
    X, y = needles(n=60)
    found = []
    for seed in (0, 1):
        np.random.seed(seed)  # noqa: NPY002
        found.append(PooledClassifier(ridge=0.1).fit(X, y).validation_losses_)
    assert found[0] != found[1]


def test_weights_in_another_order_are_not_scored():
    X, y = needles(n=10)
    groups = np.repeat([f"m{k}" for k in range(10)], X.shape[1])
    bags = Bags.from_table(X.reshape(-1, X.shape[2]), groups)
    clf = PooledClassifier(ridge=0.1, validation=0).fit(bags, y)
    weight = pd.Series(1.0, index=bags.ids[::-1])
    with pytest.raises(ValueError, match="the index of sample_weight names the bags in another"):
        clf.score(bags, y, weight)
