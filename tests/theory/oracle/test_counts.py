"""Least errors where the number of signal tokens is random: limits, and integrals by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import ndtr

import needlescope as ns
from needlescope.theory.oracle.counts import count_of, most, pairs

TASK = ns.Task(L=6, R=2, theta=4.0, pi=0.4)
ALMOST = TASK.replace(R=ns.SignalCount([0, 2, 5], [1e-12, 1.0 - 2e-12, 1e-12]))
MIXED = TASK.replace(R=ns.SignalCount([0, 1, 3], [0.2, 0.5, 0.3]))


def test_a_count_is_a_number_or_pairs():
    assert count_of(TASK) == 2 and pairs(2) == ((2, 1.0),)
    assert pairs(count_of(MIXED)) == ((0, 0.2), (1, 0.5), (3, 0.3))
    assert most(count_of(MIXED)) == 3 and most(2) == 2


def test_label_noise_does_not_change_what_can_be_known():
    assert ns.oracle(MIXED.replace(label_noise=0.3), "hard").error == ns.oracle(MIXED, "hard").error


@pytest.mark.parametrize("model", ["pooled", "hard", "attention", "linear", "bayes"])
def test_a_count_that_is_all_but_certain_has_the_oracle_of_that_number(model):
    result, plain = (ns.oracle(task, model, tol=1e-3) for task in (ALMOST, TASK))
    error = np.hypot(result.error_se, plain.error_se)
    assert abs(result.error - plain.error) <= 1e-8 + 3.0 * error


def test_the_pooled_oracle_of_a_random_count_minimises_a_mixture_of_errors():
    means = TASK.theta * np.array([0.0, 1.0, 3.0]) / np.sqrt(TASK.L)

    def error(tau):
        return TASK.pi * np.dot([0.2, 0.5, 0.3], ndtr(tau - means)) + (1.0 - TASK.pi) * ndtr(-tau)

    least = minimize_scalar(error, bounds=(-5.0, 10.0), method="bounded", options={"xatol": 1e-9})
    assert ns.oracle(MIXED, "pooled").error == pytest.approx(least.fun, abs=1e-9)


def test_the_bayes_error_of_a_random_count_is_that_of_two_tokens_on_a_grid():
    """Two tokens, none, one or both of them with a signal: the integral over the plane."""
    theta, pi, chances = 2.0, 0.3, (0.2, 0.5, 0.3)
    x = np.linspace(-8.0, 10.0, 1201)
    noise = np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi)
    signal = np.exp(-0.5 * (x - theta) ** 2) / np.sqrt(2.0 * np.pi)
    negative = np.outer(noise, noise)
    item = 0.5 * (np.outer(noise, signal) + np.outer(signal, noise))
    positive = chances[0] * negative + chances[1] * item + chances[2] * np.outer(signal, signal)
    expected = np.minimum(pi * positive, (1.0 - pi) * negative).sum() * (x[1] - x[0]) ** 2
    task = ns.Task(2, ns.SignalCount([0, 1, 2], chances), theta, pi)
    result = ns.oracle(task, "bayes", tol=5e-4)
    assert abs(result.error - expected) < 1e-5 + 4.0 * result.error_se


def test_the_bayes_error_of_a_random_count_among_many_tokens_is_near_that_of_its_number():
    almost = ns.SignalCount([1, 2], [1.0 - 1e-12, 1e-12])
    result, plain = (ns.oracle(ns.Task(200, R, 4.0, 0.5), "bayes", tol=2e-3) for R in (almost, 1))
    assert abs(result.error - plain.error) < 4.0 * np.hypot(result.error_se, plain.error_se)
