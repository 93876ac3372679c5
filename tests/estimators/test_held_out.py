"""Bags held out: nothing of a fit has seen them, and of many bags some stand for all."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import AttentionClassifier, PooledClassifier

CONSTANTS = "needlescope.estimators.base"


def shifted(n, d=3, L=4, shift=3.0, seed=0):
    """Bags in all of whose instances the label shows."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, L, d)), np.arange(n) % 2
    X[y == 1, :, 0] += shift
    return X, y


@pytest.fixture
def few(monkeypatch):
    """Let the choice of a setting look at a hundred bags."""
    monkeypatch.setattr(f"{CONSTANTS}.VALIDATION", 1)
    monkeypatch.setattr(f"{CONSTANTS}.ENOUGH", 100)
    monkeypatch.setattr("needlescope.estimators.selection.FEWEST", 20)


def test_instances_are_scaled_as_those_of_the_other_folds():
    X, y = shifted(80)
    X[5, :, 0] = 1e6  # scaled by this bag, the others look all the same
    clf = PooledClassifier(ridge=0.1, validation=2, random_state=0).fit(X, y)
    (loss,) = clf.validation_losses_.values()
    assert loss < 0.55  # 0.25 where the bag is held out, 0.69 where it is not


def test_where_every_instance_shows_it_a_little_pooling_is_chosen():
    rng = np.random.default_rng(0)
    for _ in range(3):
        X, y = rng.standard_normal((200, 20, 5)), np.arange(200) % 2
        X[y == 1] += 0.15
        clf = AttentionClassifier(random_state=0).fit(X, y)
        assert clf.setting_.kappa == 0.0
        assert {setting.kappa for setting in clf.validation_losses_} > {0.0}


def test_of_many_bags_some_are_enough(few):
    X, y = shifted(1000, shift=2.0)
    clf = PooledClassifier(ridge=0.1, random_state=0).fit(X, y)
    (loss,) = clf.validation_losses_.values()
    assert loss < 0.3
    assert clf.score(X, y) > 0.95


def test_the_bags_looked_at_are_not_the_first(few):
    X, y = shifted(1000)
    y[200:] = np.random.default_rng(1).permutation(y[200:])
    for seed in range(3):
        clf = PooledClassifier(ridge=0.1, random_state=seed).fit(X, y)
        assert min(clf.validation_losses_.values()) > 0.5  # 0.3 for the first 200


def test_the_bags_looked_at_keep_their_weights(few):
    X, y = shifted(1000, shift=2.0)
    light = np.arange(1000) % 4 < 2
    X[light] *= 1e6  # and with it the scale, if they counted
    told = np.where(light, 1 - y, y)
    weight = np.where(light, 1e-30, 1.0)
    clf = PooledClassifier(ridge=0.1, random_state=0).fit(X, told, weight)
    assert min(clf.validation_losses_.values()) < 0.3
    assert clf.score(X[~light], y[~light]) > 0.95


def test_a_rare_class_is_looked_at_and_weighs_as_little_as_it_did(few):
    X, y = shifted(2000)
    rare = np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:20]])
    rare.sort()
    X, y = X[rare], y[rare]
    p = PooledClassifier(ridge=0.01, random_state=0).fit(X, y).predict_proba(X)[:, 1]
    assert p.mean() == pytest.approx(y.mean(), rel=0.3)
