"""Every architecture has a look of its own, and what is lost is said."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from needlescope.deep.catalogue import ARCHITECTURES
from needlescope.figures.reading.rows import with_all_columns
from needlescope.figures.style import BAYES_COLOUR, BLACK
from needlescope.gallery.deep_style import (
    ARCHITECTURE_STYLES,
    FAMILIES,
    TWO_STEPS_COLOUR,
    count_lost,
    describe_table,
    label,
)

SEEN = {  # without one kind of cone, by Viénot, Brettel and Mollon (1999)
    "none": np.eye(3),
    "red": np.array([[0.112, 0.888, 0.0], [0.112, 0.888, 0.0], [0.004, -0.004, 1.0]]),
    "green": np.array([[0.293, 0.707, 0.0], [0.293, 0.707, 0.0], [-0.022, 0.022, 1.0]]),
}


def test_every_architecture_has_a_look_a_name_and_a_panel():
    assert set(ARCHITECTURE_STYLES) == set(ARCHITECTURES)
    assert len({label(name) for name in ARCHITECTURE_STYLES}) == len(ARCHITECTURE_STYLES)
    listed = [name for _, names in FAMILIES.values() for name in names]
    assert sorted(listed) == sorted(ARCHITECTURES)


@pytest.mark.parametrize("blind", SEEN)
def test_no_two_colours_look_alike(blind):
    every = [
        *(look.colour for look in ARCHITECTURE_STYLES.values()),
        TWO_STEPS_COLOUR,
        BAYES_COLOUR,
        BLACK,
    ]
    seen = [SEEN[blind] @ np.array(to_rgb(item)) ** 2.2 for item in every]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 0.07


def test_those_of_a_panel_differ_in_their_dots_too():
    for _, names in FAMILIES.values():
        assert len({ARCHITECTURE_STYLES[name].marker for name in names}) == len(names)


def test_trainings_without_a_number_are_counted():
    diverged = "NotConverged: training diverged at every learning rate, 0.1: ..."
    rows = [
        {"call": "simulate_deep", "d": 20, "error_message": item}
        for item in (diverged, diverged, "MemoryError: too much", None)
    ]
    table = with_all_columns(pd.DataFrame([*rows, {"call": "predict", "error_message": diverged}]))
    assert count_lost(table) == ["2 trainings diverged", "1 training failed"]
    assert describe_table(table).splitlines()[
        1
    ] == "2 trainings diverged" and "d = 20" in describe_table(table)
    assert count_lost(table[3:]) == []
