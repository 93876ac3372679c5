"""Results from trials: numbers by name, their means and standard errors."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..answer import Question
from ..arrays import FloatArray
from ..results import Kind, gather


def by_name(
    rows: Sequence[Mapping[str, Any]], shape: tuple[int, ...], trials: int
) -> dict[str, FloatArray]:
    """Return each number of all trials by name: the grid, then the trials, then its own axes."""
    return {
        name: np.array([row[name] for row in rows]).reshape(*shape, trials, *np.shape(first))
        for name, first in rows[0].items()
    }


def means(values: Mapping[str, FloatArray], names: Sequence[str]) -> dict[str, Any]:
    """Return mean and standard error over trials, NaN for the error of a single one.

    Examples
    --------
    >>> result = means({"error": np.array([0.1, 0.3])}, ["error"])
    >>> {name: round(float(value), 6) for name, value in result.items()}
    {'error': 0.2, 'error_se': 0.1}
    """
    result: dict[str, Any] = {}
    for name in names:
        column = values[name]
        count = column.shape[-1]
        with np.errstate(invalid="ignore"):  # an infinite κ has no spread
            spread = column.std(axis=-1, ddof=1) if count > 1 else np.nan * column[..., 0]
        result[name], result[f"{name}_se"] = column.mean(axis=-1), spread / np.sqrt(count)
    return result


def build(
    kind: type[Kind],
    columns: Mapping[str, Any],
    shape: tuple[int, ...],
    question: Question,
    trials: Mapping[str, FloatArray],
) -> Kind:
    """Build a result: floats for a single problem, arrays for a grid, and the trials themselves."""
    columns = {**columns, "provenance": "simulation"}
    rows = [
        {name: v if isinstance(v, str) else np.ravel(v)[k] for name, v in columns.items()}
        for k in range(int(np.prod(shape, dtype=np.int64)))
    ]
    more: dict[str, Any] = {"trials": trials}
    return dataclasses.replace(gather(kind, rows, shape, question), **more)
