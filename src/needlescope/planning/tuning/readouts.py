"""A readout's test error, quickly and roughly, for the search for the best settings.

`predict` evaluates the result to full precision. Here laws are the roughest of its ladder, drawn
from the same lattice for all settings, so that differences between settings are smooth and far more
accurate than the errors themselves. At finite d the bias of a data set is off by chance,
and its labels may all be the same, which leaves the constant answer; errors are means over that.
The ridge is the best, found by `ridges` with the slope of the test error in log λ: at the solution
of the saddle problem it moves by −H⁻¹ ∂(gradient)/∂λ.

Where one class is rare, the error of many settings is that of the constant answer, min(π, 1 − π),
to the last digit. What tells such settings apart is the chance that a negative scores above a
positive, 1 − AUC, which knows no bias: `TunedReadout.criterion` adds a thousandth of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import ndtr

from ...errors import NoMinimiser, NotConverged
from ...losses import Loss, get_loss
from ...models import Model
from ...models.nodes import JointLaw
from ...query import Query
from ...task import Task
from ...theory.law.ladder import ROUGH, Level
from ...theory.law.limits import train_limit
from ...theory.saddle.measures import error_slope, test_error
from ...theory.saddle.problem import OrderParameters, Saddle
from ...theory.saddle.readout import Readout, train_readout
from ...theory.spectrum.directions import QueryParts, directions
from . import ridges
from .ridges import WORST, TunedReadout

NO_QUERY = Query(0.0, 0.0)
LOG_STEP = 1e-4  # of a central difference, relative error about its square


class Features(NamedTuple):
    """What a readout is trained on: a model, a task with the balance of training, a query."""

    model: Model
    task: Task
    query: Query = NO_QUERY
    pi: float | None = None  # the share of positives in tests, if it is another
    d: float = np.inf
    level: Level = ROUGH
    parts: QueryParts | None = None  # where the query lies in the noise's spectrum

    def train(
        self, loss: str | Loss, alpha: float, ridge: float, warm: OrderParameters | None
    ) -> TunedReadout:
        """Train on α d samples with a ridge; where that fails, return the largest error."""
        limit = train_limit(self.model, self.task.whitened, self.query, self.level)
        where = directions(self.model, self.task, self.query, self.parts, limit)
        kind, pi = get_loss(loss), self.task.pi
        try:
            readout = train_readout(limit, kind, pi, alpha, ridge, warm, spectrum=where)
        except (NotConverged, NoMinimiser):
            return WORST
        pi = self.task.pi if self.pi is None else self.pi
        test = limit.law(pi)
        prior = min(pi, 1.0 - pi)
        if readout.local is None:
            return TunedReadout(prior, ridge, prior=prior, misranked=0.5)
        point, shift = readout.point, 0.0
        if self.pi is not None:
            shift = best_shift(test, point)
            point = point._replace(b=point.b + shift)
        off = bias_deviation(readout, alpha * self.d)
        ends = [point._replace(b=point.b + by) for by in ((off, -off) if off > 0.0 else (0.0,))]
        slope = np.mean([error_slope(test, end) for end in ends], axis=0)
        if self.pi is not None:
            slope[len(point.mu)] = 0.0  # the bias follows
        in_ridge, in_data = solution_slopes(readout)
        error = float(np.mean([test_error(test, end) for end in ends]))
        slopes = float(slope @ in_ridge), float(slope @ in_data)
        both = 1.0 - one_class(float(self.task.pi), alpha * self.d)
        error, slopes = prior + both * (error - prior), (both * slopes[0], both * slopes[1])
        result = TunedReadout(error, ridge, *slopes, shift, readout.point, prior)
        return result._replace(misranked=misranked(test, point)) if result.constant else result

    def best_ridge(
        self, loss: str | Loss, alpha: float, near: TunedReadout | None = None
    ) -> TunedReadout:
        """Train with the best ridge, searched from that of a neighbour.

        Examples
        --------
        >>> from needlescope.models import POOLED
        >>> task = Task(L=4, R=1, theta=4.0, pi=0.5)
        >>> result = Features(POOLED, task).best_ridge("logistic", 2.0)
        >>> round(result.error, 3), abs(result.in_ridge) < 1e-3
        (0.207, True)
        """
        limit = train_limit(self.model, self.task.whitened, self.query, self.level)
        law = limit.law(self.task.pi)
        rarer = 2.0 * min(self.task.pi, 1.0 - self.task.pi)

        def evaluate(log_ridge: float, at: TunedReadout | None) -> TunedReadout:
            return self.train(
                loss, alpha, float(np.exp(log_ridge)), None if at is None else at.warm
            )

        return ridges.best(evaluate, rarer * float(law.weight @ law.A), near)


def misranked(law: JointLaw, point: OrderParameters) -> float:
    """Return the chance that a negative scores above a positive, 1 − AUC: no bias matters to it.

    Examples
    --------
    >>> from needlescope.models import POOLED
    >>> limit = train_limit(POOLED, Task(L=4, R=4, theta=1.0, pi=0.5), NO_QUERY, ROUGH)
    >>> round(misranked(limit.law(0.5), OrderParameters(np.ones(1), 0.0, 0.0, 1.0)), 4)  # Φ(−√2)
    0.0786
    """
    mean, V = law.score(point.mu, 0.0, point.rho)
    plus, minus = law.y > 0.0, law.y < 0.0
    apart = mean[plus][:, None] - mean[minus]
    chance = ndtr(-apart / np.sqrt(V[plus][:, None] + V[minus]))
    w, v = law.weight[plus], law.weight[minus]
    return float(w @ chance @ v / (w.sum() * v.sum()))


def one_class(balance: float, samples: float) -> float:
    """Return the chance that all samples are of one class, on which no readout is trained.

    Examples
    --------
    >>> one_class(0.5, 4.0), one_class(0.5, np.inf)
    (0.125, 0.0)
    """
    return float(balance**samples + (1.0 - balance) ** samples)


def bias_deviation(readout: Readout, samples: float) -> float:
    """Return how far the bias of a data set is from its limit, as a standard deviation.

    The mean slope over n samples, which training sets to zero, has a variance of E[ℓ'²]/n; that
    moves the bias by H⁻¹ of it. Beside scores that a large ridge makes small this is what errors at
    finite d are made of: labels that do not balance by chance.

    Examples
    --------
    With a large ridge scores are nothing, and the bias is the log odds of the labels, with a
    variance of 4/n:

    >>> from needlescope.losses import LOGISTIC
    >>> from needlescope.models import POOLED
    >>> task = Task(L=4, R=1, theta=4.0, pi=0.5)
    >>> limit = train_limit(POOLED, task, NO_QUERY, ROUGH)
    >>> round(bias_deviation(train_readout(limit, LOGISTIC, 0.5, 2.0, 1e3), 400.0), 3)
    0.1
    """
    if not np.isfinite(samples):
        return 0.0
    problem, at, local = readout.problem, readout.point, readout.local
    assert local is not None
    law = problem.law
    square = (at.rho * at.t) ** 2 / problem.delta / float(law.weight @ law.A)  # E[ℓ'²]
    k = len(at.mu)
    return float(np.sqrt(square / samples) / abs(local.hessian[k, k]))


def best_shift(test: JointLaw, point: OrderParameters) -> float:
    """Return how far to move a bias such that the error on ``test`` is least."""
    size = float(np.abs(test.m @ point.mu).max()) + 3.0 * point.norm + abs(point.b)

    def error(b: float) -> float:
        return test_error(test, point._replace(b=b))

    grid = np.linspace(-size, size, 25)
    at = int(np.argmin([error(float(b)) for b in grid]))
    ends = float(grid[max(at - 1, 0)]), float(grid[min(at + 1, 24)])
    result = minimize_scalar(error, bounds=ends, method="bounded", options={"xatol": 1e-5 * size})
    return float(result.x) - point.b


def _difference(problem: Saddle, at: OrderParameters, name: str) -> np.ndarray:
    """Return how the gradient of the penalty changes with the logarithm of λ or of δ."""
    here = getattr(problem, name)
    ends = [
        replace(problem, **{name: here * float(np.exp(by))}).penalty(at).slopes
        for by in (LOG_STEP, -LOG_STEP)
    ]
    return np.asarray((ends[0] - ends[1]) / (2.0 * LOG_STEP))


def solution_slopes(readout: Readout) -> tuple[np.ndarray, np.ndarray]:
    """Return how the solution (μ, b, ρ, t) moves with log λ and with log α."""
    problem, at, local = readout.problem, readout.point, readout.local
    assert local is not None
    in_ridge = problem.ridge * np.array([*at.mu, 0.0, at.rho, 0.0])
    in_data = np.array([*np.zeros(len(at.mu) + 1), at.rho * at.t, 0.5 * at.rho**2]) / problem.delta
    if problem.spectrum is not None:
        in_ridge, in_data = (_difference(problem, at, name) for name in ("ridge", "delta"))
    slopes = -np.linalg.solve(local.hessian, np.column_stack([in_ridge, in_data]))
    return slopes[:, 0], slopes[:, 1]
