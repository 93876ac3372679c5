"""From labelled bags to a task of the theory: what it predicts for them, and how far to trust it.

The task is fitted first (`fit`); the theory then predicts errors, also for more bags
(`planning.expected.classifier_errors`), and classifiers are cross-validated for comparison.
``departures`` lists how far the measured errors, and the bags, are from the theory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.utils import check_random_state

from ...arrays import FloatArray
from ...planning.expected import classifier_errors
from ...planning.expected.classifier_errors import (
    PredictedError,
    errors_by_bags,
    predict_error,
)
from ...running.progress import Progress, reporting
from ..bags.bags import Bags, as_bags
from ..bags.labels import check_order, read_labels, two_classes
from ..bags.scaling import Scaling
from ..classifiers.attention import AttentionClassifier
from ..classifiers.linear import PooledClassifier
from ..classifiers.mil import MILClassifier
from ..engine.folds import stratified
from . import halves, signal
from .departures import BayesFloor, Drift, ErrorComparison, departures, trust, verdict
from .expected import MODELS, at_this_dimension, prediction_ranges, squared_weights_of
from .fit import Fitted, fit_task, scaled_as_noise
from .result import TaskEstimate

LEAST_BAGS = 5  # bags of each class
BETTER_ERRORS = 3.0  # standard errors by which a classifier is better than guessing
RARE_SHARE = 0.2  # of the rarer class, below which AUCs are compared too
FITTED = ("task", "R", "R_se", "theta_se", "dimension", "surprise", "noise", "alignment")
HALVES_FIELDS = ("theta", "deviation", "R", "found")


def estimate_task(
    X: Any,
    y: Any,
    *,
    pos_label: Any = None,
    random_state: Any = None,
    progress: Progress = None,
) -> TaskEstimate:
    """Estimate which task of the theory labelled bags are like, and what it predicts for them.

    Parameters
    ----------
    X : Bags, array (bags, instances, features), or list of arrays
        At least five bags of each class.
    y : array (bags,)
        A label for each bag, of two kinds.
    pos_label : label, optional
        The label of bags with a signal in some instances; by default the one that sorts last.
        Pass it where labels are words: "well" sorts after "sick".
    random_state : int, RandomState or None, default None
        For the folds.
    progress : bool, callable or None, default None
        As in `needlescope.simulate`.

    Returns
    -------
    TaskEstimate

    Raises
    ------
    ValueError
        If the bags or labels cannot be read, if there are fewer than five bags of a class, or if
        ``pos_label`` is no label of y.

    Examples
    --------
    >>> import numpy as np
    >>> from needlescope.estimators import estimate_task
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((300, 8, 20)), np.arange(300) % 2
    >>> X[y == 1, 0, :] += 4.0 / np.sqrt(20)  # θ = 4, R = 1
    >>> result = estimate_task(X, y, random_state=0)
    >>> result.task.R, bool(abs(result.theta - 4.0) < 0.4), bool(abs(result.dimension - 20) < 2)
    (1, True, True)
    >>> result.predicted["attention"] < 0.5 * result.predicted["pooled"]
    True
    """
    bags = as_bags(X)
    n, (label, signs) = len(bags), labels_and_signs(bags, y, pos_label)
    positives = int((signs > 0.0).sum())
    random = check_random_state(random_state)
    models = ["pooled", "attention"]
    if (bags.lengths == bags.lengths[0]).all():
        models.append("vectorized")
    folds = signal.fold_count(signs)
    total = signal.report_count(signs) + halves.count(signs) + folds
    total += len(models) * len(classifier_errors.BAG_FACTORS)
    with reporting(progress, total, "steps of the estimate") as report:
        steps = iter(range(1, total + 1))

        def done() -> None:
            report(next(steps), 0)

        result = fit_task(bags, signs, random, done)
        trained_on = n * (1.0 - 1.0 / folds)
        shares = squared_weights_of(result, trained_on)
        tasks = {model: result.at(share=shares[model]) for model in models}
        curves = {
            model: errors_by_bags(task, n, result.dimension, model, done)
            for model, task in tasks.items()
        }
        predictions = [
            predict_error(tasks[model], trained_on, result.dimension, model) for model in models[:2]
        ]
        sizes = {
            name: at_this_dimension(result, tasks[model], trained_on, model, at)
            for (name, model), at in zip(MODELS.items(), predictions, strict=True)
        }
        expected = {name: size.mean for name, size in sizes.items()}
        at_size = list(sizes.values())
        measured, measured_auc = _cross_validate(bags, signs, predictions[1], folds, random, done)
        ranges, aucs, floor = prediction_ranges(result, trained_on, predictions, shares, at_size)
    errors_se = {name: _counting_se(error, n) for name, error in measured.items()}
    chance = min(positives, n - positives) / n
    guessing = all(
        error > chance - BETTER_ERRORS * errors_se[name] for name, error in measured.items()
    )
    compared = {
        f"error, {name}": ErrorComparison(
            measured[name],
            float(np.hypot(max(errors_se[name], _counting_se(error, n)), sizes[name].deviation)),
            error,
            *ranges[name],
        )
        for name, error in expected.items()
    }
    if chance < RARE_SHARE and result.task.theta > 0.0:
        compared |= _auc_comparisons(measured_auc, aucs, positives, n - positives)
    listed = departures(
        *(result.noise, result.alignment, result.spread),
        compared,
        _drift(result),
        BayesFloor(min(measured.values()), n, *floor) if result.task.theta > 0.0 else None,
    )
    return TaskEstimate(
        **{name: getattr(result, name) for name in FITTED},
        theta=result.task.theta,
        bags=n,
        positives=positives,
        pos_label=label,
        features=bags.d,
        size=float(bags.lengths.mean()),
        halves={name: getattr(result.halves, name) for name in HALVES_FIELDS},
        predicted={
            **{model: curve[n].error for model, curve in curves.items()},
            "bayes": floor[0],
        },
        measured=measured,
        measured_se=errors_se,
        measured_auc=measured_auc,
        expected=expected,
        expected_range=ranges,
        expected_auc={name: auc[0] for name, auc in aucs.items()},
        departures=listed,
        verdict=verdict(listed, result.task.theta > 0.0),
        trust=trust(listed, result.task.theta > 0.0, guessing),
        tasks=tasks,
        structure=result.structure,
        curves={
            model: {count: value.error for count, value in curve.items()}
            for model, curve in curves.items()
        },
    )


def labels_and_signs(
    bags: Bags, y: Any, pos_label: Any, caller: str = "estimate_task"
) -> tuple[Any, FloatArray]:
    """Return the positive label, and −1 or +1 for each bag."""
    check_order("y", y, bags.ids)
    classes, signs = two_classes(read_labels(y, len(bags)))
    labels = classes.tolist()
    if pos_label is not None and (np.ndim(pos_label) or pos_label not in labels):
        raise ValueError(
            f"pos_label must be a label of y, {labels[0]!r} or {labels[1]!r}, got {pos_label!r}"
        )
    if pos_label == labels[0]:
        signs, labels = -signs, labels[::-1]
    positives, negatives = int((signs > 0.0).sum()), int((signs < 0.0).sum())
    if min(positives, negatives) < LEAST_BAGS:
        raise ValueError(
            f"{caller} needs at least {LEAST_BAGS} bags of each class, got {positives} "
            f"positive and {negatives} negative"
        )
    return labels[1], signs


def _drift(result: Fitted) -> Drift | None:
    """Return θ of halves and of all bags, if most halves have a signal."""
    halves = result.halves
    if not halves.found >= 0.5:
        return None
    return Drift(halves.theta, result.task.theta, halves.off, halves.one_sided)


def _counting_se(error: float, bags: int) -> float:
    """Return the standard error of an error that is counted on this many bags."""
    return float(np.sqrt(max(error * (1.0 - error), 1.0 / bags) / bags))


def _auc_comparisons(
    measured: dict[str, float],
    predicted: dict[str, tuple[float, float, float]],
    positives: int,
    negatives: int,
) -> dict[str, ErrorComparison]:
    """Compare 1 − AUC, the chance that a negative bag scores above a positive one."""
    result = {}
    for name, (item, low, high) in predicted.items():
        se = max(_auc_se(auc, positives, negatives) for auc in (measured[name], item))
        result[f"1 − AUC, {name}"] = ErrorComparison(
            1.0 - measured[name], se, 1.0 - item, 1.0 - high, 1.0 - low
        )
    return result


def _auc_se(auc: float, positives: int, negatives: int) -> float:
    """Return the standard error of an AUC, after Hanley and McNeil (1982)."""
    a = float(np.clip(auc, 0.5, 1.0 - 0.5 / min(positives, negatives)))
    q1, q2 = a / (2.0 - a), 2.0 * a * a / (1.0 + a)
    spread = a * (1.0 - a) + (positives - 1) * (q1 - a * a) + (negatives - 1) * (q2 - a * a)
    return float(np.sqrt(spread / (positives * negatives)))


def _cross_validate(
    bags: Bags, y: FloatArray, prediction: PredictedError, folds: int, random: Any, done: Any
) -> tuple[dict[str, float], dict[str, float]]:
    """Return cross-validated errors and AUCs of the classifiers, means over folds.

    The last classifier is that of the theory, scaling included: standardising by all instances
    would remove part of a signal in a single feature.
    """
    ours = {
        "pooled": PooledClassifier(random_state=random),
        "mil": MILClassifier(random_state=random),
    }
    split = AttentionClassifier(
        kappa=prediction.kappa,
        ridge=prediction.ridge,
        max_refine_iter=0,
        split="split",
        shrinkage=None,
        cv=0,
        random_state=random,
    )
    names = (*ours, "attention, split")
    wrong, aucs = dict.fromkeys(names, 0), dict.fromkeys(names, 0.0)
    for known, rest in stratified(y, folds, random):
        training, test = bags[known], bags[rest]
        scores = {
            name: classifier.fit(training, y[known]).decision_function(test)
            for name, classifier in ours.items()
        }
        scaling = scaled_as_noise(training, y[known])
        split.fit(_scaled(training, scaling), y[known])
        scores[names[-1]] = split.decision_function(_scaled(test, scaling))
        for name, score in scores.items():
            wrong[name] += int(((score > 0.0) != (y[rest] > 0.0)).sum())
            aucs[name] += float(roc_auc_score(y[rest], score)) / folds
        done()
    return {name: count / len(y) for name, count in wrong.items()}, aucs


def _scaled(bags: Bags, scaling: Scaling) -> Bags:
    return Bags(scaling.apply(bags.instances), bags.starts)
