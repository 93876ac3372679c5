"""Is attention worth it? Tuned attention beside tuned linear models, with one budget."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.optimize import brentq

from ..answer import Question
from ..models import get_model
from ..outcome.planned import Comparison
from ..paper import derived
from ..query import Query
from ..task import Task
from ..theory.oracle.least_error import oracle
from ..theory.provenance import of_search
from .learners import POSSIBLE, get_learner
from .tune import check_budget
from .tuning.budget import Budget
from .tuning.readouts import Features
from .tuning.search import Setting

ALIKE = 2e-3  # a margin that is none
FEWEST, MOST = 1 / 64, 64.0  # times the budget, where the verdict may flip
RIVALS = {"pooled": "mean pooling", "vectorized": "the flat linear classifier"}


def compare(task: Task, budget: float, d: int | None = None) -> Comparison:
    """Say whether attention is worth it with so much data, and when that would flip.

    Errors are those of a search (`tune`), known to about 0.001.

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
        ``flip_n`` is in the units of ``budget``. It and ``flip_cosine`` keep the settings that are
        best for the budget.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind.
    NotConverged
        If the limit of learning is not known well enough.

    Examples
    --------
    >>> import needlescope as ns
    >>> print(ns.compare(ns.Task(L=20, R=20, theta=1.0, pi=0.5), 400, d=100).verdict)
    Attention is not worth it: mean pooling errs 0.016, attention 0.016; ...
    """
    limited = check_budget(task, budget, d)
    settings = {name: get_learner(name).reach(limited) for name in ("attention", *RIVALS)}
    errors = {name: one.error for name, one in settings.items()}
    rival = min(RIVALS, key=lambda name: errors[name])
    margin = errors[rival] - errors["attention"]
    winner = "attention" if margin > ALIKE else rival
    flip_n = _flip_budget(limited, rival, settings, budget)
    flip_cosine = _flip_cosine(limited, settings["attention"], errors[rival])
    possible, possible_se = POSSIBLE.reach(limited)
    known = oracle(task, "bayes", accuracy=1e-3)
    ordered = sorted(errors.values())
    gap = ordered[1] - ordered[0]
    verdict = _verdict(errors, rival, margin, flip_n, flip_cosine, possible)
    return Comparison(
        **errors, possible=possible, possible_se=possible_se, bayes=float(known.error),
        bayes_se=float(known.error_se), winner=winner, margin=gap, flip_n=flip_n,
        flip_cosine=flip_cosine, verdict=verdict,
        provenance=of_search(derived("theorem 4", "theorem 5")),
        question=Question("compare", task, None, {"budget": budget, "d": d}),
    )  # fmt: skip


def _flip_budget(limited: Budget, rival: str, settings: dict[str, Setting], budget: float) -> float:
    """Return the budget at which attention and its rival err alike, settings kept."""

    def gain(log_times: float) -> float:
        there = limited._replace(amount=limited.amount * float(np.exp(log_times)))
        other = get_learner(rival).again(there, settings[rival])
        return other - get_learner("attention").again(there, settings["attention"])

    ahead = gain(0.0)
    end = float(np.log(FEWEST if ahead > 0.0 else MOST))
    points = np.linspace(0.0, end, 4)
    for low, high in pairwise(points.tolist()):
        if gain(high) * ahead < 0.0:
            found = brentq(gain, *sorted((low, high)), xtol=0.2)
            return float(budget * np.exp(found))
    return np.nan


def _flip_cosine(limited: Budget, setting: Setting, error: float) -> float:
    """Return the alignment at which attention errs as its rival, κ, ridge and data kept."""
    balance = setting.balance
    task, alpha = limited.training_task(balance), limited.alpha(balance)

    def gap(cosine: float) -> float:
        query = Query(setting.kappa, cosine)
        features = Features(get_model("attention"), task, query, limited.test_pi(balance))
        given = (1.0 - setting.split) * alpha
        readout = setting.readout
        return features.train("logistic", given, readout.ridge, readout.warm).error - error

    ends = gap(0.0), gap(1.0)
    if ends[0] * ends[1] > 0.0:
        return np.nan
    return float(brentq(gap, 0.0, 1.0, xtol=0.02))


def _verdict(
    errors: dict[str, float], rival: str, margin: float, flip_n: float, cosine: float, best: float
) -> str:
    other = RIVALS[rival]
    told = f"{other} errs {errors[rival]:.2g}, attention {errors['attention']:.2g}"
    if margin > ALIKE:
        when = f"; it would lose below {flip_n:.3g} bags" if np.isfinite(flip_n) else ""
        when = when or (f"; it would lose below a cosine of {cosine:.2g}" * np.isfinite(cosine))
        start = f"Attention is worth it: {told}{when}"
    else:
        when = f"; it would win beyond {flip_n:.3g} bags" if np.isfinite(flip_n) else ""
        start = f"Attention is not worth it: {told}{when}"
    return f"{start}; the best learner of all would err {best:.2g}."
