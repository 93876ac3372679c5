"""Phase boundaries in α: the information-theoretic and the algorithmic threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...answer import Question
from ...errors import NotConverged
from ...grid import check_kind
from ...lattice import REPLICATES
from ...results import PhaseBoundaries, gather
from ...task import Task
from ..common.arguments import check_tol, tol_not_met
from ..common.grid_points import GridPoints
from ..common.provenance import BAYES_OPTIMAL, of_learner
from ..law.ladder import ERRORS_WITHIN_TOL
from .effective_error import effective_error
from .phases import find_transition, stationary_branch, transition_errors
from .posterior_mass import LADDER, posterior_mass
from .prior import Prior, prior_of


def phase_boundaries(task: Task, *, tol: float = 1e-2, on_error: str = "raise") -> PhaseBoundaries:
    """Return the information-theoretic and the algorithmic (AMP) threshold in α = n/d.

    A replica-symmetric formula, not a theorem: d → ∞ with L, R and θ fixed.

    Parameters
    ----------
    task : Task
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    tol : float, default 1e-2
        Largest relative uncertainty of the thresholds, twice their standard error, in (0, 1].
    on_error : "raise" or "nan", default "raise"
        Raise the error of a point that cannot be solved, or leave it NaN and warn.

    Returns
    -------
    PhaseBoundaries
        Plain floats, or arrays in the shape of the grid.

    Raises
    ------
    ValueError, NotConverged
        If an argument is invalid or grids do not broadcast; if the tolerance is not met.

    Examples
    --------
    With few tokens the overlap grows smoothly:

    >>> import needlescope as ns
    >>> ns.phase_boundaries(ns.Task(L=10, R=1, theta=4.0, pi=0.5)).verdict
    'smooth'
    """
    check_kind("task", task, Task)
    task.need_one_signal("phase_boundaries")
    task.need_plain("phase_boundaries")
    tol = check_tol(tol)
    points = GridPoints(on_error, task.shape, task)
    jobs = ((item,) for item in task.whitened.scalars(task.shape))
    blank = {"provenance": of_learner(BAYES_OPTIMAL, task)}
    rows = points.solve(blank, jobs, _boundaries, tol, prior_of(task))
    options = {"tol": tol, "on_error": on_error}
    question = Question("phase_boundaries", task, None, options)
    return gather(PhaseBoundaries, rows, task.shape, question)


def _boundaries(task: Task, tol: float, prior: Prior) -> dict[str, Any]:
    smooth = dict.fromkeys(
        ("alpha_it", "alpha_it_se", "alpha_amp", "alpha_amp_se", "error_before", "error_after"),
        np.nan,
    )
    if task.theta == 0.0:
        return {"verdict": "smooth", **smooth}
    for level in LADDER:
        table = posterior_mass(task, level)
        branch, *others = (
            stationary_branch(task.theta, table, column, prior) for column in range(1 + REPLICATES)
        )
        transition = find_transition(branch)
        agree = all((find_transition(other) is None) == (transition is None) for other in others)
        if transition is None and agree:
            return {"verdict": "smooth", **smooth}
        if transition is not None:
            alpha_it_se, alpha_amp_se = transition_errors(branch, transition, table)
            uncertainty = ERRORS_WITHIN_TOL * max(alpha_it_se, alpha_amp_se)
            if agree and uncertainty <= tol:
                break
    else:
        if not agree:
            raise NotConverged(
                f"whether the overlap jumps at theta={task.theta:g} is within the numerical "
                "uncertainty; change theta by a few per cent"
            )
        raise tol_not_met("relative uncertainty of the thresholds", uncertainty, tol)
    before, after = (
        effective_error(task, task.theta * float(np.sqrt(q)), 1e-3)[0]
        for q in (transition.low, transition.high)
    )
    return {
        "verdict": "jumps",
        "alpha_it": transition.alpha_it / task.pi,
        "alpha_it_se": alpha_it_se * transition.alpha_it / task.pi,
        "alpha_amp": transition.alpha_amp / task.pi,
        "alpha_amp_se": alpha_amp_se * transition.alpha_amp / task.pi,
        "error_before": before,
        "error_after": after,
    }
