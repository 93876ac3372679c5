"""Held-out bags: nothing of a fit has seen them, and every configuration scores them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from needlescope.errors import NotConverged
from needlescope.estimators import Bags, MILClassifier
from needlescope.estimators.candidates.attention import Attention
from needlescope.estimators.candidates.mean import Mean
from needlescope.estimators.candidates.shared.candidate import Configuration
from needlescope.estimators.engine.shared_table import FitData
from needlescope.estimators.selection.choice import centre
from needlescope.estimators.selection.cross_validation import (
    CrossValidation,
    Labelled,
    by_preprocessing,
)
from needlescope.losses import get_loss
from needlescope.solvers.minimise import minimise
from tests.estimators.draws import needles
from tests.estimators.selection.shifted import loss_held_out, shifted


def validation(n=40, more=1.0, **given):
    """Return a cross-validation of a few bags in three folds, and its folds."""
    X, y = needles(n=n)
    bags = Labelled(Bags.from_array(X), np.arange(n), 2.0 * y - 1.0, np.full(n, 1.0 / n), **given)
    folds = bags.split(3, np.random.RandomState(0))
    data = FitData(*bags[:4], whitens=False, contrasts=False, seed=0, groups=bags.groups)
    return CrossValidation(
        get_loss("logistic"), bags, folds, more, data, np.random.RandomState(0)
    ), folds


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


def test_held_out_scores_are_those_of_a_fit_to_the_other_bags():
    """Counted from the mean training score, with the ridge that fewer bags take."""
    item, scores = Configuration(Mean(shrinkage=None), 0.1), {}
    result, folds = validation(more=2.0)
    result.score({item.candidate: [item]}, folds, scores)
    X, y = needles(n=40)
    means, signs = X.mean(axis=1), 2.0 * y - 1.0
    for known, held in folds:
        weight = np.full(len(known), 1.0 / len(known))
        w = minimise(means[known], signs[known], "logistic", 0.2, weight).w
        wanted = means[held] @ w - centre(means[known] @ w, signs[known], weight)
        np.testing.assert_allclose(scores[item][held], wanted, atol=1e-3)


def test_a_candidate_that_does_not_converge_leaves_the_others(monkeypatch):
    def fails(*_):
        raise NotConverged("no", 1.0)

    monkeypatch.setattr("needlescope.estimators.candidates.attention.readouts", fails)
    items = [Configuration(Mean(), 0.1), Configuration(Attention(), 0.1)]
    scores, (result, folds) = {}, validation()
    result.score({item.candidate: [item] for item in items}, folds, scores)
    assert list(scores) == items[:1] and np.isfinite(scores[items[0]]).all()
    assert len(result.failed) == 3


def test_losses_of_one_group_are_one():
    groups = np.arange(40) // 4
    result, _ = validation(groups=groups)
    each, share = result.losses(np.linspace(-1.0, 1.0, 40), np.arange(40))
    assert len(each) == len(share) == 10 and share.sum() == pytest.approx(1.0)
    alone, _ = validation()[0].losses(np.linspace(-1.0, 1.0, 40), np.arange(40))
    np.testing.assert_allclose(each, alone.reshape(10, 4).mean(axis=1))


def test_candidates_of_one_preprocessing_follow_each_other():
    listed = [
        Mean(random_features=True),
        Mean(shrinkage=0.02),
        Mean(),
        Attention(shrinkage=0.02),
        Mean(shrinkage=0.2),
        Attention(),
    ]
    found = [
        some[0].candidate
        for some in by_preprocessing({item: [Configuration(item)] for item in listed})
    ]
    assert sorted(map(repr, found)) == sorted(map(repr, listed))
    kinds = [item.preprocessing for item in found]
    changes = sum(one != other for one, other in itertools.pairwise(kinds))
    assert changes == len(set(kinds)) - 1
