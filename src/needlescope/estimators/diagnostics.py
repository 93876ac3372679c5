"""Diagnostics of trained queries: strength, alignment and effective number of instances."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, project
from ..models.attention import attend
from ..models.blocks import Data
from ..models.gradient import State


def describe(data: Data, state: State, weight: FloatArray) -> dict[str, FloatArray]:
    """Return strength, cosine with the readout, and 1/Σa², as weighted means over bags."""
    count = len(state.q)
    within, shared = np.zeros(count), np.zeros((2, count))
    for block in data.blocks():
        rows, segments = block.table, block.segments
        even, share = segments.uniform(len(rows)), weight[block.rows]
        for k, q in enumerate(state.q):
            seen = project(rows, q)
            mean = segments.dot(even, seen)
            within[k] += float(share @ (segments.dot(even, seen * seen) - mean * mean))
            a = attend(rows, segments, q, 1.0)
            number = 1.0 / segments.dot(a, a)
            for side, sign in enumerate((-1.0, 1.0)):
                shared[side, k] += float((share * number)[block.y == sign].sum())
    negative, positive = float(weight[data.y < 0.0].sum()), float(weight[data.y > 0.0].sum())
    size = np.linalg.norm(state.q, axis=1) * np.linalg.norm(state.w, axis=1)
    inner = np.einsum("kd,kd->k", state.q, state.w)
    return {
        "kappa": np.sqrt(np.maximum(within / weight.sum(), 0.0)),
        "cosine": np.divide(inner, size, out=np.zeros(count), where=size > 0.0),
        "attended_positive": shared[1] / positive,
        "attended_negative": shared[0] / negative,
    }
