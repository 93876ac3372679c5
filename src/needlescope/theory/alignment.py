"""The query after two gradient steps.

Our derivation of the quantities of theorem 3 and corollary 1 (arXiv v1).

Step one moves b and w from zero; step two moves q. With g± = ℓ'(0; ±1), h± = ℓ'(f±; ±1) at the
scores f± of the training samples themselves, P = I − 11ᵀ/L and S = R(1 − R/L), the new query is
−(η_q β/L)(A ξ + B w + noise of squared norm N). A sample's own term in w shifts its own score by
−η_w g/(α0 L): the scores are those of training data, not of fresh data.

B is L − 1 times the mean slope. Where positives are rare it pulls the query along −w; with
``balanced`` the bias moves between the steps to where B = 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..answer import Question
from ..errors import NotConverged
from ..grid import check_kind, common_shape
from ..losses import Loss, PiecewiseQuadratic, get_loss
from ..losses.balance import balance
from ..outcome import Alignment, gather
from ..task import Task
from ..training import Training
from .provenance import of_alignment
from .saddle.collapse import Pair
from .saddle.envelope import Moments, moments
from .steps.path import SURE, after_schedule
from .unsolved import Points

BALANCE_TOLERANCE = 1e-7  # of the mean slope, relative to the size of slopes


class First(NamedTuple):
    """The readout after one step: its part along ξ, and α0 times the squared norm of the rest."""

    signal: float
    power: float
    plus: float  # how far a sample's own term moves its score, times α0 L
    minus: float

    def norm2(self, alpha0: float) -> float:
        """Return ‖w‖²."""
        return self.signal**2 + self.power / alpha0


class Second(NamedTuple):
    """The query after two steps, up to a factor: −(A ξ + B w + noise of squared norm N/α0)."""

    A: float
    B: float
    N: float
    signal: float
    norm: float

    @property
    def cosine(self) -> float:
        """The cosine of the query with ξ."""
        return float(np.clip(self.signal / self.norm, -1.0, 1.0)) if self.norm > 0.0 else 0.0


def first_step(task: Task, loss: Loss, eta_w: float, bias: float) -> First:
    """Move w from zero, by a gradient step of size ``eta_w`` taken at this bias."""
    at, pi, L = np.full(1, bias), task.pi, task.L
    g_plus, g_minus = float(loss.derivative(at, 1)[0]), float(loss.derivative(at, -1)[0])
    power = eta_w**2 * (pi * g_plus**2 + (1.0 - pi) * g_minus**2) / L
    signal = -eta_w * pi * g_plus * task.theta * task.R / L
    return First(signal, power, -eta_w * g_plus, -eta_w * g_minus)


def second_step(task: Task, loss: Loss, first: First, alpha0: float, bias: float) -> Second:
    """Move q from zero, with the slopes at the scores of the training samples and this bias."""
    L, pi, signal, norm2 = task.L, task.pi, first.signal, first.norm2(alpha0)
    e = _slopes(task, loss, first, alpha0, bias)
    plus, minus = pi * e.slope[0], (1.0 - pi) * e.slope[1]
    plus2, minus2 = pi * e.slope2[0], (1.0 - pi) * e.slope2[1]
    spare = task.theta**2 * task.R * (1.0 - task.R / L)
    A, B = float(plus * spare * signal), float((L - 1.0) * (plus + minus))
    N = float(plus2 * (spare * signal**2 + (L - 1.0) * norm2) + minus2 * (L - 1.0) * norm2)
    square = A**2 + 2.0 * A * B * signal + B**2 * norm2 + N / alpha0
    return Second(A, B, N, -(A + B * signal), float(np.sqrt(max(square, 0.0))))


def balanced_step(task: Task, loss: Loss, first: First, alpha0: float, bias: float) -> Second:
    """Move q from zero, at the bias where nothing pulls it along w; looked for from ``bias`` on.

    Where a loss has a kink, that bias is found to within the deviation of the scores, which may be
    less than its own rounding: it is measured from close by then, and the loss moved there.

    Examples
    --------
    >>> from needlescope.losses import LOGISTIC
    >>> task = Task(L=10, R=1, theta=5.0, pi=0.1)
    >>> first = first_step(task, LOGISTIC, 1.0, 0.0)
    >>> plain, balanced = (step(task, LOGISTIC, first, 4.0, 0.0)
    ...                    for step in (second_step, balanced_step))
    >>> round(plain.cosine, 2), round(balanced.cosine, 2), balanced.B
    (-0.21, 0.78, 0.0)
    """
    found = _balance(task, loss, first, alpha0, bias)
    if found is None:
        return second_step(task, loss, first, alpha0, bias)
    if loss.kinked and isinstance(loss, PiecewiseQuadratic):
        loss = Pair(loss.about(found, 1), loss.about(found, -1), loss.name, kinked=True)
        found = _balance(task, loss, first, alpha0, 0.0) or 0.0
    q, e = second_step(task, loss, first, alpha0, found), _slopes(task, loss, first, alpha0, found)
    share = np.array([task.pi, 1.0 - task.pi])
    size = float(np.maximum(np.sqrt(share @ e.slope2), share @ np.abs(e.slope)))  # or a square of 0
    if not abs(share @ e.slope) <= BALANCE_TOLERANCE * size:
        raise NotConverged(
            f"the slopes of the {loss.name} loss could not be balanced between the two steps: "
            f"their mean is still {share @ e.slope:.1e}, of slopes of size {size:.1e}"
        )
    norm2 = q.A**2 + q.N / alpha0  # what is left of B is rounding
    return q._replace(B=0.0, signal=-q.A, norm=float(np.sqrt(norm2)))


def _balance(task: Task, loss: Loss, first: First, alpha0: float, bias: float) -> float | None:
    """Return a bias at which the mean slope over the training samples is zero, if there is one."""
    share = np.array([task.pi, 1.0 - task.pi])
    return balance(lambda at: float(share @ _slopes(task, loss, first, alpha0, at).slope), bias)


def _slopes(task: Task, loss: Loss, first: First, alpha0: float, bias: float) -> Moments:
    """Return the moments of the slopes of training samples, positives first, after one step."""
    L, signal = task.L, first.signal
    lift, own = signal * task.theta * task.R / L, 1.0 / (alpha0 * L)
    means = np.array([bias + lift + own * first.plus, bias + own * first.minus])
    # Below its rounding a score has no spread, and without kinks none is needed.
    least = 1e-150 if loss.kinked else 1e-12 * float(np.abs(means).max()) + 1e-150
    spread = np.full(2, max(float(np.sqrt(first.norm2(alpha0) / L)), least))
    return moments(loss, np.array([1.0, -1.0]), means, spread, np.zeros(2))


def align(task: Task, training: Training) -> Alignment:
    """Predict the readout after one gradient step and the query after two, or after a schedule.

    Our derivation of the quantities of theorem 3 and corollary 1 (arXiv v1); the corollary is about
    the constant of the approach to full alignment. The limit is n0, d → ∞ at fixed α0 = n0/d, L, R
    and θ. A schedule's steps, each on a fresh batch, are followed by a formula of our own.

    Parameters
    ----------
    task, training : Task, Training
        The problem; any numeric field may be an array, and the results broadcast. Of the training
        ``alpha0``, the loss, the steps, β and the schedule matter.

    Returns
    -------
    Alignment
        Plain floats, or arrays in the shape of the grid.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.
    NotConverged
        If the steps of a schedule are so long that its path cannot be integrated.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> found = ns.align(task, ns.Training(alpha0=4.0, alpha1=1.0))
    >>> round(found.cosine_q, 4), round(found.norm_q, 4)
    (0.9762, 0.6843)
    """
    check_kind("task", task, Task)
    check_kind("training", training, Training)
    task.need_one_signal("align")
    training.need_alpha0("the query is trained on D0")
    training.need_one_query_step()
    shape = common_shape(task, training)
    pairs = zip(task.scalars(shape), training.scalars(shape), strict=True)
    ground = of_alignment(training)
    points, rows = Points("raise", shape, task, training), []
    for index, pair in enumerate(pairs):
        with points.at(index):
            rows.append(trained(*pair) | {"provenance": ground})
    return gather(Alignment, rows, shape, Question("align", task, training))


def trained(task: Task, training: Training, sure: float = SURE) -> dict[str, Any]:
    """Return the numbers of one (scalar) problem, a schedule's with a doubt of ``sure`` or so."""
    if training.schedule is None:
        return _align_one(task, training)
    return _align_many(task, training, sure)


def _align_many(task: Task, training: Training, sure: float) -> dict[str, Any]:
    """Follow a schedule, once for all readouts that come after it."""
    return _followed(task, training.replace(alpha1=1.0, ridge=1.0), sure) | {"constant": np.nan}


@lru_cache(maxsize=256)
def _followed(task: Task, training: Training, sure: float) -> dict[str, float]:
    return after_schedule(task, training, sure)


def _align_one(task: Task, training: Training) -> dict[str, Any]:
    loss, pi, alpha0 = get_loss(training.loss), task.pi, training.alpha0
    zero = np.zeros(1)
    start = pi * loss.derivative(zero, 1) + (1.0 - pi) * loss.derivative(zero, -1)
    bias = -training.eta_b * float(start[0])
    at = bias if training.first_step == "sequential" else 0.0
    w = first_step(task, loss, training.eta_w, at)
    move = balanced_step if training.balanced else second_step
    q = move(task, loss, w, alpha0, bias)
    step, norm_w = training.eta_q * training.beta / task.L, float(np.sqrt(w.norm2(alpha0)))
    return {
        "signal_w": w.signal,
        "norm_w": norm_w,
        "cosine_w": w.signal / norm_w if norm_w > 0.0 else 0.0,
        "signal_q": step * q.signal,
        "norm_q": step * q.norm,
        "cosine_q": q.cosine,
        "kappa": training.beta * step * q.norm,
        "constant": _constant(w, move(task, loss, w, np.inf, bias)) if w.signal else np.inf,
    }


def _constant(w: First, q: Second) -> float:
    """Return C of a query with endless data: with much, 1 − cosine is C/α0."""
    pull = 2.0 * q.signal**2
    return (q.B**2 * w.power + q.N) / pull if pull > 0.0 else np.inf
