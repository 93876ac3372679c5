"""Samples of attention's law, compressed to a few hundred nodes that keep its moments.

The cell with the largest error is cut in two, repeatedly. Each cell is then replaced by two points
on each of its principal axes, which keep its moments to second order and the third ones along the
axes. The share of a replicate in a cell, to first order in its mean there, gives its weights on the
same nodes. The cells after a quarter of the cuts give the coarse law. A part of the samples decides
where to cut: the rule is valid for any cells.
"""

from __future__ import annotations

import heapq
from itertools import combinations_with_replacement, permutations
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, IndexArray


class Samples(NamedTuple):
    """Samples for one label, replicates × points; ``mass`` is zero for negatives."""

    mass: FloatArray  # v·a
    score: FloatArray  # g·a − ḡ
    A: FloatArray  # ‖a‖²


LEAST_DECIDING = 2**12  # samples that decide where to cut, at least
OUTLIER = 2.5  # standard deviations beyond which every sample decides: few, but influential
DECIDING_PER_CELL = 128  # deciding samples for each cell, at least
LEAST_VARIANCE = 1e-6  # of a cell along an axis, relative: below it the skewness is rounding


class Partition(NamedTuple):
    """The samples of each cell, and the coarse cell that each is part of."""

    groups: list[IndexArray]
    parents: IndexArray


def partition(draws: Samples, cells: int) -> Partition:
    """Return cells of samples that are about alike."""
    table, varies = _table(draws)
    if not varies.any():
        return Partition([np.arange(table.shape[1])], np.zeros(1, int))
    return _cells(table[varies], cells)


def compress(
    draws: Samples, cells: int, given: Partition | None = None
) -> tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]:
    """Return nodes (v·a, g·a − ḡ, ‖a‖²), weights and replicate weights, fine and coarse.

    With a partition that is given, as of a law nearby, nodes are smooth in the samples.
    """
    table, varies = _table(draws)
    if not varies.any():  # a point mass
        item = np.ones(1)
        point = draws.mass[0, :1], draws.score[0, :1], draws.A[0, :1], item, item[None]
        return point, point
    x = table[varies]
    replicates, points = draws.A.shape
    groups, parents = _cells(x, cells) if given is None else given
    order = np.concatenate(groups)
    sizes = np.array([len(group) for group in groups])
    fine = _statistics(x[:, order], sizes, order // points, replicates)
    result = []
    for statistics in (fine, _merged(fine, parents)):
        rules = _two_point_rules(statistics)
        nodes = np.repeat(table[:, :1], len(rules.share), axis=1)
        nodes[varies] = rules.position
        columns = nodes[0], nodes[1], np.exp(nodes[2])
        result.append((*columns, rules.share / len(order), rules.replicas / points))
    return result[0], result[1]


def _table(draws: Samples) -> tuple[FloatArray, IndexArray]:
    """Return the coordinates of all samples, and which of them vary."""
    table = np.stack([draws.mass.ravel(), draws.score.ravel(), np.log(draws.A).ravel()])
    varies = np.ptp(table, axis=1) > 1e-10 * (1.0 + np.abs(table).max(axis=1))
    return table, varies


class Cut(NamedTuple):
    """Split a cell at a value of a coordinate: the upper part becomes the last cell."""

    cell: int
    axis: int
    at: float


def _cells(x: FloatArray, cells: int) -> Partition:
    """Cut the samples into cells."""
    x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
    stride = max(1, x.shape[1] // max(LEAST_DECIDING, DECIDING_PER_CELL * cells))
    far = np.abs(x).max(axis=0) > OUTLIER
    seen = far.copy()
    seen[::stride] = True
    groups, parents = [np.arange(x.shape[1])], [0]
    for cut in _cuts(x[:, seen], np.where(far[seen], 1.0, float(stride)), cells):
        group = groups[cut.cell]
        left = x[cut.axis][group] <= cut.at
        groups[cut.cell] = group[left]
        parents.append(parents[cut.cell] if len(groups) >= cells // 4 else len(groups))
        groups.append(group[~left])
    return Partition(groups, np.array(parents))


def _cuts(x: FloatArray, weight: FloatArray, cells: int) -> list[Cut]:
    """Cut the cell with the largest error at its mean, repeatedly.

    The error of a cell is its largest fourth moment, the first that the rule does not keep.
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


class _Statistics(NamedTuple):
    """Moments of the samples of each cell, and each replicate's part in them."""

    size: IndexArray
    mean: FloatArray  # cells × coordinates
    second: FloatArray  # cells × coordinates × coordinates, about the mean
    third: FloatArray
    counts: FloatArray  # cells × replicates
    sums: FloatArray  # coordinates × cells × replicates, of distances from the mean


def _statistics(
    x: FloatArray, sizes: IndexArray, owner: IndexArray, replicates: int
) -> _Statistics:
    """Return the moments of samples ordered by cell; ``sizes`` are the cells' sample counts."""
    k, starts = len(x), np.cumsum(sizes) - sizes

    def means(values: FloatArray) -> FloatArray:
        return np.asarray(np.add.reduceat(values, starts, axis=-1) / sizes)

    def each(values: Any) -> Any:
        return np.repeat(values, sizes, axis=-1)

    mean = means(x)
    centred = x - each(mean)
    centred -= each(means(centred))
    second, third = np.empty((len(sizes), k, k)), np.empty((len(sizes), k, k, k))
    for a, b in combinations_with_replacement(range(k), 2):
        pair = centred[a] * centred[b]
        second[:, a, b] = second[:, b, a] = means(pair)
        for c in range(b, k):
            moment = means(pair * centred[c])
            for item, two, three in permutations((a, b, c)):
                third[:, item, two, three] = moment
    key = each(np.arange(len(sizes)) * replicates) + owner
    bins = {"minlength": len(sizes) * replicates}
    count = np.bincount(key, **bins).reshape(-1, replicates).astype(float)
    parts = [np.bincount(key, item, **bins).astype(float) for item in centred]
    sums = np.stack([part.reshape(-1, replicates) for part in parts])
    return _Statistics(sizes, mean.T, second, third, count, sums)


def _merged(parts: _Statistics, parents: IndexArray) -> _Statistics:
    """Return the moments of the coarse cells, from those of the cells within them."""
    inside = (parents == np.arange(parents.max() + 1)[:, None]).astype(float)  # larger × smaller
    size = inside @ parts.size
    share = inside * parts.size / size[:, None]
    mean = share @ parts.mean
    off = parts.mean - mean[parents]
    outer = off[:, :, None] * off[:, None]
    second = np.tensordot(share, parts.second + outer, 1)
    mixed = parts.second[:, :, :, None] * off[:, None, None]
    mixed = mixed + mixed.transpose(0, 1, 3, 2) + mixed.transpose(0, 3, 1, 2)
    third = np.tensordot(share, parts.third + mixed + outer[..., None] * off[:, None, None], 1)
    sums = parts.sums + off.T[:, :, None] * parts.counts
    return _Statistics(size.astype(int), mean, second, third, inside @ parts.counts, inside @ sums)


def _two_point_rules(cells: _Statistics) -> _Rules:
    """Return nodes that keep mean, covariance and the third moment along each axis of a cell.

    A replicate's weights are its share of the cell, tilted to its mean there.
    """
    sizes, mean, k = cells.size, cells.mean, cells.mean.shape[1]
    replicates = cells.counts.shape[1]
    scale = np.sqrt(np.einsum("gaa->ga", cells.second))
    scale = np.where(scale > 1e-12 * (1.0 + np.abs(mean)), scale, 0.0)  # less is rounding
    unit = 1.0 / np.where(scale > 0.0, scale, np.inf)
    second = cells.second * unit[:, :, None] * unit[:, None]
    third = cells.third * unit[:, :, None, None] * unit[:, None, :, None] * unit[:, None, None]
    values, vectors = np.linalg.eigh(second)
    usable = values > 1e-12
    root = np.sqrt(np.where(usable, values, 0.0))
    whiten = vectors * np.where(usable, 1.0 / np.where(usable, root, 1.0), 0.0)[:, None]
    skew = np.einsum("gabc,gaj,gbj,gcj->gj", third, whiten, whiten, whiten, optimize=True)
    skew = np.where(values > LEAST_VARIANCE, skew, 0.0) / np.sqrt(k)
    reach = np.sqrt(skew**2 + 4.0)
    ends = 0.5 * np.stack([skew + reach, skew - reach], axis=2)
    axes = np.sqrt(k) * scale[:, :, None] * vectors * root[:, None]
    position = mean[:, :, None, None] + axes[..., None] * ends[:, None]
    share = np.stack([-ends[..., 1], ends[..., 0]], axis=2) / (k * reach[..., None])
    tilt = np.einsum("agr,ga,gaj->rgj", cells.sums, unit, whiten, optimize=True)
    tilt /= np.sqrt(k) * reach
    replicas = cells.counts.T[:, :, None, None] * share + np.stack([tilt, -tilt], axis=3)
    return _Rules(
        position.transpose(1, 0, 2, 3).reshape(k, -1),
        (share * sizes[:, None, None]).ravel(),
        replicas.reshape(replicates, -1),
    )
