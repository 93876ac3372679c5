"""A whole fit: what it trains on, and with which ridge."""

from __future__ import annotations

import pytest

from needlescope.estimators import PooledClassifier
from tests.estimators.draws import needles

COVERS = ("comparison",)


def test_some_bags_get_the_ridge_that_suits_as_few(monkeypatch):
    """Ridges are in proportion to features per bag, also where some bags stand for all."""
    monkeypatch.setattr("needlescope.estimators.fitting.fit.VALIDATION", 1)
    monkeypatch.setattr("needlescope.estimators.fitting.fit.ENOUGH", 100)
    monkeypatch.setattr("needlescope.estimators.fitting.selection.FEWEST", 20)
    trained = []

    class Recorded(PooledClassifier):
        def _recipe(self, loss):
            usual = super()._recipe(loss)

            def train(sight, settings, random):
                trained.append((int(sight.counts.sum()), settings[0].ridge))
                return usual.train(sight, settings, random)

            return usual._replace(train=train)

    X, y = needles(n=1000)
    clf = Recorded(random_state=0).fit(X, y)
    first = clf.cv_results_["params"][0]["ridge"]
    assert [count for count, _ in trained][-1] == 1000
    for count, ridge in trained[:-1]:  # two thirds of a hundred
        assert count < 100 and ridge == pytest.approx(10.0 * first)
