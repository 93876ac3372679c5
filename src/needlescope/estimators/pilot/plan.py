"""A plan from pilot data, in three ways that assume less and less.

1. The task that the bags are like (`task.fit`), for which the theory or simulated studies answer.
2. Studies with bags made of the pilot's own: its negative bags, and the estimated signal.
3. The pilot's own learning curve: errors on parts of it, extrapolated.

Each has its uncertainty; `answers` says which to believe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...grid import whole
from ...losses import Loss
from ...planning.others import names_of
from ...planning.plan import PlanOptions
from ...planning.spec import plan_spec
from ...planning.studies.measures import get_measure
from ...planning.studies.study import check_classifier
from ...results.planned import PilotPlan
from ...running.processes import Progress, check_n_jobs
from ...running.progress import check_progress
from ...running.seeds import streams
from ..bags.bags import as_bags
from ..classifiers.attention import AttentionClassifier
from ..classifiers.linear import PooledClassifier, VectorizedClassifier
from ..task.estimate import labels_and_signs
from .gather import How, Target, gather
from .studies import HERE
from .verdict import built

LEAST_STUDIES, MOST_STUDIES, MOST_SPLITS = 2 * HERE, 1000, 1000


def plan_from_pilot(
    X: Any,
    y: Any,
    *,
    n: int | None = None,
    error: float | None = None,
    learner: Any = None,
    loss: str | Loss = "logistic",
    positives: int | None = None,
    costs: tuple[float, float] | None = None,
    spend: float | None = None,
    interval: bool = True,
    others: bool | Sequence[str] = True,
    tol: float = 5e-4,
    seed: Any = 0,
    studies: int = 8,
    splits: int = 4,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> PilotPlan:
    """Plan from labelled pilot bags, in three ways side by side.

    The *task* that the bags are like (`estimators.estimate_task`) is planned for, by simulated
    studies or, for a learner with a theory, by that. Studies are made with bags *resampled* from
    the pilot: its negative bags, with the signal as it was estimated. And the pilot's own learning
    *curve* is extrapolated: errors of the classifier fitted to parts of it. n, or the error, is
    left out. A target below the estimated Bayes error is not refused: the estimate is uncertain.

    Parameters
    ----------
    X, y : bags, array (bags,)
        As the classifiers of `needlescope.estimators` take them: at least five bags of each class.
    n, error : int, float, optional
        Bags to train on, or the mean test error to reach.
    learner : classifier or name, default ``AttentionClassifier()``
        A classifier of bags with ``fit`` and ``predict``. Or "attention" (trained in two steps),
        "pooled", "vectorized", "bayes_optimal" or "amp", for which the theory answers in place of
        simulation; no classifier is fitted to a pilot for the last two.
    loss, positives, costs, spend, interval, tol : optional
        Of a learner with a theory, as `needlescope.plan` takes them. With positives or costs the
        task alone answers: parts of the pilot have its own balance of classes.
    others : bool or sequence of str, default True
        Whether to compute what learners with a theory need or reach in the estimated task.
    seed : default 0
        Of all that is random.
    studies, splits : int, default 8 and 4
        How many studies each of the first two answers rests on, and how many splits of each of four
        sizes the last.
    n_jobs, progress : optional
        As in `simulate`.

    Returns
    -------
    PilotPlan
        ``answers`` has all three, ``believed`` and ``reason`` say which to believe and why.

    Raises
    ------
    ValueError
        If an argument is out of its range, the classifier fails, or the bags show no signal.
    NotConverged
        If an error of the theory is not known well enough.

    Examples
    --------
    >>> import numpy as np
    >>> import needlescope as ns
    >>> ns.plan_from_pilot(np.ones((4, 2, 3)), [0, 1, 0, 1])
    Traceback (most recent call last):
    ValueError: with pilot data give n or error, not both: the other is planned for; got neither
    """
    amount = spend if n is None else n
    if (amount is None) == (error is None):
        got = "neither" if amount is None else "both"
        raise ValueError(
            f"with pilot data give n or error, not both: the other is planned for; got {got}"
        )
    options = PlanOptions(loss, interval, others, tol, seed)
    options.check()
    studies = whole("studies", studies, LEAST_STUDIES, MOST_STUDIES)
    splits = whole("splits", splits, 1, MOST_SPLITS)
    check_n_jobs(n_jobs)
    named = learner if isinstance(learner, str) else None
    if "joint" in (named, *names_of(others)):
        raise ValueError(
            "learner and others must leave out 'joint' with pilot data: features of pilot bags are "
            "seldom white, and the equations of joint training are for white noise; plan for the "
            "task that estimate_task finds"
        )
    check_progress(progress)
    bags = as_bags(X)
    _, signs = labels_and_signs(bags, y, None, "plan_from_pilot")
    pi = float((signs > 0.0).mean())
    target = Target(n, error, named or "bayes_optimal", positives, costs, spend)
    typical = {"L": max(round(float(bags.lengths.mean())), 1), "R": 1, "theta": 1.0}
    plan_spec(**typical, pi=pi, d=bags.d, **target._asdict(), estimated=True)
    if named is None and target.balanced:
        raise ValueError(
            "positives, costs and spend go with a learner that has a theory, such as "
            "learner='attention'; leave them out, or name one"
        )
    classifier = _classifier(learner)
    if classifier is not None:
        check_classifier(classifier, get_measure("error", pi))
    how = How(studies, splits, streams(seed, 5), n_jobs, progress)
    found = gather(X, bags, signs, target, classifier, named, options, how)
    return built(found, target, classifier, named, options)


def _classifier(learner: Any) -> Any:
    """Return the classifier that is fitted to the pilot; None if there is none."""
    if learner is None:
        return AttentionClassifier()
    if not isinstance(learner, str):
        return learner
    return {
        "attention": AttentionClassifier(max_refine_iter=0, split="split"),
        "pooled": PooledClassifier(),
        "vectorized": VectorizedClassifier(),
    }.get(learner)
