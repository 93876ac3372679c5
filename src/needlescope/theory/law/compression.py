"""Samples of attention's law, compressed to a few hundred nodes that keep its moments.

Cells are cut, the worst first, wherever they matter most, and each is replaced by two points on
each of its principal axes, which keep its moments to second order and the third along the axes.
Each replicate's share in a cell, to first order in its own mean, gives its weights on the same
nodes; the cells a quarter through the cutting give the coarse law. Where to cut is seen from a part
of the samples: any cells would do.
"""

from __future__ import annotations

import heapq
from itertools import combinations_with_replacement, permutations
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, IndexArray


class Draws(NamedTuple):
    """Samples for one label, replicates × points; ``mass`` is zero for negatives."""

    mass: FloatArray  # v·a
    score: FloatArray  # g·a − ḡ
    A: FloatArray  # ‖a‖²


DECIDING = 2**12  # samples that decide where to cut, at least
FAR = 2.5  # deviations from where on all samples decide: few, and they reach far
FOR_A_CELL = 128  # and at least so many for each cell
STRAIGHT = 1e-6  # of a cell's variance, along an axis whose third moment is lost in rounding


def compress(draws: Draws, cells: int) -> tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]:
    """Return nodes (v·a, g·a − ḡ, ‖a‖²), weights and replicate weights, fine and coarse."""
    table = np.stack([draws.mass.ravel(), draws.score.ravel(), np.log(draws.A).ravel()])
    varies = np.ptp(table, axis=1) > 1e-10 * (1.0 + np.abs(table).max(axis=1))
    if not varies.any():  # the law is a point
        one = np.ones(1)
        point = draws.mass[0, :1], draws.score[0, :1], draws.A[0, :1], one, one[None]
        return point, point
    x = table[varies]
    replicates, points = draws.A.shape
    found = []
    for groups in _cells(x, cells):
        order = np.concatenate(groups)
        sizes = np.array([len(group) for group in groups])
        rules = _two_point_rules(x[:, order], sizes, order // points, replicates)
        nodes = np.repeat(table[:, :1], len(rules.share), axis=1)
        nodes[varies] = rules.position
        columns = nodes[0], nodes[1], np.exp(nodes[2])
        found.append((*columns, rules.share / len(order), rules.replicas / points))
    return found[1], found[0]


class Cut(NamedTuple):
    """A cell keeps what lies up to a value of a coordinate; the rest is a new cell, the last."""

    cell: int
    axis: int
    at: float


def _cells(x: FloatArray, cells: int) -> list[list[IndexArray]]:
    """Return the samples of each of cells / 4 groups, and of each of as many as asked."""
    x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
    stride = max(1, x.shape[1] // max(DECIDING, FOR_A_CELL * cells))
    far = np.abs(x).max(axis=0) > FAR
    seen = far.copy()
    seen[::stride] = True
    cuts = _cuts(x[:, seen], np.where(far[seen], 1.0, float(stride)), cells)
    groups, states = [np.arange(x.shape[1])], []
    for stop in (cells // 4, cells):
        for cut in cuts[len(groups) - 1 : stop - 1]:
            group = groups[cut.cell]
            left = x[cut.axis][group] <= cut.at
            groups[cut.cell] = group[left]
            groups.append(group[~left])
        states.append(list(groups))
    return states


def _cuts(x: FloatArray, weight: FloatArray, cells: int) -> list[Cut]:
    """Halve the worst cell, again and again.

    A cell's contribution to the error is taken as its largest fourth moment, the first that the
    rule does not keep; it is cut there, at its mean.
    """
    parts, cuts = [(np.ascontiguousarray(x.T), weight)], list[Cut]()
    heap = [_ranked(0, *parts[0])]
    while len(parts) < cells and heap[0][0] < 0.0:
        _, cell, axis, middle = heapq.heappop(heap)
        x, weight = parts[cell]
        left = x[:, axis] <= middle
        parts[cell] = x[left], weight[left]
        parts.append((x[~left], weight[~left]))
        for place in (cell, len(parts) - 1):
            heapq.heappush(heap, _ranked(place, *parts[place]))
        cuts.append(Cut(cell, axis, middle))
    return cuts


def _ranked(cell: int, x: FloatArray, weight: FloatArray) -> tuple[float, int, int, float]:
    total = weight.sum()
    mean = weight @ x / total
    square = (x - mean) ** 2
    fourth = weight @ (square * square)
    axis = int(fourth.argmax())
    worst = -float(fourth[axis]) if fourth[axis] > 1e-40 * total and len(x) > 1 else 0.0
    return worst, cell, axis, float(mean[axis])


class _Rules(NamedTuple):
    """Two points on each principal axis of each cell, with weights and replicate weights."""

    position: FloatArray  # coordinates × nodes
    share: FloatArray
    replicas: FloatArray  # replicates × nodes


def _two_point_rules(
    x: FloatArray, sizes: IndexArray, owner: IndexArray, replicates: int
) -> _Rules:
    """Keep mean and covariance of each cell's samples, and the third moment along each axis.

    The samples come cell by cell, as many as ``sizes`` says. A replicate's weights are its own
    share of a cell, tilted to its own mean there.
    """
    k, starts = len(x), np.cumsum(sizes) - sizes

    def means(values: FloatArray) -> FloatArray:
        return np.asarray(np.add.reduceat(values, starts, axis=-1) / sizes)

    def each(values: Any) -> Any:
        return np.repeat(values, sizes, axis=-1)

    mean = means(x)
    centred = x - each(mean)
    scale = np.sqrt(means(centred * centred))
    scale = np.where(scale > 1e-12 * (1.0 + np.abs(mean)), scale, 0.0)  # less is rounding
    centred /= each(np.where(scale > 0.0, scale, np.inf))
    centred -= each(means(centred))
    second, third = np.empty((len(sizes), k, k)), np.empty((len(sizes), k, k, k))
    for a, b in combinations_with_replacement(range(k), 2):
        pair = centred[a] * centred[b]
        second[:, a, b] = second[:, b, a] = means(pair)
        for c in range(b, k):
            moment = means(pair * centred[c])
            for one, two, three in permutations((a, b, c)):
                third[:, one, two, three] = moment
    values, vectors = np.linalg.eigh(second)
    usable = values > 1e-12
    root = np.sqrt(np.where(usable, values, 0.0))
    whiten = vectors * np.where(usable, 1.0 / np.where(usable, root, 1.0), 0.0)[:, None]
    skew = np.einsum("gabc,gaj,gbj,gcj->gj", third, whiten, whiten, whiten, optimize=True)
    skew = np.where(values > STRAIGHT, skew, 0.0) / np.sqrt(k)
    reach = np.sqrt(skew**2 + 4.0)
    ends = 0.5 * np.stack([skew + reach, skew - reach], axis=2)
    axes = np.sqrt(k) * scale.T[:, :, None] * vectors * root[:, None]
    position = mean.T[:, :, None, None] + axes[..., None] * ends[:, None]
    share = np.stack([-ends[..., 1], ends[..., 0]], axis=2) / (k * reach[..., None])
    key = each(np.arange(len(sizes))) * replicates + owner
    bins = {"minlength": len(sizes) * replicates}
    count = np.bincount(key, **bins).reshape(-1, replicates)
    sums = np.stack([np.bincount(key, one, **bins).reshape(-1, replicates) for one in centred])
    tilt = np.einsum("agr,gaj->rgj", sums, whiten) / (np.sqrt(k) * reach)
    replicas = count.T[:, :, None, None] * share + np.stack([tilt, -tilt], axis=3)
    return _Rules(
        position.transpose(1, 0, 2, 3).reshape(k, -1),
        (share * sizes[:, None, None]).ravel(),
        replicas.reshape(replicates, -1),
    )
