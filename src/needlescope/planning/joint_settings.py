"""The best joint training of a budget: both ridges and the loss.

The default training is one of the settings that are tried, so that it never beats the search.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..losses import Loss
from ..training import Training
from .best_settings import FIRST_LOSS, WRONG_FACTORS, BestSettings, best_loss
from .learners import EndToEnd
from .tuning.budget import Budget
from .tuning.joint import JointSetting, joint, other_solution_note, wrong_ridges


def best_joint_settings(
    budget: Budget, losses: Mapping[str, str | Loss], tol: float
) -> BestSettings:
    """Return the best ridges, with the best of these losses."""
    tried: dict[str, JointSetting] = {}
    for name, loss in losses.items():
        tried[name] = EndToEnd(loss).tune(budget, next(iter(tried.values()), None))
    chosen = best_loss(tried)
    setting = tried[chosen]
    default, pi = Training.joint(1.0), float(budget.task.pi)
    ridges = float(default.ridge), float(default.ridge_q)
    untuned = joint(budget, FIRST_LOSS, *ridges, pi, setting.solution)
    if FIRST_LOSS in losses and untuned.error < setting.error:
        chosen, setting = FIRST_LOSS, untuned
    reached = EndToEnd(losses[chosen]).evaluate(budget, setting, tol)
    costs = {
        name: {by: reached.error + more for by, more in row.items()}
        for name, row in wrong_ridges(budget, setting, WRONG_FACTORS).items()
    }
    return BestSettings(
        chosen, reached, reached.error + untuned.error - setting.error,
        {name: value.error for name, value in tried.items()}, costs,
        notes=(*reached.notes, *other_solution_note(setting)),
    )  # fmt: skip
