"""capacity: against a direct minimisation, its scaling, its limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import ndtr

import needlescope as ns
from needlescope.theory.common.provenance import CAPACITY


def direct(theta_over, pi, directions=1):
    """1/α* of a single Gaussian direction with mean ``theta_over`` and unit variance."""

    def value(at):
        mu, b = at
        nu = np.sqrt(1.0 + mu * mu)
        total = 0.0
        for y, chance, mean in ((1, pi, theta_over), (-1, 1.0 - pi, 0.0)):
            x = -y * (mu * mean + b) / nu
            density = np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi)
            total += chance * nu * nu * ((1.0 + x * x) * ndtr(x) + x * density)
        return total

    options = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 4000}
    return minimize(value, [0.1, 0.0], method="Nelder-Mead", options=options).fun


@pytest.mark.parametrize("pi", [0.5, 0.1, 0.97])
@pytest.mark.parametrize("theta", [0.0, 1.0, 5.0])
def test_pooled_is_a_two_parameter_minimisation(theta, pi):
    result = ns.capacity(ns.Task(L=4, R=2, theta=theta, pi=pi), "pooled")
    assert result.alpha == pytest.approx(1.0 / direct(theta * 2 / np.sqrt(4), pi), rel=1e-7)
    assert result.provenance == CAPACITY and CAPACITY.startswith("conjecture")


def test_pure_noise_has_cover_s_capacity():
    assert ns.capacity(ns.Task(7, 1, 0.0, 0.5), "pooled").alpha == pytest.approx(2.0)


@pytest.mark.parametrize("L", [2, 10, 333])
def test_pooled_is_vectorized_over_L(L):
    task = ns.Task(L, 1, 3.0, 0.3)
    flat = ns.capacity(task, "vectorized").alpha
    assert ns.capacity(task, "pooled").alpha == pytest.approx(flat / L, rel=1e-9)


def test_attention_with_no_query_is_pooling():
    task = ns.Task(10, 2, 3.0, 0.3)
    result = ns.capacity(task, "attention", query=ns.Query(0.0, 0.4))
    assert result.alpha == pytest.approx(ns.capacity(task, "pooled").alpha, rel=1e-9)


def test_overwhelming_signals_are_always_separable():
    assert ns.capacity(ns.Task(100, 100, 50.0, 0.5), "pooled").alpha == np.inf


def test_grids_broadcast():
    result = ns.capacity(ns.Task(10, 1, [0.0, 2.0, 4.0], 0.5), "pooled")
    assert result.alpha.shape == (3,)
    assert (np.diff(result.alpha) > 0.0).all()


def test_attention_needs_a_query():
    with pytest.raises(ValueError, match="depends on its query"):
        ns.capacity(ns.Task(10, 1, 2.0, 0.5), "attention")
    with pytest.raises(ValueError, match="model must be one of"):
        ns.capacity(ns.Task(10, 1, 2.0, 0.5), "mean")


def test_a_capacity_that_rests_on_rare_samples_says_about_how_large_it_is(monkeypatch):
    """At L = 10, R = 3, θ = 5 it is about 1,300, far from infinite."""
    task, query = ns.Task(10, 3, 5.0, 0.5), ns.Query(0.6843, 0.9762)
    monkeypatch.setattr("needlescope.theory.saddle.rare_separability.LAST_POINTS", 2**10)
    with pytest.raises(ns.NotConverged, match=r"uncertainty of the capacity, about 1\.3e\+03, is"):
        ns.capacity(task, query=query, tol=1e-4)
    result = ns.capacity(task, query=query)
    assert result.alpha == pytest.approx(1313.8, rel=0.01)


def test_only_whitened_strength_matters_in_noise_with_a_spectrum():
    noise = ns.Noise(spectrum=ns.Spectrum.two_levels(high=4.0, low=0.25, share=0.2))
    task = ns.Task(6, 1, 2.0, 0.5, noise=noise, signal="loud")
    for model, query in (("pooled", None), ("attention", ns.Query(1.0, 0.7))):
        result = ns.capacity(task, model, query=query).alpha
        assert result == ns.capacity(task.replace(theta=1.0, noise=None, signal=None), model,
                                     query=query).alpha  # fmt: skip
