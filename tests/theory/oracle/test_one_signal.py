"""The Bayes error of one signal token by Fourier integrals, against sampling and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.special import ndtr

import needlescope as ns
from needlescope.lattice import REPLICATES
from needlescope.theory.oracle.bayes import replicate_uniform
from needlescope.theory.oracle.one_signal import bayes_error


@pytest.mark.parametrize("theta", [0.5, 2.0, 5.0])
def test_a_single_token_is_a_known_direction(theta: float) -> None:
    result = bayes_error(1, theta, 0.5)
    assert abs(result.error - ndtr(-0.5 * theta)) <= result.uncertainty < 1e-7


def test_two_tokens_are_a_double_integral() -> None:
    """min(π p₊, (1 − π) p₋) over the plane, by ordinary quadrature."""
    theta, pi = 1.5, 0.3

    def least(y: float, x: float) -> float:
        noise = np.exp(-0.5 * (x * x + y * y)) / (2.0 * np.pi)
        ratio = 0.5 * (np.exp(theta * x) + np.exp(theta * y)) * np.exp(-0.5 * theta**2)
        return float(noise * min(pi * ratio, 1.0 - pi))

    plain = dblquad(least, -7.0, 9.0, -7.0, 9.0, epsabs=1e-6, epsrel=1e-6)[0]
    assert bayes_error(2, theta, pi).error == pytest.approx(plain, abs=3e-6)


@pytest.mark.parametrize(
    ("L", "theta", "pi"),
    [(10, 3.0, 0.5), (100, 2.0, 0.2), (1000, 3.72, 0.5), (1000, 4.5, 0.05), (10, 6.0, 0.9)],
)
def test_sampling_agrees(L: int, theta: float, pi: float) -> None:
    result = bayes_error(L, theta, pi)
    sampled = np.array([replicate_uniform(L, 1, theta, pi, 2**12, i) for i in range(REPLICATES)])
    assert result.uncertainty < 1e-7
    se = sampled.std(ddof=1) / np.sqrt(REPLICATES)
    assert abs(sampled.mean() - result.error) < 5.0 * se  # of 8 replicates: 1.6e-3 of the time


@pytest.mark.parametrize(("L", "theta", "pi"), [(10, 0.01, 0.05), (10, 0.1, 0.9), (10, 9.0, 0.5)])
def test_what_the_integral_does_not_resolve_is_sampled(L: int, theta: float, pi: float) -> None:
    assert not bayes_error(L, theta, pi).uncertainty < 1e-6
    result = ns.oracle(ns.Task(L=L, R=1, theta=theta, pi=pi), "bayes")
    assert 0.0 <= result.error <= min(pi, 1.0 - pi)
