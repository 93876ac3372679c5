"""Samples of attention's law, compressed to a few hundred nodes that keep its moments.

Cells are cut, the worst first, wherever they matter most, and each is replaced by two points on
each of its principal axes, which keep its moments to second order and the third along the axes.
Each replicate's share in a cell, to first order in its own mean, gives its weights on the same
nodes; the cells a quarter through the cutting give the coarse law.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray, IndexArray


class Draws(NamedTuple):
    """Samples for one label, replicates × points; ``mass`` is zero for negatives."""

    mass: FloatArray  # v·a
    score: FloatArray  # g·a − ḡ
    A: FloatArray  # ‖a‖²


def compress(draws: Draws, cells: int) -> tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]:
    """Return nodes (v·a, g·a − ḡ, ‖a‖²), weights and replicate weights, fine and coarse."""
    table = np.stack([draws.mass.ravel(), draws.score.ravel(), np.log(draws.A).ravel()], axis=1)
    varies = np.ptp(table, axis=0) > 1e-10 * (1.0 + np.abs(table).max(axis=0))
    if not varies.any():  # the law is a point
        one = np.ones(1)
        point = draws.mass[0, :1], draws.score[0, :1], draws.A[0, :1], one, one[None]
        return point, point
    x = np.ascontiguousarray(table[:, varies])
    replicates, points = draws.A.shape
    owner = np.repeat(np.arange(replicates, dtype=np.int8), points)
    marks = np.arange(replicates + 1)
    found = []
    for order, bounds in _cells((x - x.mean(axis=0)) / x.std(axis=0), cells):
        sorted_x, sorted_owner = x[order], owner[order]
        rules = [
            _two_point_rule(sorted_x[a:b], np.searchsorted(sorted_owner[a:b], marks))
            for a, b in bounds
        ]
        position = np.concatenate([rule.position.reshape(-1, x.shape[1]) for rule in rules])
        weight = np.concatenate([rule.share.ravel() for rule in rules]) / len(x)
        replicas = [rule.replicas.reshape(replicates, -1) for rule in rules]
        nodes = np.repeat(table[:1], len(position), axis=0)
        nodes[:, varies] = position
        columns = nodes[:, 0], nodes[:, 1], np.exp(nodes[:, 2])
        found.append((*columns, weight, np.concatenate(replicas, axis=1) / points))
    return found[1], found[0]


def _cells(x: FloatArray, cells: int) -> list[tuple[IndexArray, list[tuple[int, int]]]]:
    """Cut the samples into cells / 4 groups, and into cells, always halving the worst group.

    A group's contribution to the error is taken as its largest fourth moment, the first that the
    rule does not keep; it is cut there, at its mean. Returns, for both, an order of the samples
    and the slices of it that are the groups; within a group the samples keep their order.
    """
    x, order = x.copy(), np.arange(len(x))
    heap = [_ranked(x, 0, len(x))]
    states = []
    for stop in (cells // 4, cells):
        while len(heap) < stop and heap[0][0] < 0.0:
            _, a, b, axis, middle = heapq.heappop(heap)
            left = x[a:b, axis] <= middle
            cut = a + int(left.sum())
            for values in (x, order):
                values[a:b] = np.concatenate([values[a:b][left], values[a:b][~left]])
            heapq.heappush(heap, _ranked(x, a, cut))
            heapq.heappush(heap, _ranked(x, cut, b))
        states.append((order.copy(), [(one[1], one[2]) for one in heap]))
    return states


def _ranked(x: FloatArray, a: int, b: int) -> tuple[float, int, int, int, float]:
    mean = x[a:b].mean(axis=0)
    square = (x[a:b] - mean) ** 2
    fourth = np.einsum("ij,ij->j", square, square)
    axis = int(fourth.argmax())
    worst = -float(fourth[axis]) if fourth[axis] > 1e-40 * (b - a) and b - a > 1 else 0.0
    return worst, a, b, axis, float(mean[axis])


class _Rule(NamedTuple):
    """Two points on each principal axis of a cell, with weights and replicate weights."""

    position: FloatArray  # axis, side, coordinate
    share: FloatArray  # axis, side
    replicas: FloatArray  # replicate, axis, side


def _two_point_rule(x: FloatArray, bounds: IndexArray) -> _Rule:
    """Keep mean and covariance of a cell's samples, and the third moment along each axis.

    ``bounds`` says where each replicate's samples begin. A replicate's weights are its own share of
    the cell, tilted to its own mean there.
    """
    size, k = x.shape
    mean = x.mean(axis=0)
    centred = x - mean
    scale = np.sqrt(np.einsum("ij,ij->j", centred, centred) / size)
    scale = np.where(scale > 1e-12 * (1.0 + np.abs(mean)), scale, 0.0)  # less is rounding
    centred /= np.where(scale > 0.0, scale, np.inf)
    centred -= centred.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred / size)
    usable = values > 1e-12
    root = np.sqrt(np.where(usable, values, 0.0))
    white = centred @ (vectors * np.where(usable, 1.0 / np.where(usable, root, 1.0), 0.0))
    skew = (white * white * white).mean(axis=0) / np.sqrt(k)
    reach = np.sqrt(skew**2 + 4.0)
    ends = 0.5 * np.stack([skew + reach, skew - reach], axis=1)
    axes = np.sqrt(k) * scale * (vectors * root).T
    share = np.stack([-ends[:, 1], ends[:, 0]], axis=1) / (k * reach[:, None])
    running = np.zeros((size + 1, k))
    np.cumsum(white, axis=0, out=running[1:])
    tilt = np.diff(running[bounds], axis=0) / (np.sqrt(k) * reach)
    level = np.diff(bounds)[:, None, None] * share
    return _Rule(
        mean + ends[..., None] * axes[:, None],
        share * size,
        level + np.stack([tilt, -tilt], axis=2),
    )
