"""The attention classifier: what it finds, what it looks at, and how its options change that."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.base import clone

import needlescope as ns
from needlescope.estimators import (
    AttentionClassifier,
    Bags,
    MILClassifier,
    PooledClassifier,
    make_digit_bags,
)
from needlescope.losses import get_loss
from needlescope.models.blocks import Arrays
from needlescope.models.gradient import gradient
from needlescope.simulation.training import stages
from tests.estimators.hay import kinds, needles

AS_THE_THEORY = {
    "init": "two_steps",
    "append_mean": False,
    "random_features": False,
    "shrinkage": 1.0,
}
FIXED = {"kappa": 1.0, "ridge": 0.1, "max_refine_iter": 0, "cv": 0}


@pytest.fixture(scope="module")
def fitted():
    X, y = needles()
    return AttentionClassifier(**AS_THE_THEORY, random_state=0).fit(X, y)


def test_attention_finds_the_needle_and_pooling_does_not(fitted):
    X, y = needles(n=1000, seed=1)
    pooled = PooledClassifier(random_state=0).fit(*needles())
    assert fitted.score(X, y) > 0.9
    assert pooled.score(X, y) < 0.85
    assert fitted.best_params_["kappa"] > 0.0
    assert fitted.classes_.tolist() == ["hay", "needle"]


def test_query_and_readout_point_at_the_signal(fitted):
    for vector in (fitted.query_[0], fitted.readout_[0]):
        assert abs(vector[0]) / np.linalg.norm(vector) > 0.9
    assert fitted.alignment_["cosine"][0] > 0.9
    assert fitted.alignment_["attended_positive"][0] < fitted.alignment_["attended_negative"][0]


def test_attend_says_which_instances(fitted):
    X, y = needles(seed=2)
    weights = fitted.attention_weights(X)
    assert len(weights) == len(X)
    assert all(a.sum() == pytest.approx(1.0) for a in weights)
    hits = [np.argmax(a) == np.argmax(x[:, 0]) for a, x in zip(weights, X, strict=True)]
    assert np.mean(np.array(hits)[y == "needle"]) > 0.8
    ragged = fitted.attention_weights([X[0][:3], X[1]])
    assert [len(a) for a in ragged] == [3, 10]


def test_parts_add_up_to_the_score(fitted):
    X, _ = needles(seed=3)
    logits = X @ fitted.query_[0]
    a = np.exp(logits - logits.max(axis=1, keepdims=True))
    a /= a.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(a, np.stack(fitted.attention_weights(X)), rtol=1e-8)
    score = np.einsum("nl,nld->nd", a, X) @ fitted.readout_[0] + fitted.intercept_
    result = fitted.decision_function(X)
    platt = fitted.estimators_[0].calibration
    low, high = (platt.slope * end + platt.intercept for end in (platt.low, platt.high))
    inside = (result > low) & (result < high)
    assert inside.mean() > 0.8
    np.testing.assert_allclose(score[inside], result[inside], rtol=1e-7, atol=1e-8)
    assert (np.argsort(score) == np.argsort(result)).all()


@pytest.mark.slow
def test_probabilities_are_honest():
    X, y = make_digit_bags(bags=1200, L=15, noise=0.3, random_state=0)
    clf = MILClassifier(random_state=0).fit(X[:300], y[:300])
    p = clf.predict_proba(X[300:])[:, 1]
    truth = y[300:]
    assert p.min() < 0.2 and p.max() > 0.8
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
    pull = gradient(data, stages.start(6), get_loss("logistic"), 1.0, moving="w").w
    step = 1.0 / np.std(X.mean(axis=1) @ pull)
    training = ns.Training(alpha0=1.0, alpha1=1.0, eta_w=step)
    moved = stages.first_step(data, stages.start(6), training)
    scores = X.mean(axis=1) @ moved.w
    bias = brentq(lambda b: np.sum(expit(scores + b) - (data.y > 0)), -9.0, 9.0, xtol=1e-12)
    wanted = stages.query_step(data, moved._replace(b=bias), training)
    result = AttentionClassifier(**FIXED, shrinkage=None).fit(X, y).query_[0]
    assert np.std(X @ result) == pytest.approx(1.0)
    sharp = AttentionClassifier(**FIXED | {"kappa": 3.0}, shrinkage=None).fit(X, y).query_[0]
    np.testing.assert_allclose(sharp, 3.0 * result, rtol=1e-9)
    np.testing.assert_allclose(
        result / np.linalg.norm(result), wanted.q / np.linalg.norm(wanted.q), atol=1e-9
    )


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
    clf = AttentionClassifier(**FIXED, n_queries=2).fit(bags, y)
    assert clf.feature_names_in_.tolist() == ["u", "v", "w"]
    assert clf.get_feature_names_out().tolist()[2:4] == ["attended0_w", "attended1_u"]
    assert clf.attention_weights(X)[0].shape == (2, 10)
    assert not hasattr(clf.fit(X, y), "feature_names_in_")


def test_refining_lowers_the_training_loss():
    X, y = needles(n=100, theta=3.0)
    losses = []
    for refine in (0, 5, 20):
        clf = AttentionClassifier(kappa=1.0, ridge=0.01, max_refine_iter=refine, cv=0).fit(X, y)
        margin = np.where(y == "needle", 1.0, -1.0) * clf.decision_function(X)
        losses.append(np.logaddexp(0.0, -margin).mean())
    assert losses[0] > losses[1] > losses[2]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("split", ["split", "crossfit"])
def test_other_ways_to_share_the_bags(split):
    X, y = needles()
    clf = AttentionClassifier("quick", split=split, random_state=0).fit(X, y)
    assert clf.score(*needles(seed=5)) > 0.8


def test_two_kinds_of_signal_want_two_queries():
    rng = np.random.default_rng(0)
    X, y = kinds(2, 400, rng)
    test = kinds(2, 800, rng)
    item, two = (
        AttentionClassifier(**AS_THE_THEORY, n_queries=k, random_state=0).fit(X, y).score(*test)
        for k in (1, 2)
    )
    assert two > item + 0.015  # 0.026 to 0.051 with six seeds
    chosen = AttentionClassifier(**AS_THE_THEORY, n_queries="auto", random_state=0).fit(X, y)
    assert chosen.best_params_["n_queries"] == len(chosen.query_) == 4
    assert chosen.score(*test) > item + 0.015  # 0.022 to 0.050


def test_other_features_than_those_of_the_fit_are_refused(fitted):
    with pytest.raises(ValueError, match="X has 3 features, but AttentionClassifier is expecting"):
        fitted.predict(np.zeros((2, 4, 3)))


def test_shapes_do_not_depend_on_what_was_chosen():
    X, y = needles(n=40, d=3)
    pooled = AttentionClassifier(kappa=0.0, n_queries=2, ridge=0.1, cv=0).fit(X, y)
    assert pooled.query_.shape == pooled.readout_.shape == (2, 3)
    assert pooled.attention_weights(X)[0].shape == (2, 10)
    plain = PooledClassifier(ridge=0.1, cv=0).fit(X, y)
    np.testing.assert_allclose(pooled.decision_function(X), plain.decision_function(X))


@pytest.mark.slow
def test_a_kinked_loss_may_be_told_to_refine_where_there_is_nothing_to():
    X, y = needles(n=40)
    asked = AttentionClassifier(loss="hinge", kappa=0, max_refine_iter=5, random_state=0).fit(X, y)
    plain = AttentionClassifier(loss="hinge", kappa=0, max_refine_iter=0, random_state=0).fit(X, y)
    np.testing.assert_array_equal(asked.decision_function(X), plain.decision_function(X))
    with pytest.raises(ValueError, match="max_refine_iter=5 needs a loss without kinks"):
        MILClassifier(loss="hinge", max_refine_iter=5).fit(X, y)


def test_crossfit_puts_queries_in_one_order():
    rng = np.random.default_rng(0)
    X, y = kinds(4, 600, rng)
    test = kinds(4, 1000, rng)
    fixed = {"n_queries": 4, "kappa": 2.0, "ridge": 0.03, "max_refine_iter": 20, "cv": 0}
    reuse, cross = (
        AttentionClassifier(split=split, random_state=0, **fixed).fit(X, y).score(*test)
        for split in ("reuse", "crossfit")
    )
    assert cross > reuse - 0.03  # 0.1 less, if each fold keeps its own


def test_a_scheme_is_not_asked_for_where_nothing_attends():
    X, y = needles(n=20)
    few = np.concatenate([np.flatnonzero(y == "hay"), np.flatnonzero(y == "needle")[:2]])
    AttentionClassifier(kappa=0.0, split="crossfit", random_state=0).fit(X[few], y[few])
    with pytest.raises(ValueError, match="two bags of each class wherever it trains"):
        AttentionClassifier(kappa=1.0, split="crossfit", random_state=0).fit(X[few], y[few])


def test_without_held_out_bags_the_fit_explains_itself():
    X, y = needles(n=40)
    clf = AttentionClassifier(kappa=2.0, ridge=0.1, max_refine_iter=0, cv=0).fit(X, y)
    assert clf.explainer_ is clf.estimators_[0] and clf.explainer_auc_ is None
    each = clf.instance_scores(X, explain="attention")
    total = np.array([item.sum() for item in each])
    np.testing.assert_allclose(total, clf.decision_function(X), atol=1e-9)
