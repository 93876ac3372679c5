"""How query and readout share the bags: what each has seen of which bag, and by what weight."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import AttentionClassifier
from needlescope.estimators.fitting.lockstep.sight import Sight
from needlescope.solvers.minimise import minimise
from tests.estimators.draws import needles

RIDGE = 0.01
FIXED = {"kappa": 3.0, "ridge": RIDGE, "max_refine_iter": 0, "shrinkage": None, "cv": 0}


def strangers(n=30, L=4):
    """Bags without a feature in common: one instance shows the bag's own, the others nothing.

    To a query that was trained without it, all instances of a bag look alike.
    """
    X = np.zeros((n, L, n))
    X[np.arange(n), 0, np.arange(n)] = np.random.default_rng(0).uniform(3.0, 6.0, n)
    return X, np.arange(n) % 2


def on_means(X, y, weight=None):
    return minimise(X.mean(axis=1), 2.0 * y - 1.0, "logistic", RIDGE, weight).w


def test_crossfit_reads_bags_by_queries_that_have_not_seen_them():
    X, y = strangers()
    clf = AttentionClassifier(**FIXED, split="crossfit", random_state=0).fit(X, y)
    np.testing.assert_allclose(clf.readout_[0], on_means(X, y), rtol=1e-3)
    assert min(a.max() for a in clf.attention_weights(X)) > 0.3  # the last query has seen them all
    reused = AttentionClassifier(**FIXED).fit(X, y)
    assert np.abs(reused.readout_[0] / on_means(X, y) - 1.0).max() > 0.1


def test_crossfit_leaves_every_bag_its_weight():
    X, y = strangers()
    weight = np.random.default_rng(1).uniform(0.1, 1.0, len(y))
    clf = AttentionClassifier(**FIXED, split="crossfit", random_state=0).fit(X, y, weight)
    wanted = on_means(X, y, weight / weight.sum())
    np.testing.assert_allclose(clf.readout_[0], wanted, rtol=1e-3)
    assert np.abs(on_means(X, y) / wanted - 1.0).max() > 0.1


def test_split_gives_every_bag_to_one_of_the_two():
    X, y = strangers()
    clf = AttentionClassifier(**FIXED, split="split", random_state=0).fit(X, y)
    looked, read = clf.query_[0] != 0.0, clf.readout_[0] != 0.0
    assert looked.sum() == read.sum() == len(y) // 2
    assert not (looked & read).any()


def test_split_leaves_every_bag_its_weight():
    X, y = strangers()
    weight = np.random.default_rng(1).uniform(0.1, 1.0, len(y))
    clf = AttentionClassifier(**FIXED, split="split", random_state=0).fit(X, y, weight)
    read = clf.readout_[0] != 0.0
    wanted = on_means(X[read], y[read], weight[read] / weight[read].sum())
    np.testing.assert_allclose(clf.readout_[0, read], wanted[read], rtol=1e-3)


@pytest.mark.parametrize("data", ["split", "crossfit"])
def test_light_bags_do_not_turn_the_queries(data):
    heavy = np.arange(80) % 4 < 2
    y = np.arange(80) % 2
    X = np.zeros((80, 4, 2))
    X[heavy & (y == 1), 0, 0] = 4.0  # what the heavy bags are about
    X[heavy, 1, 1] = 4.0  # what all of them have,
    X[~heavy & (y == 1), 1, 1] = 8.0  # and the light ones are about
    weight = np.where(heavy, 1.0, 1e-9)
    clf = AttentionClassifier(**FIXED, split=data, random_state=0).fit(X, y, weight)
    wanted = AttentionClassifier(**FIXED).fit(X[heavy], y[heavy])
    # Halves and folds differ in how many heavy bags they have, by chance.
    np.testing.assert_allclose(clf.query_, wanted.query_, rtol=0.25)
    np.testing.assert_allclose(clf.readout_, wanted.readout_, rtol=0.1, atol=0.05)


def test_crossfit_trains_five_times_beside_the_last(monkeypatch):
    parts, own = [], Sight.part

    def part(self, places):
        parts.append(len(places))
        return own(self, places)

    monkeypatch.setattr(Sight, "part", part)
    X, y = needles(n=100)
    fixed = {"kappa": 1.0, "ridge": 0.1, "max_refine_iter": 0, "cv": 0}
    AttentionClassifier(**fixed, split="crossfit", random_state=0).fit(X, y)
    assert sorted(parts) == [80] * 5 + [100]  # and the readout, on all
