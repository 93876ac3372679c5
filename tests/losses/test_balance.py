"""The bias that balances slopes: at the root, at a jump, on a plateau, or nowhere."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.losses import LOSSES, Loss
from needlescope.losses.balance import balance, balancing_shift

RNG = np.random.default_rng(0)
SCORES = RNG.standard_normal(200)


def labels(share: float) -> np.ndarray:
    return np.where(np.arange(200) < 200 * share, 1.0, -1.0)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.97])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e4])
def test_slopes_add_up_to_zero(loss: Loss, share: float, size: float) -> None:
    """Or jump over it, where a sample sits on a kink; those of the hinge loss never need to."""
    y, scores = labels(share), size * SCORES
    shift = balancing_shift(scores, y, loss)
    slopes = loss.derivative(scores + shift, y)
    close = 1e-14 * max(size, 1.0)  # how well scores are known
    if not loss.kinked or loss.name == "hinge":
        assert abs(slopes.mean()) < 100.0 * close * np.abs(slopes).max()
    low, high = (loss.derivative(scores + shift + move, y).mean() for move in (-close, close))
    assert low <= 1e-15 and high >= -1e-15
    assert abs(slopes.mean()) <= min(abs(low), abs(high)) + 1e-12 * size


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_samples_that_weigh_nothing_play_no_part(name: str) -> None:
    y, loss, weight = labels(0.2), LOSSES[name], RNG.random(200) * (np.arange(200) % 3 > 0)
    shift = balancing_shift(SCORES, y, loss, weight)
    kept = weight > 0.0
    alone = balancing_shift(SCORES[kept], y[kept], loss, weight[kept])
    slopes = loss.derivative(SCORES + shift, y)
    assert loss.derivative(SCORES + alone, y)[kept] == pytest.approx(slopes[kept], abs=1e-10)
    jump = weight.max() if loss.kinked else 1e-12
    assert abs(weight @ slopes) <= jump


def test_the_log_odds_where_all_scores_are_the_same() -> None:
    shift = balancing_shift(np.full(200, 0.3), labels(0.05), LOSSES["logistic"])
    assert 0.3 + shift == pytest.approx(np.log(0.05 / 0.95), rel=1e-12)


def test_a_mean_that_jumps_over_zero_is_left_on_the_side_that_is_nearer() -> None:
    """One positive and two negatives on one score: −1 + 0 below the kink, −1 + 2 above."""
    heavy = np.array([0.5, 0.4, 0.4])
    y, hinge = np.array([1.0, -1.0, -1.0]), LOSSES["hinge"]
    shift = balancing_shift(np.zeros(3), y, hinge, heavy)
    assert shift == pytest.approx(-1.0, abs=1e-12)
    assert heavy @ hinge.derivative(np.full(3, shift), y) == pytest.approx(0.3)
    light = np.array([0.3, 0.4, 0.4])
    shift = balancing_shift(np.zeros(3), y, hinge, light)
    assert shift == pytest.approx(-1.0, abs=1e-12)
    assert light @ hinge.derivative(np.full(3, shift), y) == pytest.approx(-0.3)


def test_where_slopes_balance_already_nothing_moves() -> None:
    y = np.array([1.0, -1.0])
    assert balancing_shift(np.array([0.2, 0.1]), y, LOSSES["hinge"]) == 0.0
    assert balancing_shift(np.array([0.2, -0.2]), y, LOSSES["logistic"]) == 0.0


@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_labels_of_one_kind_leave_the_bias(loss: Loss, y: float) -> None:
    assert balancing_shift(SCORES, np.full(200, y), loss) == 0.0
    both, weight = np.full(200, y), np.ones(200)
    both[0], weight[0] = -y, 0.0
    assert balancing_shift(SCORES, both, loss, weight) == 0.0


def test_a_slope_of_one_sign_has_no_zero() -> None:
    assert balance(lambda b: 1.0 + np.tanh(b) + 1e-3, 0.0) is None
    slow = ns.PiecewiseQuadratic([], [(0.0, 0.0, 1.0)], name="flat")
    assert balancing_shift(SCORES, labels(0.3), slow) == 0.0
