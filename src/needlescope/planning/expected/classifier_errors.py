"""Predicted test errors of classifiers of bags, trained as `estimators` trains them.

Strength κ and ridge are the best of a few, as cross-validation would choose them. Attention trains
its query on one half of the bags and its readout on the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...models import get_model
from ...query import Query
from ...results import Outcome
from ...task import Task
from ...theory.law.ladder import ROUGH
from ...theory.law.limits import train_limit
from ...theory.learning import predict
from ...theory.oracle.least_error import oracle
from ...training import Training
from .protocol import alignment, protocol_training

LINEAR_RIDGES = (1.0, 0.1, 0.01, 1e-3, 1e-4)  # of the linear models
ATTENTION_RIDGES = (0.1, 0.01, 1e-3)  # of attention
KAPPAS = (1.0, 2.0, 4.0)
BAG_FACTORS = (1.0, 1.3, 2.0, 4.0, 10.0)  # times the bags there are
TOL = 2e-3
CONSTANT_SHARE = 1e-3  # by which an error is below that of the constant answer, to say anything


class PredictedError(NamedTuple):
    """An error, and the κ and ridge that reach it."""

    error: float
    ridge: float
    kappa: float = 0.0


def predict_error(task: Task, bags: float, dimension: float, model: str) -> PredictedError:
    """Predict the error of a model trained on this many bags, κ and ridge the best of a few."""
    half = bags / (2.0 * dimension)
    if not get_model(model).has_query:
        plain = Training(alpha0=half, alpha1=half, ridge=np.array(LINEAR_RIDGES))
        result = predict(task, plain, model, data="all", tol=TOL)
        errors = np.asarray(result.test_error)
        best = int(_ranked(task, result).argmin())
        return PredictedError(float(errors[best]), LINEAR_RIDGES[best])
    training, query = trained_query(task, half, np.array(KAPPAS)[:, None])
    training = training.replace(ridge=np.array(ATTENTION_RIDGES))
    result = predict(task, training, model, query=query, tol=TOL)
    errors = np.asarray(result.test_error)
    k, j = np.unravel_index(int(_ranked(task, result).argmin()), errors.shape)
    return PredictedError(float(errors[k, j]), ATTENTION_RIDGES[j], KAPPAS[k])


def _ranked(task: Task, result: Outcome) -> FloatArray:
    """Return what is least for the best settings: the error; or −cosine, if no error says more.

    Where one class is rare, all errors may be that of the constant answer.
    """
    errors = np.asarray(result.test_error)
    if errors.min() < (1.0 - CONSTANT_SHARE) * min(task.pi, 1.0 - task.pi):
        return errors
    return np.asarray(-np.nan_to_num(np.asarray(result.cosine)))


def trained_query(task: Task, half: float, kappa: Any) -> tuple[Training, Query | None]:
    """Return a training, and the query that it is given: in white noise its cosine says all.

    In noise with a spectrum the query is not random beside the signal, and the steps that train it
    say where it lies.
    """
    if task.noise is None:
        return Training(alpha0=half, alpha1=half), Query(kappa, alignment(task, half))
    training = protocol_training(task, half, half)
    return training.replace(eta_q=training.eta_q * kappa), None


def squared_weights(task: Task, bags: float, dimension: float, kappa: float) -> float:
    """Return E Σ a², of the weights a of attention on the instances of a bag.

    Examples
    --------
    >>> task = Task(L=10, R=1, theta=4.0, pi=0.5)
    >>> round(squared_weights(task, 400, 20.0, 1e-3), 6)
    0.1
    >>> squared_weights(task, 400, 20.0, 4.0) > 0.5
    True
    """
    half = bags / (2.0 * dimension)
    query = Query(kappa, alignment(task, half))
    law = train_limit(get_model("attention"), task.whitened, query, ROUGH).law(float(task.pi))
    return float(law.weight @ law.A)


def bayes_error(task: Task) -> float:
    """Return the Bayes error, of a known signal."""
    return float(oracle(task, "bayes", tol=TOL).error)


def errors_by_bags(
    task: Task, bags: int, dimension: float, model: str, done: Callable[[], None]
) -> dict[float, PredictedError]:
    """Return the predictions for the number of bags there are, and for more."""
    result = {}
    for factor in BAG_FACTORS:
        result[bags * factor] = predict_error(task, bags * factor, dimension, model)
        done()
    return result


def bags_for_gain(result: dict[float, float], gain: float) -> float:
    """Return how many more bags lower the error by ``gain``; infinity if ten times more do not.

    Examples
    --------
    >>> round(bags_for_gain({100: 0.2, 400: 0.1}, 0.05))
    100
    """
    n = np.array(list(result), float)
    errors = np.minimum.accumulate(list(result.values()))
    target = errors[0] - gain
    if errors[-1] > target:
        return float("inf")
    # np.interp wants an increasing axis: the drop of the error.
    return float(np.exp(np.interp(-target, -errors, np.log(n))) - n[0])
