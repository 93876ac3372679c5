"""Plans: how much data an error needs, how to split it, and which learner needs less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..answer import Answer


class OtherLearner(NamedTuple):
    """What another learner than the planned one needs or reaches.

    ``value`` is of the argument that was left out (with costs, what there is to spend in place of
    n): infinite, or 0 for L, where the target is unreachable; NaN where it does not converge.
    """

    learner: str
    value: float
    sentence: str


class Interval(NamedTuple):
    """The range of test errors over data sets: nine of ten lie in it."""

    low: float
    high: float
    mean: float  # of the test error at this d, which is not quite its limit
    deviation: float
    untrained: float = 0.0  # the share of data sets on which training has no minimiser
    trials: int = 64  # simulated data sets that these numbers rest on

    @property
    def mean_se(self) -> float:
        """The standard error of the mean."""
        return float(self.deviation / self.trials**0.5)


class LearningCurves(NamedTuple):
    """Tuned errors of each learner by number of bags, and those of the oracles."""

    n: tuple[float, ...]
    errors: Mapping[str, tuple[float, ...]]
    floors: Mapping[str, float]


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Answer):
    """How much data, how to split it, and what error to expect; made by `plan`.

    Attributes
    ----------
    unknown
        The argument that was left out: "n", "theta", "L" or "error".
    learner
        The learner.
    n, n0, n1
        Bags in all, for the query and for the readout; n is infinite where no number is enough.
    positives
        How many of them are positive, about.
    L, R, theta, pi, d
        The task.
    error, error_se
        The test error to expect: the mean over data sets at this d, which meets the target, and
        its standard error. The limit's where no interval was measured.
    limit_error, limit_error_se
        The theory's test error of the same training in the limit of large d, and its numerical
        uncertainty.
    interval
        An `Interval` of the test error over data sets at this d, if one was asked for.
    kappa, cosine_q
        The query's strength (the temperature is 1/κ), and its alignment with the signal.
    ridge, ridge_q, loss, eta_w, eta_b, eta_q, beta
        The training's settings; all of it is ``training``. Joint training has a ridge_q and no
        steps, the others have steps and no ridge_q.
    balance, shift
        The share of positives in training. Where it is not π, the bias moves by ``shift`` after
        training.
    spend
        What the bags cost, where they have costs.
    floor
        The Bayes error, of a known signal.
    others
        An `OtherLearner` for each other learner, and for the oracles.
    notes
        Sentences on the limits of the plan, if any.
    verdict
        The answer in sentences, the notes among them.
    provenance
        What the numbers rest on.

    Examples
    --------
    >>> import needlescope as ns
    >>> result = ns.plan(L=4, R=1, theta=4.0, pi=0.5, d=50, error=0.2, learner="pooled",
    ...                 interval=False, others=False)
    >>> result.unknown, result.n == result.n0 + result.n1, bool(abs(result.error - 0.2) < 1e-3)
    ('n', True, True)
    """

    _shown: ClassVar[tuple[str, ...]] = ("verdict",)

    unknown: str
    learner: str
    n: float
    n0: float
    n1: float
    positives: float
    L: int
    R: int
    theta: float
    pi: float
    d: int
    error: float
    error_se: float
    floor: float
    kappa: float = np.nan
    cosine_q: float = np.nan
    ridge: float = np.nan
    loss: str = ""
    eta_w: float = np.nan
    eta_b: float = np.nan
    eta_q: float = np.nan
    beta: float = np.nan
    balance: float = np.nan
    shift: float = 0.0
    spend: float = np.nan
    limit_error: float = np.nan
    limit_error_se: float = np.nan
    ridge_q: float = np.nan
    interval: Interval | None = None
    others: tuple[OtherLearner, ...] = ()
    notes: tuple[str, ...] = ()
    verdict: str = ""
    provenance: str = field(kw_only=True)

    @property
    def reached(self) -> bool:
        """Whether the target can be reached."""
        return bool(np.isfinite(self.n) and np.isfinite(self.theta) and self.L > 0)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        result = dict(self._fields())
        result["others"] = [other._asdict() for other in self.others]
        result["interval"] = None if self.interval is None else self.interval._asdict()
        return result


class PilotAnswer(NamedTuple):
    """One of the answers of a plan from pilot data.

    ``method`` is "task" (the task read off the pilot, by theory or simulation), "resampled"
    (simulation with bags made of the pilot's own) or "curve" (errors on parts of the pilot,
    extrapolated). ``value`` is of what was left out, ``low`` and ``high`` are the ends of nine of
    ten; infinite where more bags are needed than can be told, NaN if the classifier failed.
    ``here`` is the error predicted at the size of the pilot's largest part, and ``off`` how far
    that is from the pilot's own learning curve, in standard errors of both.
    """

    method: str
    value: float
    low: float
    high: float
    here: float
    off: float


@dataclass(frozen=True, eq=False, repr=False)
class PilotPlan(Plan):
    """A plan from pilot data: three answers, and which of them to believe.

    Attributes
    ----------
    unknown, learner, n, n0, n1, positives, L, R, theta, pi, d, error, error_se, limit_error, \
    limit_error_se, floor, kappa, cosine_q, ridge, ridge_q, loss, eta_w, eta_b, eta_q, beta, \
    balance, shift, spend, interval, others, notes, verdict, provenance
        As in `Plan`; n or the error is that of the answer to believe. What belongs to the theory's
        protocols is NaN for a classifier, and where their answer is not the one to believe. L, R,
        theta, floor and ``others`` are of the estimated task: NaN, 0 or empty if there is none.
    low, high
        Nine of ten: the interval of the answer to believe. high is infinite where it is open.
    answers
        A `PilotAnswer` for each method.
    believed
        The method of the one to believe.
    reason
        Why, in words.
    bags
        Bags in the pilot.
    theta_se
        The standard error of θ, as estimated from them.
    measured
        Errors of classifiers fitted to parts of the pilot, by the number of bags: the mean over
        splits, and its standard error.

    Examples
    --------
    >>> import numpy as np
    >>> import needlescope as ns
    >>> X, y = np.random.default_rng(0).standard_normal((30, 4, 6)), np.arange(30) % 2
    >>> ns.plan_from_pilot(X, y, error=0.1)  # noise: no PilotPlan
    Traceback (most recent call last):
    ValueError: no signal was found in the 30 bags of the pilot ...
    """

    low: float = np.nan
    high: float = np.nan
    answers: tuple[PilotAnswer, ...] = ()
    believed: str = ""
    reason: str = ""
    bags: int = 0
    theta_se: float = np.nan
    measured: Mapping[int, tuple[float, float]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {**super().to_dict(), "answers": [answer._asdict() for answer in self.answers]}


class StudyRow(NamedTuple):
    """A simulated study: the value of what was left out, the number of bags, and what it measured.

    ``measured`` is NaN where the classifier failed, ``balance`` where costs do not choose it. With
    costs ``at`` is what was spent, where that was left out.
    """

    at: float
    n: int
    measured: float
    seconds: float
    balance: float = np.nan


@dataclass(frozen=True, eq=False, repr=False)
class ClassifierPlan(Plan):
    """A plan for a classifier, from simulated studies.

    Attributes
    ----------
    unknown, learner, n, n0, n1, positives, L, R, theta, pi, d, error, error_se, limit_error, \
    limit_error_se, floor, kappa, cosine_q, ridge, ridge_q, loss, eta_w, eta_b, eta_q, beta, \
    balance, shift, spend, interval, others, notes, verdict, provenance
        As in `Plan`; ``error`` is the mean of ``measure``. What belongs to the theory's protocols
        is NaN. ``shift`` is what log odds move by.
    low, high
        Nine of ten: the interval of the answer (of the spend, with costs), from the uncertainty of
        the learning curve.
    measure
        What was measured on fresh bags.
    target
        The value to reach; NaN where the error was left out.
    assurance
        The probability with which a study is to meet the target; NaN where the mean is to meet it.
    assured
        The value that this share of trained classifiers has or better, at the answer.
    scatter
        The standard deviation of trained classifiers, as that of Φ⁻¹ of half the relative distance
        from no errors; what the finite number of fresh bags adds is taken out.
    studies
        A `StudyRow` for each simulated study, in the order they were made; first those that compare
        shares of positives, if there are any.
    seconds
        What the studies took, added up.

    Examples
    --------
    >>> import needlescope as ns
    >>> from needlescope.estimators import PooledClassifier
    >>> result = ns.plan(L=4, theta=4.0, d=20, error=0.2, learner=PooledClassifier(), others=False)
    >>> result.low < result.n < result.high, result.measure, len(result.studies) >= 12
    (True, 'error', True)
    """

    low: float = np.nan
    high: float = np.nan
    measure: str = "error"
    target: float = np.nan
    assurance: float = np.nan
    assured: float = np.nan
    scatter: float = np.nan
    studies: tuple[StudyRow, ...] = ()
    seconds: float = np.nan


class Design(NamedTuple):
    """Bags of L instances, R of them with the signal, n bags of which cost ``spend``.

    Of a target ``error`` n and spend are infinite where it is not reached, or only for several
    times the least spend; NaN where the theory does not converge. ``low`` and ``high`` are nine of
    ten of the spend, of a classifier's plan.
    """

    L: int
    R: int
    n: float
    spend: float
    error: float
    low: float = np.nan
    high: float = np.nan


@dataclass(frozen=True, eq=False, repr=False)
class BagsOrInstances(Answer):
    """The cheapest bags and instances for a target, or the best for a spend.

    Attributes
    ----------
    learner
        The learner.
    L, R, n
        Instances in a bag, how many of them have the signal in a positive one, and bags.
    spend
        What these cost; infinite where the target is not reached.
    error, error_se
        The test error there, as in `Plan`.
    theta, pi, d
        The task.
    prices
        What a bag costs, and an instance on top.
    designs
        A `Design` for each R that was looked at, with the given one; of a classifier, or with an
        interval, for those that were planned.
    plan
        The `Plan` of the best, with the settings to train with.
    notes
        Sentences on the limits of the answer, as where it is at an end.
    verdict
        The answer in sentences, the notes among them.
    provenance
        What the numbers rest on.

    Examples
    --------
    >>> import needlescope as ns
    >>> result = ns.bags_or_instances(L=10, R=1, theta=4.0, d=50, spend=4000.0, learner="pooled",
    ...                               prices=(20.0, 1.0), longest=60)
    >>> result.L, result.n, len(result.designs) > 2, result.plan.n == result.n
    (60, 50.0, True, True)
    """

    _shown: ClassVar[tuple[str, ...]] = ("verdict",)

    learner: str
    L: int
    R: int
    n: float
    spend: float
    error: float
    error_se: float
    theta: float
    pi: float
    d: int
    prices: tuple[float, float]
    designs: tuple[Design, ...]
    plan: Plan
    notes: tuple[str, ...] = ()
    verdict: str = ""
    provenance: str = field(kw_only=True)

    @property
    def reached(self) -> bool:
        """Whether the target is reached."""
        return bool(np.isfinite(self.spend))

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        result = dict(self._fields())
        result["designs"] = [design._asdict() for design in self.designs]
        result["plan"] = self.plan.to_dict()
        return result


@dataclass(frozen=True, eq=False, repr=False)
class Tuned(Answer):
    """The best training of a budget, and what other settings cost.

    Attributes
    ----------
    model
        "attention", "pooled" or "vectorized", or "joint", attention trained end to end.
    test_error, test_error_se
        The error with the best settings, and its numerical uncertainty.
    untuned
        The error of the default training with the same data, half of it for the query; for "joint"
        that of `Training.joint`, roughly.
    split, kappa, cosine_q, ridge, loss
        The best settings; ``training`` has all of them.
    ridge_q
        The best ridge of the query, in joint training; NaN where steps train it.
    balance, shift
        The share of positives in training; where it is not π, the bias moves by ``shift`` after
        training.
    losses
        The error with each loss, roughly, the other settings the best for it.
    costs
        What one wrong setting costs: for each of "split", "kappa" and "ridge" the errors where it
        is a quarter, a half, twice and four times the best (of the split its odds), the others
        kept; for joint training "ridge" and "ridge_q".
    notes
        Caveats in sentences: for joint training, where its equations are not to be trusted.
    provenance
        "search: on ..." what the errors rest on.

    Examples
    --------
    >>> import needlescope as ns
    >>> result = ns.tune(ns.Task(L=4, R=1, theta=4.0, pi=0.5), 4.0, model="pooled")
    >>> result.test_error < result.untuned, sorted(result.losses), list(result.costs)
    (True, ['hinge', 'logistic', 'square', 'squared_hinge'], ['ridge'])
    """

    _shown: ClassVar[tuple[str, ...]] = ("test_error", "untuned", "split", "kappa", "ridge", "loss")

    model: str
    test_error: float
    test_error_se: float
    untuned: float
    split: float
    kappa: float
    cosine_q: float
    ridge: float
    loss: str
    balance: float
    shift: float = 0.0
    losses: Mapping[str, float] = field(default_factory=dict)
    costs: Mapping[str, Mapping[float, float]] = field(default_factory=dict)
    ridge_q: float = np.nan
    notes: tuple[str, ...] = ()
    provenance: str = field(kw_only=True)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Answer):
    """Whether attention is worth it with a budget.

    Attributes
    ----------
    attention, pooled, vectorized, bayes_optimal, bayes
        Test errors: of the three models (tuned by a search, to about 0.001), of the Bayes-optimal
        learner, and of the Bayes classifier with a known signal.
    joint
        That of attention trained end to end, to about two per cent; NaN if not asked for.
    winner, margin
        Which of the models has the least error, and by how much less than the next.
    notes
        Caveats in sentences: where the equations of joint training are not to be trusted.
    flip_n
        The budget at which the verdict flips, in the units of the budget; NaN if it does not
        between a 64th of the budget and 64 times as much.
    flip_cosine
        The alignment of the query at which it flips, κ and data kept; NaN if there is none.
    verdict
        The answer in one sentence.
    provenance
        What the numbers rest on.

    Examples
    --------
    >>> import needlescope as ns
    >>> result = ns.compare(ns.Task(L=2, R=1, theta=5.0, pi=0.5), 4.0)
    >>> result.bayes < result.bayes_optimal < result.attention
    True
    """

    _shown: ClassVar[tuple[str, ...]] = (
        *("verdict", "attention", "pooled", "vectorized", "bayes_optimal"),
    )

    attention: float
    pooled: float
    vectorized: float
    bayes_optimal: float
    bayes_optimal_se: float
    bayes: float
    bayes_se: float
    winner: str
    margin: float
    flip_n: float
    flip_cosine: float
    verdict: str
    provenance: str
    joint: float = np.nan
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Answer):
    """Derivatives of a predicted test error E in the problem and the settings.

    Attributes
    ----------
    model
        The model.
    test_error
        The error itself.
    theta, pi
        dE/dθ and dE/dπ.
    R
        E(R + 1) − E(R): the change if one more token carries the signal, NaN where all do.
    n
        dE/d log n = n dE/dn: the derivative in the log of the number of bags, split as they are.
    alpha0, alpha1, ridge, kappa
        dE/d log α0, dE/d log α1, dE/d log λ, dE/d log κ: derivatives in the logs of these.
    provenance
        "implicit differentiation of ..." what the error rests on.

    Examples
    --------
    >>> import needlescope as ns
    >>> task, training = ns.Task(L=10, R=1, theta=5.0, pi=0.5), ns.Training(alpha1=1.0)
    >>> result = ns.sensitivity(task, training, "pooled")
    >>> result.theta < 0.0, result.n < 0.0
    (True, True)
    """

    _shown: ClassVar[tuple[str, ...]] = (
        *("test_error", "theta", "pi", "R"),
        *("n", "alpha0", "alpha1", "ridge", "kappa"),
    )
    _labels: ClassVar[Mapping[str, str]] = {
        **{"theta": "theta: dE/dθ", "pi": "pi: dE/dπ", "R": "R: one more token"},
        **{"n": "n: dE/d log n", "alpha0": "alpha0: dE/d log α0", "alpha1": "alpha1: dE/d log α1"},
        **{"ridge": "ridge: dE/d log λ", "kappa": "kappa: dE/d log κ"},
    }

    model: str
    test_error: float
    test_error_se: float
    theta: float
    R: float
    pi: float
    n: float
    alpha0: float
    alpha1: float
    ridge: float
    kappa: float
    provenance: str
