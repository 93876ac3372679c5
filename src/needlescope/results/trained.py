"""What training reaches: answers of theory and simulation to one question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..answer import Answer
from ..arrays import FloatArray, Value
from ..query import SHARPEST, Query

TRUSTED_JUMPING = 0.003  # share of samples, above which training has many valleys: docs/joint.md
RESTS_ON_RARE = 0.2  # of the test error, that may rest on samples rarer than one in n1


@dataclass(frozen=True, eq=False, repr=False)
class Alignment(Answer):
    """The readout after one gradient step and the query after two.

    Attributes
    ----------
    signal_w, norm_w, cosine_w
        ⟨w, ξ⟩, ‖w‖ and their ratio after the first step, or after the last of a schedule.
    signal_q, norm_q, cosine_q
        The same for the query after the second, or after the last of a schedule.
    kappa
        β‖q‖, the query's strength as the softmax sees it.

        Where the task's noise has a covariance Σ, all these numbers are about Σ^{1/2}w, Σ^{1/2}q
        and the signal Σ^{-1/2}ξ of unit norm: κ = β√(qᵀΣq).
    constant
        C in cosine_q = ±(1 − C/α0) + o(1/α0), where data are plenty. Of several signals the
        cosine with their span is meant. NaN for a simulation, with a schedule, and where the noise
        has a covariance: then the query need not align fully.
    cosines_w, cosines_q
        With several signals: the cosines with each of them, and ``cosines_w_se``, ``cosines_q_se``.
        ``signal_w``, ``cosine_w``, ``signal_q`` and ``cosine_q`` are then about the direction of
        the positives' mean signal.
    provenance
        "our derivation of the quantities of theorem 3 and corollary 1 (arXiv v1)", a formula that
        goes beyond them, or "simulation".
    signal_w_se, ...
        Standard errors over trials; for theory zero, or, with a schedule, of the integrals.
    trials
        For a simulation, the values of each trial by name: an array whose last axis is the trial.

    Examples
    --------
    >>> import needlescope as ns
    >>> task, training = ns.Task(L=10, R=1, theta=5.0, pi=0.5), ns.Training(alpha0=4.0, alpha1=1.0)
    >>> result = ns.align(task, training)
    >>> result.query.kappa == result.kappa, round(result.cosine_q, 3)
    (True, 0.976)
    """

    _shown: ClassVar[tuple[str, ...]] = ("cosine_w", "norm_w", "cosine_q", "norm_q", "kappa")

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
    trials: Mapping[str, FloatArray] | None = None
    cosines_w: tuple[Value, ...] | None = None
    cosines_w_se: tuple[Value, ...] | None = None
    cosines_q: tuple[Value, ...] | None = None
    cosines_q_se: tuple[Value, ...] | None = None

    @property
    def query(self) -> Query:
        """The query as everything after it sees it: hard where κ is beyond what `Query` takes.

        There softmax and the largest token differ by less than 10⁻⁶ of the test error. With several
        signals it is that of a single problem: the cosines of a query are no grid.
        """
        if self.cosines_q is not None and np.ndim(self.cosines_q[0]):
            raise ValueError(
                f"query is that of a single problem where there are several signals, and this is "
                f"a grid of shape {np.shape(self.cosines_q[0])}; align one point at a time"
            )
        return as_query(self.kappa, self.cosine_q, self.cosines_q)


def broken_symmetry(jumping: Value, replicon: Value) -> tuple[str, ...]:
    """Return a sentence where replica symmetry is broken by more than was seen to matter.

    Examples
    --------
    >>> broken_symmetry(0.001, 0.4)
    ()
    """
    share, radius = np.broadcast_arrays(jumping, replicon)
    broken = (share > TRUSTED_JUMPING) | (radius > 1.0)
    if not broken.any():
        return ()
    where = f" at {int(broken.sum())} of {broken.size} points" if broken.ndim else ""
    return (
        f"replica symmetry is broken{where} (replicon up to {float(np.nanmax(radius)):.2g}, "
        f"{float(np.nanmax(share)):.1%} of the samples may jump), training has many valleys: "
        "most numbers were off by 1 to 5 % in such places, some by a fifth, small training "
        "losses by a factor of two; simulate to be sure",
    )


def as_query(kappa: Value, cosine: Value, cosines: Sequence[Any] | None = None) -> Query:
    """Return a query that was trained: hard where κ is beyond what `Query` takes.

    Examples
    --------
    >>> as_query(2e6, 0.5)
    Query(kappa=inf, cosine=0.5)
    >>> as_query(2.0, 0.99, (0.6, 0.8))
    Query(kappa=2.0, cosines=(0.6, 0.8))
    """
    kappa = np.where(np.asarray(kappa) > SHARPEST, np.inf, kappa)[()]
    return Query(kappa, cosine) if cosines is None else Query(kappa, cosines=cosines)


@dataclass(frozen=True, eq=False, repr=False)
class Outcome(Answer):
    """How well a trained classifier does, and the numbers that summarise it.

    Attributes
    ----------
    model
        "attention", "pooled", "vectorized", "hard" or "linear".
    test_error, train_loss, train_error
        Probability of a wrong sign on fresh data; mean loss (without the ridge) and fraction of
        wrong signs on the training data; each with its ``_se``.
    bias, signal, norm, cosine
        The readout: b, its component along the signal, its norm, and the ratio of the two;
        each with its ``_se``. Where the task's noise has a covariance, these and the order
        parameters are those in whitened coordinates.
    kappa, cosine_q
        The query the features were made with: strength and alignment (NaN without a query).
    query_part, signal_part, rest, gamma
        The order parameters of the saddle problem, each with its ``_se``: μ1 = ⟨w, q̂⟩ along the
        query's direction q̂, μ2 = ⟨w, ξ⊥⟩ along what of the signal is orthogonal to it,
        ξ⊥ = (ξ − s q̂)/√(1 − s²) with s = ``cosine_q``, ρ = ‖rest of w‖, and γ. So
        signal = s μ1 + √(1 − s²) μ2 and norm² = μ1² + μ2² + ρ². Without a query there is no μ1, and
        ``signal_part`` is the signal. NaN where there is none.
    signals, signals_se
        With several signals: the readout's components along each of them. ``signal``, ``cosine``
        and ``cosine_q`` are then about the direction of the positives' mean signal, and
        ``signal_part`` is NaN.
    rare_event_shift
        For a prediction at a given d: the change of the test error if the most influential training
        samples, of total probability 1/n1, never occurred; a finite training set rarely holds them.
        None where d was not given.
    jumping, replicon
        For a prediction of joint training: the share of training samples that have a lower minimum
        than the one reached from their fields, and the spectral radius of the map that decides on
        the stability of replica symmetry, as far as finitely many samples tell (docs/joint.md).
        None without joint training.
    fell_back, second_minimum
        For a prediction of joint training: 1 where the solution asked for (``start``) ends before
        this point, and the numbers are of the other one; and by how much the objective of a second
        minimum of the population, with a short query, is above the lowest, NaN where there is none.
    residual
        Largest relative violation of a stationarity equation; for a simulation the largest
        relative gradient norm (or duality gap) at which a trial's training stopped.
    provenance
        What the numbers rest on: "our derivation of the quantity of theorem 4 (arXiv v1)", or of
        theorem 5; a formula that goes beyond them (a loss of one's own, another test task); or
        "simulation".
    alignment
        For a simulation of attention, the realised alignment of readout and query; with joint
        training, also of a prediction, that of the trained readout and query.
    trials
        For a simulation, the values of each trial by name: an array whose last axis is the trial.

    Examples
    --------
    >>> import needlescope as ns
    >>> task, training = ns.Task(L=10, R=1, theta=5.0, pi=0.5), ns.Training(alpha1=1.0)
    >>> ns.predict(task, training, "pooled")
    Outcome pooled
      provenance  our derivation of the quantity of theorem 5 (arXiv v1)
      task        L=10, R=1, theta=5, pi=0.5, positions='uniform'
      training    alpha1=1, loss='logistic', ridge=0.01, beta=1, ...
      options     data='D1', tol=0.0001, on_error='raise'
      test_error  0.32879
      train_loss  0.210619
      train_error 0.00833864
      and         bias, signal, norm, cosine, ...

    The readout's parts, as a theorist writes them:

    >>> result = ns.predict(task, ns.Training(alpha0=4.0, alpha1=1.0))
    >>> s, mu1, mu2, rho = result.cosine_q, result.query_part, result.signal_part, result.rest
    >>> round(s * mu1 + (1 - s**2) ** 0.5 * mu2 - result.signal, 9) == 0.0
    True
    >>> round(mu1**2 + mu2**2 + rho**2 - result.norm**2, 9) == 0.0
    True
    """

    _shown: ClassVar[tuple[str, ...]] = ("test_error", "train_loss", "train_error")

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
    alignment: Alignment | None = field(default=None)
    trials: Mapping[str, FloatArray] | None = None
    signals: tuple[Value, ...] | None = None
    signals_se: tuple[Value, ...] | None = None
    rare_event_shift: Value | None = None
    jumping: Value | None = None
    replicon: Value | None = None
    fell_back: Value | None = None
    second_minimum: Value | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats: where the limit is not to be trusted, or not to be met at finite d."""
        return (*self._on_joint_training(), *self._on_rare_events())

    def _on_joint_training(self) -> tuple[str, ...]:
        """Return a sentence where replica symmetry is broken by more than was seen to matter."""
        if self.jumping is None or self.replicon is None:
            return ()
        return (*broken_symmetry(self.jumping, self.replicon), *self._on_other_solutions())

    def _on_other_solutions(self) -> tuple[str, ...]:
        """Say where training may end in another solution than the one that is predicted."""
        result = []
        informed = self.options.get("start") == "informed"
        for given, sentence in (
            (
                self.fell_back,
                "the solution that is asked for has ended{}: the numbers are of another",
            ),
            (
                self.second_minimum if informed else None,
                "the population's loss has a second minimum{}, with a short query: training may "
                "end there; start='uninformed' follows it, and simulate tells what is found",
            ),
        ):
            if given is None:
                continue
            there = np.asarray(given, float) >= (1.0 if given is self.fell_back else 0.0)
            if there.any():
                where = f" at {int(there.sum())} of {there.size} points" if there.ndim else ""
                result.append(sentence.format(where))
        return tuple(result)

    def _on_rare_events(self) -> tuple[str, ...]:
        """Return a sentence where the limit rests on samples that training sets hardly hold."""
        if self.rare_event_shift is None:
            return ()
        error, shift = np.broadcast_arrays(self.test_error, self.rare_event_shift)
        rests = np.abs(shift) > RESTS_ON_RARE * error
        if not rests.any():
            return ()
        worst = np.unravel_index(np.argmax(np.where(rests, np.abs(shift), 0.0)), rests.shape)
        here, other = float(error[worst]), float(error[worst] + shift[worst])
        where = f" at {int(rests.sum())} of {rests.size} points" if rests.ndim else ""
        without = f"the test error would be {other:.3g}, not {here:.3g}"
        return (
            f"the limit rests on training samples rarer than one in n1{where}: without them "
            f"{without if np.isfinite(other) else 'no readout could be trained'}; simulations "
            "approach it slowly, so simulate at this d",
        )


@dataclass(frozen=True, eq=False, repr=False)
class Focus(Answer):
    """What a query looks at in a positive sample.

    Attributes
    ----------
    model
        "attention", "hard" or "linear".
    signal, noise
        Mean attention weight *per token*: of one signal token, and of one of the others (NaN if
        there are none), so that R signal + (L − R) noise = 1. Evenly spread attention gives 1/L to
        each, linear attention may give less than nothing.
    signals, signals_se
        With several signals: the mean attention weight of a token that carries each of them.
    largest
        The chance that the largest weight lies on a signal token.
    kappa, cosine_q
        The query's strength and alignment; for a simulation their means.
    signal_se, ...
        Quasi-Monte Carlo errors for theory, standard errors over trials for simulation.
    provenance
        What the numbers rest on: a formula, or "simulation".
    trials
        For a simulation, the values of each trial by name: an array whose last axis is the trial.

    Examples
    --------
    >>> import needlescope as ns
    >>> task, training = ns.Task(L=10, R=2, theta=5.0, pi=0.5), ns.Training(alpha0=4.0, alpha1=1.0)
    >>> result = ns.focus(task, training)
    >>> round(2 * result.signal + 8 * result.noise, 6)
    1.0
    """

    _shown: ClassVar[tuple[str, ...]] = ("signal", "noise", "largest")

    model: str
    signal: Value
    signal_se: Value
    noise: Value
    noise_se: Value
    largest: Value
    kappa: Value
    cosine_q: Value
    provenance: str
    largest_se: Value = 0.0
    trials: Mapping[str, FloatArray] | None = None
    signals: tuple[Value, ...] | None = None
    signals_se: tuple[Value, ...] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Separability(Answer):
    """The fraction of simulated data sets that a linear readout separates.

    Attributes
    ----------
    model
        "attention", "pooled", "vectorized", "hard" or "linear".
    fraction, fraction_se
        The fraction over trials, and its standard error (not zero where all agree).
    trials
        ``"separable"`` and ``"proven"``: 1.0 or 0.0 for each trial. A positive answer rests on a
        separating plane; a negative one on weights that prove it, or, unproven, on the absence of
        any margin above rounding.
    provenance
        "simulation".

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> result = ns.simulate_separability(task, ns.Training(alpha1=1.0), "pooled", d=50, trials=4)
    >>> result.fraction, round(result.fraction_se, 2)
    (1.0, 0.14)
    """

    _shown: ClassVar[tuple[str, ...]] = ("fraction",)

    model: str
    fraction: Value
    fraction_se: Value
    provenance: str = "simulation"
    trials: Mapping[str, FloatArray] | None = None
