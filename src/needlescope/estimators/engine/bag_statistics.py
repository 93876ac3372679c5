"""Means, covariances and summaries of bags: what is known of them without training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...models.blocks import Data
from ...models.segments import Segments

N_STATISTICS = 4  # of every feature: mean, maximum, minimum, standard deviation


def mean_instances(data: Data) -> FloatArray:
    """Return the mean instance of each bag."""
    result = np.empty((len(data.y), data.tokens[1]))
    for block in data.blocks():
        result[block.rows] = block.segments.mean(block.table)
    return result


def covariances(data: Data, share: FloatArray, means: FloatArray) -> FloatArray:
    """Return the sum of covariances within bags, each times its share, of either sign."""
    d = data.tokens[1]
    result = -(means * share[:, None]).T @ means
    for block in data.blocks():
        rows, segments = block.table, block.segments
        if not share[block.rows].any():
            continue
        each = segments.spread(share[block.rows]) * segments.uniform(len(rows))
        for sign in (1.0, -1.0):  # a product of a table with itself takes half the time
            own = sign * each > 0.0
            if own.any():
                part = rows[own] * np.sqrt(sign * each[own])[:, None].astype(rows.dtype)
                result += sign * (part.T @ part)
    assert result.shape == (d, d)
    return result


def summarise(rows: Any, segments: Segments) -> FloatArray:
    """Return mean, maximum, minimum and standard deviation of all features: a row for each bag.

    Examples
    --------
    >>> from needlescope.models.segments import Even
    >>> summarise(np.array([[0.0], [2.0], [1.0], [1.0]]), Even(2))
    array([[1., 2., 0., 1.],
           [1., 1., 1., 0.]])
    """
    mean = segments.mean(rows).astype(float)
    starts = segments.ragged(len(rows)).starts[:-1]
    ends = [extreme.reduceat(rows, starts, axis=0) for extreme in (np.maximum, np.minimum)]
    squares = segments.mean(np.square(rows, dtype=float))
    spread = np.sqrt(np.maximum(squares - mean * mean, 0.0))
    return np.hstack([mean, *ends, spread])


def summaries(data: Data, view: Callable[[Any], Any] | None = None) -> FloatArray:
    """Return the summaries of every bag, of its instances or of a view of them."""
    result = np.empty((len(data.y), N_STATISTICS * data.tokens[1]))
    for block in data.blocks():
        rows = block.table if view is None else view(block.table)
        result[block.rows] = summarise(rows, block.segments)
    return result
