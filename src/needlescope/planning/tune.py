"""The best training of a budget, and how flat the optimum is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from ..answer import Question
from ..errors import NoMinimiser, NotConverged
from ..grid import check_kind, choice, listed, single, whole
from ..losses import LOSSES, Loss, check_loss, get_loss
from ..models import get_model
from ..results.planned import Tuned
from ..task import Task
from ..theory.common.arguments import check_tol
from ..theory.common.provenance import of_search
from ..theory.joint.grid import check_joint_task
from ..training import Training
from . import TUNABLE
from .learners import EndToEnd, Evaluation, Linear, TwoSteps, predicted
from .tuning.budget import Budget, check_costs
from .tuning.joint import JointSetting, check_joint_loss, joint, other_solution_note, wrong_ridges
from .tuning.ridges import TunedReadout
from .tuning.search import TunedSetting
from .tuning.steps import polished, with_strength
from .tuning.wrong_settings import wrong_settings

TOL_SHARE = 0.01  # the largest tolerance, relative to the constant answer's error
BAGS_PER_DIMENSION = (1e-6, 1e6)  # the least and the largest budget
FIRST_LOSS = "logistic"  # taken unless another is clearly better
CLEAR_GAIN = 0.01  # of the error, relative, by which another loss than the first must be better
WRONG_FACTORS = (0.25, 0.5, 2.0, 4.0)  # by which a setting is wrong


class BestSettings(NamedTuple):
    """The best settings to full precision, and what is said about others."""

    loss: str
    reached: Evaluation
    untuned: float  # the error of the default training
    losses: Mapping[str, float]  # the error with each loss, roughly
    costs: Mapping[str, Mapping[float, float]]  # of one setting that is wrong by a factor
    split: float = 0.0
    notes: tuple[str, ...] = ()


def tune(
    task: Task,
    budget: float,
    d: int | None = None,
    model: str = "attention",
    *,
    losses: Sequence[str | Loss] | None = None,
    costs: Any = None,
    tol: float = 5e-4,
) -> Tuned:
    """Return the best training for a budget: split, κ, steps, ridge and loss.

    A search on `predict`. The steps on the query are the best for its data, with a bias that
    balances the slopes or makes those of negatives vanish, whichever aligns better. Joint training
    takes no steps: its settings are two ridges and the loss.

    Parameters
    ----------
    task : Task
        A single problem of one signal.
    budget : float
        Bags in all; without ``d``, bags for each dimension. With ``costs`` what they may cost.
    d : int, optional
        The dimension. With it, settings are the best on average over random labels of that many
        bags; without, in the limit.
    model : "attention", "pooled", "vectorized" or "joint", default "attention"
        "joint" is attention trained end to end (`Training.joint`), in white noise.
    losses : sequence of str or Loss, optional
        The losses to compare; by default all of the package, "logistic" first, and those without
        kinks for "joint". The first is taken unless another is better by one per cent.
    costs : (float, float), optional
        What a positive and a negative bag cost; the balance of classes is then the best, too.
    tol : float, default 5e-4
        Largest numerical error of the test error, in (0, 1]; at most a hundredth of the constant
        answer's error, min(π, 1 − π). For "joint" not below 1e-3, or that hundredth where it is
        less.

    Returns
    -------
    Tuned

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind.
    NotConverged
        If the tolerance is not met.

    Examples
    --------
    A hundred tokens, sixteen bags for each dimension; the default training is far off:

    >>> import needlescope as ns
    >>> result = ns.tune(ns.Task(L=100, R=1, theta=4.0, pi=0.5), 16.0, losses=["logistic"])
    >>> round(result.untuned, 2), round(result.test_error, 2)
    (0.46, 0.17)
    """
    limited = check_budget(task, budget, d, costs)
    choice("model", model, TUNABLE)
    if model == "joint":
        check_joint_task(task)
    tol = min(check_tol(tol), TOL_SHARE * min(task.pi, 1.0 - task.pi))
    given = _losses(losses, model == "joint")
    if model == "joint":
        result = _best_joint_settings(limited, given, tol)
    else:
        result = _best_settings(model, limited, given, tol)
    training = result.reached.training
    assert training is not None
    return Tuned(
        model=model, test_error=result.reached.error, test_error_se=result.reached.error_se,
        untuned=result.untuned, split=result.split,
        kappa=result.reached.kappa, cosine_q=result.reached.cosine,
        ridge=float(training.ridge), loss=result.loss,
        ridge_q=np.nan if training.ridge_q is None else float(training.ridge_q),
        balance=result.reached.balance, shift=result.reached.shift,
        losses=result.losses, costs=result.costs, notes=result.notes,
        provenance=of_search(result.reached.provenance),
        question=Question("tune", task, training, {"budget": budget, "d": d, "tol": tol}),
    )  # fmt: skip


def _best_settings(
    model: str, budget: Budget, losses: Mapping[str, str | Loss], tol: float
) -> BestSettings:
    """Return the best settings of two-step attention, or of a linear model."""
    tried: dict[str, TunedSetting] = {}
    for name, loss in losses.items():
        first = next(iter(tried.values()), None)
        near = None if first is None else first._replace(readout=first.readout._replace(warm=None))
        tried[name] = _learner(model, loss).tune(budget, near)
    chosen = _best_loss(tried)
    loss, setting = losses[chosen], tried[chosen]
    reached, untuned = _evaluate(model, budget, loss, setting, tol), Evaluation(np.nan, np.nan)
    with suppress(NotConverged, NoMinimiser):
        untuned = predicted(model, budget, _default(model, budget), float(budget.task.pi), tol)
    if FIRST_LOSS in losses and budget.d == np.inf and untuned.error < reached.error:
        chosen = loss = FIRST_LOSS
        reached, setting = untuned, _as_setting(untuned)
    return BestSettings(
        chosen, reached, untuned.error,
        {name: value.error for name, value in tried.items()},
        _added(reached.error, wrong_settings(model, budget, loss, setting, WRONG_FACTORS)),
        setting.split,
    )  # fmt: skip


def _best_joint_settings(
    budget: Budget, losses: Mapping[str, str | Loss], tol: float
) -> BestSettings:
    """Return the best ridges of joint training. The default ones are among those that are tried."""
    tried: dict[str, JointSetting] = {}
    for name, loss in losses.items():
        tried[name] = EndToEnd(loss).tune(budget, next(iter(tried.values()), None))
    chosen = _best_loss(tried)
    setting = tried[chosen]
    default, pi = Training.joint(1.0), float(budget.task.pi)
    ridges = float(default.ridge), float(default.ridge_q)
    untuned = joint(budget, FIRST_LOSS, *ridges, pi, setting.solution)
    if FIRST_LOSS in losses and untuned.error < setting.error:
        chosen, setting = FIRST_LOSS, untuned
    reached = EndToEnd(losses[chosen]).evaluate(budget, setting, tol)
    return BestSettings(
        chosen, reached, reached.error + untuned.error - setting.error,
        {name: value.error for name, value in tried.items()},
        _added(reached.error, wrong_ridges(budget, setting, WRONG_FACTORS)),
        notes=(*reached.notes, *other_solution_note(setting)),
    )  # fmt: skip


def _best_loss(tried: Mapping[str, Any]) -> str:
    """Return the loss whose settings have the least error: the first unless one is clearly better.

    Examples
    --------
    >>> _best_loss({"logistic": Evaluation(0.1, 0.0), "square": Evaluation(0.0995, 0.0)})
    'logistic'
    >>> _best_loss({"logistic": Evaluation(0.1, 0.0), "square": Evaluation(0.05, 0.0)})
    'square'
    """
    chosen = min(tried, key=lambda name: float(tried[name].error))
    lead = next(iter(tried))
    return lead if tried[lead].error <= (1.0 + CLEAR_GAIN) * tried[chosen].error else chosen


def _added(
    error: float, more: Mapping[str, Mapping[float, float]]
) -> dict[str, dict[float, float]]:
    return {name: {by: error + item for by, item in row.items()} for name, row in more.items()}


def check_budget(task: Task, budget: float, d: int | None, costs: Any = None) -> Budget:
    """Return the validated budget, or refuse it."""
    check_kind("task", task, Task)
    task.need_one_signal("the planner")
    task.need_plain("the planner")
    if task.shape:
        raise ValueError(f"the planner takes one task at a time, got a grid of shape {task.shape}")
    total = single("budget", budget, 0.0, open_low=True)
    prices = None if costs is None else check_costs(costs)
    size = np.inf if d is None else whole("d", d, 1, 10**6)
    each = (1.0 if d is None else float(size)) * (1.0 if prices is None else prices.of(0.5))
    least, most = (each * item for item in BAGS_PER_DIMENSION)
    if not least <= total <= most:
        given = "" if d is None else f" with d={d}"
        raise ValueError(
            f"budget must be between {least:g} and {most:g}{given}, {BAGS_PER_DIMENSION[0]:g} to "
            f"{BAGS_PER_DIMENSION[1]:g} bags for each dimension, got {budget!r}"
        )
    return Budget(task, total / (1.0 if d is None else float(size)), size, prices)


def _losses(losses: Sequence[str | Loss] | None, smooth: bool) -> dict[str, str | Loss]:
    """Return the losses to compare by their names, or refuse them."""
    names = sorted(LOSSES, key=lambda name: name != FIRST_LOSS)
    names = [name for name in names if not (smooth and LOSSES[name].kinked)]
    if losses is not None:
        names = listed("losses", losses, "losses")
    if not names:
        raise ValueError("losses must name at least one loss, got none")
    for loss in names:
        check_loss(get_loss(loss))
        if smooth:
            check_joint_loss(loss)
    return {get_loss(loss).name: loss for loss in names}


def _learner(model: str, loss: str | Loss) -> TwoSteps | Linear:
    return TwoSteps(loss) if get_model(model).has_query else Linear(model, loss)


def _evaluate(
    model: str, budget: Budget, loss: str | Loss, setting: TunedSetting, tol: float
) -> Evaluation:
    """Evaluate settings to full precision, with longer steps where these help."""
    result = _learner(model, loss).evaluate(budget, setting, tol)
    training = result.training
    assert training is not None
    if not get_model(model).has_query or training.balanced:
        return result
    task = budget.training_task(setting.balance)
    steps = polished(task, loss, float(training.alpha0), budget.d).steps
    longer = with_strength(task, training.replace(**steps._asdict()), setting.kappa)
    other = predicted(model, budget, longer, setting.balance, tol)
    return min(result, other, key=lambda item: item.error)


def _default(model: str, budget: Budget) -> Training:
    """Return the default training, half of the data for the query."""
    alpha = budget.alpha(float(budget.task.pi))
    if not get_model(model).has_query:
        return Training(alpha1=alpha)
    return Training(alpha0=0.5 * alpha, alpha1=0.5 * alpha)


def _as_setting(reached: Evaluation) -> TunedSetting:
    """Return the settings of the default training."""
    assert reached.training is not None
    readout = TunedReadout(reached.error, float(reached.training.ridge))
    split = 0.0 if reached.training.alpha0 is None else 0.5
    return TunedSetting(readout, reached.balance, split, reached.kappa)
