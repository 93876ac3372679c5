"""What the theory predicts for the cross-validated classifiers, and how uncertain that is.

Where the noise has a spectrum few directions carry most of it, and the test error of one data set
may be far from its limit: a small simulation says how far at this number of features.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from ...errors import NotConverged
from ...models import get_model
from ...planning.classifier_errors import (
    PredictedError,
    bayes_error,
    predict_error,
    squared_weights,
    trained_query,
)
from ...planning.ranking import predicted_auc
from ...planning.spread import at_dimension
from ...task import Task
from ...training import Training
from .fit import Fitted

UNCERTAIN_ERRORS = 2.0  # standard errors of θ, and of the place, in the range of a prediction
TRIALS = 12  # simulated data sets
SHARES = {"pooled": 1.0, "attention": 1.0, "vectorized": 1.0, "bayes": np.inf}  # Σ a² by model
MODELS = {"pooled": "pooled", "attention, split": "attention"}  # of measured classifiers


class AtDimension(NamedTuple):
    """Mean and deviation of the error over data sets of this size, and the mean over its limit."""

    mean: float
    deviation: float = 0.0
    ratio: float = 1.0


def at_this_dimension(
    result: Fitted, task: Task, bags: float, model: str, prediction: PredictedError
) -> AtDimension:
    """Return the error over data sets of this size; in white noise that of the limit."""
    error, d = prediction.error, round(result.dimension)
    if result.structure is None or not task.theta > 0.0 or not error > 0.0:
        return AtDimension(error)
    if get_model(model).has_query:
        training, _ = trained_query(task, bags / (2.0 * d), prediction.kappa)
    else:
        training = Training(alpha1=bags / d)
    training = training.replace(ridge=prediction.ridge)
    try:
        mean, deviation = at_dimension(task, training, model, d, error, TRIALS)
    except NotConverged:
        return AtDimension(error)
    return AtDimension(mean, deviation * float(np.sqrt(1.0 + 1.0 / TRIALS)), mean / error)


Range: TypeAlias = tuple[float, float]


def squared_weights_of(result: Fitted, bags: float) -> dict[str, float]:
    """Return Σ a² of the weights of each model on the instances of a bag, where it matters.

    That is where bags have offsets.
    """
    if result.structure is None or not result.structure.offsets:
        return dict.fromkeys(SHARES, 1.0)
    shares = SHARES | {"pooled": 1.0 / result.task.L}
    for _ in range(2):  # the best κ depends on it, too
        task = result.at(share=shares["attention"])
        kappa = predict_error(task, bags, result.dimension, "attention").kappa
        shares["attention"] = squared_weights(result.task, bags, result.dimension, kappa)
    return shares


def prediction_ranges(
    result: Fitted, bags: float, predictions: list[PredictedError], shares: dict[str, float]
) -> tuple[dict[str, Range], dict[str, tuple[float, float, float]], Range]:
    """Return the ranges of predictions for θ, and the signal's place, two standard errors off.

    Errors: least and largest. AUCs: prediction, least and largest. Bayes error: estimate and least.
    θ is smaller by the factor by which it is larger, so that it stays above zero. R changes with θ
    as it does between halves.
    """
    se, ends = UNCERTAIN_ERRORS * result.theta_se, [(1.0, 1.0, 0.0)]
    if np.isfinite(se) and se > 0.0:
        times = 1.0 + se / result.task.theta
        ends += [(by, by**result.halves.R_exponent, 0.0) for by in (times, 1.0 / times)]
    if result.structure is not None:
        ends += [(1.0, 1.0, by) for by in (-UNCERTAIN_ERRORS, UNCERTAIN_ERRORS)]
    errors, aucs = {}, {}
    for (name, model), first in zip(MODELS.items(), predictions, strict=True):
        tasks = [result.at(*end, share=shares[model]) for end in ends]
        each = [first]
        each += [predict_error(task, bags, result.dimension, model) for task in tasks[1:]]
        rows = [
            predicted_auc(task, bags, result.dimension, model, at)
            for task, at in zip(tasks, each, strict=True)
        ]
        errors[name] = min(item.error for item in each), max(item.error for item in each)
        aucs[name] = rows[0], min(rows), max(rows)
    floors = [bayes_error(result.at(*end, share=shares["bayes"])) for end in ends]
    least = min(floors)
    if se == np.inf:  # θ has no upper end
        least = 0.0
        errors = {name: (0.0, high) for name, (_, high) in errors.items()}
        aucs = {name: (item, low, 1.0) for name, (item, low, _) in aucs.items()}
    return errors, aucs, (floors[0], least)
