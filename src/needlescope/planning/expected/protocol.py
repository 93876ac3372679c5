"""How well a query aligns when bags are trained as `estimators` train them, by the theory.

The step sizes of the theory are set to what `estimators.candidates.initial_queries` does: the
bias starts where it is best on its own, log π/(1 − π), the first step gives the scores of training
bags unit deviation, and the bias then balances their slopes.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logit

from ...losses import LOGISTIC
from ...task import Task
from ...theory.alignment import align_one, balanced_step, first_step
from ...training import Training


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
    bias = float(logit(task.pi))
    if direction == "readout":
        first = first_step(task, LOGISTIC, 1.0, bias)
        return first.signals[0] / (first.moments.gain * float(np.sqrt(first.norm2(alpha0))))
    first = first_step(task, LOGISTIC, _first_step_size(task, alpha0), bias)
    return balanced_step(task, LOGISTIC, first, alpha0, bias).cosine


def protocol_training(task: Task, alpha0: float, alpha1: float) -> Training:
    """Return the training whose query is that of `alignment`, of strength κ = 1.

    From a bias of zero the first, sequential step on it leads to log π/(1 − π).

    Examples
    --------
    >>> import needlescope as ns
    >>> task = Task(L=10, R=1, theta=4.0, pi=0.3)
    >>> result = ns.align(task, protocol_training(task, 4.0, 4.0))
    >>> round(result.kappa, 9), abs(result.cosine_q - alignment(task, 4.0)) < 1e-9
    (1.0, True)
    """
    off = task.pi - 0.5
    eta_b = float(logit(task.pi) / off) if off else 4.0
    start = Training(
        alpha0=alpha0, alpha1=alpha1, eta_w=_first_step_size(task, alpha0), eta_b=eta_b,
        first_step="sequential", balanced=True, eta_q=1.0,
    )  # fmt: skip
    return start.replace(eta_q=1.0 / float(align_one(task, start)["kappa"]))


def _first_step_size(task: Task, alpha0: float) -> float:
    """Return the η_w that gives the scores of training bags unit deviation."""
    pi, lift = task.pi, task.theta * task.R / task.L
    first = first_step(task, LOGISTIC, 1.0, float(logit(pi)))
    apart = first.signals[0] * lift + first.moments.mean[1] / (alpha0 * task.L)
    norm2 = first.norm2(alpha0)
    return 1.0 / float(np.sqrt(norm2 / task.L + pi * (1.0 - pi) * apart**2))
