"""The error of a decision on an estimate: against Bayes' own, and counted."""

from __future__ import annotations

import numpy as np
import pytest

import needlescope as ns
from needlescope.simulation.error.estimated import estimated_error
from needlescope.simulation.oracle import log_ratio

TASKS = [
    ns.Task(6, 1, 3.0, 0.5),
    ns.Task(90, 1, 3.5, 0.3),
    ns.Task(7, 3, 1.5, 0.2),
    ns.Task(4, 2, 2.5, 0.4, ns.Positions([(0, 1), (1, 2), (0, 3)], [0.5, 0.3, 0.2])),
]


@pytest.mark.parametrize("task", TASKS)
def test_a_known_signal_is_bayes(task: ns.Task) -> None:
    error, se = estimated_error(task, task.theta, 1.0, np.random.default_rng(0))
    told = ns.oracle(task, "bayes", tol=1e-3)
    assert abs(error - told.error) < 4.5 * np.hypot(se, told.error_se) + 1e-6


@pytest.mark.sampled(2)
@pytest.mark.parametrize("task", TASKS)
def test_a_poor_estimate_errs_as_it_is_counted_to(task: ns.Task) -> None:
    """Believing 0.8 θ where 0.6 θ is left, on tokens drawn one by one."""
    kappa, cosine, n = 0.8 * task.theta, 0.6, 40_000
    error, se = estimated_error(task, kappa, cosine, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, task.L))
    y = rng.random(n) < task.pi
    marked = np.zeros_like(x)
    if isinstance(task.positions, ns.Positions):
        rows = task.positions.patterns(task.L)
        marked = rows[rng.choice(len(rows), n, p=task.positions.probabilities)]
    else:
        marked[:, : task.R] = 1.0
    x += task.theta * cosine * marked * y[:, None]
    answer = log_ratio(task.replace(theta=kappa), x.astype(np.float32))
    wrong = ((answer > np.log((1.0 - task.pi) / task.pi)) != y).mean()
    assert abs(wrong - error) < 4.5 * np.hypot(np.sqrt(error * (1.0 - error) / n), se)


def test_no_estimate_answers_the_more_frequent_label() -> None:
    assert estimated_error(TASKS[2], 0.0, 0.0, np.random.default_rng(0)) == (0.2, 0.0)
