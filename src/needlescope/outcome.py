"""What theory and simulation both return.

Fields are floats, or arrays in the shape of the grid that was asked. A field ``x`` that carries
an uncertainty has it beside it as ``x_se``: the quasi-Monte Carlo error for theory, the standard
error over trials for simulation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import numpy as np

from .arrays import FloatArray, Value
from .query import Query

Kind = TypeVar("Kind")  # of result


@dataclass(frozen=True, eq=False)
class Alignment:
    """The readout after one step and the query after two (Theorem 3, Corollary 1).

    Attributes
    ----------
    signal_w, norm_w, cosine_w
        ⟨w, ξ⟩, ‖w‖ and their ratio after the first step.
    signal_q, norm_q, cosine_q
        The same for the query after the second.
    kappa
        β‖q‖, the query's strength as the softmax sees it.
    constant
        C in cosine_q = ±(1 − C/α0) + o(1/α0).
        NaN for a simulation.
    provenance
        "theorem" or "simulation".
    signal_w_se, ...
        Standard errors over trials; zero for theory.
    trials
        For a simulation, the values of each trial by name: an array whose last axis is the trial.
    """

    signal_w: Value
    norm_w: Value
    cosine_w: Value
    signal_q: Value
    norm_q: Value
    cosine_q: Value
    kappa: Value
    constant: Value
    provenance: str
    signal_w_se: Value = 0.0
    norm_w_se: Value = 0.0
    cosine_w_se: Value = 0.0
    signal_q_se: Value = 0.0
    norm_q_se: Value = 0.0
    cosine_q_se: Value = 0.0
    kappa_se: Value = 0.0
    trials: Mapping[str, FloatArray] | None = field(default=None, repr=False)

    @property
    def query(self) -> Query:
        """The query as everything after it sees it."""
        return Query(self.kappa, self.cosine_q)


@dataclass(frozen=True, eq=False)
class Outcome:
    """How well a trained classifier does, and the numbers that summarise it.

    Attributes
    ----------
    model
        "attention", "pooled" or "vectorized".
    test_error, train_loss, train_error
        Probability of a wrong sign on fresh data; mean loss (without the ridge) and fraction of
        wrong signs on the training data; each with its ``_se``.
    bias, signal, norm, cosine
        The readout: b, its component along the signal, its norm, and the ratio of the two;
        each with its ``_se``.
    kappa, cosine_q
        The query the features were made with: strength and alignment (NaN without a query).
    query_part, signal_part, rest, gamma
        The order parameters μ1 = ⟨w, q̂⟩, μ2 = ⟨w, ξ⊥⟩, ρ = ‖rest of w‖ and γ of the saddle
        problem; each with its ``_se``. NaN where there is none.
    residual
        Largest relative violation of a stationarity equation; for a simulation the largest
        relative gradient norm (or duality gap) at which a trial's training stopped.
    provenance
        "theorem", "conjecture" or "simulation".
    alignment
        For a simulation of attention, the realised alignment of readout and query.
    trials
        For a simulation, the values of each trial by name: an array whose last axis is the trial.
    """

    model: str
    test_error: Value
    test_error_se: Value
    train_loss: Value
    train_loss_se: Value
    train_error: Value
    train_error_se: Value
    bias: Value
    bias_se: Value
    signal: Value
    signal_se: Value
    norm: Value
    norm_se: Value
    cosine: Value
    cosine_se: Value
    kappa: Value
    cosine_q: Value
    query_part: Value
    query_part_se: Value
    signal_part: Value
    signal_part_se: Value
    rest: Value
    rest_se: Value
    gamma: Value
    gamma_se: Value
    residual: Value
    provenance: str
    alignment: Alignment | None = field(default=None, repr=False)
    trials: Mapping[str, FloatArray] | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Focus:
    """What a query looks at in a positive sample.

    Attributes
    ----------
    signal, noise
        Mean attention weight of a signal token, and of one of the others (NaN if there are none);
        evenly spread attention gives 1/L to each.
    largest
        The chance that the largest weight lies on a signal token.
    kappa, cosine_q
        The query's strength and alignment; for a simulation their means.
    signal_se, ...
        Quasi-Monte Carlo errors for theory, standard errors over trials for simulation.
    trials
        For a simulation, the values of each trial by name: an array whose last axis is the trial.
    """

    signal: Value
    signal_se: Value
    noise: Value
    noise_se: Value
    largest: Value
    kappa: Value
    cosine_q: Value
    provenance: str
    largest_se: Value = 0.0
    trials: Mapping[str, FloatArray] | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Capacity:
    """The largest n/d at which data are typically linearly separable (Conjecture 1)."""

    model: str
    alpha: Value
    alpha_se: Value
    provenance: str = "conjecture"


@dataclass(frozen=True, eq=False)
class Separability:
    """The fraction of simulated data sets that a linear readout separates.

    Attributes
    ----------
    fraction, fraction_se
        The fraction over trials, and its standard error (not zero where all agree).
    trials
        ``"separable"`` and ``"proven"``: 1.0 or 0.0 for each trial. A positive answer rests on a
        separating plane; a negative one on weights that prove it, or, unproven, on the absence of
        any margin above rounding.
    """

    model: str
    fraction: Value
    fraction_se: Value
    provenance: str = "simulation"
    trials: Mapping[str, FloatArray] | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Asymptote:
    """Ridgeless square loss with much data (Corollary 2): error = limit + rate/α1 + o(1/α1)."""

    model: str
    limit: Value
    limit_se: Value
    rate: Value
    rate_se: Value
    provenance: str = "theorem"


@dataclass(frozen=True, eq=False)
class Crossover:
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
        "crosses", "always", "never" or "tied" (an array of these for a grid).
    """

    kappa: Value
    cosine: Value
    cosine_se: Value
    gain: Value
    gain_se: Value
    verdict: Any
    provenance: str = "theorem"


@dataclass(frozen=True, eq=False)
class Oracle:
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
        "theorem" (exact at finite L) or "simulation".
    trials
        For a simulation, the values of each trial by name: an array whose last axis is the trial.
    """

    model: str
    error: Value
    error_se: Value
    threshold: Value
    kappa: Value | None = None
    sign: Value | None = None
    provenance: str = "theorem"
    trials: Mapping[str, FloatArray] | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Threshold:
    """The smallest θ at which a model's oracle error falls to a target, with its uncertainty."""

    model: str
    theta: Value
    theta_se: Value
    provenance: str = "theorem"


def gather(kind: type[Kind], rows: list[dict[str, Any]], shape: tuple[int, ...]) -> Kind:
    """Build ``kind`` from one dict a grid point: floats for a single problem, arrays for a grid."""
    columns: dict[str, Any] = {}
    for name in (one.name for one in fields(kind)):  # type: ignore[arg-type]
        values = [row[name] for row in rows if name in row]
        if not values:
            continue
        if name in ("model", "provenance"):
            columns[name] = values[0]
        elif isinstance(values[0], str):
            columns[name] = values[0] if shape == () else np.array(values).reshape(shape)
        else:
            columns[name] = (
                float(values[0]) if shape == () else np.array(values, float).reshape(shape)
            )
    return kind(**columns)
