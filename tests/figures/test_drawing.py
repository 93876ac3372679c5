"""What every figure draws: the numbers of its table, as plain data, without matplotlib."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from needlescope import figures
from needlescope.figures.drawing import CURVE_COLUMNS, Drawing
from needlescope.figures.marks import Band, Cells, Dots, Line, Map, Rings
from tests.gallery.tables import ANSWERS, NAMES, complete, drawing_of, given

COVERS = ("rendered", "from_rows", "marks", "overview")
OUTCOME = ("test_error", "train_loss", "train_error")
ERRORS = ("predict", "simulate", OUTCOME)
LIMITED = (("predict", "bayes_optimal"), "simulate")  # with the Bayes-optimal error
DRAWN = {  # of which calls, as lines and as dots, which columns
    "errors": (*LIMITED, OUTCOME),
    "robustness": ERRORS,
    "length": ("predict", "simulate", ("test_error",)),
    "reuse": (*LIMITED, ("test_error",)),
    "alignment": ("align", "simulate_alignment", ("cosine_q", "cosine_w")),
    "attention_map": ("focus", "simulate_focus", ("signal", "noise", "largest")),
    "separation": ("oracle", "simulate_oracle", ("error",)),
}


def marks(drawing, *kinds):
    return [mark for panel in drawing.panels for mark in panel.marks if isinstance(mark, kinds)]


def heights(found):
    return sorted({round(y, 12) for mark in found for y in mark.y})


def wanted(name):
    """The panels of a figure that show its columns as they are."""
    if name == "alignment":
        return drawing_of(name, alone=True)
    drawing = drawing_of(name)
    return Drawing(drawing.blocks[:1]) if name == "separation" else drawing


def shown(name):
    """The rows of a table that the panels show: attention's map draws a cross of its grid."""
    table = complete(name)
    if name != "attention_map":
        return dict.fromkeys(DRAWN[name][2], table)
    by_step, by_signal = table[table["task.theta"] == 5.0], table[table["training.eta_q"] == 10.0]
    return {"signal": by_step, "noise": by_step, "largest": by_signal}


def means(table, call, column):
    """Means and standard errors over trials, of the largest d, at each point."""
    rows = table[table.call == call].dropna(axis=1, how="all").astype({column: float})
    answers = {name for names in ANSWERS.values() for name in names}
    point = [row for row in rows if row not in answers | {"seed", "d"}]
    asked = pd.Series([repr(row) for row in rows[point].to_dict("records")], index=rows.index)
    if "d" in rows:
        rows = rows[rows["d"] == rows.groupby(asked)["d"].transform("max")]
    values = rows.groupby(asked[rows.index])[column]
    return list(zip(values.mean(), values.sem(), strict=True))


@pytest.mark.sampled(21)
@pytest.mark.parametrize("name", NAMES)
def test_curves_are_a_table_of_the_points_that_are_drawn(name):
    result, drawing = figures.curves(name, *given(name)), drawing_of(name)
    assert list(result) == list(CURVE_COLUMNS) and set(result.role) <= {"theory", "simulation"}
    for number, panel in enumerate(drawing.panels):
        assert panel.marks and (panel.x.name or number < len(drawing.panels) - 1)
        points = result[result.panel == number]
        lines = [m for m in panel.marks if isinstance(m, Line | Dots)]
        for role, drawn in (
            ("theory", [m for m in lines if isinstance(m, Line) or m.se is None]),
            ("simulation", [m for m in lines if isinstance(m, Dots) and m.se is not None]),
        ):
            own = points[(points.role == role) & points.value.isna() & points.y.notna()]
            if not any(isinstance(m, Cells) for m in panel.marks):
                assert sorted(zip(own.label, own.x, own.y, strict=True)) == sorted(
                    (m.name, x, y) for m in drawn for x, y in zip(m.x, m.y, strict=True) if y == y
                )
        assert points[points.role == "theory"].se.isna().all()


def test_what_is_behind_colours_is_a_value():
    result = figures.curves("attended", *given("attended"))
    rows = [row.tolist() for _, row in result.groupby("y").value]
    assert rows[0] == [0.5, 0.3, 0.2] and rows[1][:2] == [0.9, 0.1] and rows[1][2] != rows[1][2]
    maps = figures.curves("win_or_lose", *given("win_or_lose"))
    assert set(maps.dropna(subset=["value"]).role) == {"theory", "simulation"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", DRAWN)
def test_lines_are_the_rows_of_theory(name):
    calls = np.ravel(DRAWN[name][0])
    rows = [table[table.call.isin(calls)][column] for column, table in shown(name).items()]
    values = sorted({round(float(y), 12) for column in rows for y in column.dropna()})
    crosses = [mark for mark in marks(wanted(name), Dots) if mark.se is None]  # of the Bayes limit
    assert heights([*marks(wanted(name), Line), *crosses]) == pytest.approx(values)


@pytest.mark.parametrize("name", DRAWN)
def test_dots_are_means_of_trials_with_their_standard_errors(name):
    _, call, _ = DRAWN[name]
    values = [mean for column, table in shown(name).items() for mean in means(table, call, column)]
    result = [mark for mark in marks(wanted(name), Dots) if mark.se is not None]
    pairs = [pair for mark in result for pair in zip(mark.y, mark.se, strict=True)]
    assert values
    np.testing.assert_allclose(sorted(set(pairs)), sorted(set(values)), rtol=1e-12)


def test_capacities_and_fractions_are_those_of_the_table():
    table, drawing = complete("capacity"), drawing_of("capacity")
    along = [mark for panel in drawing.panels[1:] for mark in panel.marks]
    values = {round(y, 12) for mark in along if isinstance(mark, Line) for y in mark.y}
    assert values == set(table[table.call == "capacity"].alpha.round(12))
    trials = table[table.call == "simulate_separability"]
    fractions = set(trials.groupby(["model", "d", "training.alpha1"]).fraction.mean().round(12))
    assert set(heights(marks(drawing, Dots))) <= fractions


def test_rates_are_errors_above_their_limits():
    table = complete("rates")
    main, ratio = drawing_of("rates").panels
    limits = table[table.call == "asymptote"].set_index("model").limit
    rows = table[table.call == "predict"]
    above = rows.test_error.to_numpy() - rows.model.map(limits).to_numpy()
    curves = [mark for mark in main.marks if isinstance(mark, Line) and not mark.dash]
    assert heights(curves) == pytest.approx(sorted(above))
    assert len([mark for mark in ratio.marks if isinstance(mark, Band)]) == len(curves) == 3


def test_the_map_is_the_difference_of_two_errors():
    table = complete("win_or_lose")
    rows = table[(table.call == "predict") & table["data"].isna()]
    [pooled] = rows[rows.model == "pooled"].test_error
    given = rows[rows["query.kappa"].notna()].set_index(["query.kappa", "query.cosine"]).test_error
    drawing = drawing_of("win_or_lose")
    result = next(mark for mark in drawing.panels[0].marks if isinstance(mark, Map))
    for y, values in zip(result.y, result.values, strict=True):
        assert values == pytest.approx([given[y, x] - pooled for x in result.x])
    [rings, *_] = marks(drawing, Rings)
    assert len(rings.x) == len(rings.y) == len(rings.values) > 0
    assert rings.scale == result.scale == drawing.bar and result.scale.low == -result.scale.high


@pytest.mark.slow
def test_curves_are_had_without_matplotlib(tmp_path):
    """One of them is, and no module but `render` loads matplotlib before something is drawn."""
    (tmp_path / "given.pickle").write_bytes(pickle.dumps(given("attended")))
    code = """
import pickle, sys
from needlescope import figures
figures.curves("attended", *pickle.load(open("given.pickle", "rb")))
print(*[name for name in sys.modules if name.partition(".")[0] == "matplotlib"])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
    source = Path(figures.__file__).parents[1]
    for path in (*source.glob("figures/**/*.py"), *source.glob("gallery/**/*.py")):
        asks = re.search(r"^(import|from) \S*(matplotlib|render)\b", path.read_text(), re.MULTILINE)
        assert not asks or path.name == "render.py", path
