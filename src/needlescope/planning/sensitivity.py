"""How a predicted error moves with the problem, by implicit differentiation.

A readout solves G(p; x) = 0, the stationarity equations, and its test error is E(p; x). With a
parameter x of the problem both move, and

    dE/dx = ∂E/∂x − ∂E/∂p · H⁻¹ ∂G/∂x,     H = ∂G/∂p

at the solution: no readout is trained anew. In the ridge and in the amount of data for the readout
∂G/∂x is a formula. In all else it is a central difference between laws of features that share their
lattice and the cells they are compressed to, the query trained for each by its closed formula.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..answer import Question
from ..arrays import FloatArray
from ..grid import check_kind
from ..losses import get_loss
from ..models import get_model
from ..query import Query
from ..results.planned import Sensitivity
from ..results.trained import as_query
from ..task import Task
from ..theory.alignment import align_one
from ..theory.common.arguments import check_tol
from ..theory.law.ladder import Level
from ..theory.law.limits import nearby_limit
from ..theory.learned_query import check_query_training
from ..theory.learning import predict
from ..theory.saddle.measures import error_slope, test_error
from ..theory.saddle.problem import Saddle
from ..theory.saddle.readout import train_readout
from ..theory.spectrum.checks import check_steps
from ..theory.spectrum.directions import QueryParts, directions
from ..training import Training
from .tuning.readouts import NO_QUERY, solution_slopes

LEVEL = Level(2**13, 192)  # with cells that do not move, five times as many change nothing
STEP = 0.003  # in the log of a parameter: below, rounding and compression show; above, curvature


class Learned(NamedTuple):
    """A trained query, and where it lies in the spectrum of the noise."""

    query: Query
    parts: QueryParts | None = None


def sensitivity(
    task: Task, training: Training, model: str = "attention", *, tol: float = 1e-3
) -> Sensitivity:
    """Return the derivatives of the predicted test error in θ and π, and in the logs of n and λ.

    Those in α0, α1 and κ are in their logs, too; `Sensitivity` says so field by field.

    Parameters
    ----------
    task, training : Task, Training
        A single problem; the settings of the training are kept.
    model : "attention", "pooled" or "vectorized", default "attention"
        Linear models are trained on D1 alone.
    tol : float, default 1e-3
        Of the test error and of its change with R, in (0, 1].

    Returns
    -------
    Sensitivity

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind.
    NotConverged
        If the readout cannot be trained to the tolerance.
    NoMinimiser
        If the training has no minimiser.

    Examples
    --------
    One per cent more bags, and one per cent more signal:

    >>> import needlescope as ns
    >>> task, training = ns.Task(L=10, R=1, theta=4.0, pi=0.5), ns.Training(alpha0=2.0, alpha1=2.0)
    >>> result = ns.sensitivity(task, training)
    >>> round(0.01 * result.n, 5), round(0.01 * result.theta * task.theta, 4)
    (-0.00039, -0.0073)
    """
    check_kind("task", task, Task)
    check_kind("training", training, Training)
    task.need_one_signal("sensitivity")
    task.need_plain("sensitivity")
    check_steps(task, training)
    if task.shape or training.shape:
        raise ValueError("sensitivity takes one problem at a time, got a grid")
    kind = get_model(model)
    tol = check_tol(tol)
    check_query_training(kind, task, training, None)

    def query(item: Task, how: Training) -> Learned:
        if not kind.has_query:
            return Learned(NO_QUERY)
        result = align_one(item, how)
        return Learned(as_query(result["kappa"], result["cosine_q"]), result.get("parts"))

    here = query(task, training)
    like = task.whitened, here.query
    limit = nearby_limit(kind, *like, LEVEL, like)
    readout = train_readout(
        limit, get_loss(training.loss), float(task.pi), training.alpha1, training.ridge,
        spectrum=directions(kind, task, here.query, here.parts, limit),
    )  # fmt: skip
    if readout.local is None:
        slopes = dict.fromkeys(("theta", "pi", "alpha0", "alpha1", "ridge", "kappa"), 0.0)
        return _answer(task, training, model, slopes, tol)
    point, hessian, old = readout.point, readout.local.hessian, readout.problem
    slope = error_slope(limit.law(task.pi), point)

    def error_and_gradient(item: Task, spec: Learned) -> tuple[float, FloatArray]:
        limit = nearby_limit(kind, item.whitened, spec.query, LEVEL, like)
        law, where = limit.law(float(item.pi)), directions(kind, item, *spec, limit)
        saddle = Saddle(law, old.loss, old.delta, old.ridge, spectrum=where)
        return test_error(law, point), saddle.local(point).gradient

    def along(move: Callable[[float], tuple[Task, Learned]]) -> float:
        (up, G_up), (down, G_down) = (error_and_gradient(*move(by)) for by in (STEP, -STEP))
        dG, dE = (G_up - G_down) / (2.0 * STEP), (up - down) / (2.0 * STEP)
        return float(dE - slope @ np.linalg.solve(hessian, dG))

    def with_task(name: str, scale: float) -> float:
        def move(by: float) -> tuple[Task, Learned]:
            item = task.replace(**{name: float(getattr(task, name)) + by * scale})
            return item, query(item, training)

        return along(move) / scale

    in_ridge, in_data = solution_slopes(readout)
    result = {
        "theta": with_task("theta", float(task.theta)) if task.theta > 0.0 else 0.0,
        "pi": with_task("pi", float(task.pi * (1.0 - task.pi))),
        "alpha1": float(slope @ in_data),
        "ridge": float(slope @ in_ridge),
        "alpha0": 0.0,
        "kappa": np.nan,
    }
    if kind.has_query:
        alpha0 = float(training.alpha0)
        result["alpha0"] = along(
            lambda by: (task, query(task, training.replace(alpha0=alpha0 * np.exp(by))))
        )
        kappa, cosine = here.query.kappa, here.query.cosine
        result["kappa"] = along(
            lambda by: (task, here._replace(query=Query(kappa * np.exp(by), cosine)))
        )
    return _answer(task, training, model, result, tol)


def _answer(
    task: Task, training: Training, model: str, result: dict[str, Any], tol: float
) -> Sensitivity:
    here = predict(task, training, model, tol=tol)
    change = np.nan  # no further token can carry the signal
    if task.R < task.L:
        more = predict(task.replace(R=task.R + 1), training, model, tol=tol)
        change = float(more.test_error) - float(here.test_error)
    return Sensitivity(
        model=model, test_error=float(here.test_error), test_error_se=float(here.test_error_se),
        R=change,
        n=result["alpha0"] + result["alpha1"], **result,
        provenance=f"implicit differentiation of {here.provenance}",
        question=Question("sensitivity", task, training, {"tol": tol}),
    )  # fmt: skip
