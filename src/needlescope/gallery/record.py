"""A published figure: the work behind it, its comparison of simulation with theory, its drawing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..experiments.units.unit import Unit
from ..figures.drawing import Drawing


@dataclass(frozen=True)
class PublishedFigure:
    """What a figure's file declares, as ``FIGURE`` at its end.

    Attributes
    ----------
    order
        Its place on the page; figures of later files have larger numbers.
    title, caption
        What it shows, in a line and in a few sentences.
    units
        The work: quick sizes, or with True the full ones.
    compare
        From the table of the finished units, a row for each comparison of simulation with
        theory: the columns `experiments.comparison.COMPARED`. Empty where nothing is simulated.
    drawing
        What is drawn of the table, as data.
    draw
        The public function, of the same name as the file: `needlescope.figures` finds it.
    """

    order: int
    title: str
    caption: str
    units: Callable[[bool], list[Unit]]
    compare: Callable[[pd.DataFrame], pd.DataFrame]
    drawing: Callable[..., Drawing]
    draw: Callable[..., Any]

    @property
    def name(self) -> str:
        """As in ``needlescope figure NAME``."""
        return self.draw.__name__
