"""The unknowns of joint training: overlaps M, Gram matrix Q, variance V, bias b; as nine numbers.

    M = (⟨q, ξ⟩, ⟨w, ξ⟩),   Q = [[‖q‖², ⟨q, w⟩], [⟨q, w⟩, ‖w‖²]].

The part of query and readout that has no signal has the Gram matrix N = Q − MMᵀ. The nine numbers
are asinh(M/√diag(N)); N and V by their Cholesky factors, the logarithms of the diagonal and the
ratio of the last row; and b. So they are of order one at any scale of query and readout, also where
data are plenty and N is small, and N and V are positive definite whatever they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....arrays import FloatArray
from ....errors import NotConverged

SIZE = 9


class Order(NamedTuple):
    """The unknowns; the first row and column are the query's, the second the readout's."""

    M: FloatArray
    Q: FloatArray
    V: FloatArray
    b: float

    @property
    def root(self) -> FloatArray:
        """The lower Cholesky factor of Q."""
        return _root(self.Q)


def to_vector(order: Order) -> FloatArray:
    """Return the nine numbers.

    >>> order = Order(0.5 * np.ones(2), np.eye(2), 4.0 * np.eye(2), 0.5)
    >>> bool(np.allclose(from_vector(to_vector(order)).V, order.V))
    True
    """
    N = order.Q - np.outer(order.M, order.M)
    logs = _logs(N)
    ratios = np.arcsinh(order.M / np.sqrt(np.diag(N)))
    return np.array([*ratios, *logs, *_logs(order.V), order.b])


def from_vector(x: FloatArray) -> Order:
    """Return the unknowns of nine numbers."""
    N = _matrix(x[2:5])
    M = np.sinh(np.clip(x[:2], -100.0, 100.0)) * np.sqrt(np.diag(N))
    return Order(M, N + np.outer(M, M), _matrix(x[5:8]), float(x[8]))


def _logs(matrix: FloatArray) -> tuple[float, float, float]:
    root = _root(matrix)
    return (float(np.log(root[0, 0])), float(root[1, 0] / root[1, 1]), float(np.log(root[1, 1])))


def _matrix(logs: FloatArray) -> FloatArray:
    first, last = np.exp(np.clip(logs[[0, 2]], -100.0, 100.0))
    root = np.array([[first, 0.0], [logs[1] * last, last]])
    return np.asarray(root @ root.T)


def _root(matrix: FloatArray) -> FloatArray:
    try:
        return np.asarray(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:
        raise NotConverged(
            "the equations of joint training left the range of their unknowns; a larger ridge "
            "makes them easier"
        ) from None
