"""Starts find the signal: in white noise, under gains, and as near the limit as the theory says."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import needlescope as ns
from needlescope.estimators.fitting.lockstep.conductor import alone
from needlescope.estimators.fitting.lockstep.sight import Sight
from needlescope.estimators.fitting.ways import starts
from needlescope.models.blocks import Arrays
from tests.estimators.draws import draw


def found_by(start, X, y, weight):
    data = Arrays(X, y)
    return alone(data, start(Sight(data, weight)))


def signs(y):
    return np.where(y > 0, 1.0, -1.0)


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("L", "theta", "pi"), [(10, 4.0, 0.5), (30, 4.0, 0.3), (50, 5.0, 0.5)])
def test_iterated_attention_reaches_the_limit_of_learning(L, theta, pi):
    """Its squared cosine is the overlap that no learner exceeds, up to what d = 60 leaves."""
    task, d, n = ns.Task(L=L, R=1, theta=theta, pi=pi), 60, 300
    result = []
    for seed in range(6):
        X, y, xi = draw(task, d, n, seed=seed)
        query = found_by(starts.iterated, X, signs(y), np.full(n, 1.0 / n))
        result.append(cosine(query, xi) ** 2)
    limit = ns.bayes_optimal(task, n / d).overlap
    error = np.std(result, ddof=1) / np.sqrt(6)
    assert np.mean(result) == pytest.approx(limit, abs=4.0 * error + 1.0 / d)


def test_instances_are_not_told_again_what_they_said_themselves():
    """Without that correction the cosine after 12 rounds was 0.15 to 0.38 here."""
    X, y, xi = draw(ns.Task(L=100, R=1, theta=4.0, pi=0.5), 300, 200)
    start = partial(starts.iterated, rounds=12)
    assert cosine(found_by(start, X, signs(y), np.full(200, 1 / 200)), xi) > 0.7


def test_a_gain_of_each_bag_does_not_turn_the_contrast():
    rng = np.random.default_rng(0)
    X, y, xi = draw(ns.Task(L=20, R=2, theta=5.0, pi=0.5), 12, 400)
    moved = X + 3.0 * rng.standard_normal((400, 1, 12))
    plain, shifted = (
        found_by(starts.contrast, item, signs(y), np.full(400, 1 / 400)) for item in (X, moved)
    )
    assert cosine(plain, xi) > 0.9 and cosine(shifted, xi) > 0.9


def test_contrast_points_to_the_far_side():
    X, y, xi = draw(ns.Task(L=20, R=1, theta=6.0, pi=0.5), 8, 300)
    weight = np.full(300, 1 / 300)
    assert cosine(found_by(starts.contrast, X, signs(y), weight), xi) > 0.9
    assert cosine(found_by(starts.contrast, -X, signs(y), weight), -xi) > 0.9


@pytest.mark.parametrize("start", [starts.contrast, starts.iterated])
def test_bags_of_no_weight_have_no_say(start):
    X, y, _ = draw(ns.Task(L=10, R=1, theta=4.0, pi=0.5), 6, 200)
    rng = np.random.default_rng(1)
    both = np.concatenate([X, 9.0 * rng.standard_normal((50, 10, 6))])
    labels = np.concatenate([signs(y), signs(rng.integers(0, 2, 50))])
    weight = np.concatenate([np.full(200, 1 / 200), np.zeros(50)])
    alone = found_by(start, X, signs(y), np.full(200, 1 / 200))
    np.testing.assert_allclose(found_by(start, both, labels, weight), alone, atol=1e-8)
