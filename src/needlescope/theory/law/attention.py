"""The law of (v·a, g·a − ḡ, ‖a‖²) for attention, by randomised QMC, and its compression.

`draw` samples it for both labels from the same tokens. `attention_limit` compresses the samples
of a label to a few hundred nodes: cells that are cut, the worst first, wherever they matter
most, each replaced by two points on each of its principal axes, which keep its moments to second
order and the third along the axes. Each replicate's share in a cell, to first order in its own
mean, gives its weights on the same nodes; the cells a
quarter through the cutting give the coarse law.
"""

from __future__ import annotations

import heapq
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from ...arrays import FloatArray, IndexArray
from ...lattice import REPLICATES, replicate
from ...models import attention
from ...models.nodes import Limit
from .tokens import Sums, Tokens


class Level(NamedTuple):
    """How finely a law is resolved: lattice points a replicate, and cells a label."""

    points: int
    cells: int

    @property
    def finer(self) -> Level:
        """The same samples, compressed to more cells."""
        return Level(self.points, FINE * self.cells)


_CELLS = (32, 32, 48, 96, 128, 160, 192, 256)
LADDER = tuple(Level(2**k, cells) for k, cells in enumerate(_CELLS, 10))
FINE = 8  # times as many cells, where integrands cost next to nothing or compression is too coarse


def ladder(accuracy: float, fine: bool = False) -> tuple[Level, ...]:
    """Return the levels worth trying for an accuracy, from one that may suffice upwards."""
    start = int(np.clip(np.floor(4.0 - 2.0 * np.log10(accuracy / 1e-4)), 0, len(LADDER) - 3))
    return tuple(level.finer if fine else level for level in LADDER[start:])


def sampling_error(shifts: FloatArray) -> FloatArray:
    """Return the standard errors of the replicates' rows: of sampling alone."""
    replicas = shifts[:-1]
    return np.asarray(replicas.std(axis=0, ddof=1) / np.sqrt(len(replicas)))


def standard_error(shifts: FloatArray) -> FloatArray:
    """Return standard errors from the replicates' rows and the last row, the coarse law's.

    A quarter of the distance to the law with a quarter of the cells stands for the error of
    compression; measured on six laws, that error was 2 to 21 % of the distance, on one half of it.
    """
    return np.asarray(np.hypot(sampling_error(shifts), 0.25 * shifts[-1]))


class Draws(NamedTuple):
    """Samples for one label, replicates × points; ``mass`` is zero for negatives."""

    mass: FloatArray  # v·a
    score: FloatArray  # g·a − ḡ
    A: FloatArray  # ‖a‖²


def draw(L: int, R: int, kappa: float, tilt: float, points: int) -> tuple[Draws, Draws]:
    """Sample both labels with logits κ g, raised by κ·tilt (tilt = θ s) on the R signal tokens."""
    chunks = [_draw_one(L, R, kappa, tilt, points, index) for index in range(REPLICATES)]
    positive, negative = zip(*chunks, strict=True)
    return _stack(positive), _stack(negative)


def _stack(parts: tuple[Draws, ...]) -> Draws:
    return Draws(*(np.stack(columns) for columns in zip(*parts, strict=True)))


def _draw_one(
    L: int, R: int, kappa: float, tilt: float, points: int, index: int
) -> tuple[Draws, Draws]:
    if np.isinf(kappa):
        return _largest_token(*_sums(L, R, 1.0, points, index), L, tilt)
    signal, noise = _sums(L, R, kappa, points, index)
    mean = (noise.total + signal.total) / L
    found = []
    for lift in (kappa * tilt, 0.0):
        log_noise, log_signal = kappa * noise.top, kappa * signal.top + lift
        if L == R:
            log_noise = np.full(points, -np.inf)
        top = np.maximum(log_noise, log_signal)
        f_noise, f_signal = np.exp(log_noise - top), np.exp(log_signal - top)
        total = f_noise * noise.mass + f_signal * signal.mass
        mass = f_signal * signal.mass / total
        score = (f_noise * noise.moment + f_signal * signal.moment) / total - mean
        A = (f_noise**2 * noise.square + f_signal**2 * signal.square) / total**2
        found.append(Draws(mass, score, A))
    return found[0], found[1]._replace(mass=np.zeros(points))


@lru_cache(maxsize=2 * REPLICATES)
def _sums(L: int, R: int, kappa: float, points: int, index: int) -> tuple[Sums, Sums]:
    """Sums over signal tokens and over the others: the same for every strength and alignment."""
    noise_dims, signal_dims = Tokens.dims(L - R), Tokens.dims(R)
    u = replicate(points, noise_dims + signal_dims, index)
    # signal tokens first: they matter most when there are few of them
    signal = Tokens.draw(R, u[:, :signal_dims])
    noise = Tokens.draw(L - R, u[:, signal_dims:])
    return signal.sums(kappa), noise.sums(kappa)


def _largest_token(signal: Sums, noise: Sums, L: int, tilt: float) -> tuple[Draws, Draws]:
    """Sample both labels at κ = ∞, where all attention lies on the largest token."""
    mean, one = (noise.total + signal.total) / L, np.ones(len(signal.top))
    won = signal.top + tilt > noise.top
    positive = Draws(won.astype(float), np.where(won, signal.top, noise.top) - mean, one)
    return positive, Draws(0.0 * one, np.maximum(signal.top, noise.top) - mean, one)


@lru_cache(maxsize=64)
def attention_limit(
    L: int, R: int, theta: float, kappa: float, cosine: float, level: Level
) -> Limit:
    """Return the compressed limit law of attention for one task and query."""
    build = partial(attention.nodes, L, theta, cosine)
    if kappa == 0.0:
        one, A = np.ones(1), np.full(1, 1.0 / L)
        nodes = [build(p * one, 0.0 * one, A, one, one[None]) for p in (R / L, 0.0)]
        return Limit(nodes[0], nodes[1])
    samples = draw(L, R, kappa, theta * cosine, level.points)
    pairs = [_compress(one, level.cells) for one in samples]
    fine, coarse = ([build(*one) for one in column] for column in zip(*pairs, strict=True))
    return Limit(fine[0], fine[1], coarse=(coarse[0], coarse[1]))


def attention_samples(
    L: int, R: int, theta: float, kappa: float, cosine: float, points: int
) -> list[Limit]:
    """Return the law as it was drawn, one for each replicate, for integrands that cost nothing."""
    build = partial(attention.nodes, L, theta, cosine)
    weight = np.full(points, 1.0 / points)
    found = []
    for index in range(REPLICATES):
        positive, negative = _draw_one(L, R, kappa, theta * cosine, points, index)
        nodes = [build(*draws, weight, weight[None]) for draws in (positive, negative)]
        found.append(Limit(nodes[0], nodes[1]))
    return found


def _compress(draws: Draws, cells: int) -> tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]:
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
