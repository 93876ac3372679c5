"""The experiment on separation: its units, its scores, and the growth laws of the thresholds."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from needlescope.experiments.comparison import verdict
from needlescope.gallery.paper import separation as module
from needlescope.gallery.paper.separation import LAWS, separation, strength


@pytest.mark.parametrize("full", [False, True])
def test_units_cover_every_law_and_length_once(full):
    units = module.units(full)
    assert len({unit.key for unit in units}) == len(units)
    tasks = [unit.arguments["task"] for unit in units]
    assert {task["L"] for task in tasks} >= {10, 100_000}


def test_every_oracle_row_is_found_along_its_law():
    units = [unit for unit in module.units(False) if unit.call == "oracle"]
    rows = [
        {"call": "oracle", "model": unit.arguments["model"], "error": 0.1}
        | {f"task.{key}": value for key, value in unit.arguments["task"].items()}
        for unit in units
    ]
    ran = pd.DataFrame(rows)
    for law, factors in module.LAWS.items():
        for c in factors:
            result = module.along(ran, law, c)
            counts = result.groupby("model").size()
            assert counts.to_dict() == dict.fromkeys(
                module.MODELS, len(module.LENGTHS)
            )  # fmt: skip


def test_growth_recovers_both_laws():
    rows = []
    for L in module.LENGTHS:
        for model, theta in (("pooled", 3.0 * L**0.5), ("bayes", 1.2 * math.sqrt(2 * math.log(L)))):
            rows.append({"call": "oracle_threshold", "model": model, "task.L": L}
                        | {"theta": theta})  # fmt: skip
    result = module.growth(pd.DataFrame(rows)).set_index("model")
    assert result.slope["pooled"] == pytest.approx(0.5)
    assert result.ratio["bayes"] == pytest.approx(1.2)
    assert 0.0 < result.slope["bayes"] < 0.1


def test_growth_leaves_out_what_failed():
    row = {"call": "oracle_threshold", "model": "pooled"}
    ran = pd.DataFrame([{**row, "task.L": 10_000, "theta": None}])
    assert module.growth(ran).empty


def test_nothing_is_compared_without_numbers():
    assert module.scores(pd.DataFrame()).empty
    assert module.scores(pd.DataFrame({"call": ["oracle"], "model": ["pooled"]})).empty


@pytest.mark.parametrize("full", [False, True])
def test_every_simulated_point_has_its_theory(full):
    units = module.units(full)
    known, drawn = (
        {(unit.arguments["model"], *sorted(unit.arguments["task"].items()))
         for unit in units if unit.call == call}
        for call in ("oracle", "simulate_oracle")
    )  # fmt: skip
    assert drawn < known
    assert {place[0] for place in drawn} == set(module.MODELS)


@pytest.fixture(scope="module")
def ran():
    """The units at L = 10, run."""
    units = [unit for unit in module.units(False) if unit.arguments["task"]["L"] == 10]
    rows = []
    for unit in units:
        if unit.call != "oracle_threshold":
            task = {f"task.{key}": value for key, value in unit.arguments["task"].items()}
            rows.append({"call": unit.call, **task, **unit.run()})
    return pd.DataFrame(rows)


@pytest.mark.slow
def test_theory_agrees(ran):
    result = module.scores(ran)
    assert len(result) == 6 + 5 + 5  # without the strongest signal, but for pooling
    assert verdict(result) == "agree"


@pytest.mark.slow
@pytest.mark.parametrize("factor", [0.9, 1.1])
@pytest.mark.parametrize("model", module.MODELS)
def test_a_theory_wrong_by_a_tenth_disagrees(ran, model, factor):
    wrong = ran.copy()
    wrong.loc[(wrong.call == "oracle") & (wrong.model == model), "error"] *= factor
    assert verdict(module.scores(wrong)) == "disagree"


def test_rare_mistakes_are_scored_only_where_one_side_has_many():
    row = {"model": "attention", "task.L": 10, "task.theta": 5.0}
    drawn = [{**row, "call": "simulate_oracle", "error": error} for error in (1e-4, 2e-4, 0.0)]
    for error, count in ((1e-4, 0), (0.1, 1)):
        ran = pd.DataFrame([{**row, "call": "oracle", "error": error}, *drawn])
        assert len(module.scores(ran)) == count


LENGTHS = (100, 1000, 10_000)


@pytest.fixture
def table():
    rows = []
    for L in LENGTHS:
        for model in ("pooled", "attention", "bayes"):
            for law, factors in LAWS.items():
                theta = strength(law, factors[1], L)
                rows.append({"call": "oracle", "model": model, "task.L": L, "task.theta": theta}
                            | {"error": 30.0 / L})  # fmt: skip
            need = math.sqrt(L) if model == "pooled" else 1.3 * math.sqrt(2 * math.log(L))
            rows.append({"call": "oracle_threshold", "model": model, "task.L": L}
                        | {"theta": need})  # fmt: skip
    yield pd.DataFrame(rows)
    plt.close("all")


def test_lines_are_the_stored_errors(table):
    panel = separation(table).axes[0]
    assert list(panel.lines[0].get_xdata()) == list(LENGTHS)
    assert panel.lines[0].get_ydata() == pytest.approx([0.3, 0.03, 0.003])


def test_dots_are_means_of_trials_near_their_length(table):
    theta = strength("log", LAWS["log"][1], 100)
    drawn = {"call": "simulate_oracle", "task.L": 100, "task.theta": theta}
    rows = [
        {**drawn, "model": model, "error": error}
        for model in ("pooled", "attention", "bayes")
        for error in (0.2, 0.4, None)
    ]
    figure = separation(pd.concat([table, pd.DataFrame(rows)]))
    dots = [container.lines[0] for container in figure.axes[0].containers]
    assert [list(dot.get_ydata()) for dot in dots] == [pytest.approx([0.3])] * 3
    assert sorted(float(dot.get_xdata()[0]) for dot in dots) == pytest.approx([92.0, 100.0, 109.0])
    assert not figure.axes[1].containers


def test_legend_states_the_fitted_growth(table):
    figure = separation(table)
    texts = [text.get_text() for text in figure.axes[3].get_legend().get_texts()]
    assert any("0.500" in text for text in texts)
    ratio = figure.axes[4].lines[1].get_ydata()
    assert list(ratio) == pytest.approx([1.3, 1.3, 1.3])


def test_only_the_main_panel_on_given_axes(table):
    figure, ax = plt.subplots()
    assert separation(table, ax=ax) is figure
    assert figure.axes == [ax]
    assert ax.get_xscale() == ax.get_yscale() == "log"


def test_words_are_those_of_the_table(table):
    needed = table[table.call == "oracle_threshold"].assign(error=0.05, **{"task.R": 3})
    _, ax = plt.subplots()
    separation(needed, ax=ax)
    assert "with 5 % error" in ax.get_title(loc="left") and "3 carry" in ax.get_xlabel()
