"""Is attention worth it? Tuned attention beside tuned linear models, for one budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from ..answer import Question
from ..errors import NotConverged
from ..grid import yes_or_no
from ..models import get_model
from ..paper import derived
from ..query import Query
from ..results.planned import Comparison
from ..task import Task
from ..theory.common.provenance import JOINT, of_search
from ..theory.joint.grid import check_joint_task
from ..theory.oracle.least_error import oracle
from . import LEARNERS, TUNED
from .learners import BAYES_OPTIMAL, Evaluation, get_learner
from .tune import check_budget
from .tuning.budget import Budget
from .tuning.joint import JointSetting, other_solution_note, stability_note
from .tuning.readouts import Features
from .tuning.ridges import CONSTANT_SHARE
from .tuning.search import TunedSetting

TIE_MARGIN = 2e-3  # of the error: models that are this close tie
TIE_SHARE = 0.02  # of the constant answer's error, where that is less
LEAST_FACTOR, LARGEST_FACTOR = 1 / 64, 64.0  # times the budget, where the verdict may flip
SCANNED_BUDGETS = 3  # the given one included, to bracket a flip
NEAR_BUDGETS = 1.1  # in their log: settings between such two are about the best
FLIP_TOL = 0.2  # of the budget at which it flips, relative
RIVALS = tuple(name for name in TUNED if name != "attention")


def compare(task: Task, budget: float, d: int | None = None, *, joint: bool = False) -> Comparison:
    """Say whether attention is worth it for a budget, and at which budget that would flip.

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
    joint : bool, default False
        Whether to have attention trained end to end (`Training.joint`) in it, which takes some
        seconds. Attention is then worth it if one of the two is; white noise only.

    Returns
    -------
    Comparison
        ``flip_n`` is in the units of ``budget``, known to a fifth, and every learner is tuned anew
        at other budgets; ``flip_cosine`` keeps the settings that are best for the budget given, and
        is of attention whose query is trained by two steps.
        ``bayes_optimal`` is NaN where it is not known well enough.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind.
    NotConverged
        If the Bayes error is not known well enough.

    Examples
    --------
    >>> import needlescope as ns
    >>> print(ns.compare(ns.Task(L=20, R=20, theta=1.0, pi=0.5), 400, d=100).verdict)
    Attention is not worth it: the test error of mean pooling is 0.016, of attention 0.016; ...
    """
    limited = check_budget(task, budget, d)
    yes_or_no("joint", joint)
    if joint:
        check_joint_task(task)
    attentions = ("attention", "joint") if joint else ("attention",)
    settings = {name: get_learner(name).tune(limited) for name in (*attentions, *RIVALS)}
    errors = {name: float(setting.error) for name, setting in settings.items()}
    rival = min(RIVALS, key=lambda name: errors[name])
    best = min(attentions, key=lambda name: errors[name])
    tie_margin = min(TIE_MARGIN, TIE_SHARE * min(task.pi, 1.0 - task.pi))
    winner = best if errors[rival] - errors[best] > tie_margin else rival
    times = _flip(limited, errors[rival] - errors[best] - tie_margin, tie_margin, settings)
    flip_cosine = _flip_cosine(limited, settings["attention"], errors[rival])
    bayes_optimal = _bayes_optimal(limited)
    bayes = oracle(task, "bayes", tol=1e-3)
    ordered = sorted(errors.values())
    verdict = _verdict(errors, rival, winner, Flip(times, times * float(budget), d, flip_cosine))
    bases = [derived("theorem 4", "theorem 5"), *[JOINT] * joint]
    return Comparison(
        **errors, bayes_optimal=bayes_optimal.error, bayes_optimal_se=bayes_optimal.error_se,
        bayes=float(bayes.error), bayes_se=float(bayes.error_se),
        winner=winner, margin=ordered[1] - ordered[0],
        flip_n=times * float(budget), flip_cosine=flip_cosine,
        verdict=f"{verdict}; {_bayes_optimal_clause(bayes_optimal.error)}.",
        notes=_joint_notes(settings.get("joint")),
        provenance=of_search(*bases),
        question=Question("compare", task, None, {"budget": budget, "d": d, "joint": joint}),
    )  # fmt: skip


class Flip(NamedTuple):
    """Where the verdict flips: at a budget, in all and relative to the one given, or a cosine."""

    times: float
    budget: float
    d: int | None
    cosine: float


def _bayes_optimal(limited: Budget) -> Evaluation:
    """Return the error of the Bayes-optimal learner; NaN where it is not known well enough."""
    try:
        return BAYES_OPTIMAL.tune(limited)
    except NotConverged:
        return Evaluation(np.nan, np.nan)


def _joint_notes(setting: JointSetting | None) -> tuple[str, ...]:
    """Say how far to trust the equations of joint training."""
    if setting is None:
        return ()
    return (*stability_note(setting), *other_solution_note(setting))


def _flip(
    limited: Budget, here: float, tie_margin: float, settings: Mapping[str, Any] | None = None
) -> float:
    """Return the multiple of the budget at which the verdict flips, all tuned anew; or NaN.

    Attention wins where its error is lower by more than ``tie_margin``, and ``here`` is by how much
    more with the budget given. The search is among smaller budgets where it wins, else larger.
    ``settings`` has those of the learners that are compared, from which tuning goes on.
    """
    names = (*TUNED, *(["joint"] if "joint" in (settings or {}) else []))
    tuned: dict[str, dict[float, Any]] = {name: {} for name in names}
    for name, setting in (settings or {}).items():
        tuned[name][0.0] = setting

    @cache
    def lead(log_times: float) -> float:
        if log_times == 0.0:
            return here
        there = limited._replace(amount=limited.amount * float(np.exp(log_times)))
        rival = min(_tuned_near(name, there, tuned, log_times).error for name in RIVALS)
        to_win = float(rival) - tie_margin
        attention = np.inf
        for name in names:  # one that wins is enough
            if name not in RIVALS and not attention < to_win:
                error = float(_tuned_near(name, there, tuned, log_times, to_win).error)
                attention = min(attention, error)
        return to_win - attention

    end = float(np.log(LEAST_FACTOR if here > 0.0 else LARGEST_FACTOR))
    for low, high in pairwise(np.linspace(0.0, end, SCANNED_BUDGETS).tolist()):
        if lead(high) * here < 0.0:
            return float(np.exp(_root(lead, low, high)))
    return np.nan


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function changes its sign, to within `FLIP_TOL`, by a few bisections.

    Where a lead is the tie margin on one side and large on the other, secants take longer. The last
    bracket may be twice as wide as the tolerance: the answer is within that of both of its ends.

    Examples
    --------
    >>> abs(_root(lambda x: x - 0.3, 0.0, 2.0) - 0.3) < FLIP_TOL
    True
    """
    while abs(high - low) > 2.0 * FLIP_TOL:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if function(middle) * function(low) > 0.0 else (low, middle)
    share = function(low) / (function(low) - function(high))
    first, last = sorted((low, high))
    return float(np.clip(low + share * (high - low), last - FLIP_TOL, first + FLIP_TOL))


def _tuned_near(
    name: str,
    there: Budget,
    tuned: Mapping[str, dict[float, Any]],
    log_times: float,
    to_win: float = -np.inf,
) -> Any:
    """Return the settings of a learner at a budget, from those at budgets where it is tuned.

    Settings that give the constant answer say nothing about others. A learner is not tuned where
    settings of a neighbour have less than an error that is enough to win: tuned, it would win too.
    """
    at = sorted(tuned[name], key=lambda item: abs(item - log_times))
    better = CONSTANT_SHARE * min(float(there.task.pi), 1.0 - float(there.task.pi))
    at = [item for item in at if tuned[name][item].error < better] or at[:1]
    learner, near = get_learner(name), tuned[name][at[0]] if at else None
    beyond = [item for item in at[1:] if (at[0] - log_times) * (item - log_times) < 0.0]
    if beyond and abs(at[0] - beyond[0]) < NEAR_BUDGETS:
        share = (log_times - at[0]) / (beyond[0] - at[0])
        return learner.between(there, near, tuned[name][beyond[0]], share)
    if near is not None and learner.keeps_settings and to_win > 0.0 and near.error < better:
        kept = learner.between(there, near, near, 0.0)
        if kept.error < to_win:
            return kept
    tuned[name][log_times] = learner.tune(there) if near is None else learner.retune(there, near)
    return tuned[name][log_times]


def _flip_cosine(limited: Budget, setting: TunedSetting, error: float) -> float:
    """Return the alignment at which both errors are equal, κ, ridge and data kept."""
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
    won = winner not in RIVALS
    start = (
        f"Attention is {'' if won else 'not '}worth it: the test error of {LEARNERS[rival]} is "
        f"{errors[rival]:.2g}, of attention {errors['attention']:.2g}"
    )
    if "joint" in errors:
        start += f" with two steps and {errors['joint']:.2g} trained end to end"
    would = "it would lose" if won else "it would win"
    if np.isfinite(flip.times):
        side = "below" if flip.times < 1.0 else "beyond"
        return f"{start}; {would} {side} about {_bags(flip.budget, flip.d)}"
    if winner == "attention" and np.isfinite(flip.cosine):
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


def _bayes_optimal_clause(bayes_optimal: float) -> str:
    if np.isnan(bayes_optimal):
        return "the test error of the Bayes-optimal learner is not known well enough"
    return f"the Bayes-optimal learner has a test error of {bayes_optimal:.2g}"
