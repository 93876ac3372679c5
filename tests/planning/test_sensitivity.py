"""Derivatives of the predicted error against differences of `predict`."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns

STEP = 0.02
HOW = {"alpha0": 4.0, "ridge": 0.1, "balanced": True, "eta_q": 100.0}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("task", "model"),
    [
        (ns.Task(L=10, R=1, theta=5.0, pi=0.5), "attention"),
        (ns.Task(L=10, R=1, theta=5.0, pi=0.3), "pooled"),
        (ns.Task(L=6, R=1, theta=5.0, pi=0.3), "vectorized"),
    ],
)
def test_derivatives_are_those_of_differences(task, model):
    training = ns.Training(alpha1=4.0, **HOW)
    result = ns.sensitivity(task, training, model)

    def error(one=task, **changes):
        how = training.replace(**changes)
        return ns.predict(one, how, model, tol=1e-4).test_error

    def difference(at):
        return (at(STEP) - at(-STEP)) / (2.0 * STEP)

    loose = {"abs": 2e-3 if model == "attention" else 1e-4, "rel": 0.02}
    theta = difference(lambda by: error(task.replace(theta=task.theta * (1 + by)))) / task.theta
    pi = difference(lambda by: error(task.replace(pi=task.pi * (1 + by)))) / task.pi
    data = difference(lambda by: error(alpha1=4.0 * np.exp(by)))
    ridge = difference(lambda by: error(ridge=0.1 * np.exp(by)))
    assert result.theta == pytest.approx(theta, **loose)
    assert result.pi == pytest.approx(pi, **loose)
    assert result.alpha1 == pytest.approx(data, **loose)
    assert result.ridge == pytest.approx(ridge, **loose)
    assert result.n == pytest.approx(result.alpha0 + result.alpha1)
    assert result.R < 0.0


def test_where_nothing_is_learned_nothing_moves():
    task = ns.Task(L=10, R=1, theta=0.0, pi=0.2)
    result = ns.sensitivity(task, ns.Training(alpha1=4.0, ridge=10.0), "pooled")
    assert result.theta == 0.0


def test_no_further_token_can_carry_the_signal_where_all_do():
    assert np.isnan(ns.sensitivity(ns.Task(1, 1, 2.0, 0.5), ns.Training(4.0, 1.0)).R)


@pytest.mark.slow
def test_the_derivative_in_theta_has_no_error_of_its_step():
    """A step of 0.02 in log θ gave −0.0492; `predict` at five times as fine a law −0.0478."""
    result = ns.sensitivity(ns.Task(10, 1, 5.0, 0.5), ns.Training(4.0, 1.0))
    assert result.theta == pytest.approx(-0.0478, rel=4e-3)
    assert "theta: dE/dθ" in str(result) and "n: dE/d log n" in str(result)
