"""Any stored table as curves: the numbers of the table, by hand, and what is refused."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pandas as pd
import pytest

import needlescope as ns
from needlescope import figures
from needlescope.figures.lines import lines
from needlescope.figures.marks import Dots, Line
from needlescope.figures.rendered import drawing_of
from tests.figures.coupled import TRIALS, both, rows

COVERS = ("curve_styles",)
lines_of = drawing_of(lines)


def marks(drawing, kind):
    return {mark.name: mark for mark in drawing.panels[0].marks if isinstance(mark, kind)}


def test_theory_is_lines_and_pooled_trials_are_dots_along_coupled_axes():
    result = lines_of(both(), x="task.L")
    lines, dots = marks(result, Line), marks(result, Dots)
    assert [*lines] == [*dots] == ["attention", "mean pooling"]
    assert lines["attention"].x == (10.0, 100.0, 1000.0)
    assert lines["attention"].y == pytest.approx((0.1, 0.2, 0.3))
    assert dots["mean pooling"].y == pytest.approx([0.15 + 0.1 * k + 0.04 / 3 for k in range(3)])
    assert dots["attention"].se == pytest.approx([statistics.stdev(TRIALS) / math.sqrt(3)] * 3)
    assert dots["attention"].colour == lines["attention"].colour != lines["mean pooling"].colour
    panel = result.panels[0]
    assert panel.x.log == 10 and panel.y.log == 0 and panel.x.ticks == (10.0, 100.0, 1000.0)
    assert "θ changes with L" in panel.title and "at $d = 200$" in panel.title
    other = lines_of(both(), x="task.theta", by="model")
    assert marks(other, Line)["attention"].x == (3.0, 4.2, 5.2) and other.panels[0].x.log == 0


def test_a_summary_draws_what_its_trials_draw(tmp_path):
    L = np.array([4, 8])
    task = {"L": L, "R": 1, "theta": 2.0 * np.sqrt(np.log(L)), "pi": 0.5}
    tables = {"task": task, "training": {"alpha0": 1.0, "alpha1": 1.0}}
    sweep = ns.Sweep(["predict", "simulate"], tables, {"model": "pooled", "d": 12},
                     trials=3, together=[["task.L", "task.theta"]])  # fmt: skip
    with ns.Store(tmp_path / "a.sqlite") as store:
        for place, unit in enumerate(sweep.units()):
            store.put(unit, {"test_error": 0.1 + math.sqrt(place)}, seconds=1.0)
        drawn = [lines_of(item, "task.L")
                 for item in (store, store.to_pandas(), store.to_pandas(summary=True))]  # fmt: skip
    assert drawn[0] == drawn[1] == drawn[2]
    assert [type(mark) for mark in drawn[0].panels[0].marks] == [Line, Dots]


def test_what_changes_and_x_does_not_determine_tells_curves_apart():
    table = pd.concat([rows(models=["pooled"], **{"training.ridge": ridge, "data": "D1"})
                       for ridge in (0.01, 0.1, 1.0)])  # fmt: skip
    table["test_error"] *= 1.0 + table["training.ridge"]
    result = marks(lines_of(table), Line)
    assert [*result] == [f"λ\u00a0(ridge) = {ridge:g}" for ridge in (0.01, 0.1, 1.0)]
    assert len({line.colour for line in result.values()}) == 3
    for by in ([], "model", ["model", "call"]):
        with pytest.raises(ValueError, match=r"would draw different training.ridge as one: 0.01, "):
            lines_of(table, x="task.L", by=by)
    assert len(marks(lines_of(table, "task.L", by=["training.ridge"]), Line)) == 3


def test_the_dimension_of_trials_is_their_marker_and_no_theory_of_its_own():
    table = pd.concat([both(), rows("simulate", trials=TRIALS, d=400)], ignore_index=True)
    result = lines_of(table, x="task.L")
    assert [*marks(result, Line)] == ["attention", "mean pooling"]
    dots = marks(result, Dots)
    assert [*dots][:2] == ["attention, d = 200", "attention, d = 400"]
    small, large = dots["attention, d = 200"], dots["attention, d = 400"]
    assert small.colour == large.colour == marks(result, Line)["attention"].colour
    assert small.marker != large.marker


def test_a_model_without_a_query_has_one_curve_whatever_the_query_is_given():
    table = pd.concat(
        [rows(**{"training.alpha0": alpha0}) for alpha0 in (1.0, 2.0)], ignore_index=True
    )
    table.loc[(table.model == "attention") & (table["training.alpha0"] == 2.0), "test_error"] *= 0.5
    result = marks(lines_of(table, x="task.L"), Line)
    assert [*result] == ["attention, α0 = 1", "attention, α0 = 2", "mean pooling"]
    table.loc[table.index[0], "test_error"] *= 1.001  # pooling's numbers now disagree
    with pytest.raises(ValueError, match=r"one test_error of theory at each point, got 0.15 and"):
        lines_of(table, x="task.L")


def test_two_questions_are_told_apart():
    limit = rows("bayes_optimal", models=[None], alpha=4.0).assign(test_error=[0.05, 0.06, 0.07])
    result = marks(lines_of(pd.concat([both(), limit]), x="task.L"), Line)
    assert [*result] == ["Bayes-optimal", "predict, attention", "predict, mean pooling"]


def test_words_of_a_table_are_no_formulas():
    name = "$\\frac" + "x" * 500
    table = both(label=name)
    table["label"] = name
    drawing = lines_of(table, "task.L", by=["model", "label"])
    assert all(r"label = \$" in mark and len(mark) < 100 for mark in marks(drawing, Line))
    figures.lines(table, "task.L", by=["model", "label"]).canvas.draw()


def test_scales_are_taken_as_given_or_as_the_numbers_lie():
    table = rows().assign(test_error=[1e-4, 1e-3, 1e-2] * 2)
    axes = lines_of(table, "task.L").panels[0]
    assert (axes.x.log, axes.y.log) == (10, 10)
    axes = lines_of(table, "task.L", xscale="linear", yscale="linear").panels[0]
    assert (axes.x.log, axes.y.log) == (0, 0)
    even = table.assign(**{"task.L": [1, 50, 100] * 2})
    assert lines_of(even, "task.L").panels[0].x.log == 0
    assert lines_of(even, "task.L", xscale="log").panels[0].x.log == 10
