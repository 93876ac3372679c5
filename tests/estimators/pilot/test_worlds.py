"""Worlds that a pilot may come from: what is drawn in them has the moments that it should."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.estimators.bags.bags import as_bags
from needlescope.estimators.pilot.worlds import (
    TaskWorld,
    is_known,
    pilot_world,
    relative_se,
    task_at,
)
from needlescope.estimators.task.fit import fit_task
from tests.estimators.draws import draw, loud_directions

SEED = np.random.SeedSequence(4)


@pytest.fixture(scope="module")
def pilot():
    X, y, xi = draw(ns.Task(L=6, R=1, theta=5.0, pi=0.4), 10, 150, 2)
    bags, signs = as_bags(X), np.where(y > 0, 1.0, -1.0)
    return bags, signs, fit_task(bags, signs, np.random.RandomState(0), lambda: None), xi


def test_strength_and_place_are_moved(pilot):
    fitted = pilot[2]
    assert task_at(fitted, 0.0, 0.0).theta == pytest.approx(fitted.task.theta)
    assert task_at(fitted, 0.3, 0.0).theta == pytest.approx(fitted.task.theta * np.exp(0.3))
    assert 0.0 < relative_se(fitted) == fitted.theta_se / fitted.task.theta and is_known(fitted)


def test_a_task_is_drawn_along_random_axes():
    task = ns.Task(L=8, R=1, theta=4.0, pi=0.5)
    X, y, _ = draw(task, 12, 200, 3, noise=loud_directions(3, 4.0))
    bags, signs = as_bags(X), np.where(y > 0, 1.0, -1.0)
    fitted = fit_task(bags, signs, np.random.RandomState(0), lambda: None)
    drawn = TaskWorld(fitted).draw(300, 0.0, 0.0, SEED)
    X, sign = drawn.train
    assert X.shape == (300, 8, 12) and abs((sign > 0.0).mean() - 0.5) < 0.12
    covariance = np.cov(X[sign < 0.0].reshape(-1, 12).T)
    values = np.linalg.eigvalsh(covariance)
    assert values[-1] > 5.0 * values[0]  # the noise is not white,
    assert np.diag(covariance).max() < 0.7 * values[-1]  # and no feature is its loudest axis
    assert not np.array_equal(drawn.test[0][:5], X[:5])


@pytest.mark.parametrize("array", [True, False])
def test_bags_of_the_pilot_keep_its_moments_and_get_the_signal(pilot, array):
    bags, signs, fitted, xi = pilot
    world = pilot_world(bags, signs, fitted, array)
    (X, sign), (held_out, _) = world.draw(2000, 0.0, 0.0, SEED)
    assert isinstance(X, np.ndarray) is array and len(held_out) == 800
    X = np.asarray(X)
    negative = np.concatenate([bags[int(k)] for k in np.flatnonzero(signs < 0.0)])
    drawn = X[sign < 0.0].reshape(-1, 10)
    se = np.sqrt(1.0 / (0.5 * len(negative)))  # half of the pilot's bags are drawn from
    assert drawn.mean(axis=0) == pytest.approx(negative.mean(axis=0), abs=5.0 * se)
    spread = np.linalg.norm(np.cov(drawn.T) - np.cov(negative.T), 2)
    assert spread < 6.0 * np.sqrt(10.0 / (0.5 * len(negative)))
    # Sums of positive bags are longer by the signal, once a bag.
    gap = X[sign > 0.0].sum(axis=1).mean(axis=0) - X[sign < 0.0].sum(axis=1).mean(axis=0)
    assert np.linalg.norm(gap) == pytest.approx(fitted.task.theta * fitted.R, rel=0.15)
    assert gap @ xi > 0.85 * np.linalg.norm(gap)


def test_tests_have_other_backgrounds_than_training(pilot):
    bags, signs, fitted, _ = pilot
    world = pilot_world(bags, signs, fitted, True)._replace(root=np.zeros((10, 10)))
    (X, _), (held_out, _) = world.draw(400, -50.0, 0.0, SEED)  # no noise and no signal
    known = {bag.round(6).tobytes() for bag in X}
    assert len(known) <= 46 and not any(bag.round(6).tobytes() in known for bag in held_out)


def test_a_signal_is_stronger_in_another_world(pilot):
    bags, signs, fitted, _ = pilot
    world = pilot_world(bags, signs, fitted, True)._replace(exponent=0.0)
    length = []
    for v in (0.0, np.log(2.0)):
        X, sign = world.draw(2000, v, 0.0, SEED).train
        gap = X[sign > 0.0].sum(axis=1).mean(axis=0) - X[sign < 0.0].sum(axis=1).mean(axis=0)
        length.append(np.linalg.norm(gap))
    assert length[1] == pytest.approx(2.0 * length[0], rel=0.1)


def test_of_many_features_the_variances_are_kept(pilot, monkeypatch):
    bags, signs, fitted, _ = pilot
    monkeypatch.setattr("needlescope.estimators.pilot.worlds.MOST_FEATURES", 5)
    world = pilot_world(bags, signs, fitted, True)
    assert world.root.shape == (10,)
    X, sign = world.draw(1000, 0.0, 0.0, SEED).train
    negative = np.concatenate([bags[int(k)] for k in np.flatnonzero(signs < 0.0)])
    assert X[sign < 0.0].reshape(-1, 10).std(axis=0) == pytest.approx(negative.std(axis=0), rel=0.2)
