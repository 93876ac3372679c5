"""How instances are shown: scaled, and with cosines whose seed alone decides them."""

from __future__ import annotations

import numpy as np

from needlescope.estimators import Bags
from needlescope.estimators.bags.views import COUNT, SHARPNESS, Glass, draw_waves


def bags(n=40, d=3, dtype=float):
    rng = np.random.default_rng(0)
    return Bags.from_array((5.0 + 2.0 * rng.standard_normal((n, 6, d))).astype(dtype))


def test_cosines_stand_beside_standardised_instances():
    X = bags()
    view = Glass(1.0, True).fit(X, np.arange(40), np.full(40, 1 / 40), seed=3)
    shown = view.apply(X.instances)
    assert shown.shape == (240, view.width) == (240, 3 + COUNT)
    np.testing.assert_allclose(shown[:, :3].mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(shown[:, :3].std(axis=0), 1.0)
    W, c = view.waves
    np.testing.assert_allclose(shown[:, 3:], np.cos(shown[:, :3] @ W + c))


def test_the_seed_alone_decides_the_cosines():
    some, all_ = (
        Glass(1.0, True).fit(bags(), np.arange(n), np.full(n, 1 / n), seed=1) for n in (20, 40)
    )
    other = Glass(1.0, True).fit(bags(), np.arange(40), np.full(40, 1 / 40), seed=2)
    assert (some.waves.weights == all_.waves.weights).all()
    assert (some.waves.weights != other.waves.weights).any()
    assert (some.scaling.centre != all_.scaling.centre).any()


def test_precision_is_kept():
    X = bags(dtype=np.float32)
    view = Glass(1.0, True).fit(X, np.arange(40), np.full(40, 1 / 40))
    assert view.apply(X.instances).dtype == np.float32


def test_instances_as_they_are():
    X = bags()
    view = Glass(None).fit(X, np.arange(40), np.full(40, 1 / 40))
    assert view.waves is None and view.width == 3
    assert (view.apply(X.instances) == X.instances).all()


def test_sharpness_is_even_in_its_logarithm():
    waves = draw_waves(1, 40_000, *SHARPNESS, np.random.RandomState(0))
    found = np.log(np.abs(waves.weights[0]))
    level = np.log(np.abs(np.random.RandomState(1).normal(size=40_000))).mean()
    middle = 0.5 * (np.log(SHARPNESS[0]) + np.log(SHARPNESS[1]))
    assert abs(found.mean() - level - middle) < 5.0 * found.std() * np.sqrt(2.0 / 40_000)
