"""The best ridges of joint training: one for the readout, one for the query.

Both, and the balance of classes where it is free, are found by a simplex search on their
logarithms. The replica-symmetric equations are solved roughly for each pair (`rough`), from the
nearest pair that was solved before; `predict` gives the error at the minimum. Beyond some ridges
the query loses the signal, all at once: the error jumps there, and no slope says so.

The natural unit of ridges is 2 min(π, 1 − π), the mean slope of the rarer class. At finite d the
bias of a data set is off by chance, and its labels may all be the same, as in `readouts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, logit

from ...arrays import FloatArray
from ...errors import NotConverged
from ...losses import Loss, get_loss
from ...results.trained import broken_symmetry
from ...theory.joint.equations.error import Scores
from ...theory.joint.equations.moments import Problem
from ...theory.joint.equations.order import from_vector
from ...theory.joint.equations.stability import stability
from ...theory.joint.solutions.rough import Rough, solve_roughly
from ...theory.joint.solutions.solver import COARSE, JACOBIAN_REPLICATES, lattice
from .budget import Budget
from .readouts import one_class
from .ridges import AUC_WEIGHT, CONSTANT_SHARE

FIRST_RIDGES = ((0.05, 0.1), (0.01, 0.3))  # of readout and query, in natural units
RIDGE_RANGE = (1e-4, 1e2)  # in natural units
BALANCE_RANGE = (0.05, 0.95)  # of classes, where it is free
FIRST_STEPS = (1.2, -1.2, 0.4)  # of the simplex, in each coordinate: along the valley, or across
NEAR_STEPS = (0.5, 0.5, 0.3)
MOST_EVALUATIONS = (26, 12)  # from the first ridges; from those of a neighbour
POINT_TOL = 0.15  # in the logs: the error is flat there
ERROR_TOL = 2e-3  # relative
OUTSIDE_PENALTY = 1e-2  # of the criterion, for each unit beyond a range
GRID = 25  # of biases
SAME_ERROR = 0.05  # relative: solutions whose errors differ by more are two


class JointSetting(NamedTuple):
    """The ridges of joint training, with the error they lead to, roughly."""

    error: float
    ridge: float
    ridge_q: float
    balance: float  # the share of positives in training
    shift: float = 0.0  # of the bias, after training
    loss: str | Loss = "logistic"
    solution: Rough | None = None
    prior: float = 0.5  # the error of the constant answer
    misranked: float = 0.0  # 1 − AUC, where the error is about that of the constant answer

    @property
    def criterion(self) -> float:
        """What the search minimises, in units of the constant answer's error."""
        return self.error / self.prior + AUC_WEIGHT * self.misranked


def joint(
    budget: Budget,
    loss: str | Loss,
    ridge: float,
    ridge_q: float,
    balance: float,
    near: Rough | None = None,
) -> JointSetting:
    """Solve for one pair of ridges; where that fails, return the largest error.

    Examples
    --------
    >>> import needlescope as ns
    >>> budget = Budget(ns.Task(L=4, R=1, theta=4.0, pi=0.5), 2.0)
    >>> found = joint(budget, "logistic", 0.05, 0.05, 0.5).error
    >>> bool(abs(found - ns.predict(budget.task, ns.Training.joint(2.0, "logistic", 0.05, 0.05)
    ...     ).test_error) < 5e-3)
    True
    """
    task, alpha = budget.training_task(balance), budget.alpha(balance)
    prior = min(float(budget.task.pi), 1.0 - float(budget.task.pi))
    setting = JointSetting(1.0, ridge, ridge_q, balance, loss=loss, prior=prior)
    try:
        solution = solve_roughly(Problem(task, alpha, get_loss(loss), ridge, ridge_q), near)
    except NotConverged:
        return setting
    scores, b, shift = solution.scores, solution.bias, 0.0
    pi = budget.test_pi(balance)
    if pi is not None:
        shift = best_bias(scores, pi) - b
    used = float(budget.task.pi)
    off = solution.bias_deviation(alpha * budget.d)
    error = float(np.mean([scores.error(b + shift + by, used) for by in (off, -off)]))
    both = 1.0 - one_class(float(task.pi), alpha * budget.d)
    error = prior + both * (error - prior)
    setting = setting._replace(error=error, shift=shift, solution=solution)
    constant = error > CONSTANT_SHARE * prior
    return setting._replace(misranked=scores.misranked()) if constant else setting


def check_joint_loss(loss: str | Loss) -> None:
    """Refuse a loss with kinks, which the search does not round.

    Examples
    --------
    >>> check_joint_loss("hinge")
    Traceback (most recent call last):
    ValueError: plans for joint training need a loss without kinks, got 'hinge'; squared_hinge...
    """
    if get_loss(loss).kinked:
        raise ValueError(
            f"plans for joint training need a loss without kinks, got {loss!r}; squared_hinge is "
            "one"
        )


def best_bias(scores: Scores, pi: float) -> float:
    """Return the bias with the least error, where a share ``pi`` is positive.

    Examples
    --------
    Two normal laws of scores, one deviation each: the bias is half the log odds.

    >>> one = np.ones(1)
    >>> round(best_bias(Scores((one, -one), (one, one)), 0.2), 3)
    -0.693
    """
    ends = np.concatenate([*scores.mean]), max(float(np.max(item)) for item in scores.spread)
    low, high = -ends[0].max() - 3.0 * ends[1], -ends[0].min() + 3.0 * ends[1]
    grid = np.linspace(low, high, GRID)
    at = int(np.argmin([scores.error(float(b), pi) for b in grid]))
    bounds = float(grid[max(at - 1, 0)]), float(grid[min(at + 1, GRID - 1)])
    options = {"xatol": 1e-5 * float(high - low)}
    found = minimize_scalar(
        lambda b: scores.error(b, pi), bounds=bounds, method="bounded", options=options
    )
    return float(found.x)


def best_joint(
    budget: Budget, loss: str | Loss = "logistic", near: JointSetting | None = None
) -> JointSetting:
    """Return the best ridges, and the best balance where it is free, from those of a neighbour.

    Raises
    ------
    NotConverged
        If the equations are solved for no ridges.

    Examples
    --------
    >>> import needlescope as ns
    >>> result = best_joint(Budget(ns.Task(L=4, R=1, theta=4.0, pi=0.5), 2.0))
    >>> round(result.error, 2)
    0.07
    """
    search = _Search(budget, loss, near)
    free = 3 if budget.costs is not None else 2
    if near is not None and near.loss == loss and near.solution is not None:
        start, steps, most = search.point(near)[:free], NEAR_STEPS, MOST_EVALUATIONS[1]
    else:
        balance = [] if free == 2 else [float(logit(budget.balance()))]
        for ridges in FIRST_RIDGES:
            search.evaluate(np.array([*np.log(ridges), *balance]))
        start, steps = search.point(search.best)[:free], FIRST_STEPS
        most = MOST_EVALUATIONS[0]
    simplex = start + np.vstack([np.zeros(free), np.diag(steps[:free])])
    minimize(
        search.evaluate, start, method="Nelder-Mead",
        options={"initial_simplex": simplex, "maxfev": most + 6 * (free - 2), "xatol": POINT_TOL,
                 "fatol": ERROR_TOL * min(search.best.criterion, 1.0) if search.tried else 0.0},
    )  # fmt: skip
    if search.best.solution is None:
        raise NotConverged(
            "the equations of joint training were solved with no pair of ridges "
            f"for {budget.alpha(search.best.balance):.3g} bags for each dimension; "
            "plan with another learner"
        )
    return search.best


def wrong_ridges(
    budget: Budget, setting: JointSetting, factors: Sequence[float]
) -> dict[str, dict[float, float]]:
    """Return by how much the error grows where one ridge is wrong by a factor, the other kept."""
    pair = {"ridge": setting.ridge, "ridge_q": setting.ridge_q}
    result: dict[str, dict[float, float]] = {}
    for name in pair:
        result[name] = {}
        for by in factors:
            ridges = pair | {name: by * pair[name]}
            found = joint(
                budget, setting.loss, **ridges, balance=setting.balance, near=setting.solution
            )
            result[name][by] = found.error - setting.error
    return result


def stability_note(setting: JointSetting) -> tuple[str, ...]:
    """Say where replica symmetry is broken by more than was seen to matter."""
    if setting.solution is None:
        return ()
    problem = setting.solution.problem
    samples = lattice(problem.task.L, COARSE, JACOBIAN_REPLICATES)
    trust = stability(problem, from_vector(setting.solution.x), samples)
    return broken_symmetry(trust.jumping, trust.replicon)


def other_solution_note(setting: JointSetting) -> tuple[str, ...]:
    """Say that the equations have an uninformed solution at these ridges, if they have."""
    if setting.solution is None:
        return ()
    try:
        other = solve_roughly(setting.solution.problem._replace(start="uninformed"))
    except NotConverged:
        return ()
    pi = float(other.problem.task.pi)
    here, there = (item.scores.error(item.bias, pi) for item in (setting.solution, other))
    if abs(there - here) <= SAME_ERROR * here:
        return ()
    return (
        "The equations of joint training have an uninformed solution at these ridges, too, with a "
        f"test error of about {there:.2g} in place of {here:.2g}; training from a random start may "
        "end in either: simulate to be sure.",
    )


class _Search:
    """The settings that were tried, each solved from the nearest before it."""

    def __init__(self, budget: Budget, loss: str | Loss, near: JointSetting | None) -> None:
        self.budget, self.loss, self.near = budget, loss, near
        rarer = min(float(budget.task.pi), 1.0 - float(budget.task.pi))
        self.unit = 2.0 * (0.5 if budget.costs is not None else rarer)
        self.tried: list[JointSetting] = []

    @property
    def best(self) -> JointSetting:
        """The best so far."""
        return min(self.tried, key=lambda item: item.criterion)

    def point(self, setting: JointSetting) -> FloatArray:
        """Return the coordinates of a setting."""
        ridges = np.log(np.array([setting.ridge, setting.ridge_q]) / self.unit)
        return np.array([*ridges, logit(setting.balance)])

    def evaluate(self, point: FloatArray) -> float:
        """Return the criterion at a point, clipped to its range."""
        ridges = np.exp(np.clip(point[:2], *np.log(RIDGE_RANGE)))
        balance = self.budget.balance()
        if len(point) == 3:
            balance = float(np.clip(expit(point[2]), *BALANCE_RANGE))
        ridge, ridge_q = (self.unit * ridges).tolist()
        found = joint(self.budget, self.loss, ridge, ridge_q, balance, self._nearest(point))
        self.tried.append(found)
        off = np.abs(point - self.point(found)[: len(point)]).sum()
        return found.criterion + OUTSIDE_PENALTY * float(off)

    def _nearest(self, point: FloatArray) -> Rough | None:
        solved = [item for item in self.tried if item.solution is not None]
        if not solved:
            return None if self.near is None else self.near.solution
        distances = [np.abs(self.point(item)[: len(point)] - point).sum() for item in solved]
        return solved[int(np.argmin(distances))].solution
