"""The limit law of each model: in closed form, or as an integral over the law of attention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...models import MODELS, WITH_QUERY, Model
from ...models.nodes import LimitLaw
from ...models.segments import peak
from ...query import Query
from ...task import Task
from .attention import attention_limit, attention_samples
from .correlated import Attended, correlated_limit, correlated_samples
from .ladder import Level
from .linear import linear_limit
from .mixtures import Orthogonal, mixture, orthogonal_parts


def train_limit(model: Model, task: Task, query: Query, level: Level) -> LimitLaw:
    """Return the law of a model's features on a (scalar) task."""
    return test_limit(model, task, task, query, level)


def test_limit(model: Model, task: Task, test: Task, query: Query, level: Level) -> LimitLaw:
    """Return the law on ``test`` of the features of a model trained on ``task``."""
    if model.limit is not None:
        return model.limit(task, test)
    kappa, law = sharpness(model, query), LAWS[model.name]
    if test.token_correlation:
        parts = [
            correlated_limit(*_correlated(model, test, part, kappa), part.level(level))
            for part in _parts(test, query)
        ]
        return _joined(parts, test, query)
    parts = [
        law(test.L, part.tokens, test.theta, kappa, part.cosine, part.level(level), part.orthogonal)
        for part in _parts(test, query)
    ]
    return _joined(parts, test, query)


def nearby_limit(
    model: Model, task: Task, query: Query, level: Level, like: tuple[Task, Query]
) -> LimitLaw:
    """Return the law of a model's features, compressed as that of a task and query nearby.

    Differences between such laws have no part of their compression.
    """
    independent = model.limit is None and not task.token_correlation
    if not independent or LAWS[model.name] is not attention_limit or task.signals is not None:
        return train_limit(model, task, query, level)
    near, there = like
    kappas = sharpness(model, query), sharpness(model, there)
    if 0.0 in kappas or len(task.counts) > 1:
        return train_limit(model, task, query, level)
    place = kappas[1], near.theta * there.cosine
    return attention_limit(task.L, task.R, task.theta, kappas[0], query.cosine, level, None, place)


def error_limit(model: Model, task: Task, test: Task, query: Query, level: Level) -> LimitLaw:
    """Return the law that a test error is averaged over, finer for linear attention.

    As a function of the features an error is a step, narrow for a strong signal: compressed samples
    resolve it in proportion, the few points of a quadrature do not.
    """
    independent = not test.token_correlation
    finer = model.has_query and independent and LAWS[model.name] is linear_limit
    return test_limit(model, task, test, query, level.finer if finer else level)


def sharpness(model: Model, query: Query) -> float:
    """Return the κ of a query as the model uses it: hard attention has κ = 0 or ∞ only.

    >>> from needlescope.models import HARD, LINEAR
    >>> sharpness(HARD, Query(0.5, 1.0)), sharpness(LINEAR, Query(0.5, 1.0))
    (inf, 0.5)
    """
    kappa = float(query.kappa)
    return np.inf if model.weigh is peak and kappa > 0.0 else kappa


def sampled_limits(model: Model, task: Task, query: Query, level: Level) -> list[LimitLaw]:
    """Return the uncompressed law of each replicate, or the one law of a model without sampling."""
    kappa = sharpness(model, query) if model.has_query else 0.0
    if model.has_query and task.token_correlation:
        each = [
            correlated_samples(*_correlated(model, task, part, kappa), part.level(level).points)
            for part in _parts(task, query)
        ]
        return [_joined(item, task, query) for item in zip(*each, strict=True)]
    if kappa > 0.0 and LAWS[model.name] is attention_limit:
        parts = [
            attention_samples(
                *(task.L, part.tokens, task.theta, kappa, part.cosine),
                *(part.level(level).points, part.orthogonal),
            )
            for part in _parts(task, query)
        ]
        return [_joined(item, task, query) for item in zip(*parts, strict=True)]
    return [train_limit(model, task, query, level)]


class _Part(NamedTuple):
    """The positives with one signal and one number of signal tokens."""

    weight: float  # probability of its signal
    chance: float  # probability of its number of signal tokens
    tokens: int
    cosine: float
    orthogonal: Orthogonal  # part of the signal orthogonal to the query

    @property
    def share(self) -> float:
        return self.weight * self.chance

    def level(self, level: Level) -> Level:
        return level.of_part(self.chance)


def _parts(task: Task, query: Query) -> list[_Part]:
    """List the parts with signal tokens; their shares sum to P(R > 0)."""
    signals: list[tuple[float, float, Orthogonal]] = [(1.0, query.cosine, None)]
    if task.signals is not None:
        rows = map(tuple, orthogonal_parts(query.cosines).tolist())
        signals = [
            item for item in zip(task.signals, query.cosines, rows, strict=True) if item[0] > 0.0
        ]
    return [
        _Part(share, chance, tokens, cosine, orthogonal)
        for share, cosine, orthogonal in signals
        for tokens, chance in task.counts
        if tokens > 0
    ]


def _correlated(
    model: Model, task: Task, part: _Part, kappa: float
) -> tuple[Attended, float, float]:
    """Return what attention sees of a part of the positives on correlated tokens, θ and s."""
    tilt, rho = task.theta * part.cosine, task.token_correlation
    seen = Attended(model, task.L, part.tokens, kappa, tilt, rho, task.positions)
    return seen, task.theta, part.cosine


def _joined(laws: Sequence[LimitLaw], task: Task, query: Query) -> LimitLaw:
    if len(laws) == 1 and task.counts[0][0] > 0:
        return laws[0]
    return mixture(laws, [part.share for part in _parts(task, query)])


LAWS: dict[str, Callable[[int, int, float, float, float, Level, Orthogonal], LimitLaw]] = {
    name: attention_limit if MODELS[name].bounded else linear_limit for name in WITH_QUERY
}
"""By L, R, θ, κ, s, the level, and the signal's part orthogonal to the query."""


test_limit.__test__ = False  # type: ignore[attr-defined]  # the name is not a test's
