"""The weakest signal that can be learned: the smallest θ at which the limit falls to a target.

Learning only dims the signal, so the target fixes the strength κ = θ√q that must be left of it: the
one at which someone who knew the signal would err so much (`oracle_threshold`). An overlap
q = κ²/θ² is stationary if κ²/(θ² − κ²) = απθ² M(κ), a quadratic equation in θ². Its solution is the
answer where the best learner, or the iteration from nothing, is at that overlap; where the overlap
jumps over it, the answer is the θ of the jump.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...answer import Question
from ...arrays import Value
from ...errors import NotConverged
from ...grid import amount, check_broadcast, check_kind, real
from ...lattice import REPLICATES
from ...results import BayesThreshold, gather
from ...task import Task
from ..common.arguments import check_tol
from ..common.grid_points import GridPoints
from ..common.provenance import BAYES_OPTIMAL, of_search
from ..law.ladder import ERRORS_WITHIN_TOL
from ..oracle.threshold import LEAST_TARGET, check_signal_needed, threshold
from .overlaps import transition_errors
from .phases import find_transition, overlaps, stationary_branch
from .posterior_mass import LADDER, PosteriorMass, posterior_mass

ORACLE_TOL = 1e-3  # of the error of someone who knows the signal
ROOT_CHECK = 1e-4  # of θ: the root is the answer if so much less falls short, so much more does not
BISECTIONS = 60


def bayes_threshold(
    task: Task, alpha: Value, error: Value, *, tol: float = 1e-2, on_error: str = "raise"
) -> BayesThreshold:
    """Return the smallest θ at which a learner can reach ``error`` with α samples per dimension.

    A search on `bayes_optimal`, which is a replica-symmetric formula, not a theorem. Between its
    siblings: no less than `oracle_threshold` of "bayes", whose signal is known, and no more than
    `training_threshold` of any training with as many samples.

    Parameters
    ----------
    task : Task
        The problem; numeric fields may be arrays. Its θ is ignored.
    alpha : float or array
        All labelled samples, divided by d: above 0.
    error : float or array
        The error to reach: at least 2e-8, and at least 2e-8 below min(π, 1 − π), which needs no
        signal at all.
    tol : float, default 1e-2
        Largest relative error of the strengths that is accepted, in (0, 1], as twice their
        standard error.
    on_error : "raise" or "nan", default "raise"
        What becomes of a grid's point that cannot be solved: the call ends with its name, or the
        point is NaN and a `RuntimeWarning` counts what was lost.

    Returns
    -------
    BayesThreshold
        Plain floats, or arrays in the shape of the grid.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.
    NotConverged
        If the tolerance is not met.

    Examples
    --------
    One token of a hundred carries the signal, and there are as many samples as dimensions:

    >>> import needlescope as ns
    >>> task = ns.Task(L=100, R=1, theta=1.0, pi=0.5)
    >>> found = ns.bayes_threshold(task, alpha=1.0, error=0.1)
    >>> round(ns.oracle_threshold(task, "bayes", 0.1).theta, 1), round(found.theta, 1)
    (4.3, 4.5)
    """
    check_kind("task", task, Task)
    task.need_one_signal("bayes_threshold")
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
    blank: dict[str, Any] = {"provenance": of_search(BAYES_OPTIMAL)}
    rows = [blank] * len(tasks)
    for index, item in enumerate(tasks):
        with points.at(index):
            result = _thresholds(item, float(alphas[index]), float(errors[index]), tol)
            rows[index] = blank | result
    points.warn()
    options = {"alpha": alpha, "error": error, "tol": tol, "on_error": on_error}
    question = Question("bayes_threshold", original, None, options)
    return gather(BayesThreshold, rows, shape, question)


def _thresholds(task: Task, alpha: float, target: float, tol: float) -> dict[str, float]:
    """Return both strengths and their standard errors, at the first level that suffices."""
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
    raise NotConverged(
        f"the strengths are known to a relative error of {uncertainty:.1e} only; pass "
        f"tol={1.5 * uncertainty:.1g} to accept that"
    )


def _threshold(
    task: Task, samples: float, kappa: float, kappa_se: float, which: int, level: int
) -> tuple[float, float]:
    """Return the strength that is possible (0) or easy (1), and its standard error."""

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

    # pooling sees R²/L of the signal's tokens, and the posterior no fewer
    last = root(kappa, task.R**2 / task.L)
    known = table(last)
    M, *replicates = known(np.array([kappa]))[0]
    theta = root(kappa, M)
    if reached(theta * (1.0 + ROOT_CHECK)) and not reached(theta * (1.0 - ROOT_CHECK)):
        nearby = root(kappa + kappa_se, float(known(np.array([kappa + kappa_se]))[0, 0]))
        spread = float(np.std(replicates, ddof=1)) / np.sqrt(REPLICATES)
        return theta, float(np.hypot(nearby - theta, root(kappa, M - min(spread, 0.5 * M)) - theta))
    theta = _bisect(reached, kappa, last * (1.0 + ROOT_CHECK))
    return theta, theta * _transition_error(theta, table, which)


def _bisect(reached: Callable[[float], bool], low: float, high: float) -> float:
    """Return where it is reached first, by halving on a logarithmic scale."""
    for _ in range(BISECTIONS):
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _transition_error(theta: float, table: Callable[[float], PosteriorMass], which: int) -> float:
    """Return the relative error of a strength at which the overlap jumps.

    The boundary's own relative error in α, by how fast the boundary falls with θ.
    """
    places = []
    for item in (theta, 1.01 * theta):
        branch = stationary_branch(item, table(item))
        transition = find_transition(branch)
        if transition is None:  # the jump ends here: it is as small as it is uncertain
            return 0.01
        places.append(np.log((transition.alpha_it, transition.alpha_amp)[which]))
        if item == theta:
            error = transition_errors(branch, transition, table(item))[which]
    return float(error * np.log(1.01) / abs(places[1] - places[0]))
