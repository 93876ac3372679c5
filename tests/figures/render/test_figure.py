"""Matplotlib draws the series and nothing else."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from needlescope import figures
from needlescope.figures.catalogue import SERIES
from needlescope.figures.marks import Dots, Line, Rule, Words
from needlescope.figures.render.figure import picture
from tests.figures.tables import GIVEN, complete, drawing_of

COVERS = ("marks", "panel")


@pytest.mark.parametrize("name", SERIES)
def test_matplotlib_draws_the_series_and_nothing_else(name):
    drawing = drawing_of(name)
    figure = getattr(figures, name)(*GIVEN[name])
    for panel, ax in zip(drawing.panels, figure.axes, strict=False):
        lines = [tuple(np.asarray(line.get_ydata(), float)) for line in ax.lines]
        drawn = [mark for mark in panel.marks if isinstance(mark, Line | Dots)]
        assert all(tuple(mark.y) in lines for mark in drawn)
        assert len(lines) == len([m for m in panel.marks if isinstance(m, Line | Dots | Rule)])
        assert len(ax.containers) == len([m for m in drawn if isinstance(m, Dots) and m.se])
        words = {text.get_text() for text in ax.texts}
        assert {mark.text for mark in panel.marks if isinstance(mark, Words)} <= words
        assert ax.get_xlabel() == panel.x.name and ax.get_title(loc="left") == panel.title


def test_a_picture_is_unknown_to_pyplot_and_the_same():
    drawing = drawing_of("errors")
    pixels = []
    for make in (lambda: picture(drawing), lambda: figures.errors(complete("errors"))):
        known = len(plt.get_fignums())
        canvas = FigureCanvasAgg(make())
        canvas.draw()
        pixels.append(np.asarray(canvas.buffer_rgba()))
        assert len(plt.get_fignums()) == known + len(pixels) - 1
    np.testing.assert_array_equal(*pixels)
