"""How many samples learning needs: where the overlap of the best learner jumps, and is found."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...answer import Question
from ...errors import NotConverged
from ...grid import check_kind
from ...lattice import REPLICATES
from ...results import PhaseBoundaries, gather
from ...task import Task
from ..common.arguments import check_tol
from ..common.grid_points import GridPoints
from ..common.provenance import BAYES_OPTIMAL
from ..law.ladder import ERRORS_WITHIN_TOL
from .effective_error import effective_error
from .overlaps import transition_errors
from .phases import find_transition, stationary_branch
from .posterior_mass import LADDER, posterior_mass


def phase_boundaries(task: Task, *, tol: float = 1e-2, on_error: str = "raise") -> PhaseBoundaries:
    """Return how many samples learning needs: for anyone, and for AMP started from zero.

    A replica-symmetric formula, not a theorem: d → ∞ with L, R and θ fixed.

    Parameters
    ----------
    task : Task
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    tol : float, default 1e-2
        Largest relative error of the boundaries that is accepted, in (0, 1], as twice their
        standard error.
    on_error : "raise" or "nan", default "raise"
        What becomes of a grid's point that cannot be solved: the call ends with its name, or the
        point is NaN and a `RuntimeWarning` counts what was lost.

    Returns
    -------
    PhaseBoundaries
        Plain floats, or arrays in the shape of the grid.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.
    NotConverged
        If the tolerance is not met.

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
    tasks = task.scalars(task.shape)
    points = GridPoints(on_error, task.shape, task)
    blank: dict[str, Any] = {"provenance": BAYES_OPTIMAL}
    rows = [blank] * len(tasks)
    for index, item in enumerate(tasks):
        with points.at(index):
            rows[index] = blank | _boundaries(item, tol)
    points.warn()
    options = {"tol": tol, "on_error": on_error}
    return gather(
        PhaseBoundaries, rows, task.shape, Question("phase_boundaries", task, None, options)
    )


def _boundaries(task: Task, tol: float) -> dict[str, Any]:
    smooth = dict.fromkeys(
        ("alpha_it", "alpha_it_se", "alpha_amp", "alpha_amp_se", "error_before", "error_after"),
        np.nan,
    )
    if task.theta == 0.0:
        return {"verdict": "smooth", **smooth}
    for level in LADDER:
        table = posterior_mass(task, level)
        branch, *others = (
            stationary_branch(task.theta, table, column) for column in range(1 + REPLICATES)
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
                f"the overlap is about to jump at theta={task.theta:g}, and whether it does is not "
                "known; a strength that differs by a few per cent has an answer"
            )
        raise NotConverged(
            f"the boundaries are known to a relative error of {uncertainty:.1e} only; pass "
            f"tol={1.5 * uncertainty:.1g} to accept that"
        )
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
