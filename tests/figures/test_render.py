"""Matplotlib draws the marks of a drawing and nothing else."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from needlescope import figures
from needlescope.figures.marks import Dots, Line, Rule, Text
from needlescope.figures.render import picture, spread
from tests.gallery.tables import NAMES, complete, drawing_of, given


@pytest.mark.sampled(48)
@pytest.mark.parametrize("name", NAMES)
def test_matplotlib_draws_the_marks_and_nothing_else(name):
    drawing = drawing_of(name)
    figure = getattr(figures, name)(*given(name))
    for panel, ax in zip(drawing.panels, figure.axes, strict=False):
        lines = [tuple(np.asarray(line.get_ydata(), float)) for line in ax.lines]
        drawn = [mark for mark in panel.marks if isinstance(mark, Line | Dots)]
        assert all(tuple(mark.y) in lines for mark in drawn)
        assert len(lines) == len([m for m in panel.marks if isinstance(m, Line | Dots | Rule)])
        assert len(ax.containers) == len([m for m in drawn if isinstance(m, Dots) and m.se])
        words = {text.get_text() for text in ax.texts}
        assert {mark.text for mark in panel.marks if isinstance(mark, Text)} <= words
        assert ax.get_xlabel() == panel.x.name and ax.get_title(loc="left") == panel.title


@pytest.mark.slow
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


def test_labels_move_apart_and_keep_their_order():
    moved = spread([10.0, 3.0, 9.0, 50.0], 9.5)
    gaps = np.diff(np.sort(moved))
    assert (gaps >= 9.5 - 1e-9).all() and np.argsort(moved).tolist() == [1, 2, 0, 3]
    assert moved[3] == 50.0 and spread([], 9.0) == []
