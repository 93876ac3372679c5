"""The experiment "signals": its units, and training against theory."""

from __future__ import annotations

from functools import partial

import pandas as pd
import pytest

from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores.store import Store
from needlescope.figures.marks import Dots, Line
from needlescope.figures.style import DOTTED
from needlescope.gallery import registry
from needlescope.gallery.extensions.signals import DOTS
from needlescope.gallery.registry import published

drawing = partial(registry.drawing, "signals")
FIGURE = published("signals")


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_each_dot_has_its_lines(full):
    units = FIGURE.units(full)
    assert len({unit.key for unit in units}) == len(units)
    shares = {
        call: {tuple(unit.arguments["task"]["signals"]) for unit in units if unit.call == call}
        for call in ("align", "predict", "simulate")
    }
    assert shares["simulate"] < shares["align"] == shares["predict"]
    assert {item[0] for item in shares["simulate"]} == set(DOTS)


def test_simulation_agrees_with_theory(tmp_path):
    units = [
        unit
        for unit in FIGURE.units(False)
        if unit.arguments["task"]["signals"] == [0.7, 0.3]
        and unit.arguments.get("model") != "pooled"
    ]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        scores = FIGURE.scores(store.to_pandas(units))
    assert len(scores) == 3 and scores["z"].abs().max() < 5.0


def test_nothing_to_compare_in_an_empty_store(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        assert len(FIGURE.scores(store.to_pandas([]))) == 0


@pytest.fixture
def table():
    rows = []
    for p in (0.8, 0.5):
        here = {"task.signals": [p, 1.0 - p]}
        rows.append({"call": "align", **here, "cosines_q_1": p, "cosines_q_2": 1.0 - p})
        rows += [
            {"call": "predict", "model": model, **here, "test_error": error}
            for model, error in (("attention", 0.2 * p), ("pooled", 0.4))
        ]
        rows += [
            {"call": "simulate", "model": "attention", **here, "d": 100, "test_error": item,
             "cosines_q_1": item, "cosines_q_2": 0.0}
            for item in (0.2, 0.4)
        ]  # fmt: skip
    return pd.DataFrame(rows)


def marks(table, panel, kind):
    result = drawing(table, alone=True, panel=panel).panels[0].marks
    return [mark for mark in result if isinstance(mark, kind)]


def test_the_cosines_with_both(table):
    first, second, *squares = marks(table, "cosines", Line)
    assert first.x == second.x == (0.5, 0.8)
    assert first.y == pytest.approx((0.5, 0.8)) and second.y == pytest.approx((0.5, 0.2))
    dots = marks(table, "cosines", Dots)
    assert dots[0].y == pytest.approx((0.3, 0.3)) and dots[0].se == pytest.approx((0.1, 0.1))
    assert [line.dash for line in squares] == [DOTTED] * 2


def test_squares_of_the_shares_are_as_long_as_the_query(table):
    lines = [line.y for line in marks(table, "cosines", Line)]
    for k in range(2):
        assert sum(y[k] ** 2 for y in lines[:2]) == pytest.approx(sum(y[k] ** 2 for y in lines[2:]))
    assert lines[2][1] / lines[3][1] == pytest.approx(16.0)  # (0.8/0.2)²


def test_the_errors_of_both_models(table):
    attention, pooled = marks(table, "error", Line)
    assert attention.y == pytest.approx((0.1, 0.16)) and pooled.y == (0.4, 0.4)
    (dots,) = marks(table, "error", Dots)
    assert dots.y == pytest.approx((0.3, 0.3))


def test_a_task_of_more_signals_is_left_out(table):
    more = pd.DataFrame([{"call": "align", "task.signals": [0.4, 0.3, 0.3], "cosines_q_1": 0.9}])
    lines = marks(pd.concat([table, more], ignore_index=True), "cosines", Line)
    assert lines[0].x == (0.5, 0.8)


def test_errors_without_errors_are_refused(table):
    with pytest.raises(ValueError, match='the panel "error" needs the column test_error'):
        marks(table.drop(columns="test_error"), "error", Line)
