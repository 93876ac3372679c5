"""Bags held out: nothing of a fit has seen them, and of many bags some stand for all."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import MILClassifier, PooledClassifier
from needlescope.estimators.fitting.selection import draw


def shifted(n, d=3, L=4, shift=3.0, seed=0):
    """Bags in all of whose instances the label shows."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, L, d)), np.arange(n) % 2
    X[y == 1, :, 0] += shift
    return X, y


def loss_held_out(X, y, weight=None, seed=0, folds=3):
    clf = PooledClassifier(ridge=0.1, cv=folds, random_state=seed).fit(X, y, weight)
    return -clf.cv_results_["mean_test_score"].item()


def look_at_few(monkeypatch):
    """Let the choice of a setting look at a hundred bags."""
    monkeypatch.setattr("needlescope.estimators.fitting.fit.VALIDATION", 1)
    monkeypatch.setattr("needlescope.estimators.fitting.fit.ENOUGH", 100)
    monkeypatch.setattr("needlescope.estimators.fitting.selection.FEWEST", 20)


def test_instances_are_scaled_as_those_of_the_other_folds():
    X, y = shifted(80)
    X[5, :, 0] = 1e6  # scaled by this bag, the others look all the same
    assert loss_held_out(X, y, folds=2) < 0.55  # 0 where it is held out, 0.69 where it is not


@pytest.mark.slow
def test_where_every_instance_shows_it_a_little_pooling_is_as_good_as_any():
    rng = np.random.default_rng(0)
    for _ in range(3):
        X, y = rng.standard_normal((300, 20, 10)), np.arange(300) % 2
        X[y == 1] += 0.1
        clf = MILClassifier("quick", random_state=0).fit(X, y)
        results = clf.cv_results_
        nearest = results["difference_to_best"] + 2.0 * results["difference_to_best_se"]
        pooled, attends = (
            nearest[results["param_pooling"] == pooling].max() for pooling in ("mean", "attention")
        )
        assert pooled >= 0.0 > attends


def test_of_many_bags_some_are_enough(monkeypatch):
    X, y = shifted(1000, shift=1.0)
    whole = [loss_held_out(X, y, seed=seed) for seed in range(8)]
    look_at_few(monkeypatch)
    some = [loss_held_out(X, y, seed=seed) for seed in range(8)]
    assert np.mean(some) == pytest.approx(np.mean(whole), rel=0.2)
    assert np.std(some) > 3.0 * np.std(whole)  # which bags, is by chance


def test_the_bags_looked_at_are_not_the_first(monkeypatch):
    look_at_few(monkeypatch)
    X, y = shifted(1000)
    y[200:] = np.random.default_rng(1).permutation(y[200:])
    assert min(loss_held_out(X, y, seed=seed) for seed in range(3)) > 0.5  # of the first, 0.01


def test_the_bags_looked_at_keep_their_weights(monkeypatch):
    look_at_few(monkeypatch)
    X, y = shifted(1000, shift=2.0)
    light = np.arange(1000) % 4 < 2
    X[light] *= 1e6  # and with it the scale, if they counted
    told = np.where(light, 1 - y, y)
    assert loss_held_out(X, told, np.where(light, 1e-30, 1.0)) < 0.3


@pytest.mark.slow
def test_a_rare_class_is_looked_at_and_weighs_as_little_as_it_did(monkeypatch):
    look_at_few(monkeypatch)
    X, y = shifted(4000, shift=0.8)
    rare = np.sort(np.append(np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:40]))
    X, y = X[rare], y[rare]
    result = [
        PooledClassifier(ridge=0.01, random_state=seed).fit(X, y).predict_proba(X)[:, 1].mean()
        for seed in range(20)
    ]
    assert abs(np.mean(result) - y.mean()) < 3.5 * np.std(result) / np.sqrt(20) < 0.3 * y.mean()


def test_bags_drawn_are_in_order_and_enough_of_each_class():
    y = np.where(np.arange(3000) % 20 == 0, 1.0, -1.0)
    weight = np.random.default_rng(0).uniform(0.5, 1.0, 3000)
    places, weights = draw(y, weight, 300, np.random.RandomState(0))
    assert (np.diff(places) > 0).all()
    for sign in (-1.0, 1.0):
        assert (y[places] == sign).sum() >= 100
        assert weights[y[places] == sign].sum() == pytest.approx(weight[y == sign].sum())
    assert len(places) < 500


def test_bags_drawn_stand_for_all_by_weight():
    """Heavy bags are likelier to be drawn, and those drawn then weigh the same."""
    rng = np.random.default_rng(0)
    y = np.ones(2000)
    y[:1000] = -1.0
    weight = np.where(np.arange(2000) % 10 == 0, 9.0, 1.0)
    weight[5] = 2000.0  # more than the share of a bag that is drawn
    value = rng.standard_normal(2000) + (weight > 5.0)
    result = []
    for seed in range(40):
        places, weights = draw(y, weight, 200, np.random.RandomState(seed))
        result.append(weights @ value[places] / weights.sum())
        for sign in (-1.0, 1.0):
            own = y[places] == sign
            assert weights[own].sum() == pytest.approx(weight[y == sign].sum())
    wanted = weight @ value / weight.sum()
    assert abs(np.mean(result) - wanted) < 4.0 * np.std(result) / np.sqrt(40)
