"""State evolution: the overlap of the iteration from nothing, round by round, as d → ∞.

With M of `posterior_mass`, a round takes the estimate's squared overlap from q to

    q' = απθ² M(θ√q) / (1 + απθ² M(θ√q)),    from q = 0.

Its estimates are as long as they are good: the squared norm is q, too. `simulate_amp` runs the
iteration itself, on tokens at finite d, and its rounds are these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...answer import Question
from ...arrays import Value
from ...errors import NotConverged
from ...grid import whole
from ...lattice import REPLICATES
from ...results import StateEvolution, gather
from ...task import Task
from ..common.arguments import check_tol
from ..common.grid_points import GridPoints
from ..common.provenance import STATE_EVOLUTION
from ..law.ladder import ERRORS_WITHIN_TOL
from .alpha_grid import AlphaGrid, broadcast_alpha
from .phases import iterate_overlaps
from .posterior_mass import LADDER, posterior_mass


def state_evolution(
    task: Task,
    alpha: Value,
    rounds: int = 20,
    *,
    tol: float = 1e-3,
    on_error: str = "raise",
) -> StateEvolution:
    """Return how the overlap with the signal grows, round by round, from nothing.

    A formula, not a theorem. The twin of ``simulate_amp(…).path``: what the iteration does as
    d → ∞. It ends at the ``amp_overlap`` of `bayes_optimal`, near a boundary of phases after
    many rounds.

    Parameters
    ----------
    task : Task
        The problem. Any numeric field may be an array; results broadcast as NumPy would.
    alpha : float or array
        All labelled samples, divided by d: above 0.
    rounds : int, default 20
        Of the iteration, from 1 to 10,000.
    tol : float, default 1e-3
        Largest error of the overlaps that is accepted, in (0, 1], as twice their standard error.
    on_error : "raise" or "nan", default "raise"
        What becomes of a grid's point that cannot be solved: the call ends with its name, or the
        point is NaN and a `RuntimeWarning` counts what was lost.

    Returns
    -------
    StateEvolution
        The path and its standard error; their last axis has the start, 0, and every round.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.
    NotConverged
        If the tolerance is not met.

    Examples
    --------
    Below its boundary, at α = 0.325, the iteration gets nowhere; above, it lingers and escapes:

    >>> import needlescope as ns
    >>> found = ns.state_evolution(ns.Task(L=100, R=1, theta=4.0, pi=0.5), [0.3, 0.4, 1.0])
    >>> found.path[:, [0, 1, 5, 10, 20]].round(2)
    array([[0.  , 0.02, 0.04, 0.05, 0.05],
           [0.  , 0.03, 0.1 , 0.4 , 0.69],
           [0.  , 0.07, 0.86, 0.87, 0.87]])
    """
    grid = broadcast_alpha(task, alpha)
    whole("rounds", rounds, 1, 10_000)
    tol = check_tol(tol)
    points = GridPoints(on_error, grid.shape, task, alpha=grid.alpha)
    rows: list[dict[str, Any]] = [{"provenance": STATE_EVOLUTION}] * len(grid.tasks)
    for members in grid.families():
        for index, row in _iterate(grid, members, rounds, tol, points).items():
            rows[index] = rows[index] | row
    points.warn()
    options = {"alpha": grid.alpha, "rounds": rounds, "tol": tol, "on_error": on_error}
    question = Question("state_evolution", task, None, options)
    return gather(StateEvolution, rows, grid.shape, question)


def _iterate(
    grid: AlphaGrid, members: list[int], rounds: int, tol: float, points: GridPoints
) -> dict[int, dict[str, Any]]:
    """Follow the points that share a table, each at the first level that suffices."""
    rows: dict[int, dict[str, Any]] = {}
    uncertainty: dict[int, float] = {}
    pending = members
    for level in LADDER:
        first = grid.tasks[pending[0]]
        result = iterate_overlaps(
            first.theta, posterior_mass(first, level), grid.samples(pending), rounds
        )
        errors = result[..., 1:].std(axis=-1, ddof=1) / np.sqrt(REPLICATES)
        for place, index in enumerate(pending):
            rows[index] = {"path": result[place, :, 0], "path_se": errors[place]}
            uncertainty[index] = ERRORS_WITHIN_TOL * float(errors[place].max())
        pending = [index for index in pending if uncertainty[index] > tol]
        if not pending:
            break
    for index in pending:
        with points.at(index):
            raise NotConverged(
                f"the path is known to ±{uncertainty[index]:.1e} only, not to the tolerance of "
                f"{tol:g} asked: it lingers here, and small errors grow; pass "
                f"tol={1.5 * uncertainty[index]:.1g} to accept that"
            )
    return {index: row for index, row in rows.items() if index not in points.lost}
