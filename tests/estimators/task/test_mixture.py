"""Mixtures of noise and of noise with a signal."""

from __future__ import annotations

import numpy as np
import pytest

from needlescope.estimators.task.mixture import fit_mixture, not_normal, spread, to_normal


def test_a_mixture_is_found_whatever_the_noise():
    rng = np.random.default_rng(0)
    noise, seen = (rng.gumbel(size=8000) for _ in range(2))
    seen[:1200] += 3.0
    result = fit_mixture(noise, seen, 0.01)
    assert abs(result.share - 0.15) < 3.5 * result.share_se < 0.05
    assert abs(result.shift - 3.0) < 3.5 * result.shift_se < 0.5
    assert fit_mixture(noise, seen, 0.01, share=0.15).share == pytest.approx(0.15)


def test_the_spread_of_a_signal_that_varies():
    rng = np.random.default_rng(0)
    noise, seen = rng.standard_normal(8000), rng.standard_normal(8000)
    seen[:2000] = 5.0 + 2.0 * rng.standard_normal(2000)
    assert spread(seen, noise, fit_mixture(noise, seen, 0.01)) == pytest.approx(2.0, abs=0.25)


def test_the_normal_scale_keeps_order_and_normal_numbers():
    rng = np.random.default_rng(0)
    noise = rng.standard_normal(20000)
    at = np.linspace(-5.0, 5.0, 201)
    z = to_normal(noise, at)
    assert (np.diff(z) > 0.0).all()
    assert np.abs(z - at).max() < 0.5
    assert np.abs(z - at)[40:161].max() < 0.1


def test_slight_departures_are_let_be_however_sure():
    """On a scale continued from few numbers a shift of 3.4 in normal noise was taken for 3.9."""
    slight = {"skewness": 0.1, "kurtosis": 2.77}
    assert not not_normal(slight, 10**6, 3.0)
    assert not_normal({"skewness": 0.2, "kurtosis": 3.0}, 10**6, 3.0)
    assert not_normal({"skewness": 0.0, "kurtosis": 3.4}, 10**6, 3.0)
    assert not not_normal({"skewness": 0.2, "kurtosis": 3.4}, 100, 3.0)
