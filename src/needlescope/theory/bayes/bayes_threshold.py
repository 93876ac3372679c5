"""The Bayes threshold: the smallest θ at which the Bayes-optimal test error reaches a target.

The target fixes the effective strength κ = θ√q, the threshold of an oracle with a known signal
(`oracle_threshold`). An overlap q = κ²/θ² is stationary if κ²/(θ² − κ²) = απθ² M(κ), a quadratic
equation in θ². Its solution is the threshold where the Bayes-optimal learner, or AMP, is at that
overlap; where the overlap jumps over it, the threshold is the θ of the jump.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...answer import Question
from ...arrays import Value
from ...grid import amount, check_broadcast, check_kind, real
from ...lattice import REPLICATES
from ...results import BayesThreshold, gather
from ...task import Task
from ..common.arguments import check_tol, tol_not_met
from ..common.grid_points import GridPoints
from ..common.provenance import BAYES_OPTIMAL, of_search
from ..law.ladder import ERRORS_WITHIN_TOL
from ..oracle.threshold import LEAST_TARGET, check_signal_needed, threshold
from .phases import find_transition, overlaps, stationary_branch, transition_errors
from .posterior_mass import LADDER, PosteriorMass, posterior_mass

ORACLE_TOL = 1e-3  # of the oracle error
ROOT_CHECK = 1e-4  # of θ: below a valid root the target is not reached, above it is
BISECTIONS = 60


def bayes_threshold(
    task: Task, alpha: Value, error: Value, *, tol: float = 1e-2, on_error: str = "raise"
) -> BayesThreshold:
    """Return the smallest θ at which the Bayes-optimal learner, or AMP, reaches ``error`` at α.

    A search on `bayes_optimal`, a replica-symmetric formula, not a theorem. It is at least the
    `oracle_threshold` of "bayes", whose signal is known, and at most the `training_threshold` of
    any training with the same number of samples.

    Parameters
    ----------
    task : Task
        The problem; numeric fields may be arrays. Its θ is ignored.
    alpha : float or array
        All labelled samples divided by d, above 0.
    error : float or array
        The target, from 2e-8 to 2e-8 below min(π, 1 − π), the error without any signal.
    tol : float, default 1e-2
        Largest relative uncertainty of θ, twice its standard error, in (0, 1].
    on_error : "raise" or "nan", default "raise"
        Raise the error of a point that cannot be solved, or leave it NaN and warn.

    Returns
    -------
    BayesThreshold
        Plain floats, or arrays in the shape of the grid.

    Raises
    ------
    ValueError, NotConverged
        If an argument is invalid or grids do not broadcast; if the tolerance is not met.

    Examples
    --------
    One token of a hundred carries the signal, and n = d:

    >>> import needlescope as ns
    >>> task = ns.Task(L=100, R=1, theta=1.0, pi=0.5)
    >>> result = ns.bayes_threshold(task, alpha=1.0, error=0.1)
    >>> round(ns.oracle_threshold(task, "bayes", 0.1).theta, 1), round(result.theta, 1)
    (4.3, 4.5)
    """
    check_kind("task", task, Task)
    task.need_one_signal("bayes_threshold")
    task.need_white("bayes_threshold")
    task.need_plain("bayes_threshold")
    alpha = amount("alpha", alpha)
    error = real("error", error, LEAST_TARGET, 1.0, open_high=True)
    tol = check_tol(tol)
    original, task = task, task.replace(theta=1.0)
    check_broadcast(
        "task, alpha and error", L=task.L, R=task.R, pi=task.pi, alpha=alpha, error=error
    )
    shape = np.broadcast_shapes(task.shape, np.shape(alpha), np.shape(error))
    tasks = task.scalars(shape)
    alphas, errors = (np.broadcast_to(item, shape).ravel() for item in (alpha, error))
    for item, target in zip(tasks, errors, strict=True):
        check_signal_needed(item, target)
    points = GridPoints(on_error, shape, task, alpha=alpha, error=error)
    jobs = zip(tasks, alphas.tolist(), errors.tolist(), strict=True)
    blank = {"provenance": of_search(BAYES_OPTIMAL)}
    rows = points.solve(blank, jobs, _thresholds, tol)
    options = {"alpha": alpha, "error": error, "tol": tol, "on_error": on_error}
    question = Question("bayes_threshold", original, None, options)
    return gather(BayesThreshold, rows, shape, question)


def _thresholds(task: Task, alpha: float, target: float, tol: float) -> dict[str, float]:
    """Return both thresholds and their standard errors, at the first level that suffices."""
    kappa, kappa_se = threshold(task, "bayes", target, ORACLE_TOL)
    for level in LADDER:
        row: dict[str, float] = {}
        for which, name in enumerate(("theta", "amp_theta")):
            row[name], row[f"{name}_se"] = _threshold(
                task, alpha * task.pi, kappa, kappa_se, which, level
            )
        uncertainty = ERRORS_WITHIN_TOL * max(
            row[f"{name}_se"] / row[name] for name in ("theta", "amp_theta")
        )
        if uncertainty <= tol:
            return row
    raise tol_not_met("relative uncertainty of the thresholds", uncertainty, tol)


def _threshold(
    task: Task, samples: float, kappa: float, kappa_se: float, which: int, level: int
) -> tuple[float, float]:
    """Return the Bayes-optimal (0) or the AMP (1) threshold, and its standard error."""

    def table(theta: float) -> PosteriorMass:
        return posterior_mass(task.replace(theta=theta), level)

    def root(kappa: float, M: float) -> float:
        square = kappa * kappa
        more = np.sqrt(square * square + 4.0 * square / (samples * M))
        return float(np.sqrt(0.5 * (square + more)))

    def reached(theta: float) -> bool:
        branch = stationary_branch(theta, table(theta))
        q = overlaps(branch, find_transition(branch), np.array([samples]))[which][0]
        return bool(theta * np.sqrt(q) >= kappa)

    # M is least at κ = 0, where it is R²/L
    last = root(kappa, task.R**2 / task.L)
    mass = table(last)
    M, *replicates = mass(np.array([kappa]))[0]
    theta = root(kappa, M)
    if reached(theta * (1.0 + ROOT_CHECK)) and not reached(theta * (1.0 - ROOT_CHECK)):
        nearby = root(kappa + kappa_se, float(mass(np.array([kappa + kappa_se]))[0, 0]))
        spread = float(np.std(replicates, ddof=1)) / np.sqrt(REPLICATES)
        return theta, float(np.hypot(nearby - theta, root(kappa, M - min(spread, 0.5 * M)) - theta))
    theta = _bisect(reached, kappa, last * (1.0 + ROOT_CHECK))
    return theta, theta * _transition_error(theta, table, which)


def _bisect(reached: Callable[[float], bool], low: float, high: float) -> float:
    """Return where ``reached`` becomes true, by bisection on a logarithmic scale."""
    for _ in range(BISECTIONS):
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _transition_error(theta: float, table: Callable[[float], PosteriorMass], which: int) -> float:
    """Return the relative error of a θ at which the overlap jumps.

    It is the relative error of the boundary in α divided by its logarithmic slope in θ.
    """
    places = []
    for item in (theta, 1.01 * theta):
        branch = stationary_branch(item, table(item))
        transition = find_transition(branch)
        if transition is None:  # the jump ends near this θ
            return 0.01
        places.append(np.log((transition.alpha_it, transition.alpha_amp)[which]))
        if item == theta:
            error = transition_errors(branch, transition, table(item))[which]
    return float(error * np.log(1.01) / abs(places[1] - places[0]))
