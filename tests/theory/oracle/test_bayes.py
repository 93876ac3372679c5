"""The Bayes error against plain Monte Carlo with exact symmetric polynomials."""

import numpy as np
import pytest

import needlescope as ns
from needlescope.theory.oracle.least_error import oracle
from needlescope.theory.oracle.symmetric import log_binomial


def log_polynomial(logits: np.ndarray, r: int) -> np.ndarray:
    """Return log e_r of e^logits for each row, by the plain recurrence."""
    result = np.zeros((r + 1, len(logits)))
    result[0] = 1.0
    for factor in np.exp(logits.T):
        result[1:] += factor * result[:-1]
    return np.asarray(np.log(result[r]))


def brute_force(
    L: int, R: int, theta: float, pi: float, samples: int, seed: int
) -> tuple[float, float]:
    """Return the mean of the smaller posterior over both labels, and its standard error."""
    rng = np.random.default_rng(seed)
    values = []
    for positive in (True, False):
        x = rng.normal(size=(samples, L))
        if positive:
            x[:, :R] += theta
        log_ratio = log_polynomial(theta * x, R) - log_binomial(L, R) - 0.5 * R * theta**2
        odds = np.exp(np.clip(log_ratio + np.log(pi / (1.0 - pi)), -300.0, 300.0))
        values.append((pi if positive else 1.0 - pi) * np.minimum(odds, 1.0) / (1.0 + odds))
    mean = sum(float(value.mean()) for value in values)
    return mean, float(np.sqrt(sum(value.var() for value in values) / samples))


def check(L: int, R: int, theta: float, pi: float, samples: int, seed: int = 0) -> None:
    result = oracle(ns.Task(L=L, R=R, theta=theta, pi=pi), "bayes")
    mean, se = brute_force(L, R, theta, pi, samples, seed)
    assert result.error == pytest.approx(mean, abs=4.0 * np.hypot(se, result.error_se))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("pi", [0.1, 0.5, 0.8])
@pytest.mark.parametrize(("R", "theta"), [(1, 2.0), (2, 1.5), (3, 1.2), (5, 0.8), (9, 0.5)])
def test_ten_tokens(R: int, theta: float, pi: float) -> None:
    check(10, R, theta, pi, 200_000)


@pytest.mark.sampled(9)
@pytest.mark.parametrize(
    ("L", "R", "theta", "pi"),
    [
        (100, 1, 3.0, 0.5),
        (100, 5, 1.5, 0.2),
        (100, 50, 0.3, 0.5),
        (100, 95, 0.2, 0.3),
        (150, 8, 1.3, 0.5),  # a bulk under the series
        (150, 20, 0.9, 0.5),  # a bulk under the saddle point
        (150, 40, 0.5, 0.3),  # and one in each group
    ],
)
def test_more_tokens(L: int, R: int, theta: float, pi: float) -> None:
    check(L, R, theta, pi, min(20_000, 400_000 // R))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("L", "R", "theta", "pi"),
    [
        (100, 13, 1.0, 0.5),
        (200, 20, 0.9, 0.4),
        (400, 15, 1.2, 0.5),
        (400, 60, 0.5, 0.3),
        (1000, 5, 2.2, 0.4),
        (1000, 100, 0.6, 0.5),
    ],
)
def test_many_tokens(L: int, R: int, theta: float, pi: float) -> None:
    check(L, R, theta, pi, min(1_000_000 // R, 20_000_000 // L), seed=1)


@pytest.mark.parametrize("pi", [0.1, 0.5, 0.8])
def test_one_given_token_is_a_known_direction(pi: float) -> None:
    task = ns.Task(L=5, R=1, theta=2.0, pi=pi, positions=ns.Positions([(3,)]))
    result = oracle(task, "bayes")
    alone = oracle(ns.Task(L=1, R=1, theta=2.0, pi=pi), "pooled").error
    assert result.error == pytest.approx(alone, abs=4.0 * result.error_se + 1e-6)
