"""How instances are preprocessed: scaled, and with random features decided by their seed."""

from __future__ import annotations

import numpy as np

from needlescope.estimators import Bags
from needlescope.estimators.bags.moments import moments
from needlescope.estimators.bags.preprocessing import (
    FREQUENCIES,
    N_RANDOM_FEATURES,
    Preprocessing,
    draw_features,
)


def bags(n=40, d=3, dtype=float):
    rng = np.random.default_rng(0)
    return Bags.from_array((5.0 + 2.0 * rng.standard_normal((n, 6, d))).astype(dtype))


def fitted(preprocessing, X, used, weight, seed=0):
    return preprocessing.of(
        moments(X, used, weight, np.zeros(len(used), int), deep=False), [0], seed
    )


def test_cosines_are_appended_to_standardised_instances():
    X = bags()
    view = fitted(Preprocessing(1.0, True), X, np.arange(40), np.full(40, 1 / 40), seed=3)
    shown = view.apply(X.instances)
    assert shown.shape == (240, view.width) == (240, 3 + N_RANDOM_FEATURES)
    np.testing.assert_allclose(shown[:, :3].mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(shown[:, :3].std(axis=0), 1.0)
    W, c = view.random_features
    np.testing.assert_allclose(shown[:, 3:], np.cos(shown[:, :3] @ W + c))


def test_the_seed_alone_decides_the_random_features():
    some, all_ = (
        fitted(Preprocessing(1.0, True), bags(), np.arange(n), np.full(n, 1 / n), seed=1)
        for n in (20, 40)
    )
    other = fitted(Preprocessing(1.0, True), bags(), np.arange(40), np.full(40, 1 / 40), seed=2)
    assert (some.random_features.weights == all_.random_features.weights).all()
    assert (some.random_features.weights != other.random_features.weights).any()
    assert (some.scaling.centre != all_.scaling.centre).any()


def test_precision_is_kept():
    X = bags(dtype=np.float32)
    view = fitted(Preprocessing(1.0, True), X, np.arange(40), np.full(40, 1 / 40))
    assert view.apply(X.instances).dtype == np.float32


def test_instances_as_they_are():
    X = bags()
    view = fitted(Preprocessing(None), X, np.arange(40), np.full(40, 1 / 40))
    assert view.random_features is None and view.width == 3
    assert (view.apply(X.instances) == X.instances).all()


def test_sharpness_is_even_in_its_logarithm():
    drawn = draw_features(1, seed=0, count=40_000)
    result = np.log(np.abs(drawn.weights[0]))
    level = np.log(np.abs(np.random.RandomState(1).normal(size=40_000))).mean()
    middle = 0.5 * (np.log(FREQUENCIES[0]) + np.log(FREQUENCIES[1]))
    assert abs(result.mean() - level - middle) < 5.0 * result.std() * np.sqrt(2.0 / 40_000)
