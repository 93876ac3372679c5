"""Linear oracles against brute force: every direction u, many starts."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import ndtr

import needlescope as ns
from needlescope.theory.oracle.least_error import oracle
from needlescope.theory.oracle.linear import given_positions, pooled, vectorized


def brute_force(patterns: np.ndarray, theta: float, pi: float, starts: int) -> float:
    """Least error over all weights u and thresholds, by BFGS from many starts."""
    L = patterns.shape[1]
    rng = np.random.default_rng(1)

    def error(x: np.ndarray) -> tuple[float, np.ndarray]:
        norm = np.sqrt(x[:L] @ x[:L])
        u, tau = x[:L] / norm, x[L]
        gap = tau - theta * patterns @ u
        density = pi * np.exp(-0.5 * gap**2) / np.sqrt(2.0 * np.pi) / len(patterns)
        slope = -theta * density @ patterns
        edge = (1.0 - pi) * np.exp(-0.5 * tau**2) / np.sqrt(2.0 * np.pi)
        value = pi * ndtr(gap).mean() + (1.0 - pi) * ndtr(-tau)
        return value, np.append((slope - (slope @ u) * u) / norm, density.sum() - edge)

    best = min(pi, 1.0 - pi)
    for k in range(starts):
        few = np.r_[np.ones(1 + k % L), np.zeros(L - 1 - k % L)]
        u = few + 0.1 * rng.normal(size=L) if k < L else rng.normal(size=L)
        start = np.append(u, rng.normal(1.0, 2.0))
        result = minimize(error, start, jac=True, method="BFGS", options={"gtol": 1e-10})
        best = min(best, result.fun)
    return best


def all_patterns(L: int, R: int) -> np.ndarray:
    return np.array(
        [[float(k in s) for k in range(L)] for s in itertools.combinations(range(L), R)]
    )


def check_two_levels(L: int, R: int, theta: float, pi: float, starts: int) -> None:
    two_levels = vectorized(L, R, theta, pi).error
    brute = brute_force(all_patterns(L, R), theta, pi, starts)
    assert two_levels == pytest.approx(brute, abs=1e-7 * min(pi, 1.0 - pi))
    assert two_levels <= pooled(L, R, theta, pi).error


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("L", "R", "theta", "pi"),
    [
        (2, 1, 2.0, 0.1),  # one token
        (3, 1, 5.0, 0.01),  # two of three
        (5, 2, 2.0, 0.01),  # one, the rest at a third of its weight
        (6, 1, 8.0, 0.01),  # five of six
        (6, 3, 1.0, 0.02),
        (8, 2, 3.0, 0.01),
        (8, 1, 3.0, 0.5),  # even weights
        (5, 3, 1.5, 0.9),  # even weights
    ],
)
def test_best_weights_have_two_levels(L: int, R: int, theta: float, pi: float) -> None:
    check_two_levels(L, R, theta, pi, starts=16)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_best_weights_have_two_levels_anywhere(seed: int) -> None:
    rng = np.random.default_rng(seed)
    L = int(rng.integers(2, 9))
    R = int(rng.integers(1, min(L, 5)))
    pi = float(np.exp(rng.uniform(np.log(0.002), np.log(0.5))))
    theta = float(np.exp(rng.uniform(np.log(0.5), np.log(6.0))) / np.sqrt(R))
    check_two_levels(L, R, theta, pi, starts=24)


@pytest.mark.parametrize(("L", "k"), [(1000, 7), (100_000, 30), (100_000, 2000)])
def test_long_sequences_find_the_best_number_of_tokens(L: int, k: int) -> None:
    # R = 1: watching k tokens evenly is one of the candidates
    theta, pi = 3.0 * np.sqrt(k), 0.01
    tau = np.linspace(0.0, 8.0, 2001)
    miss = (k * ndtr(tau - theta / np.sqrt(k)) + (L - k) * ndtr(tau)) / L
    watching_k = (pi * miss + (1.0 - pi) * ndtr(-tau)).min()
    assert vectorized(L, 1, theta, pi).error <= watching_k + 1e-10


@pytest.mark.parametrize("pi", [0.01, 0.5, 0.9])
def test_pooled_is_the_minimum_over_thresholds(pi: float) -> None:
    snr = 1.3
    tau = np.linspace(-8.0, 8.0, 200_001)
    least = (pi * ndtr(tau - snr) + (1.0 - pi) * ndtr(-tau)).min()
    result = pooled(9, 3, 1.3, pi)
    assert result.error == pytest.approx(least, abs=1e-9)
    task = ns.Task(L=9, R=3, theta=1.3, pi=pi)
    assert oracle(task, "pooled").threshold == pytest.approx(result.threshold / 3.0)


# ---------------------------------------------------------------- given positions


def test_a_fixed_pattern_is_a_known_direction() -> None:
    for R in (1, 4):
        result = given_positions(20, 1.2, 0.3, ns.Positions([range(R)]))
        assert result.error == pytest.approx(pooled(1, 1, 1.2 * np.sqrt(R), 0.3).error, abs=1e-10)


def test_all_patterns_at_once_are_uniform_positions() -> None:
    L, R = 4, 2
    every = ns.Positions(list(itertools.combinations(range(L), R)))
    for theta, pi in [(1.0, 0.3), (2.0, 0.01)]:
        given = ns.Task(L=L, R=R, theta=theta, pi=pi, positions=every)
        uniform = ns.Task(L=L, R=R, theta=theta, pi=pi)
        assert oracle(given, "vectorized").error == pytest.approx(
            oracle(uniform, "vectorized").error, abs=1e-8
        )
        limits = oracle(given, "bayes"), oracle(uniform, "bayes")
        spread = np.hypot(limits[0].error_se, limits[1].error_se)
        assert limits[0].error == pytest.approx(limits[1].error, abs=4.0 * spread)


@pytest.mark.slow
def test_unequal_patterns_against_brute_force() -> None:
    positions = ns.Positions([(0, 1), (1, 2), (4, 5)])
    patterns = positions.patterns(6)
    for theta, pi in [(1.5, 0.5), (2.5, 0.02)]:
        result = given_positions(6, theta, pi, positions).error
        assert result == pytest.approx(brute_force(patterns, theta, pi, 40), abs=1e-8)


def test_given_positions_keep_the_order_of_the_models() -> None:
    positions = ns.Positions([(0, 1, 2), (2, 3, 4), (90_000, 95_000, 99_999)], [0.5, 0.3, 0.2])
    task = ns.Task(L=100_000, R=3, theta=1.5, pi=0.4, positions=positions)
    limit = oracle(task, "bayes")
    flat = oracle(task, "vectorized").error
    assert limit.error - 3.0 * limit.error_se <= flat < oracle(task, "pooled").error


def test_too_many_patterns_for_the_bayes_error_are_refused() -> None:
    positions = ns.Positions([(k,) for k in range(300)])
    task = ns.Task(L=300, R=1, theta=1.0, pi=0.5, positions=positions)
    with pytest.raises(ValueError, match="at most 250 linearly independent sets"):
        oracle(task, "bayes")
    assert oracle(task, "vectorized").error <= oracle(task, "pooled").error
