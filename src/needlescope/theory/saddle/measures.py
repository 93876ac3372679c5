"""Test error, train loss and train error of a readout, with standard errors.

    test error  = E Φ(−y m/√V)
    train loss  = Ψ + g Ψ_g
    train error = E Φ(y (g ℓ'(0; y) − m)/√V)

The law's replicates give independent estimates of each: replicate r averages with its own
weights, and its residual of the stationarity equations moves the solution by −H⁻¹ times that
residual. The coarse law is one more estimate; its distance from the fine one measures the error of
compression.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from ...arrays import FloatArray
from ...losses import Loss
from ...models.nodes import JointLaw
from ..law.ladder import sampling_error, standard_error
from .envelope import density
from .problem import Chain, OrderParameters, Saddle
from .readout import Readout


class Measures(NamedTuple):
    """Test error, train loss, train error, in this order, and their standard errors.

    ``sampling`` are the errors without those of compression. ``others`` are the solutions of the
    replicates, to first order, and of the coarse law last.
    """

    values: FloatArray
    errors: FloatArray
    sampling: FloatArray
    others: list[OrderParameters]


class _Table(NamedTuple):
    """Rows at the nodes of a law: quantities first, then contributions to the residuals."""

    law: JointLaw
    rows: FloatArray

    def average(self, replicated: bool) -> FloatArray:
        return (self.law.replicas if replicated else self.law.weight[None]) @ self.rows


def measure(readout: Readout, test: JointLaw, coarse: tuple[JointLaw, JointLaw]) -> Measures:
    """Return the measures of a readout on its training data and on the law ``test``.

    ``coarse`` holds both laws, of training and of test, at the lower resolution.
    """
    at, problem = readout.point, readout.problem
    if readout.local is None:
        return _measure_constant(problem, test, at.b)
    chain = problem.chain(at) if readout.local.chain is None else readout.local.chain
    train_table, test_table = _train_table(problem.loss, problem.law, chain), _test_table(test, at)
    mean = _estimates(train_table, test_table, False)
    if len(problem.law.replicas) == len(test.replicas) == 1:  # no sampling error
        return Measures(mean[0, :3], np.zeros(3), np.zeros(3), [])
    replicated = _estimates(train_table, test_table, True)
    slopes = _slopes(problem, chain, test, at)
    other = replace(problem, law=coarse[0])
    rough = _estimates(
        _train_table(problem.loss, coarse[0], other.chain(at)), _test_table(coarse[1], at), False
    )
    differences = np.concatenate([replicated, rough]) - mean
    moves = -np.linalg.solve(readout.local.hessian, differences[:, 3:].T).T
    shifts = differences[:, :3] + moves @ slopes.T
    others = [at.shifted(move) for move in moves]
    return Measures(mean[0, :3], standard_error(shifts), sampling_error(shifts), others)


def _estimates(train: _Table, test: _Table, replicated: bool) -> FloatArray:
    """Test error, train loss, train error, residuals…; one row for each set of weights."""
    fresh, seen = test.average(replicated), train.average(replicated)
    rows = max(len(fresh), len(seen))
    parts = [np.broadcast_to(item, (rows, item.shape[1])) for item in (fresh, seen)]
    return np.concatenate(parts, axis=1)


def _train_table(loss: Loss, law: JointLaw, chain: Chain) -> _Table:
    e = chain.e
    wrong = ndtr(law.y * (chain.g * _slope_at_zero(loss, law) - chain.mean) / np.sqrt(chain.V))
    pull = chain.pull_back(e.m, e.V, e.g)
    value = np.maximum(e.value + chain.g * e.g, loss.lower_bound)  # rounding of tiny losses
    return _Table(law, np.column_stack([value, wrong, pull]))


def _test_table(law: JointLaw, at: OrderParameters) -> _Table:
    mean, V = law.score(at.mu, at.b, at.rho)
    return _Table(law, ndtr(-law.y * mean / np.sqrt(V))[:, None])


def _slopes(problem: Saddle, chain: Chain, test: JointLaw, at: OrderParameters) -> FloatArray:
    """Derivatives of the three measures in the unknowns, 3 × unknowns."""
    law, e, g, s = problem.law, chain.e, chain.g, np.sqrt(chain.V)
    loss = chain.pull_back(e.m + g * e.mg, e.V + g * e.Vg, 2.0 * e.g + g * e.gg)
    start = _slope_at_zero(problem.loss, law)
    z = law.y * (g * start - chain.mean) / s
    phi = density(z)
    wrong = chain.pull_back(-law.y * phi / s, -0.5 * z * phi / chain.V, law.y * start * phi / s)
    return np.stack([error_slope(test, at), law.weight @ loss, law.weight @ wrong])


def error_slope(law: JointLaw, at: OrderParameters) -> FloatArray:
    """Derivative of the test error in (μ, b, ρ, t)."""
    mean, V = law.score(at.mu, at.b, at.rho)
    s = np.sqrt(V)
    phi = law.weight * density(mean / s)
    in_mean, in_V = -law.y * phi / s, 0.5 * law.y * mean * phi / (V * s)
    mu = in_mean @ law.m + 2.0 * at.mu * (in_V @ law.tau)
    return np.concatenate([mu, [in_mean.sum(), 2.0 * at.rho * float(in_V @ law.A), 0.0]])


def error_slope_rest(law: JointLaw, at: OrderParameters) -> float:
    """Derivative of the test error in ρ²."""
    mean, V = law.score(at.mu, at.b, at.rho)
    s = np.sqrt(V)
    return float((0.5 * law.weight * law.y * mean * density(mean / s) / (V * s)) @ law.A)


def test_error(law: JointLaw, at: OrderParameters) -> float:
    """Return the test error of a readout on a law."""
    return float(law.weight @ _test_table(law, at).rows[:, 0])


test_error.__test__ = False  # type: ignore[attr-defined]  # the name is not a test's


def _slope_at_zero(loss: Loss, law: JointLaw) -> FloatArray:
    """ℓ'(0; y) at each node: the prox is zero at c = g ℓ'(0), and it is monotone."""
    zero = np.zeros(1)
    plus, minus = float(loss.derivative(zero, 1)[0]), float(loss.derivative(zero, -1)[0])
    return np.where(law.y > 0.0, plus, minus)


def _measure_constant(problem: Saddle, test: JointLaw, bias: float) -> Measures:
    """Measure a collapsed readout, which answers the sign of its bias to everything."""
    law, at = problem.law, np.array([bias])
    loss = sum(
        float(law.weight[law.y == y].sum()) * float(problem.loss.value(at, y)[0]) for y in (1, -1)
    )
    wrong = [float(item.weight[item.y * bias < 0.0].sum()) for item in (test, law)]
    return Measures(np.array([wrong[0], loss, wrong[1]]), np.zeros(3), np.zeros(3), [])
