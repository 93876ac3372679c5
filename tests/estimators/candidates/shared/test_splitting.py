"""How query and readout share the bags: which each is trained on, and by what weight."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators import AttentionClassifier
from needlescope.estimators.candidates.shared.splitting import _matched, cut
from needlescope.estimators.engine.fold_data import FoldData
from needlescope.models.blocks import Arrays
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


def test_crossfit_reads_bags_by_queries_that_were_trained_without_them():
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
    turned, read = clf.query_[0] != 0.0, clf.readout_[0] != 0.0
    assert turned.sum() == read.sum() == len(y) // 2
    assert not (turned & read).any()


def test_split_leaves_every_bag_its_weight():
    X, y = strangers()
    weight = np.random.default_rng(1).uniform(0.1, 1.0, len(y))
    clf = AttentionClassifier(**FIXED, split="split", random_state=0).fit(X, y, weight)
    read = clf.readout_[0] != 0.0
    wanted = on_means(X[read], y[read], weight[read] / weight[read].sum())
    np.testing.assert_allclose(clf.readout_[0, read], wanted[read], rtol=1e-3)


@pytest.mark.parametrize("split", ["split", "crossfit"])
def test_light_bags_do_not_turn_the_queries(split):
    heavy = np.arange(80) % 4 < 2
    y = np.arange(80) % 2
    X = np.zeros((80, 4, 2))
    X[heavy & (y == 1), 0, 0] = 4.0  # what the heavy bags are about
    X[heavy, 1, 1] = 4.0  # what all of them have,
    X[~heavy & (y == 1), 1, 1] = 8.0  # and the light ones are about
    weight = np.where(heavy, 1.0, 1e-9)
    clf = AttentionClassifier(**FIXED, split=split, random_state=0).fit(X, y, weight)
    wanted = AttentionClassifier(**FIXED).fit(X[heavy], y[heavy])
    # Halves and folds differ in how many heavy bags they have, by chance.
    np.testing.assert_allclose(clf.query_, wanted.query_, rtol=0.25)
    np.testing.assert_allclose(clf.readout_, wanted.readout_, rtol=0.1, atol=0.05)


def test_crossfit_trains_five_times_beside_the_last(monkeypatch):
    parts, own = [], FoldData.part

    def part(self, places):
        parts.append(len(places))
        return own(self, places)

    monkeypatch.setattr(FoldData, "part", part)
    X, y = needles(n=100)
    fixed = {"kappa": 1.0, "ridge": 0.1, "max_refine_iter": 0, "cv": 0}
    AttentionClassifier(**fixed, split="crossfit", random_state=0).fit(X, y)
    assert sorted(parts) == [80] * 5 + [100]  # and the readout, on all


@pytest.mark.parametrize(("split", "count"), [("reuse", 0), ("split", 1), ("crossfit", 5)])
def test_parts_are_of_training_bags_and_share_none(split, count):
    X, y = needles(n=60)
    weight = np.where(np.arange(60) % 3 == 0, 0.0, 1.0 / 40)
    fold = FoldData(Arrays(X, 2.0 * y - 1.0), weight)
    parts = cut(fold, split, np.random.RandomState(0))
    assert len(parts) == count
    for bags, rest in parts:
        assert not set(bags) & set(rest) and (weight[bags] > 0.0).all()
        assert sorted([*bags, *rest]) == np.flatnonzero(weight).tolist()
        assert len(set(y[bags])) == len(set(y[rest])) == 2
    if split == "crossfit":
        assert (
            sorted(np.concatenate([rest for _, rest in parts])) == np.flatnonzero(weight).tolist()
        )


@pytest.mark.parametrize("split", ["split", "crossfit"])
def test_one_bag_of_a_class_cannot_be_split(split):
    y = np.array([1.0, 1.0, -1.0, -1.0])
    fold = FoldData(Arrays(np.zeros((4, 1, 1)), y), np.array([0.5, 0.0, 0.3, 0.2]))
    with pytest.raises(ValueError, match=f'split="{split}" needs at least two bags of each class'):
        cut(fold, split, np.random.RandomState(0))


def test_queries_are_matched_with_those_that_they_are_most_like():
    rng = np.random.default_rng(0)
    final = rng.standard_normal((3, 10))
    moved = final + 0.1 * rng.standard_normal((3, 10))
    np.testing.assert_array_equal(_matched(moved[[2, 0, 1]], final), moved)
