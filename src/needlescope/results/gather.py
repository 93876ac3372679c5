"""From the numbers of single problems to an answer."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, TypeVar

import numpy as np

from ..answer import Answer, Question

Kind = TypeVar("Kind", bound=Answer)  # of result


def gather(
    kind: type[Kind],
    rows: list[dict[str, Any]],
    shape: tuple[int, ...],
    question: Question | None = None,
) -> Kind:
    """Build ``kind`` from one dict a grid point: floats for a single problem, arrays for a grid.

    What a row lacks, because its point could not be solved, is NaN, or "not converged" for a word.
    """
    known_names = {field.name for field in fields(kind)}
    strange = {name for row in rows for name in row} - known_names
    if strange:
        raise TypeError(f"{kind.__name__} has no field {', '.join(sorted(strange))}")
    columns: dict[str, Any] = {}
    for field in fields(kind):
        name, values = field.name, [row.get(field.name) for row in rows]
        known = [value for value in values if value is not None]
        if not known and field.default is not MISSING:
            continue
        if name in ("model", "provenance"):
            columns[name] = known[0]
        elif isinstance(known[0] if known else None, tuple):  # a number for each signal
            none = (np.nan,) * len(known[0])
            table = np.array([none if value is None else value for value in values])
            columns[name] = tuple(
                item.reshape(shape) if shape else float(item[0]) for item in table.T
            )
        else:
            own = np.shape(known[0]) if known else ()  # a path has an axis of its own
            lost = "not converged" if known and isinstance(known[0], str) else np.full(own, np.nan)
            column = np.array([lost if value is None else value for value in values])
            column = column if column.dtype.kind == "U" else column.astype(float)
            single = not shape and not own
            columns[name] = column.item() if single else column.reshape(*shape, *own)
    return kind(**columns, question=question)
