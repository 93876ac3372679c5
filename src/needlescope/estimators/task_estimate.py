"""From labelled bags to a task of the theory: what it predicts for them, and how far to trust it.

1. Instances are centred, and scaled as those of negative bags, which are noise; their dimension
   is the participation ratio of that noise.
2. Directions trained without a bag show its signal as a mixture (`task_signal`): R, and t = θ s.
3. The theory knows s for a task and a number of bags: θ solves θ s(θ) = t.
4. It then predicts errors, also for more bags (`task_theory`); classifiers are fitted beside it.

Noise that is not normal is put on the scale on which it is, and L counts instances that are
correlated within bags as fewer that are not. What is left over is listed under ``departures``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

from ..arrays import FloatArray
from ..simulation.progress import Progress, reporting
from ..task import Task
from . import task_signal as signal
from . import task_theory as theory
from .attention import AttentionClassifier
from .bags import Bags, as_bags
from .departures import departures, trust
from .labels import check_order, read_labels, two_classes
from .linear import PooledClassifier
from .mixture import Mixture, fit_mixture, not_normal, spread, to_normal
from .scaling import fit_scaling
from .task_result import TaskEstimate

LEAST = 5  # bags of each class
FOUND = 4.0  # standard errors from which a signal is taken to be one
MOST = 2.0  # by how much a feature is scaled up as noise, relative to all instances
SAME = 0.4  # of the predicted alignment, without which there is no direction of a signal
SURE = 3.0  # standard errors from which noise is not normal, or is correlated


def estimate_task(
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    random_state: Any = None,
    progress: Progress = None,
) -> TaskEstimate:
    """Estimate which task of the theory labelled bags are like, and what it predicts for them.

    Parameters
    ----------
    X
        `Bags`, an array (bags, instances, features), or a list of arrays.
    y
        A label for each bag, of two kinds.
    positive
        The label of bags with a signal in some instances; by default the one that sorts last, as
        elsewhere ("well", not "sick").
    random_state : int, RandomState or None
        For the folds.
    progress : bool, callable or None
        As in `needlescope.simulate`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((300, 8, 20)), np.arange(300) % 2
    >>> X[y == 1, 0, :] += 4.0 / np.sqrt(20)  # θ = 4, R = 1
    >>> found = estimate_task(X, y, random_state=0)
    >>> found.task.R, bool(abs(found.theta - 4.0) < 0.4), bool(abs(found.dimension - 20) < 2)
    (1, True, True)
    >>> found.predicted["attention"] < 0.5 * found.predicted["pooled"]
    True
    """
    bags = as_bags(X)
    check_order("y", y, bags.ids)
    classes, signs = two_classes(read_labels(y, len(bags)))
    labels = classes.tolist()
    if positive is not None and positive not in labels:
        raise ValueError(
            f"positive must be a label of y, {labels[0]!r} or {labels[1]!r}, got {positive!r}"
        )
    if positive == labels[0]:
        signs, labels = -signs, labels[::-1]
    positives, n = int((signs > 0.0).sum()), len(bags)
    if min(positives, n - positives) < LEAST:
        raise ValueError(
            f"estimate_task needs at least {LEAST} bags of each class, got {positives} positive "
            f"and {n - positives} negative"
        )
    random = check_random_state(random_state)
    models = ["pooled", "attention"]
    if (bags.lengths == bags.lengths[0]).all():
        models.append("vectorized")
    folds = min(signal.FOLDS, positives, n - positives)
    total = signal.looks(signs) + len(models) * len(theory.MORE) + folds
    with reporting(progress, total, "steps of the estimate") as report:
        steps = iter(range(1, total + 1))

        def done() -> None:
            report(next(steps), 0)

        found = _signal(bags, signs, random, folds, done)
        curves = {}
        for model in models:
            curves[model] = theory.curve(found.task, n, found.dimension, model, done)
        known = n * (1.0 - 1.0 / folds)
        pooled, attention = (
            theory.prediction(found.task, known, found.dimension, model) for model in models[:2]
        )
        expected = {"pooled": pooled.error, "attention, split": attention.error}
        measured = _measure(bags, signs, attention, folds, random, done)
    errors_se = {
        name: float(np.sqrt(max(e * (1.0 - e), 1.0 / n) / n)) for name, e in measured.items()
    }
    chance = min(positives, n - positives) / n
    guessing = all(error > chance - SURE * errors_se[name] for name, error in measured.items())
    listed = departures(found.noise, found.alignment, found.spread, measured, errors_se, expected)
    return TaskEstimate(
        task=found.task,
        R=found.R,
        R_se=found.R_se,
        theta=found.task.theta,
        theta_se=found.theta_se,
        dimension=found.dimension,
        bags=n,
        positives=positives,
        positive=labels[1],
        features=bags.d,
        size=float(bags.lengths.mean()),
        surprise=found.surprise,
        noise=found.noise,
        alignment=found.alignment,
        predicted={
            **{model: curve[n].error for model, curve in curves.items()},
            "bayes": theory.limit(found.task),
        },
        measured=measured,
        measured_se=errors_se,
        expected=expected,
        departures=listed,
        trust=trust(listed, found.task.theta > 0.0, guessing),
        curves={
            model: {bags: one.error for bags, one in curve.items()}
            for model, curve in curves.items()
        },
    )


class _Found(NamedTuple):
    task: Task
    R: float
    R_se: float
    theta_se: float
    dimension: float
    surprise: float
    spread: float
    noise: dict[str, float]
    alignment: dict[str, float]


def _signal(bags: Bags, y: FloatArray, random: Any, folds: int, done: Any) -> _Found:
    n, size = len(bags), float(bags.lengths.mean())
    every, negative = np.arange(n), np.flatnonzero(y < 0.0)
    noise_scale = fit_scaling(bags, negative, np.ones(len(negative)), 1.0).scale
    scaling = fit_scaling(bags, every, np.ones(n), 1.0)
    # A feature that hardly changes in negatives would be all that is seen.
    scaling = scaling._replace(scale=np.minimum(noise_scale, MOST * scaling.scale))
    dimension = signal.dimension(bags, scaling, y, random)
    positive = np.repeat(y > 0.0, bags.lengths)
    pi = float((y > 0.0).mean())
    looked = signal.look(bags, scaling, y, random, done)
    surprise = signal.surprise(bags, y, looked)
    best: Any = None
    for seen in looked:
        shape = signal.shape(bags, y, seen.along)
        along = seen.along
        if not_normal(shape, int((~positive).sum()), SURE):
            along = np.stack([to_normal(one[~positive], one) for one in along])
        noise, shown = along[:, ~positive], along[:, positive]
        found = _mixture(noise, shown, 0.5 / size)
        if best is None or found.gain > best[0].gain:
            best = found, seen, shape, noise, shown
    nothing = Task(L=max(round(size), 1), R=1, theta=0.0, pi=pi)
    if best is None:  # all instances are the same
        shape = {"skewness": 0.0, "kurtosis": 3.0, "correlation": 0.0, "correlation_se": 0.0}
        nil = {"measured": np.nan, "predicted": np.nan}
        return _Found(nothing, 0.0, 0.0, 0.0, dimension, 0.0, np.nan, shape, nil)
    mixture, seen, shape, noise, shown = best
    R, whole = mixture.share * size, max(round(size), 1)
    measured = float(np.sqrt(max(seen.agreement, 0.0)))
    if surprise < FOUND:
        cosines = {"measured": measured, "predicted": np.nan}
        return _Found(nothing, 0.0, 0.0, 0.0, dimension, surprise, np.nan, shape, cosines)
    kept = int(np.clip(round(R), 1, whole))
    shift = _mixture(noise, shown, 0.5 / size, min(kept / size, 1.0)).shift
    rho = shape["correlation"] if shape["correlation"] > SURE * shape["correlation_se"] else 0.0
    L = max(round(size / (1.0 + (size - 1.0) * min(rho, 1.0))), 1)
    task = Task(L=L, R=int(np.clip(round(kept * L / size), 1, L)), theta=1.0, pi=pi)
    alpha0 = n * (1.0 - 1.0 / folds) / dimension
    theta = theory.strength(task, shift, alpha0, seen.direction)
    varies = shift * theory.doubt(task.replace(theta=theta), alpha0, seen.direction, dimension)
    # The zero and the unit of projections are a mean and a deviation of so many negatives.
    count = noise.shape[1] / (1.0 + (size - 1.0) * max(rho, 0.0))
    doubt = float(np.sqrt(mixture.shift_se**2 + varies**2 + (1.0 + 0.5 * shift**2) / count))
    low, high = (
        theory.strength(task, max(t, 0.1 * shift), alpha0, seen.direction)
        for t in (shift - doubt, shift + doubt)
    )
    task = task.replace(theta=theta)
    half = theory.alignment(task, n / (2.0 * dimension), seen.direction)
    if measured < SAME * half:  # what differs is not along one direction
        cosines = {"measured": measured, "predicted": half}
        return _Found(nothing, 0.0, 0.0, 0.0, dimension, surprise, np.nan, shape, cosines)
    return _Found(
        task,
        R,
        mixture.share_se * size,
        0.5 * (high - low),
        dimension,
        surprise,
        spread(shown.ravel(), noise.ravel(), mixture),
        shape,
        {"measured": measured, "predicted": half},
    )


def _mixture(
    noise: FloatArray, shown: FloatArray, least: float, share: float | None = None
) -> Mixture:
    """Fit a mixture to all repeats; where they differ, by chance of the folds, it is less sure."""
    found = fit_mixture(noise.ravel(), shown.ravel(), least, share, len(noise))
    if share is not None:
        return found
    each = [fit_mixture(*one, least) for one in zip(noise, shown, strict=True)]
    return found._replace(
        share_se=float(np.hypot(found.share_se, np.std([one.share for one in each], ddof=1))),
        shift_se=float(np.hypot(found.shift_se, np.std([one.shift for one in each], ddof=1))),
    )


def _measure(
    bags: Bags, y: FloatArray, as_told: theory.Predicted, folds: int, random: Any, done: Any
) -> dict[str, float]:
    """Return cross-validated errors of the classifiers."""
    classifiers = {
        "pooled": PooledClassifier(random_state=random),
        "attention": AttentionClassifier(random_state=random),
        "attention, split": AttentionClassifier(
            kappa=as_told.kappa,
            ridge=as_told.ridge,
            refine=0,
            data="split",
            validation=0,
            random_state=random,
        ),
    }
    wrong = dict.fromkeys(classifiers, 0)
    for known, rest in StratifiedKFold(folds, shuffle=True, random_state=random).split(y, y):
        for name, classifier in classifiers.items():
            found = classifier.fit(bags[known], y[known]).predict(bags[rest])
            wrong[name] += int((found != y[rest]).sum())
        done()
    return {name: count / len(y) for name, count in wrong.items()}
