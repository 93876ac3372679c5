"""The figure "structure": its units, where rows belong, and training against theory."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest

from needlescope import figures
from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores.store import Store
from needlescope.figures.style import BAYES_OPTIMAL, DASHED
from needlescope.gallery import registry
from needlescope.gallery.extensions.structure import (
    ALPHAS,
    ESTIMATED,
    GIVEN,
    PLACES,
    WHITENED,
    placed,
)
from needlescope.gallery.registry import published

drawing = partial(registry.drawing, "structure")
FIGURE = published("structure")


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_each_dot_has_its_line(full):
    units = FIGURE.units(full)
    assert len({unit.key for unit in units}) == len(units)

    def points(call):
        return {
            (str(unit.arguments["task"]), unit.arguments["model"], str(unit.arguments["training"]))
            for unit in units
            if unit.call == call and "whitening" not in unit.arguments
        }

    assert points("simulate") <= points("predict")
    assert len(points("simulate")) == 2 * 2 * len(PLACES) * len(ALPHAS)
    estimated = [unit for unit in units if unit.arguments.get("whitening") in ESTIMATED]
    assert {unit.call for unit in estimated} == {"simulate"}
    assert len(estimated) == (8 if full else 4) * len(ESTIMATED) * len(PLACES) * len(ALPHAS)


def test_whitening_multiplies_the_strength_by_the_signals_place():
    gains = [WHITENED[place].theta / GIVEN[place].theta for place in PLACES]
    assert gains == pytest.approx([2.0, np.sqrt(0.2 / 4.0 + 0.8 / 0.25), 0.5])
    assert all(task.noise is None for task in WHITENED.values())


def test_rows_belong_to_the_place_of_their_task():
    rows = pd.DataFrame(
        {
            "task.signal": ["flat", None, None, "quiet"],
            "task.theta": [3.0, float(WHITENED["loud"].theta), 99.0, 3.0],
            "whitening": [None, None, None, "negatives"],
        }
    )
    result = placed(rows)
    assert result.place.tolist()[:2] == ["flat", "loud"] and pd.isna(result.place[2])
    assert result.features.tolist() == ["given", "known", "known", "negatives"]


def rows():
    line = {"call": "predict", "model": "attention", "training.alpha0": [1.0, 4.0]}
    line |= {"training.alpha1": [1.0, 4.0], "test_error": [0.3, 0.1]}
    given = pd.DataFrame({**line, "task.theta": 3.0, "task.signal": "loud"})
    white = pd.DataFrame({**line, "task.theta": float(WHITENED["loud"].theta)})
    floor = {"call": "bayes_optimal", "alpha": [1.0, 4.0], "test_error": [0.2, 0.05]}
    bayes = pd.DataFrame({**floor, "task.theta": 3.0, "task.signal": "loud"})
    return pd.concat([given, white, bayes], ignore_index=True)


def test_whitened_lines_are_dashed_and_stand_in_the_panel_of_their_signal():
    quiet, flat, loud = drawing(rows()).blocks[0].panels
    assert [mark.name for mark in loud.marks if mark.name] == [
        BAYES_OPTIMAL,
        "attention, features as given",
        "attention, whitened",
    ]
    assert [mark.dash for mark in loud.marks if "attention" in mark.name] == [(), DASHED]
    for panel in (quiet, flat):
        assert not any(hasattr(mark, "name") and mark.name for mark in panel.marks)


def test_estimated_covariances_are_dots_without_a_line():
    dot = {"call": "simulate", "model": "attention", "task.theta": 3.0, "task.signal": "quiet"}
    dot |= {"training.alpha0": 1.0, "training.alpha1": 1.0, "test_error": [0.1, 0.2]}
    table = pd.DataFrame({**dot, "whitening": ["negatives", "estimated"]})
    quiet, *_ = drawing(table).blocks[0].panels
    marks = [(mark.name, mark.marker, list(mark.y)) for mark in quiet.marks]
    assert marks == [
        ("attention, … by negatives", "^", [0.1]),
        ("attention, … by all instances", "v", [0.2]),
    ]


def test_a_place_is_drawn_on_axes_of_ones_own_and_others_are_refused():
    import matplotlib.pyplot as plt

    axes = plt.figure().add_subplot()
    figures.structure(rows(), axes, place="loud")
    assert len(axes.lines) == 3
    with pytest.raises(ValueError, match="place must be"):
        figures.structure(rows(), axes, place="soft")


@pytest.mark.slow
def test_simulation_agrees_with_theory(tmp_path):
    units = [
        unit
        for unit in FIGURE.units(False)
        if unit.call in ("predict", "simulate")
        and unit.arguments["task"].get("signal") == "flat"
        and unit.arguments["training"]["alpha1"] == 4.0
    ]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        scores = FIGURE.scores(store.to_pandas(units))
    assert len(scores) == 2 and scores.z.abs().max() < 4.0
