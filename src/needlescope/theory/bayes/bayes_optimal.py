"""The Bayes-optimal learner of n = αd samples: overlap, test error and phase.

The signal is an unknown, uniformly random direction. Only positives carry information about it, and
its posterior mean has a squared overlap q with it that solves one scalar equation (`phases`). The
optimal decision on a fresh sample depends on its tokens along the posterior mean alone, which have
the law of a known signal of strength θ√q. The test error is the Bayes error of `oracle` there.
With a covariance Σ of the noise, which the learner knows, all this is in whitened coordinates.
"""

from __future__ import annotations

import numpy as np

from ...answer import Question
from ...arrays import FloatArray, Value
from ...errors import NotConverged
from ...results import BayesOptimal, gather
from ...task import Task
from ..common.arguments import check_tol
from ..common.grid_points import GridPoints, Row
from ..common.provenance import BAYES_OPTIMAL, of_learner
from ..law.ladder import ERRORS_WITHIN_TOL
from .alpha_grid import broadcast_alpha
from .effective_error import TEST_ERRORS, effective_errors
from .phases import Overlaps, solve_overlaps
from .posterior_mass import PosteriorMass


def bayes_optimal(
    task: Task, alpha: Value, *, tol: float = 1e-3, on_error: str = "raise"
) -> BayesOptimal:
    """Return overlap and test error of the Bayes-optimal learner and of AMP at α = n/d.

    A replica-symmetric formula, not a theorem: d → ∞ with α, L, R and θ fixed. AMP, which
    `simulate_amp` runs, is Bayes-optimal where the phase is "easy".

    Parameters
    ----------
    task : Task
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    alpha : float or array
        All labelled samples divided by d, above 0; α0 + α1 for a trained model.
    tol : float, default 1e-3
        Largest uncertainty of the test errors, twice their standard error, in (0, 1].
    on_error : "raise" or "nan", default "raise"
        Raise the error of a point that cannot be solved, or leave it NaN and warn.

    Returns
    -------
    BayesOptimal
        Plain floats, or arrays in the shape of the grid.

    Raises
    ------
    ValueError, NotConverged
        If an argument is invalid or grids do not broadcast; if the tolerance is not met.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=100, R=1, theta=4.0, pi=0.5)
    >>> result = ns.bayes_optimal(task, [1.0, 4.0])
    >>> result.test_error.round(2), result.phase
    (array([0.16, 0.14]), array(['easy', 'easy'], dtype='<U4'))
    """
    grid = broadcast_alpha(task, alpha)
    tol = check_tol(tol)
    points = GridPoints(on_error, grid.shape, task, alpha=grid.alpha)

    def solve(members: list[int], table: PosteriorMass) -> list[tuple[Row, float]]:
        overlaps = solve_overlaps(grid.tasks[members[0]], table, grid.samples(members), grid.prior)
        errors = _errors(grid.tasks, members, overlaps, tol, points)
        columns = {**overlaps._asdict(), **errors}
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        worst = np.maximum(errors["test_error_se"], errors["amp_test_error_se"])
        return list(zip(rows, (ERRORS_WITHIN_TOL * worst).tolist(), strict=True))

    blank = {"provenance": of_learner(BAYES_OPTIMAL, task)}
    rows = grid.solve(points, blank, solve, tol, "the Bayes-optimal test error")
    options = {"alpha": grid.alpha, "tol": tol, "on_error": on_error}
    question = Question("bayes_optimal", task, None, options)
    return gather(BayesOptimal, rows, grid.shape, question)


def _errors(
    tasks: list[Task], members: list[int], result: Overlaps, tol: float, points: GridPoints
) -> dict[str, FloatArray]:
    """Return the test errors of all points at once or, where one fails, one by one."""
    try:
        return effective_errors([tasks[k] for k in members], result, tol)
    except NotConverged:
        errors = {name: np.full(len(members), np.nan) for name in TEST_ERRORS}
        for place, index in enumerate(members):
            with points.at(index):
                own = Overlaps(*(column[place : place + 1] for column in result))
                for name, value in effective_errors([tasks[index]], own, tol).items():
                    errors[name][place] = value[0]
        return errors
