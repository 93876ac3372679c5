"""The figure "real": its units, where rows belong, what is compared, and lines below a panel."""

from __future__ import annotations

from functools import partial

import pandas as pd
import pytest

from needlescope import figures
from needlescope.figures.marks import Dots, Text
from needlescope.figures.style import DOTTED
from needlescope.gallery import registry
from needlescope.gallery.extensions.real import DOT_BAGS, MODELS, SETS, SOURCES
from needlescope.gallery.registry import published

drawing = partial(registry.drawing, "real")
FIGURE = published("real")


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_each_dot_has_its_line(full):
    units = FIGURE.units(full)
    assert len({unit.key for unit in units}) == len(units)

    def points(call):
        names = ("model", "instances", "whitened", "bags")
        return {
            tuple(unit.arguments[name] for name in names) for unit in units if unit.call == call
        }

    dots = points("simulate_instances")
    assert dots <= points("predict_instances")
    assert len(dots) == len(MODELS) * len(SETS) * 2 * len(DOT_BAGS)
    assert {unit.arguments.get("source") for unit in units} == {*SOURCES, None}


def rows():
    point = {"model": "attention", "instances": "digits", "whitened": True}
    line = {**point, "call": "predict_instances", "bags": [300, 1000]}
    dots = {**point, "call": "simulate_instances", "bags": [1000, 1000]}
    return pd.concat(
        [
            pd.DataFrame({**line, "same_noise": False, "test_error": [0.2, 0.1]}),
            pd.DataFrame({**line, "same_noise": True, "test_error": [0.01, 0.005]}),
            pd.DataFrame({**dots, "source": "gaussian", "test_error": [0.11, 0.13]}),
            pd.DataFrame({**dots, "source": "real", "test_error": [0.15, 0.17]}),
        ],
        ignore_index=True,
    )


def test_theory_is_compared_with_new_gaussian_instances_alone():
    (score,) = FIGURE.scores(rows()).to_dict("records")
    assert (score["theory"], score["simulation"]) == pytest.approx((0.1, 0.12))


def test_lines_and_dots_stand_in_the_panel_of_their_set():
    _, white, *others = drawing(rows()).blocks[0].panels
    assert [mark.name for mark in white.marks if getattr(mark, "name", "")] == [
        "attention, theory",
        "attention, theory, one covariance",
        "attention, Gaussian, new in every bag",
        "attention, real instances",
    ]
    assert [mark.dash for mark in white.marks[:2]] == [(), DOTTED]
    assert [mark.y for mark in white.marks if isinstance(mark, Dots)] == [(0.12,), (0.16,)]
    for panel in others:
        assert [mark.text for mark in panel.marks] == ["not in the table"]


def test_a_line_below_the_panel_is_written_in_it():
    white = drawing(rows()).blocks[0].panels[1]
    (note,) = (mark for mark in white.marks if isinstance(mark, Text))
    assert note.text == "theory, one covariance: 0.01 to 0.005"
    assert white.y.limits[0] > 0.01


def test_one_panel_is_drawn_on_axes_of_ones_own_and_others_are_refused():
    import matplotlib.pyplot as plt

    axes = plt.figure().add_subplot()
    figures.real(rows(), axes, instances="digits", whitened=True)
    assert len(axes.lines) >= 2
    with pytest.raises(ValueError, match="instances must be one of"):
        figures.real(rows(), axes, instances="faces")
