"""State evolution: the overlap of AMP started from zero, iteration by iteration, as d → ∞.

With M of `posterior_mass`, an iteration takes the estimate's squared overlap from q to

    q' = απθ² M(θ√q) / (1 + απθ² M(θ√q)),    from q = 0.

The squared norm of the estimate is q, too. `simulate_amp` runs AMP on tokens at finite d.
"""

from __future__ import annotations

import numpy as np

from ...answer import Question
from ...arrays import Value
from ...grid import whole
from ...lattice import REPLICATES
from ...results import StateEvolution, gather
from ...task import Task
from ..common.arguments import check_tol
from ..common.grid_points import GridPoints, Row
from ..common.provenance import STATE_EVOLUTION, of_learner
from ..law.ladder import ERRORS_WITHIN_TOL
from .alpha_grid import broadcast_alpha
from .phases import iterate_overlaps
from .posterior_mass import PosteriorMass


def state_evolution(
    task: Task, alpha: Value, iterations: int = 20, *, tol: float = 1e-3, on_error: str = "raise"
) -> StateEvolution:
    """Return the overlap of AMP with the signal after each iteration from zero.

    A formula, not a theorem: the limit d → ∞ of ``simulate_amp(…).path``. It converges to the
    ``amp_overlap`` of `bayes_optimal`, slowly near a phase boundary.

    Parameters
    ----------
    task : Task
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    alpha : float or array
        All labelled samples divided by d, above 0.
    iterations : int, default 20
        Number of iterations, from 1 to 10,000.
    tol : float, default 1e-3
        Largest uncertainty of the overlaps, twice their standard error, in (0, 1].
    on_error : "raise" or "nan", default "raise"
        Raise the error of a point that cannot be solved, or leave it NaN and warn.

    Returns
    -------
    StateEvolution
        The path and its standard error; the last axis has the start, 0, and every iteration.

    Raises
    ------
    ValueError, NotConverged
        If an argument is invalid or grids do not broadcast; if the tolerance is not met.

    Examples
    --------
    Below the algorithmic threshold, α = 0.325, AMP stays near zero; above, it escapes slowly:

    >>> import needlescope as ns
    >>> result = ns.state_evolution(ns.Task(L=100, R=1, theta=4.0, pi=0.5), [0.3, 0.4, 1.0])
    >>> result.path[:, [0, 1, 5, 10, 20]].round(2)
    array([[0.  , 0.02, 0.04, 0.05, 0.05],
           [0.  , 0.03, 0.1 , 0.4 , 0.69],
           [0.  , 0.07, 0.86, 0.87, 0.87]])
    """
    grid = broadcast_alpha(task, alpha)
    whole("iterations", iterations, 1, 10_000)
    tol = check_tol(tol)
    points = GridPoints(on_error, grid.shape, task, alpha=grid.alpha)

    def solve(members: list[int], table: PosteriorMass) -> list[tuple[Row, float]]:
        theta = grid.tasks[members[0]].theta
        paths = iterate_overlaps(theta, table, grid.samples(members), iterations, grid.prior)
        errors = paths[..., 1:].std(axis=-1, ddof=1) / np.sqrt(REPLICATES)
        return [
            ({"path": path, "path_se": error}, ERRORS_WITHIN_TOL * float(error.max()))
            for path, error in zip(paths[..., 0], errors, strict=True)
        ]

    blank = {"provenance": of_learner(STATE_EVOLUTION, task)}
    rows = grid.solve(points, blank, solve, tol, "the path")
    options = {"alpha": grid.alpha, "iterations": iterations, "tol": tol, "on_error": on_error}
    question = Question("state_evolution", task, None, options)
    return gather(StateEvolution, rows, grid.shape, question)
