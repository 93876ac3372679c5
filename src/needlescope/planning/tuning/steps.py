"""The best two gradient steps: which steps align the query most with the signal.

While steps are short, slopes do not change with the scores, and the query's cosine has a closed
form: w is along −Σ g X̄ and q along −Σ h Xᵀ P X w, with g± and h± the slopes of both classes at the
biases of the first and of the second step. Only their ratios matter, and the bias sets them. Where
positives are rare, a bias at which the slopes of negatives vanish is often better than one that
balances the slopes; the best bias is that of a grid. Long first steps gain little or nothing;
`polished` searches them with the exact formula.

At finite d the share of positives in D0 is not π. So that steps do not rest on it by chance, the
cosine that is compared is a mean over shares one standard deviation above and below.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import minimize

from ...arrays import FloatArray
from ...errors import NotConverged
from ...losses import Loss, get_loss
from ...task import Task
from ...theory.alignment import align_one
from ...theory.spectrum.directions import QueryParts
from ...theory.spectrum.moments import moments_of
from ...training import Training

BIASES = np.concatenate([[0.0], np.geomspace(0.02, 40.0, 90)])
SHORT_STEP = 0.05  # η_w of a short first step, or how far it moves scores where that is more
LONGEST_QUERY_STEP = 1e5  # η_q; beyond, β is raised
LOG_STEP_RANGE = (-34.0, 12.0)  # of the search
SHORTEST = 1e-14  # η_w
COSINE_TOL = 1e-5  # the least gain that justifies longer steps


class Steps(NamedTuple):
    """Steps that train a query: all but η_q and β, which set κ alone."""

    eta_w: float
    eta_b: float
    first_step: str
    balanced: bool

    def training(self, alpha0: float, alpha1: float, **more: object) -> Training:
        """Return a training of these steps."""
        return Training(alpha0=alpha0, alpha1=alpha1, **self._asdict(), **more)  # type: ignore[arg-type]


Moments: TypeAlias = "tuple[FloatArray | float, FloatArray | float]"


class Aligned(NamedTuple):
    """How well steps align the query, and the steps."""

    cosine: float
    steps: Steps


def best_steps(task: Task, loss: str | Loss, alpha0: float, d: float = np.inf) -> Aligned:
    """Return the steps that align the query best, on α0 d samples in d dimensions.

    Examples
    --------
    >>> task = Task(L=10, R=1, theta=4.0, pi=0.1)
    >>> result = best_steps(task, "logistic", 4.0)
    >>> round(result.cosine, 2), result.steps.first_step, result.steps.balanced
    (0.86, 'sequential', False)
    """
    given = get_loss(loss)
    start = _slopes(given, np.zeros(1))
    mean = float(task.pi * start[0][0] + (1.0 - task.pi) * start[1][0])
    if abs(mean) < 1e-9:
        biases, rates = np.zeros(1), np.ones(1)
    else:
        biases = -np.sign(mean) * BIASES
        rates = -biases / mean
    shares = _shares(task.pi, alpha0 * d)
    rows = {
        (first, balanced): np.mean(
            [_cosines(task, given, alpha0, rates, share, first, balanced) for share in shares],
            axis=0,
        )
        for first in ("sequential", "joint")
        for balanced in (True, False)
    }
    (first, balanced), row = max(rows.items(), key=lambda item: float(item[1].max()))
    at = int(row.argmax())
    cosine = _cosines(task, given, alpha0, rates[at : at + 1], task.pi, first, balanced)
    step = short_step(task, alpha0)
    return Aligned(float(cosine[0]), Steps(step, float(rates[at]), first, balanced))


def query_parts(task: Task, steps: Steps, loss: str | Loss, alpha0: float) -> QueryParts | None:
    """Return where in the spectrum of the noise steps put the query; None in white noise."""
    if task.noise is None:
        return None
    parts: QueryParts | None = align_one(task, steps.training(alpha0, 1.0, loss=loss))["parts"]
    return parts


def short_step(task: Task, alpha0: float) -> float:
    """Return an η_w that is short: slopes of order one move scores by little.

    A step of one moves the score of a sample by its own term, 1/(α0 L), by the signal's, π θ²R²/L²,
    and by noise of squared norm about ‖w‖²/L. Strong signals and few data make that large.

    Examples
    --------
    >>> short_step(Task(L=10, R=1, theta=4.0, pi=0.5), 4.0)
    0.05
    >>> short_step(Task(L=10, R=1, theta=1e6, pi=0.5), 4.0) < 1e-10
    True
    """
    lift, pi = task.theta * task.R / task.L, float(task.pi)
    own, moments = 1.0 / (alpha0 * task.L), moments_of(task)
    across = (pi * lift) ** 2 * moments.signal[1] + own * moments.mean[2]
    noise = np.sqrt(across / task.L)
    size = own * moments.mean[1] + pi * lift**2 + noise
    return max(float(SHORT_STEP / max(1.0, size)), SHORTEST)


def polished(task: Task, loss: str | Loss, alpha0: float, d: float = np.inf) -> Aligned:
    """Return the best steps by the exact formula, with a longer first step where that gains.

    Examples
    --------
    >>> task = Task(L=10, R=1, theta=4.0, pi=0.1)
    >>> polished(task, "logistic", 4.0).cosine > best_steps(task, "logistic", 4.0).cosine - 1e-3
    True
    """
    steps = best_steps(task, loss, alpha0, d).steps

    def cosine(point: FloatArray) -> float:
        eta_w, eta_b = np.exp(np.clip(point, *LOG_STEP_RANGE)).tolist()
        try:
            moved = steps._replace(eta_w=eta_w, eta_b=eta_b)
            return -float(align_one(task, moved.training(alpha0, 1.0, loss=loss))["cosine_q"])
        except NotConverged:
            return 1.0

    start = np.log([steps.eta_w, max(steps.eta_b, 0.02)])
    start_cosine = -cosine(start)
    ends = start + np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 0.3]])
    result = minimize(
        cosine, start, method="Nelder-Mead",
        options={"initial_simplex": ends, "xatol": 0.05, "fatol": COSINE_TOL, "maxfev": 40},
    )  # fmt: skip
    chosen = result.x if -result.fun > start_cosine + COSINE_TOL else start
    eta_w, eta_b = np.exp(np.clip(chosen, *LOG_STEP_RANGE)).tolist()
    return Aligned(max(start_cosine, -float(result.fun)), steps._replace(eta_w=eta_w, eta_b=eta_b))


def with_strength(task: Task, training: Training, kappa: float) -> Training:
    """Return the training with the step on the query, and β if need be, that give it strength κ.

    With a single token there is nothing to attend to: no step moves the query, and none is set.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = Task(L=10, R=1, theta=4.0, pi=0.5)
    >>> result = with_strength(task, Training(alpha0=2.0, alpha1=2.0), 1.5)
    >>> round(ns.align(task, result).kappa, 6)
    1.5
    """
    unit = float(align_one(task, training.replace(eta_q=1.0, beta=1.0))["kappa"])
    if unit == 0.0:
        return training
    step = kappa / unit
    beta = max(float(np.sqrt(step / LONGEST_QUERY_STEP)), 1.0)
    return training.replace(eta_q=step / beta**2, beta=beta)


def _shares(pi: float, samples: float) -> list[float]:
    """Return the shares of positives that chance may give, one deviation below and above."""
    if not np.isfinite(samples):
        return [pi]
    off = min(float(np.sqrt(pi * (1.0 - pi) / max(samples, 1.0))), 0.7 * min(pi, 1.0 - pi))
    return [pi - off, pi + off]


def _slopes(loss: Loss, bias: FloatArray) -> tuple[FloatArray, FloatArray]:
    return np.asarray(loss.derivative(bias, 1)), np.asarray(loss.derivative(bias, -1))


def _balanced(pi: float, kinked: bool) -> tuple[Moments, Moments]:
    """Return mean and square of the slopes of positives and negatives, where they balance.

    Where a loss has a kink, the scores of the larger class lie on both sides of it, and their
    slopes are a mixture of all or nothing.
    """
    plus, minus = min(1.0, (1.0 - pi) / pi), min(1.0, pi / (1.0 - pi))
    return (-plus, plus if kinked else plus**2), (minus, minus if kinked else minus**2)


def _cosines(
    task: Task, loss: Loss, alpha0: float, rates: FloatArray, pi: float, first: str, balanced: bool
) -> FloatArray:
    """Return the cosines after short steps of these η_b, if a share ``pi`` of D0 is positive."""
    L, lift = task.L, task.theta * task.R / task.L
    zero = _slopes(loss, np.zeros(1))
    bias = -rates * float(pi * zero[0][0] + (1.0 - pi) * zero[1][0])
    here = _slopes(loss, bias)
    g = here if first == "sequential" else tuple(np.broadcast_to(item, bias.shape) for item in zero)
    plus, minus = _balanced(pi, loss.kinked) if balanced else ((item, item**2) for item in here)
    signal = -pi * g[0] * lift
    mean, along_signal, gain = moments_of(task)
    power = (pi * g[0] ** 2 + (1.0 - pi) * g[1] ** 2) / (alpha0 * L)
    norm2 = signal**2 * along_signal[1] + power * mean[2]
    spare = task.theta**2 * task.R * (1.0 - task.R / L)
    A = pi * plus[0] * spare * signal
    B = (L - 1.0) * (pi * plus[0] + (1.0 - pi) * minus[0])
    across = (L - 1.0) * norm2
    N = (pi * plus[1] * (spare * signal**2 + across) + (1.0 - pi) * minus[1] * across) / alpha0
    square = A**2 * along_signal[1] + 2.0 * A * B * signal * along_signal[2] + N * mean[2]
    square += B**2 * (signal**2 * along_signal[3] + power * mean[4])
    along = -(A + B * signal * along_signal[1]) / gain
    return np.asarray(
        np.divide(along, np.sqrt(square), out=np.zeros(bias.shape), where=square > 1e-300)
    )
