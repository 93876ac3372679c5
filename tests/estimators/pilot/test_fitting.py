"""One fit and its answers."""

from __future__ import annotations

import numpy as np

from needlescope.estimators import Bags, PooledClassifier
from needlescope.estimators.pilot.fitting import (
    Fit,
    WorldFit,
    chosen,
    error_in_world,
    wrong_answers,
)

SEED = np.random.SeedSequence(0)


def test_bags_are_chosen_as_they_were_given():
    rows, X = np.array([2, 0]), [np.full((k + 1, 2), float(k)) for k in range(3)]
    assert [len(bag) for bag in chosen(X, rows)] == [3, 1]
    assert isinstance(chosen(Bags.from_list(X), rows), Bags)
    assert chosen(np.arange(6.0).reshape(3, 2, 1), rows).shape == (2, 2, 1)


def test_a_part_of_one_class_is_answered_with_it():
    X, ones = np.zeros((3, 1, 1)), np.ones(3)
    truth = np.array([1.0, -1.0, -1.0])
    wrong, failure = wrong_answers(Fit(PooledClassifier(), (X, ones), (X, truth), SEED))
    assert wrong.tolist() == [0.0, 1.0, 1.0] and not failure


class Unlucky:
    def fit(self, X, y):
        raise RuntimeError("no luck")


class Room:
    def draw(self, n, v, w, seed):
        return Fit(None, (np.zeros((n, 1, 1)), np.resize([1.0, -1.0], n)), (0, np.ones(1)), seed)


def test_a_failure_is_told_and_an_error_then_not_known():
    X, signs = np.zeros((4, 1, 1)), np.array([1.0, -1.0, 1.0, -1.0])
    wrong, failure = wrong_answers(Fit(Unlucky(), (X, signs), (X, signs), SEED))
    assert len(wrong) == 0 and failure == "RuntimeError: no luck"
    assert np.isnan(error_in_world(WorldFit(Unlucky(), Room(), 4, 0.0, 0.0, SEED)))
