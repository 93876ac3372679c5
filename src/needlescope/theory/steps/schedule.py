"""Overlaps after a schedule of steps, with standard errors over replicates of the lattice."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...arrays import Value
from ...errors import NotConverged
from ...lattice import REPLICATES
from ...losses import get_loss
from ...running.progress import Report, reporting
from ...task import Task
from ...training import Training
from .step import Overlaps, Sizes, start, step

LATTICE_POINTS = (2**8, 2**10, 2**12, 2**14)
MAX_STEPS = 1_000  # minutes; 10,000 would take hours
PROGRESS_STEPS = 50  # from this number on a terminal shows progress
TARGET_UNCERTAINTY = 5e-4  # that needs no finer lattice
MAX_UNCERTAINTY = 1e-2  # beyond it a path is not returned
# A lattice four times as fine reduces errors by about four. Replicates share a bias, the sum of the
# errors of single steps: a third of its last change is taken as its remaining size.
REFINEMENT_GAIN, BIAS_LEFT = 4.0, 1.0 / 3.0


def follow(
    task: Task, training: Training, points: int, index: int, report: Report = lambda *_: None
) -> Overlaps:
    """Follow the schedule on one replicate of a lattice of ``points`` points.

    Every step has its own random shift, so that the errors of many steps average out. ``report`` is
    called with the number of steps done, those of earlier replicates included.
    """
    schedule, loss = training.schedule, get_loss(training.loss)
    assert schedule is not None
    sizes = (schedule.sizes(name, getattr(training, name)) for name in ("eta_w", "eta_b", "eta_q"))
    at = start(task.kinds)
    for number, (share, *by) in enumerate(zip(schedule.shares, *sizes, strict=True)):
        alpha, shift = share * training.alpha0, index + REPLICATES * number
        at = step(at, task, loss, training.beta, alpha, Sizes(*by), points, shift)
        report(index * schedule.steps + number + 1, 0)
    return at


def after_schedule(
    task: Task, training: Training, target: float = TARGET_UNCERTAINTY
) -> dict[str, Any]:
    """Return signal, norm and cosine of readout and query after the last step, with errors.

    The lattice is refined until the uncertainty is at most ``target``, or to the finest level, and
    not at all where even that level would exceed MAX_UNCERTAINTY. ``finest`` is the uncertainty
    foreseen at the finest level.
    """
    assert training.schedule is not None
    if training.schedule.steps > MAX_STEPS:
        raise ValueError(
            f"the theory follows a schedule of at most {MAX_STEPS} steps, got "
            f"{training.schedule.steps}; take fewer and longer ones, or simulate"
        )
    result: dict[str, Any] = {}
    for level, points in enumerate(LATTICE_POINTS, 1):
        result = _add_bias(at_level(task, training, points), result)
        each = result.get("cosines_q_se", result["cosine_q_se"])
        left = uncertainty(np.array(each), result["kappa"], result["kappa_se"])
        finest = left / REFINEMENT_GAIN ** (len(LATTICE_POINTS) - level)
        if left <= target and (level > 1 or left == 0.0):
            break
        if not finest <= MAX_UNCERTAINTY:
            raise NotConverged(
                f"the uncertainty of the query after {training.schedule.steps} steps is {left:.1g} "
                f"with {points} lattice points: the path is unstable with steps this long; take "
                "shorter ones (eta_w, eta_q), or fewer"
            )
    return result | {"finest": finest}


@lru_cache(maxsize=256)
def at_level(task: Task, training: Training, points: int) -> dict[str, Any]:
    """Return the fields at one level of the lattice, with standard errors over its replicates."""
    assert training.schedule is not None
    steps = training.schedule.steps
    shown = None if steps >= PROGRESS_STEPS else False  # on a terminal
    title = f"schedule of {steps} steps, {points} points"
    with (
        np.errstate(over="ignore", invalid="ignore"),
        reporting(shown, REPLICATES * steps, title) as report,
    ):
        paths = [follow(task, training, points, index, report) for index in range(REPLICATES)]
        return _summary([_numbers(task, path, training.beta) for path in paths])


def _add_bias(result: dict[str, Any], coarser: dict[str, Any]) -> dict[str, Any]:
    """Add the remaining bias, estimated from a coarser lattice, to the errors."""
    if not coarser:
        return result
    errors: dict[str, Any] = {}
    for name in (item for item in result if f"{item}_se" in result):
        bias = BIAS_LEFT * np.abs(np.subtract(result[name], coarser[name]))
        both = np.hypot(result[f"{name}_se"], bias)
        errors[f"{name}_se"] = tuple(both.tolist()) if both.ndim else float(both)
    return result | errors


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the mean over replicates of each field, and its standard error."""
    result: dict[str, Any] = {}
    for name in rows[0]:
        values = np.array([row[name] for row in rows])
        error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
        for key, item in ((name, values.mean(axis=0)), (f"{name}_se", error)):
            result[key] = tuple(item.tolist()) if item.ndim else float(item)
    return result


def uncertainty(cosine_se: Value, kappa: Value, kappa_se: Value) -> float:
    """Return the largest standard error of a query: of its cosines, and of κ as a relative one.

    >>> uncertainty(1e-4, 2.0, 4e-4), uncertainty(0.0, 0.0, 0.0)
    (0.0002, 0.0)
    """
    relative = np.asarray(kappa_se) / np.where(np.asarray(kappa) == 0.0, 1.0, kappa)
    return float(np.maximum(cosine_se, relative).max())


def _numbers(task: Task, at: Overlaps, beta: float) -> dict[str, Any]:
    readout = cosine_fields(task, "w", at.m_w.tolist(), at.norm_w)
    query = cosine_fields(task, "q", at.m_q.tolist(), at.norm_q)
    return readout | query | {"kappa": beta * at.norm_q}


def cosine_fields(
    task: Task, name: str, signals: Sequence[float], norm: float, scale: float = 1.0
) -> dict[str, Any]:
    """Return the component of ``scale`` times a vector along the signal, its norm, and its cosine.

    ``signals`` are its inner products with each signal. With several signals the component and the
    cosine refer to the direction of the positives' mean, and the cosines with each are added.

    >>> two = Task(L=10, R=1, theta=5.0, pi=0.5, signals=(0.5, 0.5))
    >>> result = cosine_fields(two, "q", (3.0, 0.0), 5.0, scale=2.0)
    >>> result["norm_q"], result["cosines_q"], round(result["cosine_q"], 3)  # 0.6/√2
    (10.0, (0.6, 0.0), 0.424)
    """
    cosines = tuple(float(np.clip(m / norm, -1.0, 1.0)) if norm > 0.0 else 0.0 for m in signals)
    mean = task.mean_signal
    result: dict[str, Any] = {
        f"signal_{name}": scale * float(mean @ signals),
        f"norm_{name}": scale * norm,
        f"cosine_{name}": float(np.clip(mean @ cosines, -1.0, 1.0)),
    }
    return result if task.signals is None else result | {f"cosines_{name}": cosines}
