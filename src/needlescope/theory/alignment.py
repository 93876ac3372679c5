"""The query after two gradient steps.

Our derivation of the quantities of theorem 3 and corollary 1 (arXiv v1).

Step one moves b and w from zero; step two moves q. With g± = ℓ'(0; ±1), h± = ℓ'(f±; ±1) at the
scores f± of the training samples themselves, P = I − 11ᵀ/L and S = R(1 − R/L), the new query is
−(η_q β/L)(A ξ + B w + noise of squared norm N/α0). A sample's own term in w shifts its own score by
−η_w g/(α0 L): the scores are those of training data, not of fresh data.

With several signals ξ_k of probabilities p_k, w has a component m_k ∝ p_k along each, and A ξ
becomes Σ A_k ξ_k with A_k ∝ p_k m_k: the cosines of the query are roughly ∝ p_k². Averages over
samples are sums over `sample_groups`.

B is L − 1 times the mean slope. Where positives are rare it moves the query along −w; with
``balanced`` the bias moves between the steps to where B = 0.

With a covariance Σ of the noise w is m ξ + σ_w Σ^{1/2}h, with random h of unit norm, and the query

    −(η_q β/L) [A ξ + B Σ w + (N/α0)^{1/2} Σ^{1/2} h'],    Ω = wᵀΣw in place of ‖w‖².

Only moments of the spectrum enter. All components, norms and cosines are those in whitened
coordinates, of Σ^{1/2}w and Σ^{1/2}q with ζ = Σ^{-1/2}ξ: then κ = β√(qᵀΣq), and θ‖ζ‖ times the
cosine is what a signal token's logit gains, in units of the noise's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..answer import Question
from ..arrays import FloatArray
from ..errors import NotConverged
from ..grid import check_kind, common_shape
from ..losses import Loss, PiecewiseQuadratic, get_loss
from ..losses.balance import balance
from ..results import Alignment, gather
from ..spectrum import Levels
from ..task import Task
from ..training import Training
from .common.grid_points import GridPoints
from .common.groups import sample_groups
from .common.provenance import of_alignment
from .saddle.collapse import LossPair
from .saddle.envelope import Moments, moments
from .spectrum.checks import check_steps
from .spectrum.directions import QueryParts
from .spectrum.moments import WHITE, moments_of
from .spectrum.moments import Moments as SpectrumMoments
from .steps.schedule import TARGET_UNCERTAINTY, after_schedule, cosine_fields
from .two_noises.steps import two_steps

BALANCE_TOLERANCE = 1e-7  # of the mean slope, relative to the size of slopes


class ReadoutStep(NamedTuple):
    """The readout after one step: its products with the signals, and α0 σ_w²."""

    signals: tuple[float, ...]
    power: float
    plus: float  # shift of a positive's score by its own term, times α0 L
    minus: float  # of a negative's
    moments: SpectrumMoments = WHITE

    def norm2(self, alpha0: float) -> float:
        """Return ‖w‖², or Ω = wᵀΣw."""
        along = sum(m**2 for m in self.signals) * self.moments.signal[1]
        return along + self.power * self.moments.mean[2] / alpha0


class QueryStep(NamedTuple):
    """The query after two steps, up to a factor: −(Σ A_k ξ_k + B w + noise of ‖noise‖² = N/α0)."""

    A: tuple[float, ...]
    B: float
    N: float
    signals: tuple[float, ...]
    norm: float
    first: ReadoutStep
    alpha0: float

    @property
    def cosine(self) -> float:
        """The cosine of the query with the span of the signals, of the sign of the first."""
        size = float(np.copysign(np.sqrt(sum(m**2 for m in self.signals)), self.signals[0]))
        return float(np.clip(size / self.norm, -1.0, 1.0)) if self.norm > 0.0 else 0.0

    def parts(self, levels: Levels) -> QueryParts | None:
        """Return its direction level by level, in whitened coordinates."""
        if self.norm == 0.0:
            return None
        s, m = levels.s, self.first.signals[0]
        along = -s * (self.A[0] + self.B * m * s) * levels.gain / self.norm
        noise = (self.B * s) ** 2 * self.first.power + self.N
        return QueryParts(along, levels.share * s**2 * noise / (self.alpha0 * self.norm**2))


def first_step(task: Task, loss: Loss, eta_w: float, bias: float) -> ReadoutStep:
    """Move w from zero by a gradient step of size ``eta_w`` at this bias."""
    at, L, every = np.full(1, bias), task.L, sample_groups(task)
    slope = {label: float(loss.derivative(at, label)[0]) for label in (1, -1)}
    power = eta_w**2 * sum(item.share * slope[item.label] ** 2 for item in every) / L
    signals = [0.0] * task.kinds
    for item in every:
        signals[item.signal] -= (
            eta_w * item.share * slope[item.label] * task.theta * item.tokens / L
        )
    moments = moments_of(task)
    plus, minus = (-eta_w * slope[label] * moments.mean[1] for label in (1, -1))
    return ReadoutStep(tuple(signals), power, plus, minus, moments)


def second_step(
    task: Task, loss: Loss, first: ReadoutStep, alpha0: float, bias: float
) -> QueryStep:
    """Move q from zero, with the slopes at the scores of the training samples and this bias."""
    L, norm2, every = task.L, first.norm2(alpha0), sample_groups(task)
    e = _slope_moments(task, loss, first, alpha0, bias)
    A, N, total = [0.0] * task.kinds, 0.0, 0.0
    for item, slope, slope2 in zip(every, e.slope.tolist(), e.slope2.tolist(), strict=True):
        mean, square, m = item.share * slope, item.share * slope2, first.signals[item.signal]
        S = task.theta**2 * item.tokens * (1.0 - item.tokens / L)
        A[item.signal] += mean * S * m
        if item.tokens:
            N += square * (S * m**2 + (L - 1.0) * norm2)
        else:
            N += square * (L - 1.0) * norm2
        total += mean
    return _query(tuple(A), (L - 1.0) * total, N, first, alpha0)


def _query(
    A: tuple[float, ...], B: float, N: float, first: ReadoutStep, alpha0: float
) -> QueryStep:
    """Return the query of A, B and N: its component along each signal and its norm √(qᵀΣq)."""
    mean, signal, gain = first.moments
    pairs = tuple(zip(A, first.signals, strict=True))
    both = sum(2.0 * a * B * m for a, m in pairs) * signal[2]
    w2 = sum(m**2 for m in first.signals) * signal[3] + first.power * mean[4] / alpha0
    square = sum(a**2 for a in A) * signal[1] + both + B**2 * w2 + N * mean[2] / alpha0
    signals = tuple(-(a + B * m * signal[1]) / gain for a, m in pairs)
    return QueryStep(A, B, N, signals, float(np.sqrt(max(square, 0.0))), first, alpha0)


def balanced_step(
    task: Task, loss: Loss, first: ReadoutStep, alpha0: float, bias: float
) -> QueryStep:
    """Move q from zero at the bias where B = 0, the root search starting at ``bias``.

    With a kinked loss the root must be resolved within the standard deviation of the scores, which
    may be below the rounding of the bias: the loss is then expanded about the bias.

    >>> from needlescope.losses import LOGISTIC
    >>> task = Task(L=10, R=1, theta=5.0, pi=0.1)
    >>> first = first_step(task, LOGISTIC, 1.0, 0.0)
    >>> plain, balanced = (step(task, LOGISTIC, first, 4.0, 0.0)
    ...                    for step in (second_step, balanced_step))
    >>> round(plain.cosine, 2), round(balanced.cosine, 2), balanced.B
    (-0.21, 0.78, 0.0)
    """
    result = _balance(task, loss, first, alpha0, bias)
    if result is None:
        return second_step(task, loss, first, alpha0, bias)
    if loss.kinked and isinstance(loss, PiecewiseQuadratic):
        loss = LossPair(loss.about(result, 1), loss.about(result, -1), loss.name, kinked=True)
        result = _balance(task, loss, first, alpha0, 0.0) or 0.0
    q = second_step(task, loss, first, alpha0, result)
    e, share = _slope_moments(task, loss, first, alpha0, result), _shares(task)
    # two measures of the size: a square may underflow
    size = float(np.maximum(np.sqrt(share @ e.slope2), share @ np.abs(e.slope)))
    if not abs(share @ e.slope) <= BALANCE_TOLERANCE * size:
        raise NotConverged(
            f"the slopes of the {loss.name} loss could not be balanced between the two steps: "
            f"their mean is {share @ e.slope:.1e}, of slopes of size {size:.1e}"
        )
    return _query(q.A, 0.0, q.N, first, alpha0)  # the remaining B is rounding


def _balance(
    task: Task, loss: Loss, first: ReadoutStep, alpha0: float, bias: float
) -> float | None:
    """Return a bias at which the mean slope over the training samples is zero, if there is one."""
    share = _shares(task)
    return balance(
        lambda at: float(share @ _slope_moments(task, loss, first, alpha0, at).slope), bias
    )


def _shares(task: Task) -> FloatArray:
    return np.array([group.share for group in sample_groups(task)])


def _slope_moments(
    task: Task, loss: Loss, first: ReadoutStep, alpha0: float, bias: float
) -> Moments:
    """Return the moments of the slopes of training samples after one step, group by group."""
    every, L, own = sample_groups(task), task.L, 1.0 / (alpha0 * task.L)
    labels = np.array([float(item.label) for item in every])
    lifts = np.array([first.signals[item.signal] * task.theta * item.tokens / L for item in every])
    means = bias + lifts + own * np.where(labels > 0.0, first.plus, first.minus)
    # without kinks a spread below the rounding of the scores is not needed
    least = 1e-150 if loss.kinked else 1e-12 * float(np.abs(means).max()) + 1e-150
    spread = np.full(len(every), max(float(np.sqrt(first.norm2(alpha0) / L)), least))
    return moments(loss, labels, means, spread, np.zeros(len(every)))


def align(task: Task, training: Training) -> Alignment:
    """Predict the readout after one gradient step and the query after two, or after a schedule.

    Our derivation of the quantities of theorem 3 and corollary 1 (arXiv v1), the constant of the
    approach to full alignment. The limit is n0, d → ∞ at fixed α0 = n0/d, L, R and θ. A schedule's
    steps, each on a fresh batch, are followed by a formula of our own.

    Parameters
    ----------
    task, training : Task, Training
        The problem; numeric fields may be arrays, which broadcast. Of the training ``alpha0``, the
        loss, the steps, β and the schedule matter.

    Returns
    -------
    Alignment
        Plain floats, or arrays in the shape of the grid.

    Raises
    ------
    ValueError
        If an argument is out of its range or of the wrong kind, or grids do not broadcast.
    NotConverged
        If the steps of a schedule are too long for its path to be integrated.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> result = ns.align(task, ns.Training(alpha0=4.0, alpha1=1.0))
    >>> round(result.cosine_q, 4), round(result.norm_q, 4)
    (0.9762, 0.6843)
    """
    check_kind("task", task, Task)
    check_kind("training", training, Training)
    training.need_alpha0("the query is trained on D0")
    training.need_one_query_step()
    check_steps(task, training)
    shape = common_shape(task, training)
    points = GridPoints("raise", shape, task, training)
    jobs = zip(task.scalars(shape), training.scalars(shape), strict=True)
    rows = points.solve({"provenance": of_alignment(task, training)}, jobs, align_one)
    for row in rows:
        for name in ("finest", "parts"):
            row.pop(name, None)
    return gather(Alignment, rows, shape, Question("align", task, training))


def align_one(task: Task, training: Training, target: float = TARGET_UNCERTAINTY) -> dict[str, Any]:
    """Return the fields of one (scalar) problem; ``target`` is the uncertainty after a schedule."""
    if task.signal_noise is not None:
        return two_steps(task, training).fields
    if training.schedule is None:
        return _after_two_steps(task, training)
    # one cache entry for all readouts trained after the schedule
    steps = training.replace(alpha1=1.0, ridge=1.0)
    return after_schedule(task, steps, target) | {"constant": np.nan}


def _after_two_steps(task: Task, training: Training) -> dict[str, Any]:
    loss, alpha0 = get_loss(training.loss), training.alpha0
    start = sum(
        group.share * loss.derivative(np.zeros(1), group.label)[0] for group in sample_groups(task)
    )
    bias = -training.eta_b * float(start)
    at = bias if training.first_step == "sequential" else 0.0
    w = first_step(task, loss, training.eta_w, at)
    move = balanced_step if training.balanced else second_step
    q = move(task, loss, w, alpha0, bias)
    step = training.eta_q * training.beta / task.L
    gain, levels, constant = w.moments.gain, task.levels, np.inf
    if any(w.signals) and not levels:
        constant = _constant(w, move(task, loss, w, np.inf, bias))
    return {
        **cosine_fields(task, "w", [m / gain for m in w.signals], float(np.sqrt(w.norm2(alpha0)))),
        **cosine_fields(task, "q", q.signals, q.norm, step),
        "kappa": training.beta * step * q.norm,
        "constant": np.nan if levels else constant,
        "parts": q.parts(levels) if levels else None,
    }


def _constant(w: ReadoutStep, q: QueryStep) -> float:
    """Return the C of 1 − cosine = C/α0 + o(1/α0), from the step with α0 = ∞."""
    pull = 2.0 * sum(signal**2 for signal in q.signals)
    return (q.B**2 * w.power + q.N) / pull if pull > 0.0 else np.inf
