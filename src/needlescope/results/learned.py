"""The Bayes-optimal learner and approximate message passing (AMP)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..answer import Answer
from ..arrays import FloatArray, Value


@dataclass(frozen=True, eq=False, repr=False)
class BayesOptimal(Answer):
    """What the Bayes-optimal learner reaches with a number of samples.

    Attributes
    ----------
    overlap
        The *squared* cosine of the best estimate of the signal with the signal; each with its
        ``_se``, a quasi-Monte Carlo error. Where the task's noise has a covariance, in whitened
        coordinates.
    test_error
        The error of the best classifier that can be learned: the Bayes error of a known signal of
        strength θ times that cosine.
    amp_overlap, amp_test_error
        The same for approximate message passing (AMP) started from zero, as `simulate_amp` runs
        it: less where learning is possible, but hard.
    phase
        "easy": AMP started from zero is Bayes-optimal; "hard": it is not, but would be with more
        data; "impossible": too few data for any learner to be beyond the jump. Where there is no
        jump all is "easy". "hard" is a statement about this algorithm: that no other
        polynomial-time one does better is believed of such problems, not proven. An array of these
        for a grid.
    provenance
        "formula: replica-symmetric (not a theorem)".

    Examples
    --------
    >>> import needlescope as ns
    >>> result = ns.bayes_optimal(ns.Task(L=1000, R=1, theta=5.0, pi=0.5), alpha=1.0)
    >>> result.phase, round(result.overlap, 2), round(result.amp_overlap, 2)
    ('hard', 0.92, 0.02)

    Learning dims the signal by the cosine, the root of the overlap:

    >>> task = ns.Task(L=10, R=1, theta=4.0, pi=0.5)
    >>> result = ns.bayes_optimal(task, alpha=1.0)
    >>> dimmed = ns.oracle(task.replace(theta=4.0 * result.overlap**0.5), "bayes")
    >>> bool(abs(dimmed.error - result.test_error) < 1e-3)
    True
    """

    _shown: ClassVar[tuple[str, ...]] = ("phase", "test_error", "overlap", "amp_test_error")

    overlap: Value
    overlap_se: Value
    test_error: Value
    test_error_se: Value
    amp_overlap: Value
    amp_overlap_se: Value
    amp_test_error: Value
    amp_test_error_se: Value
    phase: Any
    provenance: str


@dataclass(frozen=True, eq=False, repr=False)
class StateEvolution(Answer):
    """How the overlap of AMP started from zero grows, round by round, as d → ∞.

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
    >>> ns.state_evolution(task, 2.0, iterations=4).path.round(2)
    array([0.  , 0.62, 0.93, 0.94, 0.94])
    >>> ns.simulate_amp(task, 2.0, d=400, trials=4, iterations=4, n_jobs=1).path.round(2)
    array([0.  , 0.62, 0.93, 0.94, 0.94])

    A table has a row for each point and iteration:

    >>> task = ns.Task(L=10, R=10, theta=1.0, pi=0.5)
    >>> result = ns.state_evolution(task, [0.2, 1.8], iterations=1)
    >>> result.to_pandas()[["alpha", "iteration", "path"]].values.tolist()
    [[0.2, 0.0, 0.0], [0.2, 1.0, 0.5], [1.8, 0.0, 0.0], [1.8, 1.0, 0.9]]
    """

    _shown: ClassVar[tuple[str, ...]] = ("path",)
    _last_axis: ClassVar[str] = "iteration"

    path: FloatArray
    path_se: FloatArray
    provenance: str


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedAMP(Answer):
    """What AMP reaches at finite dimension.

    Attributes
    ----------
    overlap
        The *squared* cosine of the estimate with the signal, mean over trials; each number with its
        ``_se``, the standard error over trials.
    self_overlap
        The squared norm of the estimate: the overlap that it takes itself to have.
    assumed_theta
        The strength that was assumed in the end: given, or learned.
    test_error
        The error of the best decision that rests on the estimate.
    provenance
        "simulation".
    trials
        The values of each trial by name: an array whose last axis is the trial; ``"path"`` has one
        axis more, the overlap before the first round and after each.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=8, R=1, theta=4.0, pi=0.5)
    >>> result = ns.simulate_amp(task, 2.0, d=100, trials=3, iterations=6, n_jobs=1)
    >>> result.trials["path"].shape, bool(result.path[0] == 0.0)
    ((3, 7), True)
    """

    _shown: ClassVar[tuple[str, ...]] = ("test_error", "overlap", "self_overlap")

    overlap: Value
    overlap_se: Value
    self_overlap: Value
    self_overlap_se: Value
    assumed_theta: Value
    assumed_theta_se: Value
    test_error: Value
    test_error_se: Value
    provenance: str = "simulation"
    trials: Mapping[str, FloatArray] | None = None

    @property
    def path(self) -> FloatArray:
        """The mean overlap before the first round and after each, on the last axis.

        `state_evolution` says what it is as d → ∞.
        """
        assert self.trials is not None
        return np.asarray(self.trials["path"].mean(axis=-2))

    @property
    def path_se(self) -> FloatArray:
        """The standard error of the path over trials, NaN for one trial."""
        assert self.trials is not None
        paths = self.trials["path"]
        count = paths.shape[-2]
        if count == 1:
            return np.full((*paths.shape[:-2], paths.shape[-1]), np.nan)
        return np.asarray(paths.std(axis=-2, ddof=1) / np.sqrt(count))


@dataclass(frozen=True, eq=False, repr=False)
class PhaseBoundaries(Answer):
    """The information-theoretic and the algorithmic threshold in the number of samples.

    Attributes
    ----------
    verdict
        "jumps", or "smooth" where the overlap grows without a jump and no boundary exists; an array
        of these for a grid.
    alpha_it, alpha_it_se
        The information-theoretic threshold: the α at which the overlap of the Bayes-optimal
        learner jumps. NaN without a jump.
    alpha_amp, alpha_amp_se
        The algorithmic threshold: the α from which AMP started from zero is Bayes-optimal. Between
        the two is the hard phase; that it is hard for every fast algorithm is not proven.
    error_before, error_after
        The Bayes-optimal test error on both sides of the first.
    provenance
        "formula: replica-symmetric (not a theorem)".

    Examples
    --------
    >>> import needlescope as ns
    >>> result = ns.phase_boundaries(ns.Task(L=1000, R=1, theta=5.0, pi=0.5))
    >>> result.verdict, round(result.alpha_it, 2), round(result.alpha_amp, 2)
    ('jumps', 0.18, 1.24)
    """

    _shown: ClassVar[tuple[str, ...]] = ("verdict", "alpha_it", "alpha_amp", "error_before")

    verdict: Any
    alpha_it: Value
    alpha_it_se: Value
    alpha_amp: Value
    alpha_amp_se: Value
    error_before: Value
    error_after: Value
    provenance: str


@dataclass(frozen=True, eq=False, repr=False)
class BayesThreshold(Answer):
    """The smallest θ at which a learner can reach a target with a number of samples.

    Attributes
    ----------
    theta, theta_se
        The strength at which the Bayes-optimal learner reaches it, and its numerical uncertainty.
    amp_theta, amp_theta_se
        The strength at which AMP started from zero does (`simulate_amp`).
    provenance
        "search: on replica-symmetric (not a theorem)".

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=1000, R=1, theta=1.0, pi=0.5)
    >>> result = ns.bayes_threshold(task, alpha=1.0, error=0.1)
    >>> round(result.theta, 1), round(result.amp_theta, 1)
    (5.1, 5.3)
    """

    _shown: ClassVar[tuple[str, ...]] = ("theta", "amp_theta")

    theta: Value
    theta_se: Value
    amp_theta: Value
    amp_theta_se: Value
    provenance: str
