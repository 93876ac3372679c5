"""What the theory predicts for the cross-validated classifiers, and how uncertain that is.

Where the noise has a spectrum few directions carry most of it, and the test error of one data set
may be far from its limit: a small simulation says how far at this number of features.

The range of a prediction p has an end p_k for two standard errors of each source k of uncertainty:
θ, with R; the place of the signal in the spectrum; and the mean of that small simulation. They are
independent, and combine in quadrature on the scale of log odds, which keeps errors between 0 and 1:

    logit p_± = logit p ± √( Σ_k (logit p_k − logit p)² )     over the p_k on this side of p.

In white noise θ is the only source. The uncertainty of the eigenvalues is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit, logit

from ...arrays import FloatArray
from ...errors import NotConverged
from ...models import get_model
from ...planning.expected.classifier_errors import (
    PredictedError,
    bayes_error,
    predict_error,
    squared_weights,
    trained_query,
)
from ...planning.expected.ranking import predicted_auc
from ...planning.expected.spread import at_dimension
from ...task import Task
from ...training import Training
from .fit import Fitted

UNCERTAIN_ERRORS = 2.0  # standard errors of each source in the range of a prediction
TRIALS = 12  # simulated data sets
SHARES = {"pooled": 1.0, "attention": 1.0, "vectorized": 1.0, "bayes": np.inf}  # Σ a² by model
MODELS = {"pooled": "pooled", "attention, split": "attention"}  # of measured classifiers
LEAST_ODDS = 1e-12  # in a logarithm

Range: TypeAlias = tuple[float, float]


class AtDimension(NamedTuple):
    """Mean and deviation of the error over data sets of this size, and the mean over its limit.

    ``mean_se`` is the standard error of the simulated mean.
    """

    mean: float
    deviation: float = 0.0
    ratio: float = 1.0
    mean_se: float = 0.0

    @property
    def times(self) -> float:
        """The factor of the mean at some standard errors of the simulation."""
        return 1.0 + UNCERTAIN_ERRORS * self.mean_se / self.mean if self.mean > 0.0 else 1.0


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
    return AtDimension(mean, deviation, mean / error, deviation / float(np.sqrt(TRIALS)))


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


def combined(first: float, sources: Sequence[Range]) -> Range:
    """Return the range of a prediction whose sources of uncertainty are independent.

    Each source has two values, at either end of its uncertainty. They combine in quadrature on the
    scale of log odds; the range of one source is its own.

    Examples
    --------
    >>> combined(0.2, [(0.1, 0.3)])
    (0.1, 0.3)
    >>> low, high = combined(0.2, [(0.1, 0.3), (0.1, 0.2)])
    >>> round(low, 3), round(high, 3)  # logit 0.2 − √2 (logit 0.2 − logit 0.1)
    (0.074, 0.3)
    """
    ranges = [(min(first, *ends), max(first, *ends)) for ends in sources]
    if len(ranges) < 2:
        return ranges[0] if ranges else (first, first)
    centre, ends = _log_odds(first), np.array(_log_odds(ranges))
    low, high = np.sqrt(((ends - centre) ** 2).sum(axis=0))
    return float(expit(centre - low)), float(expit(centre + high))


def _log_odds(p: object) -> FloatArray:
    return np.asarray(logit(np.clip(np.asarray(p, float), LEAST_ODDS, 1.0 - LEAST_ODDS)))


def prediction_ranges(
    result: Fitted,
    bags: float,
    predictions: Sequence[PredictedError],
    shares: dict[str, float],
    sizes: Sequence[AtDimension],
) -> tuple[dict[str, Range], dict[str, tuple[float, float, float]], Range]:
    """Return the ranges of predictions, over all that is uncertain about them.

    Errors of data sets of this size: least and largest. AUCs: prediction, least and largest. Bayes
    error: estimate and least.
    θ is smaller by the factor by which it is larger, so that it stays above zero. R changes with θ
    as it does between halves.
    """
    sources = _sources(result)
    ends = [end for source in sources for end in source]
    errors, aucs = {}, {}
    for (name, model), first, size in zip(MODELS.items(), predictions, sizes, strict=True):
        tasks = [result.at(*end, share=shares[model]) for end in ends]
        each = [predict_error(task, bags, result.dimension, model) for task in tasks]
        rows = [
            predicted_auc(task, bags, result.dimension, model, at)
            for task, at in zip(tasks, each, strict=True)
        ]
        by_source = _in_pairs([size.ratio * item.error for item in each])
        if size.times > 1.0:
            by_source.append((size.mean / size.times, size.mean * size.times))
        errors[name] = combined(size.mean, by_source)
        task = result.at(share=shares[model])
        auc = predicted_auc(task, bags, result.dimension, model, first)
        aucs[name] = auc, *combined(auc, _in_pairs(rows))
    floors = [bayes_error(result.at(*end, share=shares["bayes"])) for end in ends]
    floor = bayes_error(result.at(share=shares["bayes"]))
    least, _ = combined(floor, _in_pairs(floors))
    if result.theta_se == np.inf:  # θ has no upper end
        least = 0.0
        errors = {name: (0.0, high) for name, (_, high) in errors.items()}
        aucs = {name: (item, low, 1.0) for name, (item, low, _) in aucs.items()}
    return errors, aucs, (floor, least)


def _sources(result: Fitted) -> list[tuple[tuple[float, float, float], ...]]:
    """Return the two ends of each source, as factors of θ and R and errors of the place."""
    sources: list[tuple[tuple[float, float, float], ...]] = []
    se = UNCERTAIN_ERRORS * result.theta_se
    if np.isfinite(se) and se > 0.0:
        times = 1.0 + se / result.task.theta
        ends = (times, 1.0 / times)
        sources.append(tuple((by, by**result.halves.R_exponent, 0.0) for by in ends))
    if result.structure is not None:
        sources.append(tuple((1.0, 1.0, by) for by in (-UNCERTAIN_ERRORS, UNCERTAIN_ERRORS)))
    return sources


def _in_pairs(values: Sequence[float]) -> list[Range]:
    return list(zip(values[::2], values[1::2], strict=True))
