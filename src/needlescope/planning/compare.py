"""Is attention worth it? Tuned attention beside tuned linear models, with one budget."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from ..answer import Question
from ..errors import NotConverged
from ..models import get_model
from ..paper import derived
from ..query import Query
from ..results.planned import Comparison
from ..task import Task
from ..theory.common.provenance import of_search
from ..theory.oracle.least_error import oracle
from .learners import BAYES_OPTIMAL, get_learner
from .tune import check_budget
from .tuning.budget import Budget
from .tuning.readouts import Features
from .tuning.search import Setting

ALIKE = 2e-3  # a margin that is none
ALIKE_SHARE = 0.02  # of the constant answer's error, where that is less
FEWEST, MOST = 1 / 64, 64.0  # times the budget, where the verdict may flip
SCANNED = 3  # budgets, the one given included, between which a flip is looked for
FLIP_TOL = 0.2  # of the budget at which it flips, relative
RIVALS = {"pooled": "mean pooling", "vectorized": "the flat linear classifier"}
NAMES = ("attention", *RIVALS)


def compare(task: Task, budget: float, d: int | None = None) -> Comparison:
    """Say whether attention is worth it with so much data, and when that would flip.

    Errors are those of a search (`tune`), known to about 0.001. Attention is worth it where its
    error is lower by more than 0.002, or by more than 2 % of the constant answer's error,
    min(π, 1 − π), where that is less.

    Parameters
    ----------
    task : Task
        A single problem of one signal.
    budget : float
        Bags in all; without ``d``, bags for each dimension.
    d : int, optional
        The dimension.

    Returns
    -------
    Comparison
        ``flip_n`` is in the units of ``budget``, known to a fifth, and every learner is tuned anew
        at other budgets; ``flip_cosine`` keeps the settings that are best for the budget given.
        ``bayes_optimal`` is NaN where it is not known well enough.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind.
    NotConverged
        If the error with a known signal is not known well enough.

    Examples
    --------
    >>> import needlescope as ns
    >>> print(ns.compare(ns.Task(L=20, R=20, theta=1.0, pi=0.5), 400, d=100).verdict)
    Attention is not worth it: mean pooling errs 0.016, attention 0.016; ...
    """
    limited = check_budget(task, budget, d)
    settings = {name: get_learner(name).tune(limited) for name in NAMES}
    errors = {name: setting.error for name, setting in settings.items()}
    rival = min(RIVALS, key=lambda name: errors[name])
    alike = min(ALIKE, ALIKE_SHARE * min(task.pi, 1.0 - task.pi))
    winner = "attention" if errors[rival] - errors["attention"] > alike else rival
    times = _flip(limited, errors[rival] - errors["attention"] - alike, alike)
    flip_cosine = _flip_cosine(limited, settings["attention"], errors[rival])
    bayes_optimal, bayes_optimal_se = _bayes_optimal(limited)
    known = oracle(task, "bayes", tol=1e-3)
    ordered = sorted(errors.values())
    verdict = _verdict(errors, rival, winner, Flip(times, times * float(budget), d, flip_cosine))
    return Comparison(
        **errors, bayes_optimal=bayes_optimal, bayes_optimal_se=bayes_optimal_se,
        bayes=float(known.error), bayes_se=float(known.error_se),
        winner=winner, margin=ordered[1] - ordered[0],
        flip_n=times * float(budget), flip_cosine=flip_cosine,
        verdict=f"{verdict}; {_best_of_all(bayes_optimal)}.",
        provenance=of_search(derived("theorem 4", "theorem 5")),
        question=Question("compare", task, None, {"budget": budget, "d": d}),
    )  # fmt: skip


class Flip(NamedTuple):
    """Where the verdict flips: at a budget, which is so many times the one given, or a cosine."""

    times: float
    budget: float
    d: int | None
    cosine: float


def _bayes_optimal(limited: Budget) -> tuple[float, float]:
    """Return the limit of learning; NaN where it is not known well enough."""
    try:
        return BAYES_OPTIMAL.tune(limited)
    except NotConverged:
        return np.nan, np.nan


def _flip(limited: Budget, here: float, alike: float) -> float:
    """Return at how many times the budget the verdict flips, all tuned anew; NaN if nowhere.

    Attention wins where its error is lower by more than ``alike``, and ``here`` is by how much
    more with the budget given. Fewer data are looked at where it wins, more where it does not.
    """

    @cache
    def lead(log_times: float) -> float:
        if log_times == 0.0:
            return here
        there = limited._replace(amount=limited.amount * float(np.exp(log_times)))
        attention, *rivals = (get_learner(name).tune(there).error for name in NAMES)
        return float(min(rivals) - attention - alike)

    end = float(np.log(FEWEST if here > 0.0 else MOST))
    for low, high in pairwise(np.linspace(0.0, end, SCANNED).tolist()):
        if lead(high) * here < 0.0:
            return float(np.exp(brentq(lead, *sorted((low, high)), xtol=FLIP_TOL)))
    return np.nan


def _flip_cosine(limited: Budget, setting: Setting, error: float) -> float:
    """Return the alignment at which attention errs as its rival, κ, ridge and data kept."""
    balance = setting.balance
    task, alpha = limited.training_task(balance), limited.alpha(balance)

    def gap(cosine: float) -> float:
        query = Query(setting.kappa, cosine)
        pi = limited.test_pi(balance)
        features = Features(get_model("attention"), task, query, pi, limited.d)
        given = (1.0 - setting.split) * alpha
        readout = setting.readout
        return features.train("logistic", given, readout.ridge, readout.warm).error - error

    ends = gap(0.0), gap(1.0)
    if ends[0] * ends[1] > 0.0:
        return np.nan
    return float(brentq(gap, 0.0, 1.0, xtol=0.02))


def _verdict(errors: dict[str, float], rival: str, winner: str, flip: Flip) -> str:
    won = winner == "attention"
    told = f"{RIVALS[rival]} errs {errors[rival]:.2g}, attention {errors['attention']:.2g}"
    start = f"Attention is {'' if won else 'not '}worth it: {told}"
    would = "it would lose" if won else "it would win"
    if np.isfinite(flip.times):
        side = "below" if flip.times < 1.0 else "beyond"
        return f"{start}; {would} {side} about {_bags(flip.budget, flip.d)}"
    if won and np.isfinite(flip.cosine):
        return f"{start}; {would} below a cosine of {flip.cosine:.2g}"
    return start


def _bags(budget: float, d: int | None) -> str:
    """Say a budget in its units.

    Examples
    --------
    >>> _bags(12345.6, 100), _bags(6.25, None)
    ('12,346 bags', '6.2 bags for each dimension')
    """
    number = f"{budget:.2g}" if budget < 100.0 else f"{budget:,.0f}"
    return f"{number} bag{'' if number == '1' else 's'}" + (
        " for each dimension" if d is None else ""
    )


def _best_of_all(bayes_optimal: float) -> str:
    if np.isnan(bayes_optimal):
        return "what the best learner of all would err is not known well enough"
    return f"the best learner of all would err {bayes_optimal:.2g}"
