"""The points of a grid: a point that cannot be solved is raised by name, or left NaN and counted.

By default the first point without an answer ends the call. With ``on_error="nan"`` the other points
are kept, and a warning counts the failures.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...errors import NoMinimiser, NotConverged
from ...grid import Gridded, choice

ON_ERROR = ("raise", "nan")
Row = dict[str, Any]


class GridPoints:
    """The points of a grid by index, and the error messages of those that could not be solved.

    >>> import needlescope as ns
    >>> points = GridPoints("raise", (2,), ns.Task(L=10, R=1, theta=[4.0, 5.0], pi=0.5))
    >>> points.name(1)
    'theta=5'
    """

    def __init__(
        self, on_error: str, shape: tuple[int, ...], *parts: Gridded | None, **more: Any
    ) -> None:
        self.on_error, self.shape = choice("on_error", on_error, ON_ERROR), shape
        given = [part for part in parts if part is not None]
        named = {name: getattr(part, name) for part in given for name in part._gridded}
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
        """Solve a point in this context: an error is raised with the point's name, or recorded."""
        try:
            yield
        except (NoMinimiser, NotConverged) as problem:
            where = self.name(index)
            sentence = f"at {where}: {problem}" if where else str(problem)
            if self.on_error == "raise":
                raise type(problem)(sentence) from None
            self.lost[index] = sentence

    def solve(
        self, blank: Row, jobs: Iterable[tuple[Any, ...]], solve: Callable[..., Row], *more: Any
    ) -> list[Row]:
        """Return ``blank | solve(*job, *more)`` of each point, ``blank`` where it fails; warn."""
        rows: list[Row] = []
        for index, job in enumerate(jobs):
            rows.append(blank)
            with self.at(index):
                rows[index] = blank | solve(*job, *more)
        self.warn(stacklevel=4)
        return rows

    def warn(self, stacklevel: int = 3) -> None:
        """Warn of the number of failures, if there are any."""
        if self.lost:
            count, first = int(np.prod(self.shape, dtype=np.int64)), min(self.lost)
            warnings.warn(
                f"{len(self.lost)} of {count} points could not be solved and are NaN; "
                f"the first of them: {self.lost[first]}",
                RuntimeWarning,
                stacklevel=stacklevel,
            )
