"""Choice by held-out bags, and calibration."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.candidates.attention import Attention
from needlescope.estimators.candidates.forest import Forest
from needlescope.estimators.candidates.mean import Mean
from needlescope.estimators.candidates.shared.candidate import Configuration
from needlescope.estimators.selection.choice import _one_scale, centre, choose, from_centre
from needlescope.estimators.selection.cv_splits import held_out
from needlescope.solvers.calibration import AS_IS, platt

GOOD = Configuration(Attention(), 0.1)
BAD = Configuration(Attention(kappa=0.0), 0.1)
BOLD = Configuration(Attention(), 0.01, 5)


def labels(n=400, seed=0):
    return np.where(np.random.default_rng(seed).random(n) < 0.4, 1.0, -1.0)


def chosen(scores, y, folds=5):
    """The choice among configurations whose scores, of every bag, are given."""
    splits = held_out(y, folds, np.random.RandomState(0))
    assert not any(set(known) & set(test) for known, test in splits)
    return choose(scores, y, np.full(len(y), 1.0 / len(y)), [test for _, test in splits])


def test_the_configuration_with_the_best_probabilities_is_taken():
    y = labels()
    rng = np.random.default_rng(1)
    noise = rng.standard_normal((3, len(y)))
    scores = {GOOD: 2.0 * y + noise[0], BAD: 0.3 * y + noise[1], BOLD: 20.0 * (y + noise[2])}
    result = chosen(scores, y)
    assert result.selected[0].configuration == GOOD
    assert [item.configuration for item in result.compared] == [
        GOOD,
        BOLD,
        BAD,
    ]  # boldness is put right
    assert result.selected[0].calibration.slope > 0.0


def test_a_mean_is_of_several_families_that_are_near():
    """Of candidates that err alike the better is taken; one that is clearly worse is not."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(400) % 2, 1.0, -1.0)
    shared, own, weight = rng.standard_normal((2, 400)), rng.standard_normal((2, 400)), np.ones(400)
    attends = Configuration(Attention(), 0.1)
    appended = Configuration(Attention(append_mean=True), 0.1)
    trees, mean = Configuration(Forest()), Configuration(Mean(), 0.1)
    scores = {
        attends: y + shared[0] + 0.05 * own[0],
        appended: y + shared[0] + 0.06 * own[1],
        trees: y + shared[1],
        mean: 0.1 * y + rng.standard_normal(400),
    }
    result = choose(scores, y, weight, [np.arange(400)], most=3)
    assert sorted(item.configuration.candidate.pooling for item in result.selected) == [
        "attention",
        "forest",
    ]
    alone = choose({attends: scores[attends]}, y, weight, [np.arange(400)], most=3)
    losses = [np.logaddexp(0.0, -y * item.log_odds).mean() for item in (result, alone)]
    assert losses[0] < losses[1] - 0.03


def test_too_few_bags_leave_nothing_to_choose_by():
    y = np.array([1.0, -1.0, -1.0, -1.0])
    result = chosen({GOOD: np.zeros(4), BAD: y}, y)
    assert result.selected[0].configuration == GOOD
    assert result.selected[0].calibration == AS_IS and result.compared == []


def test_folds_of_other_scales_do_not_drown_the_rest():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(300) % 2, 1.0, -1.0)
    scores = 2.0 * y + rng.standard_normal(300) - 0.5
    first = held_out(y, 3, np.random.RandomState(0))[0][1]
    scores[first] *= 1e6
    result = chosen({Configuration(Mean(), 1.0): scores}, y, folds=3).selected[0].calibration
    fresh = 2.0 * y + rng.standard_normal(300) - 0.5
    assert ((result.log_odds(fresh) > 0.0) == (y > 0.0)).mean() > 0.95


def test_folds_of_another_scale_are_brought_to_one_by_bags_that_weigh():
    y = np.tile([1.0, -1.0], 100)
    scores = 2.0 * y + np.random.default_rng(1).standard_normal(200)
    parts = [np.arange(0, 100), np.arange(100, 200)]
    scores[parts[1]] *= 10.0
    weight = np.ones(200)
    light = np.arange(200) % 100 >= 40
    weight[light] = 1e-12
    spoilt = np.where(light & (np.arange(200) < 100), 1e6 * scores, scores)
    result = _one_scale(spoilt, weight, parts)
    sizes = [np.median(np.abs(result[part][:40])) for part in parts]
    assert sizes[0] == pytest.approx(sizes[1], rel=0.05)


def test_scores_are_counted_from_the_mean_of_training_scores():
    y = labels()
    scores = y + 0.3 * np.random.default_rng(1).standard_normal(len(y))
    weight = np.full(len(y), 1.0 / len(y))
    middle = centre(scores + 7.0, y, weight)
    assert middle == pytest.approx(7.0 + scores.mean(), abs=0.05)
    wild = scores + 7.0
    wild[np.flatnonzero(y > 0.0)[0]] = 1e9
    assert centre(wild, y, weight) == pytest.approx(middle, abs=0.05)
    assert (from_centre(np.array([7.0, 7.0 + 1e-13]), 7.0) == 0.0).all()
    fitted = platt(scores, y, weight)
    moved = fitted.counted_from(7.0)
    far = np.array([-50.0, 0.3, 50.0])
    np.testing.assert_allclose(moved.log_odds(far + 7.0), fitted.log_odds(far))
