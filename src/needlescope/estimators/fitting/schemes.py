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

from typing import TypeAlias

import numpy as np
from scipy.optimize import linear_sum_assignment

from ...arrays import FloatArray, IndexArray
from ...losses import Loss
from ...models.gradient import State
from . import steps
from .families import AttentionPaths, LogMeanExpPaths, start_of
from .folds import rarer, stratified
from .lockstep.asks import Features
from .lockstep.conductor import Job, side_by_side
from .lockstep.sight import Sight
from .settings import SUMMARIES, Setting
from .steps import Scored
from .ways import summaries

SCHEMES = ("reuse", "split", "crossfit")
CROSS = 5

Parts: TypeAlias = "list[tuple[IndexArray, IndexArray]]"  # bags of a query, bags of its readout


def train_states(
    sight: Sight,
    settings: list[Setting],
    random: np.random.RandomState,
    *,
    loss: Loss,
    scheme: str,
) -> Job[list[Scored]]:
    """Train a classifier in every setting of a way; what they share is found once.

    What is drawn is drawn at once, and not when it is needed: trainings in lockstep take turns.
    """
    way = settings[0].candidate
    if way.pooling == "mean":
        return _means(sight, settings, loss)
    if way.pooling == "log_mean_exp":
        return _log_mean_exp(sight, settings, loss)
    if way.pooling in SUMMARIES:
        return _summaries(sight, settings, loss, int(random.randint(2**31 - 1)))
    parts = _parts(sight, scheme, random)
    if scheme == "reuse":
        return _reused(sight, settings, loss)
    return _apart(sight, settings, loss, parts, final=scheme == "crossfit")


def find_start(
    sight: Sight, settings: list[Setting], random: np.random.RandomState, *, loss: Loss
) -> Job[list[Scored]]:
    """Find the query that a way starts from, and keep it for when the way is trained."""
    way = settings[0].candidate
    if not way.attends or way.init == "mean":
        yield []
    else:
        yield from start_of(sight, loss, way)
    return []


def _means(sight: Sight, settings: list[Setting], loss: Loss) -> Job[list[Scored]]:
    """Train readouts of the mean; further queries are nothing too."""
    yield []  # nothing is asked: the means are known
    nothing, ridges = np.zeros((1, sight.d)), [setting.ridge for setting in settings]
    result = steps.readouts(sight.means, sight.y, nothing, loss, ridges, sight.weight)
    zero = np.zeros((settings[0].n_queries, sight.d))
    return [
        item._replace(model=State(zero, np.vstack([item.model.w, zero[1:]]), item.model.b))
        for item in result
    ]


def _summaries(sight: Sight, settings: list[Setting], loss: Loss, seed: int) -> Job[list[Scored]]:
    """Train a linear readout of summaries, or trees."""
    yield []  # nothing is asked: the summaries are known
    way, result = settings[0].candidate, sight.summaries
    if way.pooling == "forest":
        if way not in sight.known:
            sight.known[way] = summaries.forest(result, sight.y, sight.weight, seed)
        models = [sight.known[way]]
    else:
        ridges = [setting.ridge for setting in settings]
        models = summaries.linear(result, sight.y, sight.weight, loss, ridges)
    return [Scored(model, model.of(result)) for model in models]


def _log_mean_exp(sight: Sight, settings: list[Setting], loss: Loss) -> Job[list[Scored]]:
    """Train the evidence, from the readout of the mean or from a query."""
    way = settings[0].candidate
    votes: LogMeanExpPaths = sight.known.setdefault(way, LogMeanExpPaths(sight, way, loss))
    return (yield from votes.train(settings))


def _reused(sight: Sight, settings: list[Setting], loss: Loss) -> Job[list[Scored]]:
    """Train attention, the readout on the bags of the query."""
    way = settings[0].candidate
    attended: AttentionPaths = sight.known.setdefault(way, AttentionPaths(sight, way, loss))
    return (yield from attended.train(settings))


def _apart(
    sight: Sight, settings: list[Setting], loss: Loss, parts: Parts, *, final: bool
) -> Job[list[Scored]]:
    """Train attention on some bags, and the readout on others.

    If ``final``, the query that is kept has seen all bags; else that of the only part.
    """
    sights = [sight.part(known) for known, _ in parts]
    trained = yield from side_by_side(
        [_reused(item, settings, loss) for item in ([sight] * final + sights)]
    )
    kept, seen = trained[0], trained[1:] if final else trained
    rest = np.concatenate([places for _, places in parts])
    readable = sight.part(rest)
    result = []
    for place, setting in enumerate(settings):
        q = kept[place].model.q
        asked = [Features(sight, _in_order(each[place].model.q, q)) for each in seen]
        whole, *tables = yield [Features(sight, q), *asked]
        F = whole.copy()
        for (_, places), table in zip(parts, tables, strict=True):
            F[places] = table[places]
        n = len(F)
        weight = readable.weight
        (read,) = steps.readouts(F.reshape(n, -1), sight.y, q, loss, [setting.ridge], weight)
        scores = whole.reshape(n, -1) @ read.model.w.ravel() + read.model.b
        result.append(Scored(read.model, scores))
    return result


def _parts(sight: Sight, scheme: str, random: np.random.RandomState) -> Parts:
    """Return which bags queries are trained on, and which their readouts."""
    if scheme == "reuse":
        return []
    trained = np.flatnonzero(sight.weight > 0.0)
    y = sight.y[trained]
    fewest = rarer(y)
    count = 2 if scheme == "split" else min(CROSS, fewest)
    if fewest < 2:
        raise ValueError(
            f'split="{scheme}" needs at least two bags of each class wherever it trains, in every '
            f'fold of cv too, got {fewest}; pass split="reuse"'
        )
    result = [(trained[known], trained[rest]) for known, rest in stratified(y, count, random)]
    return result[:1] if scheme == "split" else result


def _in_order(queries: FloatArray, final: FloatArray) -> FloatArray:
    """Return queries in the order of those of ``final`` that they are most like."""
    sizes = np.linalg.norm(queries, axis=1)[:, None] * np.linalg.norm(final, axis=1)
    like = np.divide(queries @ final.T, sizes, out=np.zeros(sizes.shape), where=sizes > 0.0)
    own, place = linear_sum_assignment(-like)
    ordered: FloatArray = queries[own[np.argsort(place)]]
    return ordered
