"""The error of a trained classifier whose bias is shifted, for another share of positives.

A readout is known by its order parameters; with them its error on any balance of classes, and at
any bias, is an integral over the same law of features.
"""

from __future__ import annotations

import numpy as np

from ...arrays import FloatArray
from ...models import get_model
from ...query import Query
from ...results import Outcome
from ...results.trained import as_query
from ...task import Task
from ...theory.law.ladder import LADDER, ROUGH
from ...theory.law.limits import train_limit
from ...theory.saddle.measures import test_error
from ...theory.saddle.problem import OrderParameters
from .readouts import NO_QUERY, best_shift

ORDER_PARAMETERS = ("kappa", "cosine_q", "query_part", "signal_part", "rest", "bias")
LEVELS = LADDER[3].finer, LADDER[2].finer  # the second gives the uncertainty of the first


def shifted_error(task: Task, result: Outcome, pi: float) -> tuple[float, float, float]:
    """Return the least error with a share ``pi`` of positives, its uncertainty, and the shift.

    Examples
    --------
    Trained on balanced classes, used where one in ten is positive:

    >>> import needlescope as ns
    >>> task = ns.Task(L=4, R=1, theta=4.0, pi=0.5)
    >>> result = ns.predict(task, ns.Training(alpha1=4.0, ridge=0.1), "pooled")
    >>> error, _, shift = shifted_error(task, result, 0.1)
    >>> as_is = ns.predict(task, ns.Training(alpha1=4.0, ridge=0.1), "pooled",
    ...                    test_task=task.replace(pi=0.1)).test_error
    >>> round(float(as_is), 2), round(error, 2), round(shift, 1)
    (0.19, 0.08, -0.8)
    """
    model = get_model(result.model)
    numbers = {name: getattr(result, name) for name in ORDER_PARAMETERS}
    query, point = readout_of(model.has_query, numbers)
    law, coarse = (train_limit(model, task.whitened, query, level).law(pi) for level in LEVELS)
    shift = best_shift(law, point)
    moved = point._replace(b=point.b + shift)
    error = test_error(law, moved)
    return error, abs(error - test_error(coarse, moved)), shift


def trial_errors(task: Task, result: Outcome, pi: float, shift: float = 0.0) -> FloatArray:
    """Return the test error of each simulated trial, its bias shifted, by the law of its features.

    Rougher than the simulation's own integral, to about 5e-4, and much quicker where L is large.

    Examples
    --------
    >>> import needlescope as ns
    >>> task, training = ns.Task(L=10, R=1, theta=5.0, pi=0.5), ns.Training(alpha0=2.0, alpha1=2.0)
    >>> result = ns.simulate(task, training, d=50, trials=3, n_jobs=1)
    >>> bool(np.abs(trial_errors(task, result, 0.5) - result.trials["test_error"]).max() < 2e-3)
    True
    """
    assert result.trials is not None
    model = get_model(result.model)
    count = len(result.trials["bias"])
    errors = []
    for k in range(count):
        query, point = readout_of(
            model.has_query, {name: result.trials[name][k] for name in ORDER_PARAMETERS}
        )
        law = train_limit(model, task.whitened, query, ROUGH).law(pi)
        errors.append(test_error(law, point._replace(b=point.b + shift)))
    return np.array(errors)


def readout_of(has_query: bool, numbers: dict[str, float]) -> tuple[Query, OrderParameters]:
    """Return the query and the readout of these order parameters."""
    value = {name: float(number) for name, number in numbers.items()}
    query = as_query(value["kappa"], value["cosine_q"]) if has_query else NO_QUERY
    parts = [value["query_part"], value["signal_part"]] if has_query else [value["signal_part"]]
    return query, OrderParameters(np.array(parts), value["bias"], value["rest"], 1.0)
