"""Projections of instances along directions that were trained without their bag (cross-fitting).

Along a unit direction with alignment s to the signal, the noise of the theory is N(0, 1) and the
signal a shift t = θ s of R of a positive bag's L instances. There are two directions, both from the
theory: the readout after the first gradient step, and the query after the second. The query is
blind where all instances carry the signal, or bags have one instance only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray, project
from ...losses import Logistic
from ..bags.bags import Bags
from ..bags.preprocessing import Preprocessor
from ..bags.scaling import Scaling
from ..candidates.shared.initial_queries import TwoSteps
from ..candidates.shared.readout import best_bias
from ..engine.computation import compute
from ..engine.fold_data import FoldData
from ..engine.folds import rarer, stratified
from ..engine.prepared import PreparedBags
from .mixture import FARTHEST_PROJECTION

FOLDS = 5
REPEATS = 4  # of the folds: with few bags, projections depend on them
SPLITS = 4  # into halves, for the agreement of two directions
ROWS = 3000  # instances of each half that the dimension is estimated from
DIRECTIONS = ("query", "readout")
NO_SHAPE = {"skewness": 0.0, "kurtosis": 3.0, "correlation": 0.0, "correlation_se": 0.0}


class Projections(NamedTuple):
    """Projections of all instances along one kind of direction, each trained without its bag."""

    direction: str
    along: FloatArray  # repeats × instances
    agreement: float
    pairs: tuple[tuple[FloatArray, FloatArray], ...] = ()  # directions of disjoint halves


def dimension(bags: Bags, scaling: Scaling, y: FloatArray, random: Any) -> float:
    """Return the effective dimension (tr C)²/tr C² of the instances of negative bags.

    tr C² is the product of the covariances of two halves of the bags, averaged over splits: it has
    no bias, however few or dependent the instances are.

    Examples
    --------
    >>> from needlescope.estimators.bags.scaling import no_scaling
    >>> rng = np.random.default_rng(0)
    >>> bags = Bags.from_array(rng.standard_normal((40, 3, 100)))
    >>> result = dimension(bags, no_scaling(100), -np.ones(40), np.random.RandomState(0))
    >>> bool(abs(result - 100) < 15)
    True
    """
    negative = np.flatnonzero(y < 0.0)
    squares, traces = [], []
    for _ in range(SPLITS):
        order = random.permutation(negative)
        halves = []
        for part in (order[::2], order[1::2]):
            rows = np.concatenate([bags[int(k)] for k in part])
            if len(rows) > ROWS:
                rows = rows[random.permutation(len(rows))[:ROWS]]
            scaled = scaling.apply(rows).astype(float)
            halves.append(scaled - scaled.mean(axis=0))
        sizes = [max(len(half) - 1, 1) for half in halves]
        squares.append(float(((halves[0] @ halves[1].T) ** 2).sum()) / (sizes[0] * sizes[1]))
        a, b = (float((half**2).sum()) / size for half, size in zip(halves, sizes, strict=True))
        traces.append(a * b)
    square, trace = float(np.mean(squares)), float(np.mean(traces))
    # Between 1 and d for every covariance; chance may lead outside.
    return float(np.clip(trace / max(square, 1e-300), 1.0, bags.d))


def project_bags(
    bags: Bags,
    scaling: Scaling,
    y: FloatArray,
    random: Any,
    done: Callable[[], None],
    repeats: int = REPEATS,
    splits: int = SPLITS,
) -> list[Projections]:
    """Project all instances along cross-fitted directions, and measure how far two of them agree.

    Without ``splits`` the agreement is NaN.
    """
    own = np.repeat(np.arange(len(bags)), bags.lengths)
    quiet = (y < 0.0)[own]
    along = {name: np.zeros((repeats, len(own))) for name in DIRECTIONS}
    for repeat in range(repeats):
        for known, rest in stratified(y, fold_count(y), random):
            result = _directions(bags, known, y, scaling)
            here = np.isin(own, rest)
            X = scaling.apply(bags.rows(rest))
            for name, direction in result.items():
                # Scaled by held-out negatives: a direction inflates those it was trained on.
                g = project(X, direction)
                noise = g[quiet[here]]
                size = float(noise.std())
                least = 1e-6 * float(np.abs(X).max(initial=0.0)) * float(np.abs(direction).sum())
                if size > least:
                    along[name][repeat, here] = (g - noise.mean()) / size
            done()
    agreement: dict[str, list[float]] = {name: [] for name in DIRECTIONS}
    pairs: dict[str, list[tuple[FloatArray, FloatArray]]] = {name: [] for name in DIRECTIONS}
    negatives = scaling.apply(bags.rows(np.flatnonzero(y < 0.0))) if splits else None
    for _ in range(splits):
        (first, second), _ = stratified(y, 2, random)
        pair = [_directions(bags, half, y, scaling) for half in (first, second)]
        for name in DIRECTIONS:
            a, b = (project(negatives, item[name]) for item in pair)
            agreement[name].append(_correlation(a, b))
            pairs[name].append((pair[0][name], pair[1][name]))
        done()
    return [
        Projections(
            name,
            np.clip(along[name], -FARTHEST_PROJECTION, FARTHEST_PROJECTION),
            float(np.mean(agreement[name])) if splits else np.nan,
            tuple(pairs[name]),
        )
        for name in DIRECTIONS
        if along[name].any()
    ]


def fold_count(y: FloatArray) -> int:
    """Return the number of cross-validation folds."""
    return min(FOLDS, rarer(y))


def report_count(y: FloatArray) -> int:
    """Return how often `project_bags` reports."""
    return REPEATS * fold_count(y) + SPLITS


def surprise(bags: Bags, y: FloatArray, projections: list[Projections]) -> float:
    """Return by how many standard errors positive bags differ: the largest of a few z-scores.

    Each z-score compares the mean over instances of one number, averaged over repeats: the share p
    of negatives' projections below an instance's, or (log 1/(1 − p))², which weighs large ones
    more. Without a signal these means do not depend on how large bags are. But folds share bags,
    and the largest of several is taken, so that without a signal it is wider than a standard
    normal.
    """
    quiet = np.repeat(y < 0.0, bags.lengths)
    result = [0.0]
    for item in projections:
        below = np.stack([_below(np.sort(along[quiet]), along) for along in item.along])
        for values in (below, np.log1p(-below) ** 2):
            means = np.add.reduceat(values, bags.starts[:-1], axis=1) / bags.lengths
            each = [_apart(mean[y > 0.0], mean[y < 0.0]) for mean in means]
            result.append(float(np.mean(each)))
    return max(result)


def _below(noise: FloatArray, values: FloatArray) -> FloatArray:
    """Return the share of the sorted noise below each value: above 0, and less than 1."""
    places = np.searchsorted(noise, values, "left") + np.searchsorted(noise, values, "right")
    return np.asarray((0.5 * places + 0.5) / (len(noise) + 1.0))


def _apart(plus: FloatArray, minus: FloatArray) -> float:
    """Return by how many standard errors one sample's mean exceeds the other's."""
    se2 = plus.var(ddof=1) / len(plus) + minus.var(ddof=1) / len(minus)
    return float((plus.mean() - minus.mean()) / np.sqrt(se2)) if se2 > 0.0 else 0.0


def shape(bags: Bags, y: FloatArray, along: FloatArray) -> dict[str, float]:
    """Return skewness, kurtosis and the correlation within bags of the negatives' projections.

    The mean over repeats, rows of ``along``.
    """
    each = [_shape(bags, y, item) for item in along]
    return {name: float(np.mean([item[name] for item in each])) for name in each[0]}


def _shape(bags: Bags, y: FloatArray, along: FloatArray) -> dict[str, float]:
    lengths = bags.lengths
    quiet = np.repeat(y < 0.0, lengths)
    g = along[quiet] - along[quiet].mean()
    power = float((g**2).mean())
    if power == 0.0:
        return NO_SHAPE
    starts = np.concatenate([[0], np.cumsum(lengths[y < 0.0])])[:-1]
    sizes = lengths[y < 0.0]
    pairs = float((sizes * (sizes - 1.0)).sum())
    crossed = float((np.add.reduceat(g, starts) ** 2).sum() - (g**2).sum())
    return {
        "skewness": float((g**3).mean()) / power**1.5,
        "kurtosis": float((g**4).mean()) / power**2,
        "correlation": crossed / pairs / power if pairs else 0.0,
        "correlation_se": np.sqrt(2.0 / pairs) if pairs else 0.0,
    }


def _directions(bags: Bags, known: Any, y: FloatArray, scaling: Scaling) -> dict[str, FloatArray]:
    data = PreparedBags(bags, known, y[known], Preprocessor(scaling))
    weight = np.full(len(known), 1.0 / len(known))
    fold = FoldData(data, weight)
    bias, mean = best_bias(data.y, weight, Logistic()), fold.means
    slope = Logistic().derivative(np.full(len(known), bias), data.y)
    query = TwoSteps(fold, Logistic(), 1.0)
    compute(data, query)
    result = {"query": query.q, "readout": -(weight * slope) @ mean}
    kind = bags.instances.dtype
    return {name: value.astype(kind) for name, value in result.items()}


def _correlation(a: FloatArray, b: FloatArray) -> float:
    a, b = a - a.mean(), b - b.mean()
    return float(a @ b / max(float(np.sqrt((a @ a) * (b @ b))), 1e-300))
