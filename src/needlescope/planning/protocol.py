"""How well a query aligns when bags are trained as `estimators` train them, by the theory.

The step sizes of the theory are set to what `estimators.candidates.initial_queries` does: the
bias starts where it is best on its own, log π/(1 − π), the first step gives the scores of training
bags unit deviation, and the bias then balances their slopes.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logit

from ..losses import LOGISTIC
from ..task import Task
from ..theory.alignment import balanced_step, first_step


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
    signal, norm2 = first.signals[0], first.norm2(alpha0)
    if direction == "readout":
        return signal / float(np.sqrt(norm2))
    apart = signal * lift + 1.0 / (alpha0 * task.L)
    size = float(np.sqrt(norm2 / task.L + pi * (1.0 - pi) * apart**2))
    first = first_step(task, LOGISTIC, 1.0 / size, bias)
    return balanced_step(task, LOGISTIC, first, alpha0, bias).cosine
