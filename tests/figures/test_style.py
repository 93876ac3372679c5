"""One look for all figures: every model has a colour and a name, apart for all eyes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from needlescope.figures.style import BLACK, COLOURS, NAMES, WHITE, blend, grey
from needlescope.models import MODELS


def test_every_model_and_the_bayes_limit_have_a_colour_and_a_name():
    assert set(COLOURS) == {*MODELS, "bayes"}
    assert set(NAMES) == {*COLOURS, "bayes_optimal", "amp"}  # drawn in one grey


@pytest.mark.parametrize("blind", ["none", "red", "green"])
def test_no_two_colours_look_alike(blind):
    """Seen without one kind of cone, by the matrices of Viénot, Brettel and Mollon (1999)."""
    seen = {
        "none": np.eye(3),
        "red": np.array([[0.112, 0.888, 0.0], [0.112, 0.888, 0.0], [0.004, -0.004, 1.0]]),
        "green": np.array([[0.293, 0.707, 0.0], [0.293, 0.707, 0.0], [-0.022, 0.022, 1.0]]),
    }[blind]
    colours = [seen @ np.array(to_rgb(colour)) ** 2.2 for colour in COLOURS.values()]
    assert min(np.linalg.norm(a - b) for a, b in combinations(colours, 2)) > 0.1


def test_greys_go_from_black_to_white():
    assert (grey(0.0), grey(1.0).upper()) == (BLACK, WHITE)
    assert [to_rgb(grey(k / 10))[0] for k in range(11)] == pytest.approx(
        np.linspace(0.0, 1.0, 11), abs=1 / 255
    )


def test_a_blend_starts_and_ends_in_its_colours_and_passes_those_between():
    row = ["#102030", "#ff0000", "#00ff80"]
    assert [blend(row, share) for share in (0.0, 0.5, 1.0)] == row
    halfway = (np.array(to_rgb(row[1])) + to_rgb(row[2])) / 2
    assert to_rgb(blend(row, 0.75)) == pytest.approx(halfway, abs=1 / 255)
