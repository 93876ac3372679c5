"""How query and readout share the training bags.

| scheme | the queries are trained on | the readout on |
| --- | --- | --- |
| reuse | all bags | the same bags again |
| split | one half | the other half |
| crossfit | all bags | all, each as a query sees it that was trained without it |

The theory splits. On real bags reuse is as good as the others or better, on the theory's own data
it clearly beats the split (docs/bags.md); it is the default.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.model_selection import StratifiedKFold

from ..arrays import FloatArray, IndexArray
from ..losses import Loss
from ..simulation.stages import State
from . import steps
from .prepared import Prepared
from .settings import Setting

SCHEMES = ("reuse", "split", "crossfit")
CROSS = 5


def train_states(
    data: Prepared,
    weight: FloatArray,
    settings: list[Setting],
    *,
    loss: Loss,
    scheme: str,
    random: np.random.RandomState,
) -> Iterator[tuple[Setting, State]]:
    """Train a classifier in every setting; those that differ in iterations share one run."""
    attends = any(one.kappa > 0.0 for one in settings)
    folds = _folds(data.y, scheme, random) if attends else []
    for kappa, same_kappa in groupby(settings, key=lambda one: one.kappa):
        if kappa == 0.0:
            d = data.tokens[1]
            F = steps.features(data, np.zeros((1, d)))
            for one in same_kappa:
                state = steps.fit_readout(F, data.y, np.zeros((1, d)), loss, one.ridge, weight)
                zero = np.zeros((one.queries, d))
                yield one, State(zero, np.vstack([state.w, zero[1:]]), state.b)
            continue
        parts = [(data, weight)] if scheme != "split" else []
        parts += [(data.part(known), _shares(weight, known)) for known, _ in folds]
        firsts = [_first(*part, loss, kappa) for part in parts]
        for (queries, ridge), family in groupby(same_kappa, lambda one: (one.queries, one.ridge)):
            wanted = list(family)
            most = max(one.iterations for one in wanted)
            paths = [
                _path(*part, first, loss, queries, kappa, ridge, most)
                for part, first in zip(parts, firsts, strict=True)
            ]
            for one in wanted:
                states = [path[min(one.iterations, len(path) - 1)] for path in paths]
                if scheme != "reuse":
                    seen = states[1:] if scheme == "crossfit" else states
                    states[0] = _readout(data, folds, seen, states[0], weight, loss, ridge)
                yield one, states[0]


def _folds(
    y: FloatArray, scheme: str, random: np.random.RandomState
) -> list[tuple[IndexArray, IndexArray]]:
    if scheme == "reuse":
        return []
    fewest = int(min((y > 0.0).sum(), (y < 0.0).sum()))
    count = 2 if scheme == "split" else min(CROSS, fewest)
    if fewest < 2:
        raise ValueError(
            f'data="{scheme}" needs at least two bags of each class wherever it trains, in every '
            f'fold of validation too, got {fewest}; pass data="reuse"'
        )
    split = StratifiedKFold(count, shuffle=True, random_state=random).split(y, y)
    found = [(np.sort(known), np.sort(rest)) for known, rest in split]
    return found[:1] if scheme == "split" else found


def _shares(weight: FloatArray, places: IndexArray) -> FloatArray:
    return weight[places] / weight[places].sum()


class _First(NamedTuple):
    """The first query, which no ridge has a part in, and its features."""

    state: State
    F: FloatArray


def _first(data: Prepared, weight: FloatArray, loss: Loss, kappa: float) -> _First:
    state = steps.add_query(data, steps.no_query(data, loss, weight), loss, weight, kappa)
    return _First(state, steps.features(data, state.q))


def _path(
    data: Prepared,
    weight: FloatArray,
    first: _First,
    loss: Loss,
    queries: int,
    kappa: float,
    ridge: float,
    iterations: int,
) -> list[State]:
    """Train readout and further queries, and refine; return the state after each iteration."""
    state = steps.fit_readout(first.F, data.y, first.state.q, loss, ridge, weight)
    for _ in range(queries - 1):
        state = steps.add_query(data, state, loss, weight, kappa)
        F = steps.features(data, state.q)
        state = steps.fit_readout(F, data.y, state.q, loss, ridge, weight)
    return steps.refine(data, state, loss, ridge, weight, iterations)


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
    return steps.fit_readout(F, data.y[places], final.q, loss, ridge, _shares(weight, places))


def _in_order(queries: FloatArray, final: FloatArray) -> FloatArray:
    """Return queries in the order of those of ``final`` that they are most like."""
    sizes = np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(final, axis=1)
    like = np.divide(queries @ final.T, sizes, out=np.zeros(sizes.shape), where=sizes > 0.0)
    own, place = linear_sum_assignment(-like)
    return queries[own[np.argsort(place)]]
