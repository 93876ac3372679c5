"""Stationary overlaps, jumps and phases: against the iteration itself and the free entropy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import needlescope as ns
from needlescope.theory.bayes.phases import (
    find_transition,
    iterate_overlaps,
    overlaps,
    phases,
    stationary_branch,
)
from needlescope.theory.bayes.posterior_mass import PosteriorMass, posterior_mass

LONG = ns.Task(1000, 1, 5.0, 0.5)
HUNDRED = ns.Task(100, 1, 4.0, 0.5)
SHORT = ns.Task(10, 1, 4.0, 0.5)


def iterated(task: ns.Task, table: PosteriorMass, samples: float, q: float) -> float:
    """The iteration from q, until it stands still."""
    for _ in range(20_000):
        field = samples * task.theta**2 * float(table(np.array([task.theta * np.sqrt(q)]))[0, 0])
        q, last = field / (1.0 + field), q
        if abs(q - last) < 1e-13:
            break
    return q


@pytest.mark.parametrize("task", [LONG, HUNDRED, SHORT], ids=["1000", "100", "10"])
@pytest.mark.parametrize("samples", [0.05, 0.14, 0.3, 0.7, 2.0])
def test_the_amp_overlap_is_where_state_evolution_from_zero_ends(
    task: ns.Task, samples: float
) -> None:
    table = posterior_mass(task, 2**8)
    branch = stationary_branch(task.theta, table)
    transition = find_transition(branch)
    optimal, amp = overlaps(branch, transition, np.array([samples]))
    assert amp[0] == pytest.approx(iterated(task, table, samples, 0.0), rel=2e-3, abs=1e-6)
    if phases(transition, np.array([samples]))[0] != "impossible":
        assert optimal[0] == pytest.approx(iterated(task, table, samples, 1.0), rel=2e-3)


def test_a_hundred_tokens_have_a_narrow_window_that_is_hard() -> None:
    """From nothing and from the truth the iteration ends in two places between the boundaries."""
    table = posterior_mass(HUNDRED, 2**12)
    transition = find_transition(stationary_branch(HUNDRED.theta, table))
    assert transition is not None
    for samples, apart in (
        (0.95 * transition.alpha_it, None),
        (0.14, True),
        (1.05 * transition.alpha_amp, False),
    ):
        low, high = (iterated(HUNDRED, table, samples, q) for q in (0.0, 1.0))
        if apart is not None:
            assert (high - low > 0.3) == apart
    assert 0.1 < transition.alpha_it < 0.14 < transition.alpha_amp < 0.18


def test_at_the_first_boundary_both_maxima_are_equally_high() -> None:
    """The free entropy itself, by quadrature in q, with E log Z as the integral of M."""
    task, table = LONG, posterior_mass(LONG, 2**10)
    transition = find_transition(stationary_branch(task.theta, table))
    assert transition is not None

    def slope(q: float) -> float:
        M = float(table(np.array([task.theta * np.sqrt(q)]))[0, 0])
        return 0.5 * (transition.alpha_it * task.theta**2 * M - q / (1.0 - q))

    lead = quad(slope, transition.low, transition.high, limit=400, epsabs=1e-9)[0]
    rise = quad(lambda q: max(slope(q), 0.0), transition.low, transition.high, limit=400)[0]
    assert abs(lead) < 2e-3 * rise
    assert slope(transition.low) == pytest.approx(0.0, abs=1e-4)
    assert slope(transition.high) == pytest.approx(0.0, abs=1e-2)


def test_few_tokens_have_one_phase() -> None:
    branch = stationary_branch(SHORT.theta, posterior_mass(SHORT, 2**8))
    assert find_transition(branch) is None
    samples = np.geomspace(1e-3, 1e3, 50)
    optimal, amp = overlaps(branch, None, samples)
    assert (phases(None, samples) == "easy").all() and (optimal == amp).all()
    assert (np.diff(optimal) > 0.0).all() and optimal[0] > 0.0 and optimal[-1] < 1.0


def test_the_path_ends_where_the_iteration_does() -> None:
    table = posterior_mass(HUNDRED, 2**8)
    result = iterate_overlaps(HUNDRED.theta, table, np.array([0.5]), 40)[0, :, 0]
    assert result[0] == 0.0 and (np.diff(result) >= -1e-12).all()
    assert result[-1] == pytest.approx(iterated(HUNDRED, table, 0.5, 0.0), rel=1e-6)
