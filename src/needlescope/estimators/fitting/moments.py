"""Means and covariances of bags that are at hand: what a training can know without a pass."""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray
from ...simulation.samples.data import Data


def mean_instances(data: Data) -> FloatArray:
    """Return the mean instance of each bag."""
    found = np.empty((len(data.y), data.tokens[1]))
    for block in data.blocks():
        found[block.rows] = block.segments.mean(block.table)
    return found


def covariances(data: Data, share: FloatArray, means: FloatArray) -> FloatArray:
    """Return the sum of covariances within bags, each times its share, of either sign.

    Examples
    --------
    >>> from needlescope.simulation.samples.data import Arrays
    >>> data = Arrays(np.array([[[1.0], [3.0]], [[0.0], [6.0]]]), np.ones(2))
    >>> covariances(data, np.array([-1.0, 1.0]), mean_instances(data))
    array([[8.]])
    """
    d = data.tokens[1]
    found = -(means * share[:, None]).T @ means
    for block in data.blocks():
        rows, segments = block.table, block.segments
        if not share[block.rows].any():
            continue
        each = segments.spread(share[block.rows]) * segments.uniform(len(rows))
        for sign in (1.0, -1.0):  # a product of a table with itself takes half the time
            own = sign * each > 0.0
            if own.any():
                part = rows[own] * np.sqrt(sign * each[own])[:, None].astype(rows.dtype)
                found += sign * (part.T @ part)
    assert found.shape == (d, d)
    return found
