"""A few nodes in place of many levels, for sums of functions that are smooth in log s.

    Σ_k w_k f(s_k) ≈ Σ_j f(x_j) Σ_k ℓ_j(s_k) w_k

In each interval of log s, f is replaced by the polynomial through its values at Chebyshev nodes
x_j, with the Lagrange polynomials ℓ_j in log s. The functions of `ridge` have a pole at
log s = log(λ/χ) ± iπ for χ ≥ 0: 10 nodes in intervals of unit length leave a relative error of
1e-10.
"""

from __future__ import annotations

import numpy as np
from scipy.interpolate import BarycentricInterpolator

from ...arrays import FloatArray

NODES = 10
WIDTH = 1.0  # of an interval in log s
WORTH = 4 * NODES  # levels from which on this is done


def quadrature(s: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return nodes, and the matrix from weights at the levels s to weights at the nodes.

    None where the levels, in increasing order, are few.

    >>> s = np.geomspace(0.1, 10.0, 1000)
    >>> nodes, basis = quadrature(s)
    >>> f = lambda s: s / (1.0 + 2.0 * s)
    >>> len(nodes), bool(abs(basis.sum(axis=1) @ f(nodes) / f(s).sum() - 1.0) < 1e-10)
    (50, True)
    """
    if len(s) < WORTH:
        return None
    x = np.log(s)
    count = max(1, int(np.ceil((x[-1] - x[0]) / WIDTH)))
    edges = np.searchsorted(x, x[0] + (x[-1] - x[0]) * np.arange(1, count) / count)
    points = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
    nodes, blocks, starts = [], [], np.append(0, edges)
    for first, last in zip(starts, np.append(edges, len(s)), strict=True):
        if last - first <= NODES:
            nodes.append(s[first:last])
            blocks.append(np.eye(last - first))
            continue
        inside = x[first:last]
        middle, half = 0.5 * (inside[-1] + inside[0]), 0.5 * (inside[-1] - inside[0])
        at = middle + half * points
        nodes.append(np.exp(at))
        blocks.append(BarycentricInterpolator(points, np.eye(NODES))((inside - middle) / half).T)
    if sum(map(len, nodes)) > len(s) // 2:
        return None
    basis, row = np.zeros((sum(map(len, nodes)), len(s))), 0
    for first, block in zip(starts, blocks, strict=True):
        basis[row : row + len(block), first : first + block.shape[1]] = block
        row += len(block)
    return np.concatenate(nodes), basis
