"""The law of (v·a, g·a − ḡ, ‖a‖²) for attention, by randomised QMC, and its compression.

`draw` samples it for both labels from the same tokens. `limit` compresses the samples of a label to a
few hundred nodes: a balanced tree of median cuts makes cells of equal mass, and each cell is replaced
by 2k points at mean ± √k times the columns of a root of its covariance, which keep its moments to
second order (third, where it is symmetric). Each replicate's share in a cell, to first order
in its own mean, gives its weights on the same nodes; cells twice as large give the coarse law.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..models import attention
from ..models.nodes import Limit, Nodes
from ..outcome import FloatArray
from ..query import Query
from ..task import Task
from .lattice import REPLICATES, replicate
from .tokens import Tokens

CELLS = 128
FIRST_POINTS = 2**11
LAST_POINTS = 2**16


class Draws(NamedTuple):
    """Samples for one label, replicates × points; ``mass`` is zero for negatives."""

    mass: FloatArray  # v·a
    score: FloatArray  # g·a − ḡ
    A: FloatArray  # ‖a‖²


def draw(L: int, R: int, kappa: float, tilt: float, points: int) -> tuple[Draws, Draws]:
    """Sample both labels with logits κ g, raised by κ·tilt (tilt = θ s) on the R signal tokens."""
    chunks = [_draw_one(L, R, kappa, tilt, points, index) for index in range(REPLICATES)]
    positive, negative = (Draws(*map(np.stack, zip(*part, strict=True))) for part in zip(*chunks, strict=True))
    return positive, negative


def _draw_one(
    L: int, R: int, kappa: float, tilt: float, points: int, index: int
) -> tuple[Draws, Draws]:
    noise_dims, signal_dims = Tokens.dims(L - R), Tokens.dims(R)
    u = replicate(points, noise_dims + signal_dims, index)
    # signal tokens first: they matter most when there are few of them
    signal = Tokens.draw(R, u[:, :signal_dims]).sums(kappa)
    noise = Tokens.draw(L - R, u[:, signal_dims:]).sums(kappa)
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


@lru_cache(maxsize=64)
def limit(task: Task, query: Query, points: int) -> Limit:
    """Return the compressed limit law of attention for one task and query."""
    if query.kappa == 0.0:
        uniform = np.full((1, 1), 1.0 / task.L)
        pair = [
            attention.nodes(task, query, mass, np.zeros(1), uniform[0], np.ones(1), np.ones((1, 1)))
            for mass in (np.array([task.R / task.L]), np.zeros(1))
        ]
        return Limit(pair[0], pair[1])
    samples = draw(task.L, task.R, query.kappa, task.theta * query.cosine, points)
    fine = [_compress(task, query, one, CELLS) for one in samples]
    coarse = [_compress(task, query, one, CELLS // 2) for one in samples]
    return Limit(fine[0], fine[1], coarse=(coarse[0], coarse[1]))


def _compress(task: Task, query: Query, draws: Draws, cells: int) -> Nodes:
    columns = [draws.mass, draws.score, np.log(draws.A)]
    kept = [one for one in columns if np.ptp(one) > 1e-12 * (1.0 + np.abs(one).max())]
    fixed = [float(one.flat[0]) for one in columns]
    if not kept:  # the law is a point
        one, flat = np.ones(1), np.ones((1, 1))
        mass, score, A = fixed[0] * one, fixed[1] * one, np.exp(fixed[2]) * one
        return attention.nodes(task, query, mass, score, A, one, flat)
    replicates, points = draws.A.shape
    owner = np.repeat(np.arange(replicates), points)
    x = np.stack([one.ravel() for one in kept], axis=1)
    order = _cells(x / x.std(axis=0), cells)
    position, weight, replicas = _sigma_points(x[order], owner[order], replicates)
    table = np.empty((len(position), 3))
    taken = iter(position.T)
    for column, values in enumerate(columns):
        varies = any(values is one for one in kept)
        table[:, column] = next(taken) if varies else fixed[column]
    mass, score, log_A = table.T
    return attention.nodes(task, query, mass, score, np.exp(log_A), weight, replicas)


def _cells(x: FloatArray, cells: int) -> np.ndarray:
    """Return sample indices, cells × size, from median cuts across each cell's widest direction."""
    order = np.arange(len(x))[None]
    while len(order) < cells:
        values = x[order]
        widest = values.var(axis=1).argmax(axis=1)
        along = np.take_along_axis(values, widest[:, None, None], axis=2)[..., 0]
        order = np.take_along_axis(order, along.argsort(axis=1, kind="stable"), axis=1)
        order = order.reshape(2 * len(order), -1)
    return order


def _sigma_points(
    x: FloatArray, owner: np.ndarray, replicates: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Replace each cell by 2k equal points; return positions, weights and replicate weights."""
    cells, size, k = x.shape
    mean = x.mean(axis=1)
    centred = x - mean[:, None]
    covariance = np.einsum("cni,cnj->cij", centred, centred) / size
    scale = np.sqrt(np.einsum("cii->ci", covariance))
    scale = np.where(scale > 0.0, scale, 1.0)
    correlation = covariance / scale[:, :, None] / scale[:, None, :]
    values, vectors = np.linalg.eigh(correlation)
    values = np.maximum(values, 0.0)
    root = scale[:, :, None] * vectors * np.sqrt(values)[:, None, :]
    spread = np.sqrt(k) * root.transpose(0, 2, 1)  # cell, axis, coordinate
    position = np.stack([mean[:, None] + spread, mean[:, None] - spread], axis=1)
    # whitened mean of each replicate's members, times its share of the cell
    usable = values > 1e-12
    inverse = np.where(usable, 1.0 / np.sqrt(np.where(usable, values, 1.0)), 0.0)
    white = (centred / scale[:, None]) @ vectors * inverse[:, None, :]
    member = owner[..., None] == np.arange(replicates)
    share = member.mean(axis=1).T  # replicate, cell
    drift = np.einsum("cnr,cnk->rck", member / size, white)
    tilt = drift / (2.0 * np.sqrt(k))
    level = np.broadcast_to((share / (2.0 * k))[..., None], tilt.shape)
    replicas = np.stack([level + tilt, level - tilt], axis=2) * (replicates / cells)
    weight = np.full(cells * 2 * k, 1.0 / (cells * 2 * k))
    return position.reshape(-1, k), weight, replicas.reshape(replicates, -1)
