"""A whole fit: of many bags some stand for all, and with which ridge it is trained."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import PooledClassifier
from needlescope.estimators.candidates.mean import Mean
from tests.estimators.draws import needles
from tests.estimators.selection.shifted import loss_held_out, shifted


def compare_few(monkeypatch):
    """Let configurations be compared on a hundred bags."""
    monkeypatch.setattr("needlescope.estimators.selection.fit.VALIDATION", 1)
    monkeypatch.setattr("needlescope.estimators.selection.fit.ENOUGH", 100)
    monkeypatch.setattr("needlescope.estimators.selection.drawing.FEWEST", 20)


def test_some_bags_get_the_ridge_that_suits_as_few(monkeypatch):
    """Ridges are in proportion to features per bag, also where some bags stand for all."""
    compare_few(monkeypatch)
    trained, usual = [], Mean.fit

    def fit(self, fold, configurations, loss, random):
        trained.append((int(fold.in_training.sum()), configurations[0].ridge))
        return usual(self, fold, configurations, loss, random)

    monkeypatch.setattr(Mean, "fit", fit)
    X, y = needles(n=1000)
    clf = PooledClassifier(random_state=0).fit(X, y)
    first = clf.cv_results_["params"][0]["ridge"]
    assert [count for count, _ in trained][-1] == 1000 and len(trained) > 1
    for count, ridge in trained[:-1]:  # two thirds of a hundred
        assert count < 100 and ridge == pytest.approx(10.0 * first)


def test_of_many_bags_some_are_enough(monkeypatch):
    X, y = shifted(1000, shift=1.0)
    whole = [loss_held_out(X, y, seed=seed) for seed in range(8)]
    compare_few(monkeypatch)
    some = [loss_held_out(X, y, seed=seed) for seed in range(8)]
    assert np.mean(some) == pytest.approx(np.mean(whole), rel=0.2)
    assert np.std(some) > 3.0 * np.std(whole)  # which bags, is by chance


def test_the_bags_drawn_are_not_the_first(monkeypatch):
    compare_few(monkeypatch)
    X, y = shifted(1000)
    y[200:] = np.random.default_rng(1).permutation(y[200:])
    assert min(loss_held_out(X, y, seed=seed) for seed in range(3)) > 0.5  # of the first, 0.01


def test_the_bags_drawn_keep_their_weights(monkeypatch):
    compare_few(monkeypatch)
    X, y = shifted(1000, shift=2.0)
    light = np.arange(1000) % 4 < 2
    X[light] *= 1e6  # and with it the scale, if they counted
    labels = np.where(light, 1 - y, y)
    assert loss_held_out(X, labels, np.where(light, 1e-30, 1.0)) < 0.3


@pytest.mark.slow
def test_a_rare_class_is_drawn_and_weighs_as_little_as_it_did(monkeypatch):
    compare_few(monkeypatch)
    X, y = shifted(4000, shift=0.8)
    rare = np.sort(np.append(np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:40]))
    X, y = X[rare], y[rare]
    result = [
        PooledClassifier(ridge=0.01, random_state=seed).fit(X, y).predict_proba(X)[:, 1].mean()
        for seed in range(20)
    ]
    assert abs(np.mean(result) - y.mean()) < 3.5 * np.std(result) / np.sqrt(20) < 0.3 * y.mean()
