"""The best settings of two-step attention: how to split the data, κ, ridge, steps, class balance.

The steps on the query are the best for its data (`steps`), the ridge the best for its features
(`readouts`). The split of the data and κ, and the balance of classes where it is free, are found by
a simplex search on log odds and log κ. It starts from the best of a few κ; where none of these is
better than the constant answer, also of a few splits. Laws are coarse and share a lattice: they
place a flat minimum well. A rough law gives the error there, and `predict` that to full precision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from ...arrays import FloatArray
from ...losses import Loss
from ...models import get_model
from ...query import Query
from ...theory.law.ladder import ROUGH, Level
from .budget import Budget
from .readouts import Features
from .ridges import TunedReadout
from .steps import Aligned, best_steps, query_parts

FIRST_KAPPAS = (0.3, 0.7, 1.5, 3.0, 6.0)
OTHER_SPLITS = (0.15, 0.85)  # tried where half the data for the query gives the constant answer
SPLIT_RANGE = (0.02, 0.98)  # share of the data for the query
KAPPA_RANGE = (0.02, 50.0)
BALANCE_RANGE = (0.05, 0.95)  # of classes, where it is free
FIRST_STEPS = (0.4, 0.3, 0.4)  # of the simplex, in each coordinate
MOST_EVALUATIONS = (22, 14)  # from a few κ; from a neighbour, or after a few splits
FEW_EVALUATIONS = 8  # from a neighbour: that added at most 5e-5 to the error in twelve tasks
POINT_TOL = 0.1  # in log odds and log κ: the error is flat there
CRITERION_TOL = 3e-4  # of the constant answer's error
SEARCH = Level(2**9, 12)  # of laws in the search
OUTSIDE_PENALTY = 1e-2  # of the criterion, for each unit beyond a range


class TunedSetting(NamedTuple):
    """Settings of a model, and the error of its readout with them, roughly."""

    readout: TunedReadout
    balance: float  # the share of positives in training
    split: float = 0.0  # the share of the data that trains the query
    kappa: float = 0.0
    aligned: Aligned | None = None

    @property
    def error(self) -> float:
        """The test error, roughly."""
        return self.readout.error

    @property
    def criterion(self) -> float:
        """What the search minimises, in units of the constant answer's error."""
        return self.readout.criterion / self.readout.prior

    @property
    def point(self) -> FloatArray:
        """The coordinates of the search."""
        return np.array([logit(self.split), np.log(self.kappa), logit(self.balance)])


def attention(
    budget: Budget,
    loss: str | Loss,
    setting: TunedSetting,
    near: TunedSetting | None = None,
    *,
    keep_ridge: bool = False,
    level: Level = ROUGH,
) -> TunedSetting:
    """Train attention with one split, κ and balance, steps and ridge the best for them."""
    task, alpha = budget.training_task(setting.balance), budget.alpha(setting.balance)
    aligned = best_steps(task, loss, setting.split * alpha, budget.d)
    query = Query(setting.kappa, float(np.clip(aligned.cosine, -1.0, 1.0)))
    pi = budget.test_pi(setting.balance)
    parts = query_parts(task, aligned.steps, loss, setting.split * alpha)
    features = Features(get_model("attention"), task, query, pi, budget.d, level, parts)
    readout = _train_readout(features, loss, (1.0 - setting.split) * alpha, near, keep_ridge)
    return setting._replace(readout=readout, aligned=aligned)


def linear(
    budget: Budget,
    model: str,
    loss: str | Loss,
    balance: float,
    near: TunedSetting | None = None,
    *,
    keep_ridge: bool = False,
) -> TunedSetting:
    """Train a model without a query on all the data, with the best ridge."""
    task, alpha = budget.training_task(balance), budget.alpha(balance)
    features = Features(get_model(model), task, pi=budget.test_pi(balance), d=budget.d)
    return TunedSetting(_train_readout(features, loss, alpha, near, keep_ridge), balance)


def _train_readout(
    features: Features, loss: str | Loss, alpha: float, near: TunedSetting | None, keep_ridge: bool
) -> TunedReadout:
    if near is not None and keep_ridge:
        return features.train(loss, alpha, near.readout.ridge, near.readout.warm)
    return features.best_ridge(loss, alpha, None if near is None else near.readout)


def best_attention(
    budget: Budget,
    loss: str | Loss = "logistic",
    near: TunedSetting | None = None,
    evaluations: int = MOST_EVALUATIONS[1],
) -> TunedSetting:
    """Return the best settings of attention, searched from those of a neighbour.

    ``evaluations`` is how many the search has from a neighbour.

    Examples
    --------
    >>> import needlescope as ns
    >>> result = best_attention(Budget(ns.Task(L=10, R=1, theta=4.0, pi=0.5), 4.0))
    >>> round(result.error, 2), 0.3 < result.split < 0.6, 1.0 < result.kappa < 3.0
    (0.09, True, True)
    """
    evaluated: list[TunedSetting] = []

    def evaluate(point: FloatArray) -> float:
        at = _clipped(point, budget)
        neighbour = _best(evaluated) if evaluated else near
        evaluated.append(attention(budget, loss, at, neighbour, level=SEARCH))
        off = np.abs(point - at.point[: len(point)]).sum()
        return evaluated[-1].criterion + OUTSIDE_PENALTY * float(off)

    free = _free(budget)
    if near is None or near.readout.constant:
        balance = [float(logit(budget.balance()))] if free == 3 else []
        start = _start(evaluate, evaluated, balance)
        most = MOST_EVALUATIONS[1 if _best(evaluated).readout.constant else 0]
    else:
        start, most = near.point[:free], evaluations
    simplex = start + np.vstack([np.zeros(free), np.diag(FIRST_STEPS[:free])])
    minimize(
        evaluate, start, method="Nelder-Mead",
        options={"initial_simplex": simplex, "maxfev": most + 6 * (free - 2),
                 "xatol": POINT_TOL, "fatol": CRITERION_TOL},
    )  # fmt: skip
    best = _best(evaluated)
    result = attention(budget, loss, best, best)
    return result if np.isfinite(result.readout.ridge) else best


def attention_between(
    budget: Budget, loss: str | Loss, near: TunedSetting, far: TunedSetting, share: float
) -> TunedSetting:
    """Train attention with settings between two that are tuned, and the ridge that is best there.

    Split and κ, and the balance where it is free, lie on the line between theirs: what that costs
    is of second order.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=4.0, pi=0.5)
    >>> budgets = [Budget(task, alpha) for alpha in (2.0, 4.0, 8.0)]
    >>> less, here, more = (best_attention(budget) for budget in budgets)
    >>> between = attention_between(budgets[1], "logistic", less, more, 0.5)
    >>> abs(between.error - here.error) < 1e-3
    True
    """
    point = near.point + share * (far.point - near.point)
    return attention(budget, loss, _clipped(point[: _free(budget)], budget), near)


def _start(
    evaluate: Callable[[FloatArray], float], evaluated: list[TunedSetting], balance: list[float]
) -> FloatArray:
    """Return the start of the search: the best κ with half the data for the query, or another."""
    x = np.log(FIRST_KAPPAS)
    errors = [evaluate(np.array([0.0, item, *balance])) for item in x]
    if not _best(evaluated).readout.constant:
        return np.array([0.0, _vertex(x, errors), *balance])
    for split in OTHER_SPLITS:
        for item in x[::2]:
            evaluate(np.array([logit(split), item, *balance]))
    return _best(evaluated).point[: 2 + len(balance)]


def _best(evaluated: list[TunedSetting]) -> TunedSetting:
    return min(evaluated, key=lambda item: item.criterion)


def best_linear(
    budget: Budget, model: str, loss: str | Loss = "logistic", near: TunedSetting | None = None
) -> TunedSetting:
    """Return the best ridge, and balance where it is free, of a model without a query.

    Examples
    --------
    >>> import needlescope as ns
    >>> budget = Budget(ns.Task(L=4, R=1, theta=4.0, pi=0.5), 2.0)
    >>> round(best_linear(budget, "pooled").error, 3)
    0.207
    """
    if budget.costs is None:
        return linear(budget, model, loss, budget.balance(), near)
    evaluated: list[TunedSetting] = []

    def evaluate(point: FloatArray) -> float:
        balance = float(np.clip(expit(point[0]), *BALANCE_RANGE))
        evaluated.append(linear(budget, model, loss, balance, evaluated[-1] if evaluated else near))
        return evaluated[-1].criterion + OUTSIDE_PENALTY * float(abs(point[0] - logit(balance)))

    start = logit(budget.balance() if near is None else near.balance)
    minimize(
        evaluate, np.array([start]), method="Nelder-Mead",
        options={"initial_simplex": [[start], [start + FIRST_STEPS[2]]],
                 "maxfev": MOST_EVALUATIONS[1], "xatol": POINT_TOL, "fatol": CRITERION_TOL},
    )  # fmt: skip
    return _best(evaluated)


def _vertex(x: FloatArray, errors: list[float]) -> float:
    """Return where a parabola through the lowest error and its neighbours is lowest."""
    at = int(np.argmin(errors))
    if at in (0, len(x) - 1):
        return float(x[at])
    bend, slope, _ = np.polyfit(x[at - 1 : at + 2] - x[at], errors[at - 1 : at + 2], 2)
    return float(x[at] - np.clip(0.5 * slope / max(bend, 1e-12), -0.7, 0.7))


def _free(budget: Budget) -> int:
    """Return how many coordinates the search has: the balance is the third, where it is free."""
    return 3 if budget.costs is not None else 2


def _clipped(point: FloatArray, budget: Budget) -> TunedSetting:
    """Return the settings at a point of the search, clipped to their ranges."""
    split = float(np.clip(expit(point[0]), *SPLIT_RANGE))
    kappa = float(np.clip(np.exp(point[1]), *KAPPA_RANGE))
    balance = budget.balance()
    if len(point) == 3:
        balance = float(np.clip(expit(point[2]), *BALANCE_RANGE))
    return TunedSetting(TunedReadout(1.0, np.nan), balance, split, kappa)
