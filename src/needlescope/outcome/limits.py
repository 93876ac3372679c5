"""What is possible at all: capacities, asymptotes, and errors of those who know the signal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..answer import Answer
from ..arrays import FloatArray, Value


@dataclass(frozen=True, eq=False, repr=False)
class Capacity(Answer):
    """The largest n/d at which data are typically linearly separable (Conjecture 1).

    Attributes
    ----------
    model
        "attention", "pooled", "vectorized", "hard" or "linear".
    alpha, alpha_se
        α* and its quasi-Monte Carlo error; infinite where nothing limits it.
    provenance
        "conjecture 1".

    Examples
    --------
    >>> import needlescope as ns
    >>> found = ns.capacity(ns.Task(L=10, R=1, theta=5.0, pi=0.5), "pooled")
    >>> found.provenance, round(found.alpha, 2)
    ('conjecture 1', 2.95)
    """

    _shown: ClassVar[tuple[str, ...]] = ("alpha",)

    model: str
    alpha: Value
    alpha_se: Value
    provenance: str


@dataclass(frozen=True, eq=False, repr=False)
class Asymptote(Answer):
    """Ridgeless square loss with much data (Corollary 2): error = limit + rate/α1 + o(1/α1).

    Attributes
    ----------
    model
        "attention", "pooled", "vectorized", "hard" or "linear".
    limit, limit_se
        The error as α1 → ∞, and its quasi-Monte Carlo error.
    rate, rate_se
        The constant of the approach, and its error.
    provenance
        "corollary 2".

    Examples
    --------
    >>> import needlescope as ns
    >>> found = ns.asymptote(ns.Task(L=10, R=1, theta=5.0, pi=0.5), "pooled")
    >>> round(found.limit + found.rate / 100.0, 4)  # the error at alpha1 = 100, nearly
    0.2176
    """

    _shown: ClassVar[tuple[str, ...]] = ("limit", "rate")

    model: str
    limit: Value
    limit_se: Value
    rate: Value
    rate_se: Value
    provenance: str


@dataclass(frozen=True, eq=False, repr=False)
class Crossover(Answer):
    """Where attention starts to beat mean pooling as its query aligns.

    Attributes
    ----------
    kappa
        The query's strength.
    cosine
        The smallest alignment at which attention wins: 0 if always, NaN if never or tied.
    gain
        Error of pooling minus error of attention at perfect alignment.
    cosine_se, gain_se
        Their quasi-Monte Carlo errors.
    verdict
        "crosses", "always", "never" (not better even at full alignment) or "tied"; an array of
        these for a grid.
    provenance
        "search: on ..." the theorems or corollary that were compared.

    Examples
    --------
    >>> import needlescope as ns
    >>> found = ns.crossover(ns.Task(L=5, R=5, theta=2.0, pi=0.5), kappa=1.0, accuracy=1e-3)
    >>> found.verdict, found.cosine
    ('never', nan)
    """

    _shown: ClassVar[tuple[str, ...]] = ("verdict", "cosine", "gain")

    kappa: Value
    cosine: Value
    cosine_se: Value
    gain: Value
    gain_se: Value
    verdict: Any
    provenance: str


@dataclass(frozen=True, eq=False, repr=False)
class LearningLimit(Answer):
    """What the best of all learners reaches with a number of samples, who knows no signal before.

    Attributes
    ----------
    overlap
        The squared cosine of the best estimate of the signal with the signal; each with its
        ``_se``, a quasi-Monte Carlo error.
    test_error
        The error of the best classifier that can be learned.
    easy_overlap, easy_test_error
        The same for what the iteration from nothing finds (`simulate_limit`): less where learning
        is possible, but hard.
    phase
        "easy": the iteration finds what is possible; "hard": it does not, though more data would
        let it; "weak": too few data for the jump that more of them bring, for anyone. Where there
        is no jump all is "easy". An array of these for a grid.
    provenance
        "formula: replica-symmetric (not a theorem)".

    Examples
    --------
    >>> import needlescope as ns
    >>> found = ns.learning_limit(ns.Task(L=1000, R=1, theta=5.0, pi=0.5), alpha=1.0)
    >>> found.phase, round(found.overlap, 2), round(found.easy_overlap, 2)
    ('hard', 0.92, 0.02)
    """

    _shown: ClassVar[tuple[str, ...]] = ("phase", "test_error", "overlap", "easy_test_error")

    overlap: Value
    overlap_se: Value
    test_error: Value
    test_error_se: Value
    easy_overlap: Value
    easy_overlap_se: Value
    easy_test_error: Value
    easy_test_error_se: Value
    phase: Any
    provenance: str


@dataclass(frozen=True, eq=False, repr=False)
class StateEvolution(Answer):
    """How the overlap of the iteration from nothing grows, round by round, as d → ∞.

    Attributes
    ----------
    path, path_se
        The squared cosine of the estimate with the signal, before the first round (0) and after
        each, on the last axis; and its quasi-Monte Carlo error.
    provenance
        "formula: state evolution".

    Examples
    --------
    Beside a simulation, round by round:

    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=4.0, pi=0.5)
    >>> ns.state_evolution(task, 2.0, rounds=4).path.round(2)
    array([0.  , 0.62, 0.93, 0.94, 0.94])
    >>> ns.simulate_limit(task, 2.0, d=400, trials=4, rounds=4, workers=1).path.round(2)
    array([0.  , 0.62, 0.93, 0.94, 0.94])

    A table has a row for each point and round:

    >>> found = ns.state_evolution(ns.Task(L=10, R=10, theta=1.0, pi=0.5), [0.2, 1.8], rounds=1)
    >>> found.to_pandas()[["alpha", "round", "path"]].values.tolist()
    [[0.2, 0.0, 0.0], [0.2, 1.0, 0.5], [1.8, 0.0, 0.0], [1.8, 1.0, 0.9]]
    """

    _shown: ClassVar[tuple[str, ...]] = ("path",)
    _last_axis: ClassVar[str] = "round"

    path: FloatArray
    path_se: FloatArray
    provenance: str


@dataclass(frozen=True, eq=False, repr=False)
class PhaseBoundaries(Answer):
    """How many samples learning needs: for anyone, and for the iteration that is quick.

    Attributes
    ----------
    verdict
        "jumps", or "smooth" where the overlap grows without a jump and no boundary exists; an array
        of these for a grid.
    possible, possible_se
        The α at which learning becomes possible: the overlap of the best learner jumps there. NaN
        without a jump.
    easy, easy_se
        The α at which the iteration from nothing finds it. Between the two learning is hard.
    error_before, error_after
        The best learner's test error on both sides of the first.
    provenance
        "formula: replica-symmetric (not a theorem)".

    Examples
    --------
    >>> import needlescope as ns
    >>> found = ns.phase_boundaries(ns.Task(L=1000, R=1, theta=5.0, pi=0.5))
    >>> found.verdict, round(found.possible, 2), round(found.easy, 2)
    ('jumps', 0.18, 1.24)
    """

    _shown: ClassVar[tuple[str, ...]] = ("verdict", "possible", "easy", "error_before")

    verdict: Any
    possible: Value
    possible_se: Value
    easy: Value
    easy_se: Value
    error_before: Value
    error_after: Value
    provenance: str


@dataclass(frozen=True, eq=False, repr=False)
class Oracle(Answer):
    """The least error of a model that knows the signal.

    Attributes
    ----------
    model
        "attention", "pooled", "vectorized" or "bayes".
    error
        The least probability of error.
    error_se
        Its numerical uncertainty: the standard error over QMC replicates for "bayes", an estimate
        of the quadrature's error for "attention", zero where the formula is closed. For a
        simulation the standard error over trials.
    threshold
        Decide + when the score exceeds it. The score is ⟨w, Xᵀa⟩ with w = ±ξ for attention and
        pooled (a the attention weights, or 1/L), ⟨W, X⟩ with ‖W‖ = 1 for vectorized, and the log
        likelihood ratio for bayes. Infinite where one answer is always best.
    kappa
        Attention's best inverse temperature κ, None for other models. At 0 attention is pooling; at
        infinity only the largest token counts, which is best where positives are rare.
    sign
        Attention's best weights: +1 for w = ξ, −1 for w = −ξ; None for other models.
    provenance
        What the number rests on: a proposition, a formula, a search over one; or "simulation".
    trials
        For a simulation, the values of each trial by name: an array whose last axis is the trial.

    Examples
    --------
    Where positives are rare, the best attention is hard, and can be asked for as a query:

    >>> import needlescope as ns
    >>> found = ns.oracle(ns.Task(L=10, R=1, theta=4.0, pi=0.01))
    >>> round(found.error, 5), ns.Query(found.kappa, cosine=1.0)
    (0.00488, Query(kappa=inf, cosine=1.0))
    """

    _shown: ClassVar[tuple[str, ...]] = ("error", "threshold")

    model: str
    error: Value
    error_se: Value
    threshold: Value
    kappa: Value | None = None
    sign: Value | None = None
    provenance: str = field(kw_only=True)
    trials: Mapping[str, FloatArray] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class LearningThreshold(Answer):
    """The smallest θ at which a learner can reach a target with a number of samples.

    Attributes
    ----------
    theta, theta_se
        The strength at which the best of all learners reaches it, and its numerical uncertainty.
    easy_theta, easy_theta_se
        The strength at which the iteration from nothing does (`simulate_limit`).
    provenance
        "search: on replica-symmetric (not a theorem)".

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=1000, R=1, theta=1.0, pi=0.5)
    >>> found = ns.learning_threshold(task, alpha=1.0, error=0.1)
    >>> round(found.theta, 1), round(found.easy_theta, 1)
    (5.1, 5.3)
    """

    _shown: ClassVar[tuple[str, ...]] = ("theta", "easy_theta")

    theta: Value
    theta_se: Value
    easy_theta: Value
    easy_theta_se: Value
    provenance: str


@dataclass(frozen=True, eq=False, repr=False)
class Threshold(Answer):
    """The smallest θ at which a model's error falls to a target: its oracle's, or as trained.

    Attributes
    ----------
    model
        "attention", "pooled", "vectorized" or "bayes".
    theta, theta_se
        The strength, and its numerical uncertainty.
    provenance
        "search: on ..." what that error rests on.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=100, R=1, theta=1.0, pi=0.5)
    >>> ns.detection_threshold(task, "pooled", error=[0.1, 0.05]).theta.round(1)
    array([25.6, 32.9])
    """

    _shown: ClassVar[tuple[str, ...]] = ("theta",)

    model: str
    theta: Value
    theta_se: Value
    provenance: str
