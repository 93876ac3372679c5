"""How query and readout share the training bags.

| scheme | the queries are trained on | the readout on |
| --- | --- | --- |
| reuse | all bags | the same bags again |
| split | one half | the other half |
| crossfit | all bags | all, each as a query sees it that was trained without it |

The theory splits. Reuse is as good as the others or better: where few instances carry the signal it
clearly beats the split (docs/bags.md). It is the default.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np
from scipy.optimize import linear_sum_assignment

from ...arrays import FloatArray, IndexArray
from ...losses import Loss
from ...simulation.training.stages import State
from . import steps
from .descent import refine
from .folds import rarer, stratified
from .prepared import Prepared
from .settings import SUMMARIES, Setting
from .ways import evidence, starts, summaries
from .ways.evidence import Evidence
from .ways.summaries import Summarised

SCHEMES = ("reuse", "split", "crossfit")
CROSS = 5


def train_states(
    data: Prepared,
    weight: FloatArray,
    settings: list[Setting],
    random: np.random.RandomState,
    *,
    loss: Loss,
    scheme: str,
) -> Iterator[tuple[Setting, State | Evidence | Summarised]]:
    """Train a classifier in every setting; those of one way share what they can."""
    attends = any(one.read == "attended" for one in settings)
    folds = _folds(data.y, scheme, random) if attends else []
    parts = [(data, weight)] if scheme != "split" else []
    parts += [(data.part(known), _shares(weight, known)) for known, _ in folds]
    known: dict[tuple[float, str], list[FloatArray]] = {}  # queries to start from, on every part
    for way, group in groupby(settings, key=lambda one: one.way):
        wanted = list(group)
        ridges = list(dict.fromkeys(one.ridge for one in wanted))
        if way.read == "mean":
            yield from _means(data, weight, wanted, loss, ridges)
            continue
        if way.read == "evidence":
            yield from _evidence(data, weight, wanted, loss, ridges)
            continue
        if way.read in SUMMARIES:
            yield from _summaries(data, weight, wanted, loss, ridges)
            continue
        key = way.kappa, way.start
        if key not in known:
            known[key] = [_start(*part, loss, *key) for part in parts]
        firsts = [
            _readouts(*part, np.vstack([q, 0.0 * q]) if way.beside else q, loss, ridges)
            for part, q in zip(parts, known[key], strict=True)
        ]
        for ridge, family in groupby(wanted, lambda one: one.ridge):
            asked = list(family)
            most = max(one.iterations for one in asked)
            paths = [
                _path(*part, first[ridge], loss, way, ridge, most)
                for part, first in zip(parts, firsts, strict=True)
            ]
            for one in asked:
                states = [path[min(one.iterations, len(path) - 1)] for path in paths]
                if scheme != "reuse":
                    seen = states[1:] if scheme == "crossfit" else states
                    states[0] = _readout(data, folds, seen, states[0], weight, loss, ridge)
                yield one, states[0]


def _means(
    data: Prepared, weight: FloatArray, wanted: list[Setting], loss: Loss, ridges: list[float]
) -> Iterator[tuple[Setting, State]]:
    """Train readouts of the mean; further queries are nothing too."""
    nothing = np.zeros((1, data.tokens[1]))
    pooled = _readouts(data, weight, nothing, loss, ridges)
    for one in wanted:
        state, zero = pooled[one.ridge], np.repeat(nothing, one.queries, axis=0)
        yield one, State(zero, np.vstack([state.w, zero[1:]]), state.b)


def _summaries(
    data: Prepared, weight: FloatArray, wanted: list[Setting], loss: Loss, ridges: list[float]
) -> Iterator[tuple[Setting, Summarised]]:
    """Train a linear readout of summaries, or trees."""
    if wanted[0].read == "trees":
        yield wanted[0], summaries.forest(data, weight)
        return
    found = summaries.linear(data, weight, loss, ridges)
    for one in wanted:
        yield one, found[one.ridge]


def _evidence(
    data: Prepared, weight: FloatArray, wanted: list[Setting], loss: Loss, ridges: list[float]
) -> Iterator[tuple[Setting, Evidence]]:
    """Train the evidence, from the readout of the mean or from a query."""
    way, nothing = wanted[0].way, np.zeros((1, data.tokens[1]))
    if way.start == "mean":
        pooled = _readouts(data, weight, nothing, loss, ridges)
        queries = {ridge: pooled[ridge].w for ridge in ridges}
    else:
        queries = dict.fromkeys(ridges, _start(data, weight, loss, way.kappa, way.start))
    for ridge, family in groupby(wanted, lambda one: one.ridge):
        asked = list(family)
        first = evidence.balanced(data, queries[ridge], loss, weight)
        most = max(one.iterations for one in asked)
        path = evidence.refine(data, first, loss, ridge, weight, most)
        for one in asked:
            yield one, path[min(one.iterations, len(path) - 1)]


def _start(data: Prepared, weight: FloatArray, loss: Loss, kappa: float, start: str) -> FloatArray:
    """Return the query (1, d) that training starts from; of strength κ, if it is above 0."""
    if start == "steps":
        return steps.add_query(data, steps.no_query(data, loss, weight), loss, weight, kappa).q
    found = starts.contrast(data, weight) if start == "contrast" else starts.iterated(data, weight)
    return steps.of_strength(data, found, weight, kappa)[None] if kappa > 0.0 else found[None]


def _folds(
    y: FloatArray, scheme: str, random: np.random.RandomState
) -> list[tuple[IndexArray, IndexArray]]:
    if scheme == "reuse":
        return []
    fewest = rarer(y)
    count = 2 if scheme == "split" else min(CROSS, fewest)
    if fewest < 2:
        raise ValueError(
            f'data="{scheme}" needs at least two bags of each class wherever it trains, in every '
            f'fold of validation too, got {fewest}; pass data="reuse"'
        )
    found = stratified(y, count, random)
    return found[:1] if scheme == "split" else found


def _shares(weight: FloatArray, places: IndexArray) -> FloatArray:
    shares: FloatArray = weight[places] / weight[places].sum()
    return shares


def _readouts(
    data: Prepared, weight: FloatArray, queries: FloatArray, loss: Loss, ridges: list[float]
) -> dict[float, State]:
    """Train the readout of these queries for each ridge."""
    F = steps.features(data, queries)
    return dict(zip(ridges, steps.readouts(F, data.y, queries, loss, ridges, weight), strict=True))


def _path(
    data: Prepared,
    weight: FloatArray,
    state: State,
    loss: Loss,
    way: Setting,
    ridge: float,
    iterations: int,
) -> list[State]:
    """Train further queries, and refine; return the state after each iteration."""
    for _ in range(way.queries - 1):
        state = steps.add_query(data, state, loss, weight, way.kappa)
        state = _readouts(data, weight, state.q, loss, [ridge])[ridge]
    if way.beside:  # the mean comes last
        order = [0, *range(2, 1 + way.queries), 1]
        state = state._replace(q=state.q[order], w=state.w[order])
    return refine(data, state, loss, ridge, weight, iterations)


def _readout(
    data: Prepared,
    folds: list[tuple[IndexArray, IndexArray]],
    states: list[State],
    final: State,
    weight: FloatArray,
    loss: Loss,
    ridge: float,
) -> State:
    """Train the readout on bags as queries see them that were trained without these bags."""
    F = np.concatenate(
        [
            steps.features(data.part(rest), _in_order(state.q, final.q))
            for (_, rest), state in zip(folds, states, strict=True)
        ]
    )
    places = np.concatenate([rest for _, rest in folds])
    share = _shares(weight, places)
    return steps.readouts(F, data.y[places], final.q, loss, [ridge], share)[0]


def _in_order(queries: FloatArray, final: FloatArray) -> FloatArray:
    """Return queries in the order of those of ``final`` that they are most like."""
    sizes = np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(final, axis=1)
    like = np.divide(queries @ final.T, sizes, out=np.zeros(sizes.shape), where=sizes > 0.0)
    own, place = linear_sum_assignment(-like)
    ordered: FloatArray = queries[own[np.argsort(place)]]
    return ordered
