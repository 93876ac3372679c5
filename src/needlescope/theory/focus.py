"""Mean attention weights of signal tokens and of noise tokens, in the limit.

In a positive sample a = softmax(κ(g + θ s v)) with g ~ N(0, I_L): a signal token has weight
E[v·a]/R on average, a noise token (1 − E[v·a])/(L − R). The largest weight lies on a signal token
when the largest of R tokens, raised by t = θs, exceeds the largest of L − R others:

    ∫ Φ(x + t)^{L−R} R φ(x) Φ(x)^{R−1} dx

whatever κ is. Hard attention gives that token all its weight. Linear attention orders tokens as
softmax does; its weights a = (1 + κ P(g + t v))/L, with P = I − 11ᵀ/L, add up to
R/L + (κ/L) t R(1 − R/L) on the signal tokens on average, which may be negative or above one. By
symmetry a negative sample's tokens all have weight 1/L. Where tokens are correlated, softmax and
the largest weight are averaged over samples. Where R is random, means are over all
signal tokens, and over all noise tokens, of positives: E[v·a]/E[R] and (1 − E[v·a])/(L − E[R]).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import log_ndtr

from ..answer import Question
from ..arrays import FloatArray
from ..grid import check_kind, choice, common_shape
from ..lattice import REPLICATES
from ..models import HARD, WITH_QUERY, Model, get_model
from ..models.checks import check_schedule
from ..query import Query
from ..results import Focus, gather
from ..task import Task
from ..training import Training
from .common.arguments import check_tol, tol_not_met
from .common.grid_points import GridPoints
from .common.provenance import FOCUS
from .law.attention import draw
from .law.correlated import Attended, correlated_draw
from .law.ladder import ERRORS_WITHIN_TOL, LADDER, Level, ladder
from .law.limits import sharpness
from .learned_query import LAW_SHARE, check_finite_kappa, check_query_training, learn_query

# The integrand over x is smooth and falls like a Gaussian: the trapezoid rule is exact to rounding.
GRID = np.linspace(-12.0, 12.0, 961)
FINER_POINTS = 16  # factor of samples of correlated tokens: which is largest is no smooth function


def focus(
    task: Task,
    training: Training,
    model: str = "attention",
    *,
    query: Query | None = None,
    tol: float = 1e-4,
    on_error: str = "raise",
) -> Focus:
    """Predict how a trained query spreads its attention over a positive sample.

    A formula of our own: an integral over the exact law of the attention weights, as in `predict`.

    Parameters
    ----------
    task, training : Task, Training
        The problem; any numeric field may be an array, and the results broadcast.
    model : "attention", "hard" or "linear", default "attention"
    query : Query, optional
        A query given directly instead of the one that `align` predicts.
    tol : float, default 1e-4
        Largest uncertainty of the total weight of the signal tokens, in (0, 1].
    on_error : "raise" or "nan", default "raise"
        Raise the error of a point that cannot be solved, or leave it NaN and warn.

    Returns
    -------
    Focus
        Plain floats, or arrays in the shape of the grid.

    Raises
    ------
    ValueError, NotConverged
        If an argument is invalid or grids do not broadcast; if the tolerance is not met.

    Examples
    --------
    >>> import needlescope as ns
    >>> task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    >>> result = ns.focus(task, ns.Training(alpha0=4.0, alpha1=1.0))
    >>> round(result.signal, 3), round(result.noise, 3), round(result.largest, 4)
    (0.699, 0.033, 0.9978)
    """
    check_kind("task", task, Task)
    check_kind("training", training, Training)
    task.need_one_noise("focus")
    kind = get_model(choice("model", model, WITH_QUERY))
    tol = check_tol(tol)
    check_query_training(kind, task, training, query)
    check_schedule(kind, training, query)
    parts = (task, training) if query is None else (task, training, query)
    shape = common_shape(*parts)
    points = GridPoints(on_error, shape, *parts)

    def solve(task: Task, training: Training, query: Query | None = None) -> dict[str, Any]:
        if query is None:
            return _focus_learned(kind, task, training, tol)
        return _focus_one(kind, task.whitened, query, tol)

    jobs = zip(*(part.scalars(shape) for part in parts), strict=True)
    rows = points.solve({"model": model, "provenance": FOCUS}, jobs, solve)
    options = {"query": query, "tol": tol, "on_error": on_error}
    return gather(Focus, rows, shape, Question("focus", task, training, options))


def _focus_learned(model: Model, task: Task, training: Training, tol: float) -> dict[str, Any]:
    """Train the query to the tolerance of the signal weight; its uncertainty adds to the errors."""

    def numbers(query: Query) -> FloatArray:
        each = _masses(model, task, query, LADDER[0])
        return np.array([_mean(task, each)[0], *each.mean(axis=1), _largest_of(task, query)])

    learned, left = learn_query(task, training, tol, numbers, "the weight of signal tokens")
    query, exact, task = learned.query, learned.exact, task.whitened
    check_finite_kappa(model, query)
    row = _focus_one(model, task, query, tol * (1.0 if exact else LAW_SHARE))
    R = task.mean_count
    for name, count in (("signal_se", R), ("noise_se", task.L - R)):
        row[name] = float(np.hypot(row[name], left[0] / count)) if count else np.nan
    if not exact and task.signals is not None:
        row["signals_se"] = tuple(np.hypot(row["signals_se"], left[1:-1] / R).tolist())
    return row | {"largest_se": float(left[-1])}


def _tilts(task: Task, query: Query) -> list[float]:
    """Return θ times the cosine with each signal."""
    return [task.theta * item for item in np.ravel(query.cosines or query.cosine).tolist()]


def _masses(model: Model, task: Task, query: Query, level: Level) -> FloatArray:
    """Return the mean weight on all signal tokens: a row for each signal, a column a replicate.

    An exact mean has one column.
    """
    parts = [
        chance * _masses_of(model, task, R, query, level) for R, chance in task.counts if R > 0
    ]
    return np.asarray(sum(parts[1:], parts[0]))


def _masses_of(model: Model, task: Task, R: int, query: Query, level: Level) -> FloatArray:
    """Return these weights in positives with R signal tokens."""
    L, kappa, tilts = task.L, sharpness(model, query), _tilts(task, query)
    if kappa == 0.0 or R == L:
        return np.full((len(tilts), 1), R / L)
    if not model.bounded:
        return np.array([[R / L + kappa / L * tilt * R * (1.0 - R / L)] for tilt in tilts])
    if task.token_correlation:
        return np.array([_correlated(model, task, R, kappa, tilt, level) for tilt in tilts])
    if np.isinf(kappa):
        return np.array([[_largest(L, R, tilt)] for tilt in tilts])
    samples = (draw(L, R, kappa, tilt, level.points) for tilt in tilts)
    return np.array([positive.mass.mean(axis=1) for positive, _ in samples])


def _correlated(
    model: Model, task: Task, R: int, kappa: float, tilt: float, level: Level
) -> FloatArray:
    """Return the mean weight on the signal tokens of correlated ones, for each replicate."""
    rho, places = task.token_correlation, task.positions
    seen = Attended(model, task.L, R, kappa, tilt, rho, places)
    positive, _ = correlated_draw(seen, FINER_POINTS * level.points)
    return np.asarray(positive.mass.mean(axis=1))


def _mean(task: Task, each: FloatArray) -> tuple[float, float]:
    """Return the mean over the signals, and its standard error."""
    means = each[0] if task.signals is None else np.array(task.signals) @ each
    return float(means.mean()), float(_error(means))


def _error(means: FloatArray) -> FloatArray:
    """Return the standard error of the mean over replicates, the last axis."""
    exact = means.shape[-1] == 1
    return np.asarray(
        0.0 * means[..., 0] if exact else means.std(axis=-1, ddof=1) / np.sqrt(REPLICATES)
    )


def _focus_one(model: Model, task: Task, query: Query, tol: float) -> dict[str, Any]:
    R, others = task.mean_count, task.L - task.mean_count
    for level in ladder(min(1.0, 100.0 * tol), fine=True):  # smoother than a test error
        each = _masses(model, task, query, level)
        share, error = _mean(task, each)
        if ERRORS_WITHIN_TOL * error <= tol:
            break
    else:
        what = "uncertainty of the weight of signal tokens"
        raise tol_not_met(what, ERRORS_WITHIN_TOL * error, tol)
    several: dict[str, Any] = {}
    if task.signals is not None:
        for name, values in (("signals", each.mean(axis=1)), ("signals_se", _error(each))):
            several[name] = tuple((values / R).tolist())
    return several | {
        "signal": share / R,
        "signal_se": error / R,
        "noise": (1.0 - share) / others if others else np.nan,
        "noise_se": error / others if others else np.nan,
        **_largest_with_error(task, query, level),
        "kappa": query.kappa,
        "cosine_q": query.toward(task.mean_signal),
    }


def _largest_with_error(task: Task, query: Query, level: Level) -> dict[str, float]:
    """Return that probability; of correlated tokens it is a mean over samples, with an error."""
    if not task.token_correlation or query.kappa == 0.0:
        return {"largest": _largest_of(task, query)}
    hard = _masses(HARD, task, query, level)
    return dict(zip(("largest", "largest_se"), _mean(task, hard), strict=True))


def _largest_of(task: Task, query: Query) -> float:
    """Return the probability that a signal token has the largest weight, R/L at κ = 0."""
    if query.kappa == 0.0:
        return float(task.mean_count / task.L)
    each = np.array(
        [
            sum(chance * _largest(task.L, R, tilt) for R, chance in task.counts if R > 0)
            for tilt in _tilts(task, query)
        ]
    )
    return float(each[0] if task.signals is None else np.array(task.signals) @ each)


def _largest(L: int, R: int, tilt: float) -> float:
    """Return the probability that the largest of R raised normals exceeds L − R others.

    >>> round(_largest(10, 3, 0.0), 12)
    0.3
    """
    x = GRID + (np.sqrt(2.0 * np.log(R)) if R > 1 else 0.0)  # about the largest of R
    density = np.log(R) - 0.5 * x**2 - 0.5 * np.log(2.0 * np.pi) + (R - 1) * log_ndtr(x)
    chance = np.exp(density + (L - R) * log_ndtr(x + tilt)).sum() * (x[1] - x[0])
    return min(float(chance), 1.0)
