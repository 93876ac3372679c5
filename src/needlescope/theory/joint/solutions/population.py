"""Joint training on infinitely many samples: the least penalised loss of the population.

There query and readout lie along the signal, q = m_q ξ and w = m_w ξ, and three numbers are left:

    min over (m_q, m_w, b) of E ℓ(m_w Σ_l a_l u_l + b; y) + (λ_q/2) m_q² + (λ_w/2) m_w²,
    u_l = θ v_l + z_l,   a = softmax(m_q u).

It is not convex: where the signal is hard to see among many tokens, a short query, close to
pooling, and a long one may both be minima.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from ....arrays import FloatArray
from ..equations.moments import Problem
from ..equations.samples import kinds_of

LONG = ((0.5, 2.0), (1.0, 3.0))  # starts: the query in multiples of θ, and the readout
SHORT = (0.02, 0.2)
SAME = 1e-4  # by which two minima must differ to be two
GRADIENT_TOL = 1e-6


class Population(NamedTuple):
    """A minimum: query and readout along the signal, the bias, and the objective."""

    M: FloatArray
    b: float
    objective: float


def population_minima(problem: Problem, z: FloatArray) -> list[Population]:
    """Return the lowest minimum, and that reached from a short query if it is another one.

    Means are over normal numbers z (L × n).
    """
    task, parts = problem.task, []
    for kind in kinds_of(task):
        u = z.copy()
        u[: kind.tokens] += task.theta
        parts.append((u, kind.label, kind.chance))

    def objective(x: FloatArray) -> tuple[float, FloatArray]:
        m_q, m_w, b = x
        value = 0.5 * (problem.ridge_q * m_q**2 + problem.ridge * m_w**2)
        slope = np.array([problem.ridge_q * m_q, problem.ridge * m_w, 0.0])
        for u, label, chance in parts:
            a = np.exp(m_q * u - (m_q * u).max(axis=0))
            a /= a.sum(axis=0)
            mean = np.einsum("ln,ln->n", a, u)
            spread = np.einsum("ln,ln,ln->n", a, u, u) - mean**2
            y = np.full(u.shape[1], label)
            score = m_w * mean + b
            value += chance * float(problem.loss.value(score, y).mean())
            pull = problem.loss.derivative(score, y)
            moved = (m_w * pull * spread).mean(), (pull * mean).mean(), pull.mean()
            slope += chance * np.array(moved)
        return value, slope

    prior = float(np.log(task.pi / (1.0 - task.pi)))
    options = {"gtol": GRADIENT_TOL}

    def reached(by: float, m_w: float) -> Population:
        start = [by * task.theta, m_w, prior]
        at = minimize(objective, start, jac=True, options=options)
        m_q, m_w, b = at.x if at.x[0] >= 0.0 else at.x * [-1.0, 1.0, 1.0]
        return Population(np.array([m_q, m_w]), float(b), float(at.fun))

    short = reached(*SHORT)
    lowest = min([*(reached(*start) for start in LONG), short], key=lambda item: item.objective)
    return [lowest] if short.objective - lowest.objective < SAME else [lowest, short]
