"""What each instance adds to the score of its bag: parts that add up to it exactly.

Attention adds a_l ⟨w, x_l⟩ for each instance and query. Evidence is a mean of odds: an instance
with odds e^u adds in proportion to (e^u − 1)/L, so that one that says nothing adds nothing. What a
summary adds is shared by those that have a part in it (`summaries`). What belongs to no instance,
the bias, is spread evenly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....arrays import FloatArray, project
from ....models.gradient import State
from ....models.gradient import attention_heads as attended
from ....models.segments import Segments
from .evidence import LogMeanExp, look
from .summaries import Summarised


def parts(
    rows: Any, segments: Segments, model: State | LogMeanExp | Summarised
) -> tuple[FloatArray, FloatArray]:
    """Return what each instance adds, and the score of each bag."""
    if isinstance(model, Summarised):
        return model.each(rows, segments)
    even = segments.uniform(len(rows))
    if isinstance(model, LogMeanExp):
        a, result = look(rows, segments, model.q[0])
        each = _odds(project(rows, model.q[0]), segments.spread(result), a, even)
        each, result = model.sign * each, model.sign * result
    else:
        each, result = np.zeros(len(rows)), np.zeros(segments.count(len(rows)))
        for head in attended(rows, segments, model.q, model.w, 1.0):
            each += head.a * head.seen
            result += head.score
    return each + model.b * even, result + model.b


def _odds(seen: FloatArray, evidence: FloatArray, a: FloatArray, even: FloatArray) -> FloatArray:
    """Return (e^u − 1)/L · E/(e^E − 1) for instances that say u, in bags whose evidence is E."""
    size = np.abs(evidence)
    share = np.divide(size, -np.expm1(-size), out=np.ones_like(size), where=size > 1e-8)
    # E/(e^E − 1) is share e^{−E} or share, and e^u/L is a e^E: no exponential overflows
    high = share * (a - even * np.exp(-np.maximum(evidence, 0.0)))
    low = share * even * np.expm1(np.minimum(seen, 0.0))
    low = np.where(seen > 0.0, share * (a * np.exp(np.minimum(evidence, 0.0)) - even), low)
    return np.where(evidence > 0.0, high, low)
