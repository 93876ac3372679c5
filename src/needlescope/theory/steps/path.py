"""The whole schedule, step by step, on every replicate of the lattice: overlaps, and errors."""

from __future__ import annotations

import numpy as np

from ...arrays import Value
from ...errors import NotConverged
from ...lattice import REPLICATES
from ...losses import get_loss
from ...task import Task
from ...training import Training
from .step import START, Overlaps, Sizes, step

POINTS = (2**10, 2**12, 2**14)
SURE = 5e-5  # doubt that needs no finer lattice
UNSURE = 1e-2  # doubt beyond which a path is left to chance, and not returned


def followed(task: Task, training: Training, points: int, index: int) -> Overlaps:
    """Follow the schedule on one replicate of a lattice of so many points."""
    schedule, loss = training.schedule, get_loss(training.loss)
    assert schedule is not None
    sizes = (schedule.sizes(name, getattr(training, name)) for name in ("eta_w", "eta_b", "eta_q"))
    at = START
    for share, *by in zip(schedule.shares, *sizes, strict=True):
        alpha = share * training.alpha0
        at = step(at, task, loss, training.beta, alpha, Sizes(*by), points, index)
    return at


def after_schedule(task: Task, training: Training, sure: float = SURE) -> dict[str, float]:
    """Return signal, norm and cosine of readout and query after the last step, with errors.

    The lattice is refined until the doubt is at most ``sure``, or to its finest.
    """
    assert training.schedule is not None
    for points in POINTS:
        with np.errstate(over="ignore", invalid="ignore"):
            rows = [
                _numbers(followed(task, training, points, index), training.beta)
                for index in range(REPLICATES)
            ]
        values = np.array([list(row.values()) for row in rows])
        means, errors = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(REPLICATES)
        found = dict(zip(rows[0], means.tolist(), strict=True))
        found |= {f"{name}_se": one for name, one in zip(rows[0], errors.tolist(), strict=True)}
        left = doubt(found["cosine_q_se"], found["kappa"], found["kappa_se"])
        if left <= sure:
            break
    if not left <= UNSURE:
        raise NotConverged(
            f"the query after {training.schedule.steps} steps is known to {left:.1g} only: "
            "steps this long leave the path to chance; take shorter ones"
        )
    return found


def doubt(cosine_se: Value, kappa: Value, kappa_se: Value) -> float:
    """Return the largest standard error: of a query's cosine, and of its κ, relative to it.

    Examples
    --------
    >>> doubt(1e-4, 2.0, 4e-4), doubt(0.0, 0.0, 0.0)
    (0.0002, 0.0)
    """
    relative = np.asarray(kappa_se) / np.where(np.asarray(kappa) == 0.0, 1.0, kappa)
    return float(np.maximum(cosine_se, relative).max())


def _numbers(at: Overlaps, beta: float) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, signal, norm in (("w", at.m_w, at.norm_w), ("q", at.m_q, at.norm_q)):
        cosine = float(np.clip(signal / norm, -1.0, 1.0)) if norm > 0.0 else 0.0
        found |= {f"signal_{name}": signal, f"norm_{name}": norm, f"cosine_{name}": cosine}
    return found | {"kappa": beta * at.norm_q}
