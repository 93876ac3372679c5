"""What becomes of a point that cannot be solved: it is raised by name, or left as NaN and counted.

A grid may hold points that have no answer, or none to the tolerance asked. By default the first of
them ends the call. With ``on_error="nan"`` the others are kept, and a warning counts what is lost.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...errors import NoMinimiser, NotConverged
from ...grid import Gridded, choice

ON_ERROR = ("raise", "nan")
Row = dict[str, Any]


class GridPoints:
    """The points of a grid by number, and those of them that could not be solved.

    Examples
    --------
    >>> import needlescope as ns
    >>> points = GridPoints("raise", (2,), ns.Task(L=10, R=1, theta=[4.0, 5.0], pi=0.5))
    >>> points.name(1)
    'theta=5'
    """

    def __init__(
        self, on_error: str, shape: tuple[int, ...], *parts: Gridded | None, **more: Any
    ) -> None:
        self.on_error, self.shape = choice("on_error", on_error, ON_ERROR), shape
        named = {
            name: getattr(part, name)
            for part in parts
            if part is not None
            for name in part._gridded
        }
        self.axes = {name: value for name, value in (named | more).items() if np.ndim(value)}
        self.lost: dict[int, str] = {}

    def name(self, index: int) -> str:
        """Name a point by the fields that vary over the grid."""
        return ", ".join(
            f"{name}={np.broadcast_to(value, self.shape).ravel()[index]:g}"
            for name, value in self.axes.items()
        )

    @contextmanager
    def at(self, index: int) -> Iterator[None]:
        """Solve a point within this: what goes wrong is named, and raised or remembered."""
        try:
            yield
        except (NoMinimiser, NotConverged) as problem:
            where = self.name(index)
            sentence = f"at {where}: {problem}" if where else str(problem)
            if self.on_error == "raise":
                raise type(problem)(sentence) from None
            self.lost[index] = sentence

    def warn(self) -> None:
        """Count what was lost, if anything was."""
        if self.lost:
            count, first = int(np.prod(self.shape, dtype=np.int64)), min(self.lost)
            warnings.warn(
                f"{len(self.lost)} of {count} points could not be solved and are NaN; "
                f"the first of them: {self.lost[first]}",
                RuntimeWarning,
                stacklevel=3,
            )
