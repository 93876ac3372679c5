"""What the theory predicts for a task, when classifiers are trained as `estimators` train them.

The step sizes of the theory are set to what `steps` does: the bias starts where it is best on its
own, log π/(1 − π), the first step gives the scores of training bags unit deviation, and the bias
then balances their slopes. Strength κ
and ridge are the best of a few, as validation would choose them; attention trains its query on one
half of the bags and its readout on the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import logit

from ..losses import Logistic
from ..query import Query
from ..task import Task
from ..theory.alignment import first_step, second_step
from ..theory.learning import predict
from ..theory.oracle.least_error import oracle
from ..training import Training

LOGISTIC = Logistic()
RIDGES = (1.0, 0.1, 0.01, 1e-3, 1e-4)  # of the linear models
SHARP_RIDGES = (0.1, 0.01, 1e-3)  # of attention
KAPPAS = (1.0, 2.0, 4.0)
MORE = (1.0, 1.3, 2.0, 4.0, 10.0)  # times the bags there are
ACCURACY = 2e-3
STRONGEST = 100.0  # the largest θ looked at
REACH = 50.0  # by how much a bias may move, beside what the signal adds to scores


class Predicted(NamedTuple):
    """An error, and the κ and ridge that reach it."""

    error: float
    ridge: float
    kappa: float = 0.0


def alignment(task: Task, alpha0: float, direction: str = "query") -> float:
    """Return the cosine with the signal of the query, or of the readout after one step.

    As in `needlescope.align`, but for bags that were centred, with a bias that is the best on its
    own, scores of unit deviation after the first step, and a bias that balances slopes before the
    second. With gradients −(1 − π) and π at the first bias, which balance, the scores of training
    bags are N(b + (1 − π)Δ, τ²) and N(b − πΔ, τ²): Δ is the signal's part and each bag's own part
    in the direction, τ² = ‖w‖²/L. At the second bias nothing pulls the query along the readout,
    B = 0.

    Examples
    --------
    >>> task = Task(L=10, R=1, theta=4.0, pi=0.5)
    >>> round(alignment(task, 4.0), 3), round(alignment(task, 4.0, "readout"), 3)
    (0.942, 0.784)
    """
    pi, lift, bias = task.pi, task.theta * task.R / task.L, float(logit(task.pi))
    first = first_step(task, LOGISTIC, 1.0, bias)
    norm2 = first.norm2(alpha0)
    if direction == "readout":
        return first.signal / float(np.sqrt(norm2))
    apart = first.signal * lift + 1.0 / (alpha0 * task.L)
    size = float(np.sqrt(norm2 / task.L + pi * (1.0 - pi) * apart**2))
    first = first_step(task, LOGISTIC, 1.0 / size, bias)

    def along_readout(shift: float) -> float:
        return second_step(task, LOGISTIC, first, alpha0, bias + shift).B

    if task.L > 1:
        reach = REACH + lift * abs(first.signal)
        bias += float(brentq(along_readout, -reach, reach, xtol=1e-9))
    return second_step(task, LOGISTIC, first, alpha0, bias).cosine


def doubt(task: Task, alpha0: float, direction: str, dimension: float) -> float:
    """Return the relative deviation of the cosine s between data sets of a finite dimension.

    A direction a ξ + noise of d Gaussian numbers has a cosine that varies with the noise's length
    and with its part along ξ: (1 − s²) √(1/2 + (1 − s²)/s²)/√d.

    Examples
    --------
    >>> round(doubt(Task(L=10, R=1, theta=4.0, pi=0.5), 4.0, "query", 50.0), 4)
    0.0125
    """
    s2 = max(alignment(task, alpha0, direction) ** 2, 1e-12)
    return float((1.0 - s2) * np.sqrt((0.5 + (1.0 - s2) / s2) / dimension))


def strength(task: Task, shift: float, alpha0: float, direction: str) -> float:
    """Return the θ at which a trained direction sees this shift, θ s(θ) = t.

    Examples
    --------
    >>> task = Task(L=10, R=1, theta=4.0, pi=0.5)
    >>> round(strength(task, 4.0 * alignment(task, 5.0, "query"), 5.0, "query"), 6)
    4.0
    """

    def excess(theta: float) -> float:
        return theta * alignment(task.replace(theta=theta), alpha0, direction) - shift

    if excess(STRONGEST) <= 0.0:
        return STRONGEST
    return float(brentq(excess, 1e-3 * shift, STRONGEST, xtol=1e-9))


def prediction(task: Task, bags: float, dimension: float, model: str) -> Predicted:
    """Predict the error of a model trained on so many bags, κ and ridge the best of a few."""
    half = bags / (2.0 * dimension)
    if model != "attention":
        plain = Training(alpha0=half, alpha1=half, ridge=np.array(RIDGES))
        errors = np.asarray(predict(task, plain, model, data="all", accuracy=ACCURACY).test_error)
        best = int(errors.argmin())
        return Predicted(float(errors[best]), RIDGES[best])
    query = Query(np.array(KAPPAS)[:, None], alignment(task, half))
    training = Training(alpha0=half, alpha1=half, ridge=np.array(SHARP_RIDGES))
    errors = np.asarray(predict(task, training, query=query, accuracy=ACCURACY).test_error)
    k, j = np.unravel_index(int(errors.argmin()), errors.shape)
    return Predicted(float(errors[k, j]), SHARP_RIDGES[j], KAPPAS[k])


def limit(task: Task) -> float:
    """Return the error that no classifier beats."""
    return float(oracle(task, "bayes", accuracy=ACCURACY).error)


def curve(
    task: Task, bags: int, dimension: float, model: str, done: Callable[[], None]
) -> dict[float, Predicted]:
    """Return the predictions for as many bags as there are, and for more."""
    found = {}
    for times in MORE:
        found[bags * times] = prediction(task, bags * times, dimension, model)
        done()
    return found


def more_bags(found: dict[float, float], gain: float) -> float:
    """Return how many more bags lower the error by ``gain``; infinity if ten times as many do not.

    Examples
    --------
    >>> round(more_bags({100: 0.2, 400: 0.1}, 0.05))
    100
    """
    n = np.array(list(found), float)
    errors = np.minimum.accumulate(list(found.values()))
    target = errors[0] - gain
    if errors[-1] > target:
        return float("inf")
    # np.interp wants an increasing axis: the drop of the error.
    return float(np.exp(np.interp(-target, -errors, np.log(n))) - n[0])
