"""The capacity (a conjecture) against the separability of simulated data sets.

At each d the chance that data are separable falls from one to zero as α grows; a probit curve
fitted to certified answers says where it is one half. That α at d and 2d, extrapolated in 1/d, is
compared with the capacity, in units of the fits' own errors.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_ndtr

import needlescope as ns
from tests.agreement.grid import BOTH
from tests.agreement.points import EASY, PLACES, SHORT, VERY_RARE

RELATIVE = np.linspace(0.8, 1.2, 9)
TRIALS = 45


def halfway(model, task, query, alpha, d, seed):
    """Fit P(separable) = Φ(slope (middle − α/α*)); return the middle and its standard error."""
    training = ns.Training(1.0, alpha * RELATIVE)
    result = ns.simulate_separability(
        task, training, model, d, TRIALS, [seed, d], query=query, n_jobs=1
    )
    sizes = np.round(alpha * RELATIVE * d) / (alpha * d)  # as drawn: whole numbers of samples
    won = result.trials["separable"].sum(axis=1)

    def surprise(at):
        z = at[1] * (at[0] - sizes)
        return -(won @ log_ndtr(z) + (TRIALS - won) @ log_ndtr(-z))

    at = minimize(surprise, np.array([1.0, 10.0]), method="Nelder-Mead", tol=1e-8).x
    z = at[1] * (at[0] - sizes)
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    chance = np.exp(log_ndtr(z))
    slopes = density[:, None] * np.stack([np.full(len(z), at[1]), at[0] - sizes], axis=1)
    information = (slopes * (TRIALS / (chance * (1 - chance)))[:, None]).T @ slopes
    return at[0], np.sqrt(np.linalg.inv(information)[0, 0])


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("model", "task", "query", "d"),
    [
        ("pooled", EASY, None, 40),
        pytest.param("pooled", VERY_RARE, None, 50, marks=pytest.mark.slow),
        ("attention", SHORT, ns.Query(1.5, 0.9), 30),
        pytest.param("attention", SHORT, ns.Query(1.0, 0.2), 60, marks=pytest.mark.slow),
        pytest.param("attention", EASY, ns.Query(0.6843, 0.9762), 24, marks=pytest.mark.slow),
        # capacities of 40 to 1,300, which rare samples limit
        *(
            pytest.param("attention", task, query, d, marks=pytest.mark.slow)
            for task, query, d in (
                (ns.Task(10, 3, 5.0, 0.5), ns.Query(0.6843, 0.9762), 24),
                (ns.Task(8, 2, 5.0, 0.5), ns.Query(1.0, 0.95), 40),
                (ns.Task(5, 2, 4.5, 0.3), ns.Query(2.0, 0.9), 30),
                (ns.Task(6, 3, 5.0, 0.5), ns.Query(1.5, 0.6), 50),
                (ns.Task(10, 1, 5.0, 0.1), ns.Query(1.5, 0.9), 40),
            )
        ),
        *(
            pytest.param(*asked, marks=pytest.mark.slow)  # random R and label noise
            for asked in (
                ("pooled", EASY.replace(label_noise=(0.1, 0.05)), None, 40),
                ("attention", BOTH, ns.Query(1.5, 0.9), 30),
            )
        ),
        ("vectorized", SHORT, None, 15),
        pytest.param("vectorized", PLACES, None, 20, marks=pytest.mark.slow),
    ],
)
def test_data_stop_being_separable_at_the_capacity(model, task, query, d):
    result = ns.capacity(task, model, query=query)
    (small, small_se), (large, large_se) = (
        halfway(model, task, query, result.alpha, size, seed=8) for size in (d, 2 * d)
    )
    limit = 2.0 * large - small
    error = np.hypot(np.hypot(2.0 * large_se, small_se), result.alpha_se / result.alpha)
    assert error < 0.05
    assert abs(limit - 1.0) < 4.0 * error, (small, large, error)
