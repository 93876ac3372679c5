"""Networks of one hidden layer: their gradient, and what training may not depend on."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.candidates.shared import hidden_networks
from needlescope.estimators.candidates.shared.hidden_networks import (
    Batch,
    Networks,
    gradient,
    train,
)
from needlescope.losses import get_loss
from needlescope.models.segments import Ragged

RNG = np.random.default_rng(0)
LENGTHS = np.array([3, 1, 5, 2, 4])
BAGS = Ragged.at(np.concatenate([[0], np.cumsum(LENGTHS)]))


@pytest.fixture
def small(monkeypatch):
    """Networks that a test can go through: 2 of 6 units and 3 queries."""
    for name, value in (("NETWORKS", 2), ("UNITS", 6), ("QUERIES", 3)):
        monkeypatch.setattr(hidden_networks, name, value)


def scores(networks, rows, kept):
    """Return the scores by their formula, one bag and one network at a time."""
    result = np.zeros((len(networks.hidden), len(LENGTHS)))
    for m, (A, c, heads, b) in enumerate(zip(*networks, strict=True)):
        queries, readouts = np.split(heads, 2)
        for i, (first, length) in enumerate(zip(BAGS.starts, LENGTHS, strict=False)):
            own = slice(first, first + length)
            h = 2.0 * kept[m][:, own] * np.maximum(A @ rows[own].T + c, 0.0)
            result[m, i] = b[0]
            for q, w in zip(queries, readouts, strict=True):
                a = np.exp(q @ h)
                result[m, i] += (w @ h) @ a / a.sum()
    return result


@pytest.mark.parametrize("name", ["logistic", "square"])
def test_the_gradient_is_that_of_the_formula(small, name):
    loss, rows = get_loss(name), RNG.standard_normal((int(LENGTHS.sum()), 4))
    y, share = np.array([1.0, -1.0, 1.0, -1.0, 1.0]), RNG.random(5)
    networks = Networks(*(item.astype(float) for item in Networks.drawn(4, np.random)))
    kept = RNG.random((2, 6, len(rows))) < 0.6
    batch = Batch(rows, BAGS, y, share)

    def goal():
        return (share * loss.value(scores(networks, rows, kept), y)).sum()

    result, step = gradient(networks, batch, loss, kept), 1e-6
    for values, slopes in zip(networks, result, strict=True):
        assert values.shape == slopes.shape
        for place in np.ndindex(values.shape):
            at = values[place]
            ends = []
            for side in (step, -step):
                values[place] = at + side
                ends.append(goal())
            values[place] = at
            assert slopes[place] == pytest.approx((ends[0] - ends[1]) / (2.0 * step), abs=2e-7)


def test_projections_do_not_depend_on_how_many_are_held(small, monkeypatch):
    networks, rows = Networks.drawn(4, np.random.RandomState(0)), RNG.standard_normal((20, 4))
    once = networks.project(rows)
    monkeypatch.setattr(hidden_networks, "ROWS", 3)
    for item, other in zip(once, networks.project(rows), strict=True):
        assert item.shape == (2, 3, 20)
        np.testing.assert_allclose(item, other, atol=1e-12)


def bags_of_needles(n=60, length=6):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n, length, 3)), np.where(np.arange(n) % 2, 1.0, -1.0)
    X[y > 0.0, 0] += 3.0
    rows = X.reshape(-1, 3).astype(np.float32)
    return rows, Ragged.at(np.arange(0, n * length + 1, length)), y


def trained(rows, bags, y, weight):
    return train(rows, bags, y, weight, get_loss("logistic"), np.random.RandomState(0), 400)


def test_bags_of_no_weight_have_no_part(small):
    rows, bags, y = bags_of_needles()
    weight = np.where(np.arange(60) < 40, 1.0 / 40, 0.0)
    other = rows.copy()
    other[40 * 6 :] = 7.0
    first = trained(rows, bags, y, weight)
    again = trained(other, bags, np.where(weight > 0.0, y, -y), weight)
    for item, same in zip(first, again, strict=True):
        np.testing.assert_array_equal(item, same)


def test_training_finds_the_needle_and_no_scale_of_weights_matters(small):
    rows, bags, y = bags_of_needles()
    networks = trained(rows, bags, y, np.full(60, 1.0))
    logits, seen = networks.project(rows)
    a = bags.softmax(logits)
    found = bags.dot(a, seen).sum(axis=1).mean(axis=0) + networks.constants.mean()
    assert ((found > 0.0) == (y > 0.0)).mean() > 0.95
    for item, other in zip(networks, trained(rows, bags, y, np.full(60, 8.0)), strict=True):
        np.testing.assert_array_equal(item, other)


def test_weights_of_bags_count(small):
    rows, bags, y = bags_of_needles()
    rows = RNG.standard_normal(rows.shape).astype(np.float32)  # nothing to tell bags apart by

    def mean_score(weight):
        networks = trained(rows, bags, y, weight)
        logits, seen = networks.project(rows)
        scores = bags.dot(bags.softmax(logits), seen).sum(axis=1) + networks.constants
        return float(scores.mean())

    assert mean_score(np.where(y > 0.0, 9.0, 1.0)) > mean_score(np.ones(60)) + 0.5


def test_of_long_bags_some_instances_are_drawn_in_every_step(small, monkeypatch):
    seen = []
    real = gradient

    def noting(networks, batch, loss, kept):
        seen.append(batch)
        return real(networks, batch, loss, kept)

    monkeypatch.setattr(hidden_networks, "gradient", noting)
    monkeypatch.setattr(hidden_networks, "MOST_INSTANCES", 4)
    rows = np.arange(30, dtype=np.float32).reshape(-1, 1)
    bags = Ragged.at(np.array([0, 3, 28, 30]))
    trained(rows, bags, np.array([1.0, -1.0, 1.0]), np.full(3, 1.0 / 3))
    drawn = set()
    for batch in seen:
        for first, length in zip(batch.bags.starts, batch.bags.lengths, strict=False):
            own = batch.rows[first : first + length, 0]
            assert len(own) == len(set(own)) == min(4, {0: 3, 3: 25, 28: 2}[_bag(own[0])])
            assert {_bag(item) for item in own} == {_bag(own[0])}
            drawn |= set(own.tolist())
    assert drawn == set(range(30))


def _bag(value):
    return 0 if value < 3 else 3 if value < 28 else 28
