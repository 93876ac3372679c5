"""A summary over trials: the mean of each number, mean_k y_k, and its standard error.

Over n trials that is s/√n, with s² = Σ_k (y_k − mean)²/(n − 1). A number of a single row, such as
theory's, has the standard error that it came with (``test_error_se``), or none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import FloatArray
from ..units.calls import SIMULATED
from ..units.plain_data import canonical
from .row import Row
from .settings import columns

if TYPE_CHECKING:
    import pandas as pd

TRIAL = ("seed", "trials")  # what differs between trials of one point


def mean_and_error(
    values: Sequence[float] | FloatArray, own: float = math.nan
) -> tuple[float, float]:
    """Return the mean of some values and its standard error; a single one keeps its ``own``.

    Examples
    --------
    >>> mean_and_error([1.0, 2.0, 3.0]), mean_and_error([2.0], 0.5)
    ((2.0, 0.5773502691896258), (2.0, 0.5))
    """
    if not len(values):
        return math.nan, math.nan
    if len(values) == 1:
        return float(values[0]), float(own)
    known = np.asarray(values, float)
    with np.errstate(invalid="ignore"):  # endless ones have no standard error
        return float(known.mean()), float(known.std(ddof=1) / math.sqrt(len(known)))


def summary(rows: Iterable[Row]) -> pd.DataFrame:
    """Return a row for each point: its arguments, and the mean over trials of each number.

    Beside a number ``y`` stands its standard error ``y_se``; ``trials`` counts the trials that
    ended well (0 for theory), ``failed`` the units that did not, ``seconds`` is their time in all.
    """
    import pandas as pd

    points: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        point = {name: setting for name, setting in row.settings.items() if name != "seed"}
        points.setdefault((row.unit.call, canonical(point)), []).append(row)
    return pd.DataFrame([_line(part) for part in points.values()])


def _line(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the line of one point's rows."""
    first = rows[0]
    ended = [row.numbers for row in rows if row.numbers is not None]
    point = {name: setting for name, setting in first.settings.items() if name not in TRIAL}
    each = first.settings.get("trials", 1) if first.unit.call in SIMULATED else 0
    return {
        "call": first.unit.call,
        **columns(point),
        **_means(ended),
        "trials": len(ended) * (each if isinstance(each, int) else 1),
        "failed": sum(row.error is not None for row in rows),
        "seconds": sum(row.seconds for row in rows),
    }


def _means(ended: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Pool the numbers of trials by name; a word is listed, each once."""
    result: dict[str, Any] = {}
    for name in dict.fromkeys(name for numbers in ended for name in numbers):
        if name.endswith("_se") and any(name[:-3] in numbers for numbers in ended):
            continue  # it goes with its number
        values = [numbers[name] for numbers in ended if name in numbers]
        if any(isinstance(value, str) for value in values):
            result[name] = ", ".join(sorted(set(map(str, values))))
            continue
        own = ended[0].get(f"{name}_se", math.nan)
        mean, error = mean_and_error(values, own if isinstance(own, float | int) else math.nan)
        result[name] = mean
        if not math.isnan(error):
            result[f"{name}_se"] = error
    return result
