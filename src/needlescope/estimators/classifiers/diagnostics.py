"""Diagnostics of trained queries: strength, alignment, importance, and how many share attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import FloatArray, project
from ...models.blocks import Data
from ..candidates.shared.readout import importance


def describe(data: Data, model: Any, weight: FloatArray) -> dict[str, FloatArray]:
    """Return strength, cosine with the readout, importance, and 1/Σa², as weighted means over bags.

    The importance of a query is the standard deviation over bags of its part in the score, as a
    share of the sum over queries.
    """
    count, total = len(model.q), weight.sum()
    within, shared, parts = np.zeros(count), np.zeros((2, count)), np.zeros((count, len(data.y)))
    for block in data.blocks():
        rows, segments = block.table, block.segments
        even, share = segments.uniform(len(rows)), weight[block.rows]
        for k, a in enumerate(model.attention(rows, segments)):
            seen = project(rows, model.q[k])
            mean = segments.dot(even, seen)
            within[k] += float(share @ (segments.dot(even, seen * seen) - mean * mean))
            parts[k, block.rows] = segments.dot(a, project(rows, model.w[k]))
            number = 1.0 / segments.dot(a, a)
            for side, sign in enumerate((-1.0, 1.0)):
                shared[side, k] += float((share * number)[block.y == sign].sum())
    negative, positive = float(weight[data.y < 0.0].sum()), float(weight[data.y > 0.0].sum())
    size = np.linalg.norm(model.q, axis=1) * np.linalg.norm(model.w, axis=1)
    inner = np.einsum("kd,kd->k", model.q, model.w)
    return {
        "kappa": np.sqrt(np.maximum(within / total, 0.0)),
        "cosine": np.divide(inner, size, out=np.zeros(count), where=size > 0.0),
        "importance": importance(parts, weight),
        "attended_positive": shared[1] / positive,
        "attended_negative": shared[0] / negative,
    }
