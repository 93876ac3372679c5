"""The minima of the population: stationary, and as a plain search finds them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import needlescope as ns
from needlescope.losses import get_loss
from needlescope.theory.joint.prediction import problem_of
from needlescope.theory.joint.solutions.population import population_minima

FEW = ns.Task(L=4, R=1, theta=4.0, pi=0.4)


def plain_objective(task, training, z):
    """The penalised loss by plain sums over samples, with v on the first R tokens."""
    loss = get_loss(training.loss)

    def objective(x):
        total = 0.5 * (training.ridge_q * x[0] ** 2 + training.ridge * x[1] ** 2)
        for label, chance, strength in ((1.0, task.pi, task.theta), (-1.0, 1.0 - task.pi, 0.0)):
            scores = []
            for column in z.T:
                u = column.copy()
                u[: task.R] += strength
                weights = np.exp(x[0] * u)
                scores.append(x[1] * (weights @ u) / weights.sum() + x[2])
            scores = np.array(scores)
            total += chance * loss.value(scores, np.full(len(scores), label)).mean()
        return total

    return objective


@pytest.mark.parametrize("loss", ["logistic", "square"])
def test_the_minimum_is_that_of_a_plain_search(loss):
    training = ns.Training.joint(2.0, loss, ridge=0.05, ridge_q=0.02)
    z = np.random.default_rng(0).standard_normal((4, 60))
    (found,) = population_minima(problem_of(FEW, training), z)
    objective = plain_objective(FEW, training, z)
    options = {"xatol": 1e-7, "fatol": 1e-12, "maxiter": 4000}
    plain = minimize(objective, [1.5, 2.0, -1.0], method="Nelder-Mead", options=options)
    np.testing.assert_allclose([*found.M, found.b], plain.x, atol=1e-4)
    assert found.objective == pytest.approx(plain.fun, abs=1e-9)


def test_a_short_query_may_be_a_minimum_of_its_own():
    task = ns.Task(L=60, R=1, theta=4.0, pi=0.5)
    problem = problem_of(task, ns.Training.joint(1.0, ridge=0.15, ridge_q=0.15))
    z = np.random.default_rng(1).standard_normal((60, 2000))
    lowest, short = population_minima(problem, z)
    assert lowest.objective < short.objective - 0.01
    assert lowest.M[0] > 1.0 > 0.3 > short.M[0]
