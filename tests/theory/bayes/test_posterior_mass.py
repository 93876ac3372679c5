"""Posterior mass on the signal tokens, against posteriors of drawn tokens."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import needlescope as ns
from needlescope.simulation.samples.sets import log_mean, memberships
from needlescope.theory.bayes.posterior_mass import posterior_mass

DRAWS = 20_000
SIGMAS = 4.5
PAIRS = ns.Positions([(0, 1), (1, 2), (0, 3)], [0.5, 0.3, 0.2])
SHAPES = {
    "one of 6": ns.Task(6, 1, 3.0, 0.5),
    "one of 200, in bulk": ns.Task(200, 1, 3.0, 0.5),
    "two of 7": ns.Task(7, 2, 3.0, 0.5),
    "five of 8, the others' complement": ns.Task(8, 5, 3.0, 0.5),
    "three of 150, in bulk": ns.Task(150, 3, 3.0, 0.5),
    "fifteen of 40, by the saddle": ns.Task(40, 15, 3.0, 0.5),
    "given pairs": ns.Task(4, 2, 3.0, 0.5, PAIRS),
}


def drawn(task: ns.Task, kappa: float) -> tuple[np.ndarray, np.ndarray]:
    """Return which tokens carry the signal, and tokens along an estimate that leaves κ of it."""
    rng = np.random.default_rng(3)
    draws = DRAWS if task.L < 100 else DRAWS // 4
    marked = np.zeros((draws, task.L))
    if isinstance(task.positions, ns.Positions):
        rows = task.positions.patterns(task.L)
        marked = rows[rng.choice(len(rows), draws, p=task.positions.probabilities)]
    else:
        marked[:, : task.R] = 1.0
    return marked, rng.standard_normal(marked.shape) + kappa * marked


@pytest.mark.sampled(15)
@pytest.mark.parametrize(("name", "kappa"), [*product(SHAPES, [1.7, 0.5])])
def test_both_forms_are_those_of_drawn_tokens(name: str, kappa: float) -> None:
    """E Σ_S p and E Σ p², the posterior written anew for the simulation."""
    task = SHAPES[name]
    marked, tokens = drawn(task, kappa)
    draws, p = len(tokens), memberships(task, kappa * tokens)
    mass = posterior_mass(task.replace(theta=1.7), 2**9)(np.array([kappa]))[0]
    own = float(mass[1:].std(ddof=1) / np.sqrt(8))
    for values in ((p * marked).sum(axis=1), (p * p).sum(axis=1)):
        near = np.hypot(values.std() / np.sqrt(draws), own) + 2e-4 * task.R  # and the spline
        assert abs(values.mean() - mass[0]) < SIGMAS * near


@pytest.mark.parametrize("name", SHAPES)
def test_it_is_the_slope_of_the_free_entropy(name: str) -> None:
    """E log Z of drawn tokens is the integral of κ M, from which phases take the largest Φ."""
    task, kappa = SHAPES[name], 1.7
    evidence = log_mean(task, kappa * drawn(task, kappa)[1]) - 0.5 * task.R * kappa**2
    steps = np.linspace(0.0, kappa, 401)
    M = posterior_mass(task.replace(theta=1.7), 2**9)(steps)
    mass = np.trapezoid(steps[:, None] * M, steps, axis=0)
    own = float(mass[1:].std(ddof=1) / np.sqrt(8))
    near = np.hypot(evidence.std() / np.sqrt(len(evidence)), own) + 2e-4 * task.R
    assert abs(evidence.mean() - mass[0]) < SIGMAS * near


@pytest.mark.parametrize("name", SHAPES)
def test_it_rises_from_chance_to_all(name: str) -> None:
    task = SHAPES[name].replace(theta=1.9)
    kappa = np.linspace(0.0, 1.9, 40)
    M = posterior_mass(task, 2**8)(kappa)[:, 0]
    if not isinstance(task.positions, ns.Positions):
        assert M[0] == pytest.approx(task.R**2 / task.L, rel=1e-9)
    assert (np.diff(M) > -1e-4 * task.R).all() and M[-1] < task.R


def test_a_strong_signal_is_recognised_in_all_tokens() -> None:
    for task in (ns.Task(6, 1, 50.0, 0.5), ns.Task(7, 2, 50.0, 0.5)):
        result = posterior_mass(task, 2**8)(np.array([9.5, 40.0]))
        assert result == pytest.approx(float(task.R), abs=1e-6)


def test_all_tokens_carry_it_or_one_is_all() -> None:
    for task in (ns.Task(1, 1, 2.0, 0.5), ns.Task(9, 9, 2.0, 0.5)):
        assert posterior_mass(task, 2**8)(np.array([0.0, 1.0, 2.0])) == pytest.approx(float(task.R))
