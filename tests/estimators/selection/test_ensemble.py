"""Greedy weights: what errs at other bags is added, and never more than so many candidates."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.selection.ensemble import ADDITIONS, greedy_weights

N = 400
Y = np.where(np.arange(N) % 2, 1.0, -1.0)
EVEN = np.full(N, 1.0 / N)


def candidates(*strengths, seed=0):
    """Return log odds 2 s² y + 2 s ε, which are calibrated, with noise ε of their own."""
    rng = np.random.default_rng(seed)
    return np.array([2 * s * s * Y + 2 * s * rng.standard_normal(N) for s in strengths])


def loss(log_odds, share=EVEN):
    return float(share @ np.logaddexp(0.0, -Y * log_odds))


def test_weights_are_counts_of_additions():
    weights = greedy_weights(candidates(1.0, 0.9, 0.8), Y, EVEN, 3)
    assert weights.sum() == pytest.approx(1.0)
    counts = weights * (ADDITIONS + 1)
    np.testing.assert_allclose(counts, counts.round(), atol=1e-12)


def test_one_alone_is_the_first():
    np.testing.assert_array_equal(greedy_weights(candidates(1.0, 2.0), Y, EVEN, 1), [1.0, 0.0])


def test_candidates_that_err_at_different_bags_share_the_weight():
    log_odds = candidates(1.0, 1.0)
    weights = greedy_weights(log_odds, Y, EVEN, 2)
    assert 0.3 < weights[0] < 0.7
    assert loss(weights @ log_odds) < min(map(loss, log_odds)) - 0.02


def test_a_candidate_that_knows_nothing_is_not_added():
    log_odds = np.vstack([candidates(1.5), candidates(0.0)])
    np.testing.assert_array_equal(greedy_weights(log_odds, Y, EVEN, 2), [1.0, 0.0])


@pytest.mark.parametrize("most", [2, 3, 5])
def test_no_more_than_the_most_are_put_together(most):
    weights = greedy_weights(candidates(*[1.0] * 8), Y, EVEN, most)
    assert 2 <= (weights > 0.0).sum() <= most


def test_the_loss_never_ends_above_that_of_the_best():
    for seed in range(20):
        log_odds = candidates(1.2, 0.4, 0.2, 0.1, seed=seed)
        weights = greedy_weights(log_odds, Y, EVEN, 4)
        assert loss(weights @ log_odds) <= loss(log_odds[0]) + 0.01


def test_weights_of_bags_count():
    """On the bags that count the second is right, on the others the first."""
    first = np.where(np.arange(N) < 200, 3.0, -3.0) * Y
    share = np.where(np.arange(N) < 200, 0.1, 1.0)
    weights = greedy_weights(np.array([first, -first]), Y, share / share.sum(), 2)
    assert weights[1] > weights[0]
