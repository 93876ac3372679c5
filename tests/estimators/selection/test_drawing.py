"""Bags drawn in proportion to their weights: in order, enough of each class, and unbiased."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.selection.drawing import draw, even_count


def test_bags_drawn_are_in_order_and_enough_of_each_class():
    y = np.where(np.arange(3000) % 20 == 0, 1.0, -1.0)
    weight = np.random.default_rng(0).uniform(0.5, 1.0, 3000)
    places, weights = draw(y, weight, 300, np.random.RandomState(0))
    assert (np.diff(places) > 0).all()
    for sign in (-1.0, 1.0):
        assert (y[places] == sign).sum() >= 100
        assert weights[y[places] == sign].sum() == pytest.approx(weight[y == sign].sum())
    assert len(places) < 500


def test_bags_drawn_stand_for_all_by_weight():
    """Heavy bags are likelier to be drawn, and those drawn then weigh the same."""
    rng = np.random.default_rng(0)
    y = np.ones(2000)
    y[:1000] = -1.0
    weight = np.where(np.arange(2000) % 10 == 0, 9.0, 1.0)
    weight[5] = 2000.0  # more than the share of a bag that is drawn
    value = rng.standard_normal(2000) + (weight > 5.0)
    result = []
    for seed in range(40):
        places, weights = draw(y, weight, 200, np.random.RandomState(seed))
        result.append(weights @ value[places] / weights.sum())
        for sign in (-1.0, 1.0):
            own = y[places] == sign
            assert weights[own].sum() == pytest.approx(weight[y == sign].sum())
    wanted = weight @ value / weight.sum()
    assert abs(np.mean(result) - wanted) < 4.0 * np.std(result) / np.sqrt(40)


def test_the_even_count_is_of_both_classes_alike_and_of_no_scale():
    y, weight = np.where(np.arange(30) < 10, 1.0, -1.0), np.random.default_rng(0).random(30)
    assert even_count(y, np.ones(30)) == pytest.approx(4.0 / (1 / 10 + 1 / 20), abs=1e-6)
    assert even_count(y, 7.0 * weight) == even_count(-y, weight) < even_count(y, np.ones(30))
