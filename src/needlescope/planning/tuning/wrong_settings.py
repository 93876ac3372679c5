"""What one wrong setting costs: the rough error where it is off by a factor, the others kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, logit

from ...losses import Loss
from ...models import get_model
from ...query import Query
from .budget import Budget
from .readouts import Features
from .search import TunedSetting
from .steps import best_steps, query_parts


def wrong_settings(
    model: str, budget: Budget, loss: str | Loss, setting: TunedSetting, factors: Sequence[float]
) -> dict[str, dict[float, float]]:
    """Return by how much the error grows, for each setting and factor; of the split its odds.

    Examples
    --------
    >>> import needlescope as ns
    >>> from needlescope.planning.tuning.search import best_linear
    >>> budget = Budget(ns.Task(L=4, R=1, theta=4.0, pi=0.5), 2.0)
    >>> best = best_linear(budget, "pooled")
    >>> more = wrong_settings("pooled", budget, "logistic", best, (0.01,))
    >>> more["ridge"][0.01] > 0.0
    True
    """
    names = ("split", "kappa", "ridge") if get_model(model).has_query else ("ridge",)
    base = _error_with(model, budget, loss, setting, "ridge", 1.0)
    return {
        name: {by: _error_with(model, budget, loss, setting, name, by) - base for by in factors}
        for name in names
    }


def _error_with(
    model: str, budget: Budget, loss: str | Loss, setting: TunedSetting, name: str, by: float
) -> float:
    """Return the rough error with one setting times a factor; of the split its odds."""
    task, alpha = budget.training_task(setting.balance), budget.alpha(setting.balance)
    pi, ridge = budget.test_pi(setting.balance), setting.readout.ridge
    ridge = ridge * by if name == "ridge" else ridge
    if not get_model(model).has_query:
        features = Features(get_model(model), task, pi=pi, d=budget.d)
        return features.train(loss, alpha, ridge, setting.readout.warm).error
    split = float(expit(logit(setting.split) + np.log(by))) if name == "split" else setting.split
    kappa = setting.kappa * by if name == "kappa" else setting.kappa
    aligned = best_steps(task, loss, split * alpha, budget.d)
    parts = query_parts(task, aligned.steps, loss, split * alpha)
    query = Query(kappa, aligned.cosine)
    features = Features(get_model(model), task, query, pi, budget.d, parts=parts)
    return features.train(loss, (1.0 - split) * alpha, ridge, setting.readout.warm).error
