"""Signal, norm and cosines of a readout or a query, as fields of a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...task import Task


def cosine_fields(
    task: Task, name: str, signals: Sequence[float], norm: float, scale: float = 1.0
) -> dict[str, Any]:
    """Return the component of ``scale`` times a vector along the signal, its norm, and its cosine.

    ``signals`` are its inner products with each signal. With several signals the component and the
    cosine refer to the direction of the positives' mean, and the cosines with each are added.

    Examples
    --------
    >>> two = Task(L=10, R=1, theta=5.0, pi=0.5, signals=(0.5, 0.5))
    >>> found = cosine_fields(two, "q", (3.0, 0.0), 5.0, scale=2.0)
    >>> found["norm_q"], found["cosines_q"], round(found["cosine_q"], 3)  # 0.6/√2
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
