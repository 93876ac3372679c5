"""Laws of features to solve the saddle problem for, and points of it."""

from __future__ import annotations

import numpy as np

import needlescope as ns
from needlescope.models import pooled, vectorized
from needlescope.models.nodes import JointLaw
from needlescope.theory.law.attention import attention_limit
from needlescope.theory.law.ladder import Level
from needlescope.theory.saddle.problem import OrderParameters

PAIRS = ns.Positions([(0, 1), (1, 2)], [0.75, 0.25])
LAWS = {
    "pooled": lambda: pooled.limit(ns.Task(10, 1, 5.0, 0.5)).law(0.3),
    "vectorized": lambda: vectorized.limit(ns.Task(6, 2, 2.0, 0.5)).law(0.5),
    "positions": lambda: vectorized.limit(ns.Task(4, 2, 3.0, 0.5, PAIRS)).law(0.2),
    "attention": lambda: attention_limit(6, 2, 3.0, 1.0, 0.9, Level(512, 32)).law(0.3),
}


def random_law(rng: np.random.Generator, nodes: int, directions: int) -> JointLaw:
    """Any law at all: random means, variances, labels and weights."""
    y = np.where(np.arange(nodes) % 2 == 0, 1.0, -1.0)
    weight = rng.dirichlet(np.ones(nodes))
    m = rng.normal(size=(nodes, directions)) + y[:, None] * rng.normal(size=directions)
    tau = rng.uniform(0.01, 2.0, (nodes, directions))
    return JointLaw(y, m, tau, rng.uniform(0.01, 1.0, nodes), weight, weight[None])


def random_point(rng: np.random.Generator, k: int) -> OrderParameters:
    return OrderParameters(
        rng.normal(size=k),
        float(rng.normal()),
        float(np.exp(rng.uniform(-1.0, 1.0))),
        float(np.exp(rng.uniform(-2.0, 1.5))),
    )


def as_array(at: OrderParameters) -> np.ndarray:
    return np.array([*at.mu, at.b, at.rho, at.t])


def as_point(x: np.ndarray) -> OrderParameters:
    return OrderParameters(x[:-3], float(x[-3]), float(x[-2]), float(x[-1]))


def perturbed(at: OrderParameters, size: float, seed: int) -> OrderParameters:
    return at.moved(size * np.random.default_rng(seed).normal(size=len(at.mu) + 3))
