"""What halves of the bags show, beside all of them."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.bags.bags import as_bags
from needlescope.estimators.bags.datasets import make_digit_bags
from needlescope.estimators.task.fit import fit_task
from needlescope.estimators.task.halves import Half, compare, count
from needlescope.task import Task
from tests.estimators.draws import draw


def _halves(thetas, se=0.4, R=2.0, surprise=9.0):
    return [Half(theta, se, R, surprise) for theta in thetas]


def test_halves_as_far_away_as_the_model_allows_are_not_off():
    result = compare(_halves([2.0, 2.8, 2.1, 2.7]), 2.4, 2.0, 4.0)
    assert (result.off, result.one_sided, result.found) == (False, False, 1.0)
    assert result.relative_distance == pytest.approx(np.sqrt((0.4**2 + 0.3**2) / 2) / 0.4)
    assert result.theta == pytest.approx(2.4)
    assert result.deviation == pytest.approx(np.std([2.0, 2.8, 2.1, 2.7], ddof=1))
    assert compare(_halves([2.0, 2.8, 2.1, 2.7], se=0.2), 2.4, 2.0, 4.0).off


def test_a_drift_is_part_of_how_far_halves_are_away():
    result = compare(_halves([4.1, 4.3], R=1.0), 2.4, 2.1, 4.0)
    assert result.off and result.one_sided
    assert result.theta_rms == pytest.approx(np.sqrt((1.7**2 + 1.9**2) / 2))
    assert result.R_rms == pytest.approx(1.1)


def test_halves_that_see_no_signal_count_only_if_most_are_such():
    seen, blind = _halves([2.3, 2.5]), _halves([30.0, 0.1], surprise=1.0)
    result = compare(seen + blind, 2.4, 2.0, 4.0)
    assert (result.theta, result.found, result.off) == (pytest.approx(2.4), 0.5, False)
    result = compare(seen[:1] + blind, 2.4, 2.0, 4.0)
    assert result.theta == pytest.approx(np.mean([2.3, 30.0, 0.1]))
    assert result.off and result.found == pytest.approx(1.0 / 3.0)


def test_a_stronger_signal_in_fewer_instances_is_a_trade():
    thetas = np.array([1.0, 2.0, 4.0])
    halves = [Half(theta, 0.4, 8.0 / theta, 9.0) for theta in thetas]
    assert compare(halves, 2.0, 4.0, 4.0).R_exponent == pytest.approx(-1.0)
    assert compare(_halves(thetas), 2.0, 4.0, 4.0).R_exponent == pytest.approx(0.0)


def test_halves_want_five_bags_of_each_class():
    y = np.where(np.arange(40) < 10, 1.0, -1.0)
    assert count(y) == 6
    assert count(y[1:]) == 0
    assert np.isnan(compare([], 2.4, 2.0, 4.0).theta)


@pytest.mark.slow
def test_halves_of_the_theorys_own_bags_say_what_all_say():
    X, y, _ = draw(Task(L=10, R=1, theta=4.0, pi=0.5), 30, 200)
    result = fit_task(as_bags(X), np.where(y, 1.0, -1.0), np.random.RandomState(0), lambda: None)
    halves = result.halves
    assert halves.found == 1.0 and not halves.off
    # A half lies as far from all as all does from the truth.
    assert abs(halves.theta - result.task.theta) < 2.0 * result.theta_se
    assert halves.theta_rms < 3.0 * result.theta_se


def test_where_halves_differ_the_error_covers_them(monkeypatch):
    X, y = make_digit_bags(bags=400, L=20, R=1, random_state=0)
    bags, signs = as_bags(X), np.where(y, 1.0, -1.0)
    result = fit_task(bags, signs, np.random.RandomState(0), lambda: None)
    assert result.halves.off
    assert result.theta_se >= result.halves.theta_rms
    assert result.R_se >= result.halves.R_rms
    monkeypatch.setattr("needlescope.estimators.task.halves.HALVINGS", 0)
    alone = fit_task(bags, signs, np.random.RandomState(0), lambda: None)
    assert (alone.task, alone.R) == (result.task, result.R)
    assert alone.theta_se < 0.5 * result.theta_se
    monkeypatch.undo()
    # Between as the model allows and more than chance its error is stretched.
    monkeypatch.setattr("needlescope.estimators.task.halves.OFF_DISTANCE", 1e9)
    stretched = fit_task(bags, signs, np.random.RandomState(0), lambda: None)
    assert stretched.theta_se == pytest.approx(alone.theta_se * result.halves.relative_distance)
    monkeypatch.undo()
    # Halves that nobody has looked at yet are covered too.
    order = np.random.RandomState(9).permutation(400)
    for part in (np.sort(order[:200]), np.sort(order[200:])):
        half = fit_task(bags[part], signs[part], np.random.RandomState(0), lambda: None)
        assert abs(half.task.theta - result.task.theta) < 2.0 * np.hypot(
            half.theta_se, result.theta_se
        )


def test_a_strength_that_is_known_exactly_divides_by_no_zero():
    result = compare([Half(100.0, 0.0, 1.0, 9.0), Half(100.0, 0.0, 1.0, 9.0)], 100.0, 1.0, 4.0)
    assert result.relative_distance == 0.0 and not result.off
    assert compare([Half(4.0, 0.0, 1.0, 9.0)] * 2, 5.0, 1.0, 4.0).off


def test_a_strength_beyond_those_looked_at_is_that_or_more(monkeypatch):
    """Its error was none at all: the largest θ on both sides."""
    monkeypatch.setattr("needlescope.estimators.task.direction_fit.STRONGEST", 3.0)
    X, y, _ = draw(Task(L=4, R=1, theta=4.0, pi=0.5), 8, 60)
    result = fit_task(as_bags(X), np.where(y, 1.0, -1.0), np.random.RandomState(0), lambda: None)
    assert result.theta_se == np.inf
