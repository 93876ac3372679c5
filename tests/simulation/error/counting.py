"""Mistakes counted on real tokens, in plain NumPy: what an exact test error stands for."""

from __future__ import annotations

from itertools import combinations

import numpy as np

import needlescope as ns

COUNTED = 200_000
SIGMAS = 5.0
PAIRS = ns.Positions([(0, 1), (1, 2), (3, 4)], [0.6, 0.3, 0.1])


def correlation(L: int, rho: float) -> np.ndarray:
    tokens = np.arange(L)
    return rho ** np.abs(tokens[:, None] - tokens)


def draw(
    task: ns.Task, xi: np.ndarray, sigma: np.ndarray, rho: float, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Samples of a task, all at once and without the package."""
    rows, columns = np.linalg.cholesky(correlation(task.L, rho)), np.linalg.cholesky(sigma)
    X = rows @ rng.standard_normal((n, task.L, len(xi))) @ columns.T
    y = np.where(rng.random(n) < task.pi, 1.0, -1.0)
    if isinstance(task.positions, ns.Positions):
        sets, chances = task.positions.sets, task.positions.probabilities
    else:
        sets = tuple(combinations(range(task.L), task.R))
        chances = np.full(len(sets), 1.0 / len(sets))
    marks = np.zeros((len(sets), task.L))
    for row, item in zip(marks, sets, strict=True):
        row[list(item)] = task.theta
    lift = marks[rng.choice(len(sets), n, p=chances)] * (y > 0.0)[:, None]
    return X + lift[:, :, None] * xi, y


def counted(wrong: np.ndarray) -> tuple[float, float]:
    return float(wrong.mean()), float(wrong.std() / np.sqrt(len(wrong)))


def agree(found: tuple[float, float], truth: tuple[float, float]) -> None:
    error = np.hypot(found[1], truth[1])
    assert abs(found[0] - truth[0]) <= SIGMAS * error, (found, truth)


XI = np.array([1.0, 0.0, 0.0])
ONE = np.eye(3)
MIXED = np.array([[1.5, 0.6, -0.2], [0.6, 0.8, 0.1], [-0.2, 0.1, 0.5]])
Q, W = np.array([1.2, -0.4, 0.5]), np.array([0.9, 0.5, -0.3])
TASKS = {
    "plain": ns.Task(4, 1, 2.5, 0.5),
    "one token": ns.Task(1, 1, 2.0, 0.4),
    "two of five, rare": ns.Task(5, 2, 2.0, 0.1),
    "all": ns.Task(3, 3, 0.8, 0.6),
    "no signal": ns.Task(4, 2, 0.0, 0.3),
    "given positions": ns.Task(5, 2, 2.0, 0.5, positions=PAIRS),
}
LAWS = {
    "standard": (ONE, 0.0),
    "covariance": (MIXED, 0.0),
    "tokens": (ONE, 0.7),
    "both": (MIXED, -0.6),
}
