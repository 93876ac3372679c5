"""The query after two gradient steps (Theorem 3, Corollary 1).

Step one moves b and w from zero; step two moves q. With g± = ℓ'(0; ±1), h± = ℓ'(f±; ±1) at the
scores f± of the training samples themselves, P = I − 11ᵀ/L and S = R(1 − R/L), the new query is
−(η_q β/L)(A ξ + B w + noise of squared norm N). A sample's own term in w shifts its own score by
−η_w g/(α0 L): the scores are those of training data, not of fresh data.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..grid import common_shape
from ..losses import Loss, get_loss
from ..outcome import Alignment, gather
from ..query import Query
from ..task import Task
from ..training import Training
from .envelope import moments
from .laws import check_kinds, check_query


class _Slopes(NamedTuple):
    """E h± and E h±² of the second step."""

    plus: float
    minus: float
    plus2: float
    minus2: float


def align(task: Task, training: Training) -> Alignment:
    """Predict the readout after one step and the query after two.

    Parameters
    ----------
    task, training
        The problem; any numeric field may be an array, and the results broadcast.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> found = ns.align(task, ns.Training(alpha0=4.0, alpha1=1.0))
    >>> round(found.cosine_q, 4), round(found.norm_q, 4)
    (0.9762, 0.6843)
    """
    check_kinds(task, training)
    shape = common_shape(task, training)
    pairs = zip(task.scalars(shape), training.scalars(shape), strict=True)
    return gather(Alignment, [_align_one(*pair) for pair in pairs], shape)


def trained_query(task: Task, training: Training, query: Query | None = None) -> Query:
    """Return the query that is given, or else the one that the two steps train."""
    check_query(query)
    return align(task, training).query if query is None else query


def _align_one(task: Task, training: Training) -> dict[str, Any]:
    loss, pi, L, theta = get_loss(training.loss), task.pi, task.L, task.theta
    zero = np.zeros(1)
    start_plus, start_minus = (
        float(loss.derivative(zero, 1)[0]),
        float(loss.derivative(zero, -1)[0]),
    )
    bias = -training.eta_b * (pi * start_plus + (1.0 - pi) * start_minus)
    at = np.full(1, bias if training.first_step == "sequential" else 0.0)
    g_plus, g_minus = float(loss.derivative(at, 1)[0]), float(loss.derivative(at, -1)[0])
    signal_w = -training.eta_w * pi * g_plus * theta * task.R / L
    power = training.eta_w**2 * (pi * g_plus**2 + (1.0 - pi) * g_minus**2) / L
    norm2_w = signal_w**2 + power / training.alpha0

    def slopes(norm2: float, own: float) -> _Slopes:
        lift = signal_w * theta * task.R / L
        means = bias + lift - own * g_plus, bias - own * g_minus
        return _slopes(loss, *means, float(np.sqrt(norm2 / L)))

    def parts(h: _Slopes, norm2: float) -> tuple[float, float, float]:
        spare = theta**2 * task.R * (1.0 - task.R / L)
        along = pi * h.plus * spare * signal_w
        back = (L - 1.0) * (pi * h.plus + (1.0 - pi) * h.minus)
        noise = pi * h.plus2 * (spare * signal_w**2 + (L - 1.0) * norm2)
        return along, back, noise + (1.0 - pi) * h.minus2 * (L - 1.0) * norm2

    A, B, N = parts(slopes(norm2_w, training.eta_w / (training.alpha0 * L)), norm2_w)
    step = training.eta_q * training.beta / L
    signal_q = -step * (A + B * signal_w)
    norm_q = step * np.sqrt(
        max(A**2 + 2.0 * A * B * signal_w + B**2 * norm2_w + N / training.alpha0, 0.0)
    )
    constant = np.inf
    if signal_w != 0.0:
        A, B, N = parts(slopes(signal_w**2, 0.0), signal_w**2)
        pull = 2.0 * (A + B * signal_w) ** 2
        constant = (B**2 * power + N) / pull if pull > 0.0 else np.inf
    return {
        "signal_w": signal_w,
        "norm_w": np.sqrt(norm2_w),
        "cosine_w": signal_w / np.sqrt(norm2_w) if norm2_w > 0.0 else 0.0,
        "signal_q": signal_q,
        "norm_q": norm_q,
        "cosine_q": float(np.clip(signal_q / norm_q, -1.0, 1.0)) if norm_q > 0.0 else 0.0,
        "kappa": training.beta * norm_q,
        "constant": constant,
        "provenance": "theorem",
    }


def _slopes(loss: Loss, mean_plus: float, mean_minus: float, spread: float) -> _Slopes:
    e = moments(
        loss,
        np.array([1.0, -1.0]),
        np.array([mean_plus, mean_minus]),
        np.full(2, max(spread, 1e-150)),
        np.zeros(2),
    )
    return _Slopes(*e.slope.tolist(), *e.slope2.tolist())
