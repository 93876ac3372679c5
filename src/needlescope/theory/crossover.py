"""The alignment at which attention starts to beat mean pooling."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq

from ..grid import common_shape
from ..outcome import Crossover, gather
from ..query import Query
from ..task import Task
from ..training import Training
from .asymptote import asymptote
from .laws import SURE, check_accuracy, check_kinds
from .learning import predict

SCAN = np.linspace(0.0, 1.0, 6)


def crossover(
    task: Task, kappa: Any, *, training: Training | None = None, accuracy: float = 1e-4
) -> Crossover:
    """Return the smallest alignment s of the query at which attention beats mean pooling.

    Parameters
    ----------
    task
        The problem; numeric fields may be arrays.
    kappa : float or array
        Strength of the query.
    training
        Compare after this training (both readouts on D1). Without it, in the limit of
        much data with the square loss and no ridge (Corollary 2).
    accuracy
        Of the test errors that are compared.

    Examples
    --------
    >>> import needlescope as ns
    >>> found = ns.crossover(ns.Task(L=10, R=1, theta=5.0, pi=0.5), kappa=1.0, accuracy=1e-3)
    >>> round(found.cosine, 2), found.verdict
    (0.19, 'crosses')
    """
    check_kinds(task, training)
    strength = Query(kappa, 0.0)
    accuracy = check_accuracy(accuracy)
    shape = common_shape(task, strength, *([] if training is None else [training]))
    count = int(np.prod(shape, dtype=np.int64))
    trainings = [None] * count if training is None else training.scalars(shape)
    rows = [
        _crossover_one(t, q.kappa, r, accuracy)
        for t, q, r in zip(task.scalars(shape), strength.scalars(shape), trainings, strict=True)
    ]
    return gather(Crossover, rows, shape)


def _crossover_one(
    task: Task, kappa: float, training: Training | None, accuracy: float
) -> dict[str, Any]:
    def error(model: str, query: Query | None) -> tuple[float, float]:
        if training is None:
            limit = asymptote(task, model, query=query, accuracy=accuracy)
            return float(limit.limit), float(limit.limit_se)
        found = predict(task, training, model, query=query, accuracy=accuracy)
        return float(found.test_error), float(found.test_error_se)

    pooled, _ = error("pooled", None)

    @cache
    def gain(cosine: float) -> tuple[float, float]:
        value, se = error("attention", Query(kappa, cosine))
        return pooled - value, se

    gains, errors = np.array([gain(s) for s in SCAN.tolist()]).T
    wins = gains > SURE * errors + 1e-9
    cosine, cosine_se = np.nan, np.nan
    if (np.abs(gains) <= SURE * errors + 1e-9).all():
        verdict = "tied"
    elif wins[0]:
        cosine, cosine_se, verdict = 0.0, 0.0, "always"
    elif not wins.any():
        verdict = "never"
    else:
        low, high = SCAN[wins.argmax() - 1], SCAN[wins.argmax()]
        if gain(low)[0] < 0.0:
            cosine = float(brentq(lambda s: gain(s)[0], low, high, xtol=1e-5))
        else:
            cosine = float(low)
        slope = (gain(min(cosine + 0.02, 1.0))[0] - gain(max(cosine - 0.02, 0.0))[0]) / 0.04
        cosine_se, verdict = gain(cosine)[1] / max(slope, 1e-300), "crosses"
    return {
        "kappa": kappa,
        "cosine": cosine,
        "cosine_se": cosine_se,
        "gain": gains[-1],
        "gain_se": gain(1.0)[1],
        "verdict": verdict,
        "provenance": "theorem",
    }
