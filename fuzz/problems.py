"""Draw random valid problems over the whole range.

L 2…4096, R 1…L, θ 0…50, π 0.001…0.999, α 0.05…200, ridge 1e-8…1e2, κ 0…50, s −1…1, all losses.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import needlescope as ns

LOSSES = ("square", "logistic", "hinge", "squared_hinge")
MODELS = ("attention", "pooled", "vectorized", "hard", "linear")


class Problem(NamedTuple):
    """One random problem."""

    task: ns.Task
    training: ns.Training
    query: ns.Query
    model: str


class Draws:
    """Random numbers over ranges, whose ends come up on purpose."""

    def __init__(self, seed: int, index: int) -> None:
        self.rng = np.random.default_rng([seed, index])

    def spread(self, low: float, high: float) -> float:
        """Draw evenly on a logarithmic scale."""
        return float(np.clip(np.exp(self.rng.uniform(np.log(low), np.log(high))), low, high))

    def one_of(self, *choices: float) -> float:
        """Draw one of several numbers."""
        return choices[self.rng.integers(len(choices))]

    def task(self, L: int) -> ns.Task:
        """Draw a task of L tokens."""
        rng, spread, one_of = self.rng, self.spread, self.one_of
        R = int(one_of(1, L, round(spread(1, L)), round(spread(1, L))))
        theta = one_of(0.0, 50.0, *rng.uniform(0.0, 50.0, 3), spread(0.01, 50.0), spread(0.1, 10.0))
        rare = spread(0.001, 0.5)
        pi = one_of(0.5, 0.001, 0.999, rng.uniform(0.001, 0.999), rare, 1.0 - rare)
        return ns.Task(L=L, R=R, theta=float(theta), pi=float(pi))


def draw(seed: int, index: int) -> Problem:
    """Return problem ``index`` of the sequence ``seed``."""
    draws = Draws(seed, index)
    rng, spread, one_of = draws.rng, draws.spread, draws.one_of
    task = draws.task(round(spread(2, 4096)))
    alphas = [one_of(0.05, 200.0, *(spread(0.05, 200.0) for _ in range(6))) for _ in range(2)]
    ridge = one_of(1e-8, 1e2, *(spread(1e-8, 1e2) for _ in range(6)))
    kappa = one_of(0.0, 50.0, rng.uniform(0.0, 50.0), *(spread(0.01, 50.0) for _ in range(3)))
    cosine = one_of(-1.0, 1.0, 0.0, *rng.uniform(-1.0, 1.0, 4))
    return Problem(
        task,
        ns.Training(
            alpha0=float(alphas[0]),
            alpha1=float(alphas[1]),
            loss=LOSSES[rng.integers(len(LOSSES))],
            ridge=float(ridge),
        ),
        ns.Query(float(kappa), float(cosine)),
        MODELS[rng.choice(5, p=[0.5, 0.1, 0.1, 0.1, 0.2])],
    )
