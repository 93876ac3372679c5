"""What a fit says it has fitted, against the same thing written out."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import (
    AttentionClassifier,
    Bags,
    PooledClassifier,
    RandomFeatures,
    VectorizedClassifier,
)
from needlescope.estimators.bags.scaling import no_scaling
from needlescope.estimators.diagnostics import describe
from needlescope.estimators.fitting import steps
from needlescope.estimators.fitting.prepared import Prepared
from needlescope.estimators.fitting.settings import AUTO_RIDGE
from needlescope.losses import get_loss
from needlescope.simulation.samples.data import Arrays
from needlescope.simulation.training import stages
from needlescope.solvers.minimise import minimise

KINDS = {
    AttentionClassifier: {"kappa": 1.0, "refine": 0},
    PooledClassifier: {},
    VectorizedClassifier: {},
}


def needles(n=100, L=6, d=4, theta=4.0, seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, L, d)), np.arange(n) % 2
    X[y == 1, 0, 0] += theta
    return X, y


def correlated():
    """Needles among features of other sizes and centres, each with something of all others."""
    X, y = needles()
    mix = np.random.default_rng(1).standard_normal((4, 4))
    return (X @ mix) * [0.1, 1.0, 3.0, 20.0] + [5.0, -3.0, 0.0, 70.0], y


@pytest.mark.parametrize("ridge", [0.003, 0.03])
def test_refining_ends_where_the_penalised_loss_is_least(ridge):
    X, y = needles()
    clf = AttentionClassifier(kappa=1.0, ridge=ridge, refine=2000, shrinkage=None, validation=0)
    clf.fit(X, y)
    q, w = clf.query_[0], clf.readout_[0]
    state = stages.State(q, w, clf.intercept_)
    pull = stages.gradient(Arrays(X, 2.0 * y - 1.0), state, get_loss("logistic"), 1.0)
    assert np.linalg.norm(ridge * q) > 0.002
    np.testing.assert_allclose(pull.q, -ridge * q, atol=2e-5)
    np.testing.assert_allclose(pull.w, -ridge * w, atol=2e-5)
    assert abs(pull.b) < 2e-5


@pytest.mark.parametrize("queries", [1, 2])
@pytest.mark.parametrize("shrinkage", [1.0, 0.3, None])
def test_queries_and_readouts_are_for_instances_as_they_come(shrinkage, queries):
    X, y = correlated() if shrinkage else needles()
    clf = AttentionClassifier(
        kappa=1.0, ridge=0.1, refine=3, queries=queries, shrinkage=shrinkage, validation=0
    ).fit(X, y)
    a = np.exp(X @ clf.query_.T)
    a /= a.sum(axis=1, keepdims=True)
    found = np.stack([np.atleast_2d(one) for one in clf.attend(X)])
    np.testing.assert_allclose(found, a.swapaxes(1, 2), rtol=1e-6)
    score = np.einsum("nlk,nld,kd->n", a, X, clf.readout_) + clf.intercept_
    np.testing.assert_allclose(clf.decision_function(X), score, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", ["logistic", "square", "squared_hinge", "hinge"])
def test_the_readout_minimises_the_loss_asked_for(kind, loss):
    X, y = needles(theta=2.0)
    clf = kind(ridge=0.1, loss=loss, validation=0, **KINDS[kind]).fit(X, y)
    wanted = minimise(clf.transform(X), 2.0 * y - 1.0, loss, 0.1).scores
    np.testing.assert_allclose(clf.decision_function(X), wanted, atol=2e-3)


def test_random_features_scale_bags_as_those_of_the_fit():
    X, _ = correlated()
    made = RandomFeatures(5, random_state=0).fit(X[:80])
    whole = list(made.transform(X))
    for rows in (slice(0, 1), slice(7, 20), slice(80, 100)):
        part = made.transform(Bags.from_array(X)[rows])
        np.testing.assert_allclose(np.stack(list(part)), np.stack(whole[rows]), rtol=1e-12)


def test_ridges_are_in_units_of_features_per_bag():
    X, y = needles(n=100)
    units = {PooledClassifier: 4 / 100, VectorizedClassifier: 24 / 100}
    for kind, unit in units.items():
        found = [one.ridge for one in kind(random_state=0).fit(X, y).validation_losses_]
        assert found == pytest.approx([unit * ridge for ridge in AUTO_RIDGE])


def test_bags_of_no_weight_to_speak_of_do_not_count_in_the_unit():
    X, y = needles(n=200)
    weight = np.where(np.arange(200) < 100, 1.0, 1e-9)
    alone = PooledClassifier(random_state=0).fit(X[:100], y[:100]).validation_losses_
    mixed = PooledClassifier(random_state=0).fit(X, y, weight).validation_losses_
    assert [one.ridge for one in mixed] == pytest.approx([one.ridge for one in alone], rel=1e-3)


def test_some_bags_get_the_ridge_that_suits_as_few(monkeypatch):
    """Ridges are in proportion to features per bag, also where some bags stand for all."""
    monkeypatch.setattr("needlescope.estimators.fitting.fit.VALIDATION", 1)
    monkeypatch.setattr("needlescope.estimators.fitting.fit.ENOUGH", 100)
    monkeypatch.setattr("needlescope.estimators.fitting.selection.FEWEST", 20)
    trained = []

    class Recorded(PooledClassifier):
        def _recipe(self, loss):
            usual = super()._recipe(loss)

            def train(data, weight, settings, random):
                trained.append((len(data.y), settings[0].ridge))
                return usual.train(data, weight, settings, random)

            return usual._replace(train=train)

    X, y = needles(n=1000)
    clf = Recorded(random_state=0).fit(X, y)
    first = next(iter(clf.validation_losses_)).ridge
    assert [count for count, _ in trained][-1] == 1000
    for count, ridge in trained[:-1]:  # two thirds of a hundred
        assert count < 100 and ridge == pytest.approx(10.0 * first)


def test_deviations_count_bags_not_instances():
    rng = np.random.default_rng(0)
    X = [rng.standard_normal((size, 3)) * scale for size, scale in ((2, 1.0), (50, 9.0), (3, 2.0))]
    bags = Bags.from_list(X)
    data = Prepared(bags, np.arange(3), np.array([1.0, -1.0, 1.0]), no_scaling(3))
    direction, weight = np.array([1.0, -2.0, 0.5]), np.array([0.5, 0.2, 0.3])
    along = [one @ direction for one in X]
    for whole, values in ((False, along), (True, [np.array([one.mean()]) for one in along])):
        mean = sum(w * one.mean() for w, one in zip(weight, values, strict=True))
        square = sum(w * (one**2).mean() for w, one in zip(weight, values, strict=True))
        found = steps._deviation(data, direction, weight, bags=whole)
        assert found == pytest.approx(np.sqrt(square - mean**2))


def test_diagnostics_of_one_positive_among_many():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((4, 5, 2)), np.array([1.0, -1.0, -1.0, -1.0])
    q = np.array([1.5, -0.5])
    state = stages.State(q[None], np.ones((1, 2)), 0.0)
    found = describe(Arrays(X, y), state, np.full(4, 0.25))
    a = np.exp(X @ q)
    a /= a.sum(axis=1, keepdims=True)
    number = 1.0 / (a**2).sum(axis=1)
    assert found["attended_positive"][0] == pytest.approx(number[0])
    assert found["attended_negative"][0] == pytest.approx(number[1:].mean())
    assert found["kappa"][0] == pytest.approx(np.sqrt((X @ q).var(axis=1).mean()))


def test_crossfit_trains_five_times_beside_the_last(monkeypatch):
    parts, own = [], Prepared.part

    def part(self, places):
        parts.append(len(places))
        return own(self, places)

    monkeypatch.setattr(Prepared, "part", part)
    X, y = needles(n=100)
    fixed = {"kappa": 1.0, "ridge": 0.1, "refine": 0, "validation": 0}
    AttentionClassifier(**fixed, data="crossfit", random_state=0).fit(X, y)
    assert sorted(parts) == [20] * 5 + [80] * 5
