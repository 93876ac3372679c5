"""Limits: capacities, asymptotes, and oracles, which know the signal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..answer import Answer
from ..arrays import FloatArray, Value
from ..query import Query


@dataclass(frozen=True, eq=False, repr=False)
class Capacity(Answer):
    """The largest n/d at which data are typically linearly separable: a conjecture.

    Attributes
    ----------
    model
        "attention", "pooled", "vectorized", "hard" or "linear".
    alpha, alpha_se
        α* and its quasi-Monte Carlo error; infinite where nothing limits it.
    provenance
        "conjecture: our derivation of the quantity of conjecture 1 (arXiv v1)".

    Examples
    --------
    >>> import needlescope as ns
    >>> result = ns.capacity(ns.Task(L=10, R=1, theta=5.0, pi=0.5), "pooled")
    >>> round(result.alpha, 2), result.provenance.split(":")[0]
    (2.95, 'conjecture')
    """

    _shown: ClassVar[tuple[str, ...]] = ("alpha",)

    model: str
    alpha: Value
    alpha_se: Value
    provenance: str


@dataclass(frozen=True, eq=False, repr=False)
class Asymptote(Answer):
    """Ridgeless square loss with much data: error = limit + rate/α1 + o(1/α1).

    Attributes
    ----------
    model
        "attention", "pooled", "vectorized", "hard" or "linear".
    limit, limit_se
        The error as α1 → ∞, and its quasi-Monte Carlo error.
    rate, rate_se
        The constant of the approach, and its error.
    provenance
        "our derivation of the quantity of corollary 2 (arXiv v1)", or a formula beyond it.

    Examples
    --------
    >>> import needlescope as ns
    >>> result = ns.asymptote(ns.Task(L=10, R=1, theta=5.0, pi=0.5), "pooled")
    >>> round(result.limit + result.rate / 100.0, 4)  # the error at alpha1 = 100, nearly
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
        "search: on ..." the formulas that were compared.

    Examples
    --------
    >>> import needlescope as ns
    >>> result = ns.crossover(ns.Task(L=5, R=5, theta=2.0, pi=0.5), kappa=1.0, tol=1e-3)
    >>> result.verdict, result.cosine
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
class BestQuery(Answer):
    """What one query can reach where positives carry one of several signals.

    Attributes
    ----------
    kappa, cosines
        The best query: its strength, and its alignment with each signal.
    error, error_se
        Its error, and the quasi-Monte Carlo error of that.
    alone, alone_se
        The error of the best query along a single signal.
    together, together_se
        The error of the best query along the mean signal.
    provenance
        "search: ..." over what.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5, signals=(0.5, 0.5))
    >>> result = ns.best_query(task, tol=0.01)
    >>> [round(c, 2) for c in result.query.cosines], round(result.error, 1), round(result.alone, 1)
    ([0.71, 0.71], 0.1, 0.2)
    """

    _shown: ClassVar[tuple[str, ...]] = ("kappa", "error", "alone", "together")

    kappa: Value
    cosines: tuple[Value, ...]
    error: Value
    error_se: Value
    alone: Value
    alone_se: Value
    together: Value
    together_se: Value
    provenance: str

    @property
    def query(self) -> Query:
        """The best query of a single problem."""
        if self.shape:
            raise ValueError(
                f"a grid of shape {self.shape} has as many best queries; ask for one task, or make "
                "each query of its kappa and cosines"
            )
        return Query(self.kappa, cosines=self.cosines)


@dataclass(frozen=True, eq=False, repr=False)
class Oracle(Answer):
    """The least error of a model that knows the signal.

    Attributes
    ----------
    model
        "attention", "pooled", "vectorized", "hard", "linear" or "bayes".
    error
        The least probability of error.
    error_se
        Its numerical uncertainty: the standard error over QMC replicates for "bayes", an estimate
        of the quadrature's error for "attention" and its kinds, zero where the formula is
        closed. For a simulation the standard error over trials.
    threshold
        Decide + when the score exceeds it. The score is ⟨w, Xᵀa⟩ with w = ±ξ for attention and
        pooled (a the attention weights, or 1/L), ⟨W, X⟩ with ‖W‖ = 1 for vectorized, and the log
        likelihood ratio for bayes; for linear attention at infinite κ it is ‖Px‖²/L, where P
        takes off the mean of the tokens x along ξ. Infinite where one answer is always best.
    kappa
        Attention's best inverse temperature κ, None for other models. At 0 attention is pooling; at
        infinity only the largest token counts, which is best where positives are rare.
    sign
        Attention's best weights: +1 for w = ξ, −1 for w = −ξ; None for other models.
    provenance
        What the number rests on: our derivation of a quantity of the paper, a formula, or a search
        over one; or "simulation".
    trials
        For a simulation, the values of each trial by name: an array whose last axis is the trial.

    Examples
    --------
    Where positives are rare, the best attention is hard, and can be asked for as a query:

    >>> import needlescope as ns
    >>> result = ns.oracle(ns.Task(L=10, R=1, theta=4.0, pi=0.01))
    >>> round(result.error, 5), ns.Query(result.kappa, cosine=1.0)
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
class Threshold(Answer):
    """The smallest θ at which a model's error falls to a target: its oracle's, or as trained.

    Attributes
    ----------
    model
        "attention", "pooled", "vectorized", "hard", "linear" or "bayes".
    theta, theta_se
        The strength, and its numerical uncertainty.
    provenance
        "search: on ..." what that error rests on.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=100, R=1, theta=1.0, pi=0.5)
    >>> ns.oracle_threshold(task, "pooled", error=[0.1, 0.05]).theta.round(1)
    array([25.6, 32.9])
    """

    _shown: ClassVar[tuple[str, ...]] = ("theta",)

    model: str
    theta: Value
    theta_se: Value
    provenance: str
