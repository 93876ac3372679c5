"""The experiment "deep_errors": its units, and what is compared."""

from __future__ import annotations

from functools import partial

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from scipy.special import ndtri, stdtr

from needlescope import figures
from needlescope.figures.marks import Dots, Line, Rule
from needlescope.figures.style import BAYES_OPTIMAL, DOTTED
from needlescope.gallery import registry
from needlescope.gallery.deep.deep_errors import (
    ALPHAS,
    LENGTHS,
    MINIMUM,
    SIMULATED,
    TESTED,
    WATCHED,
    scores,
)
from needlescope.gallery.deep_style import TWO_STEPS
from needlescope.gallery.deep_units import ARCHITECTURE_NAMES, Size
from needlescope.gallery.registry import published

drawing = partial(registry.drawing, "deep_errors")
FIGURE = published("deep_errors")
FAR = ndtri(stdtr(1, -50.0))  # two trials, 50 standard errors below


def asked(full, call="simulate_deep"):
    return [unit.arguments for unit in FIGURE.units(full) if unit.call == call]


@pytest.mark.parametrize("full", [False, True])
def test_every_architecture_is_trained_at_every_amount_of_data(full):
    result, count = asked(full), Size.of(full).trials
    assert len(result) == len(ARCHITECTURE_NAMES) * len(ALPHAS) * count
    assert {(item["architecture"], item["alpha"]) for item in result} == {
        (name, alpha) for name in ARCHITECTURE_NAMES for alpha in ALPHAS
    }
    assert {item["d"] for item in [*result, *asked(full, "simulate")]} == {Size.of(full).d}


def test_some_are_watched_and_some_are_tested_at_other_lengths():
    for item in asked(False):
        assert item.get("watch", False) == (item["alpha"] == WATCHED)
        assert item.get("lengths", []) == (list(LENGTHS) if item["alpha"] == TESTED else [])


def test_dots_of_theory_have_all_samples():
    for item in asked(False, "simulate"):
        assert item["training"]["alpha0"] + item["training"]["alpha1"] in ALPHAS
    assert set(ALPHAS) < {item["alpha"] for item in asked(False, "bayes_optimal")}


def test_only_what_is_below_the_limit_is_scored():
    rows = [{"call": "bayes_optimal", "alpha": item, "test_error": 0.1} for item in (1.0, 2.0)]
    for alpha, error in ((1.0, 0.05), (2.0, 0.2)):
        row = {"call": "simulate_deep", "architecture": "cls", "alpha": alpha}
        rows += [{**row, "test_error": error + shift} for shift in (-0.001, 0.001)]
    assert scores(pd.DataFrame(rows))["z"].tolist() == pytest.approx([FAR, 0.0])


@pytest.fixture
def table():
    rows = [{"call": "oracle", "model": "bayes", "error": 0.01}]
    for alpha in (2.0, 8.0):
        rows.append({"call": "bayes_optimal", "alpha": alpha, "test_error": 0.1 / alpha})
        half = {"training.alpha0": alpha / 2, "training.alpha1": alpha / 2, "model": "attention"}
        for step in (10.0, 100.0):
            setting = {**half, "training.eta_q": step, "training.ridge": 1.0}
            rows.append({"call": "predict", **setting, "test_error": step / 1e3 / alpha})
            for shift in (-0.01, 0.01):
                error = 0.1 + step / 1e3 + shift
                rows.append({"call": "simulate", **setting, "d": 50, "test_error": error})
        for ridge in (0.1, 1.0):
            setting = {**half, "training.ridge": ridge, "starts": 2, "d": 50}
            rows.append({"call": "simulate", **setting, "test_error": 0.2 * ridge})
        for name in ("solvable", "cls", "max", "gru"):
            for shift in (-0.02, 0.02):
                row = {"call": "simulate_deep", "architecture": name, "model": name, "d": 50}
                rows.append({**row, "alpha": alpha, "test_error": 1.0 / alpha / len(name) + shift})
    yield pd.DataFrame(rows)
    plt.close("all")


def named(panel, kind):
    return {mark.name: mark for mark in panel.marks if isinstance(mark, kind)}


def test_each_panel_has_its_architectures(table):
    paper, attention, others = drawing(table).panels
    assert set(named(paper, Dots)) == {"the paper’s model", SIMULATED, MINIMUM}
    assert set(named(attention, Dots)) == {"self-attention, one head"}
    assert set(named(others, Dots)) == {"max-pooling", "recurrent (GRU)"}
    result = named(paper, Dots)["the paper’s model"]
    assert result.x == (2.0, 8.0) and result.joined > 0
    assert result.y == pytest.approx((0.0625, 0.015625)) and result.se == pytest.approx(
        (0.02, 0.02)
    )


def test_dots_that_share_a_panel_stand_a_little_apart(table):
    others = named(drawing(table).panels[2], Dots)
    first, second = (others[name].x for name in ("max-pooling", "recurrent (GRU)"))
    assert 1.01 < second[0] / first[0] < 1.05 and first[0] * second[0] == pytest.approx(4.0)


def test_theory_is_in_all_panels_at_its_best(table):
    for panel in drawing(table).panels:
        lines = named(panel, Line)
        assert lines[TWO_STEPS].x == (2.0, 8.0)
        assert lines[TWO_STEPS].y == pytest.approx((0.005, 0.00125))
        assert lines[BAYES_OPTIMAL].y == pytest.approx((0.05, 0.0125))
        (floor,) = (mark for mark in panel.marks if isinstance(mark, Rule))
        assert floor.y == 0.01 and floor.dash == DOTTED


def test_the_model_in_other_ways_is_drawn_at_its_best(table):
    result = named(drawing(table).panels[0], Dots)
    assert result[SIMULATED].y == pytest.approx((0.11, 0.11))
    assert result[MINIMUM].y == pytest.approx((0.02, 0.02))


def test_a_training_that_diverged_is_said_and_not_drawn(table):
    failed = table.assign(error_message=None)
    lost = failed[(failed.architecture == "gru") & (failed.alpha == 8.0)].index
    failed.loc[lost, "test_error"] = None
    failed.loc[lost, "error_message"] = "NotConverged: training diverged at every learning rate"
    picture = drawing(failed)
    assert picture.words.endswith("\n2 trainings diverged")
    assert len(named(picture.panels[2], Dots)["recurrent (GRU)"].x) == 1


@pytest.mark.parametrize("panel", ["paper", "attention", "others"])
def test_one_panel_goes_into_given_axes(table, panel):
    figure, ax = plt.subplots()
    assert figures.deep_errors(table, ax=ax, panel=panel) is figure
    assert figure.axes == [ax] and ax.has_data()
    assert TWO_STEPS in [text.get_text() for text in ax.get_legend().get_texts()]


def test_two_numbers_of_heads_are_refused(table):
    row = {"call": "simulate_deep", "architecture": "multihead", "alpha": 2.0, "test_error": 0.1}
    several = [row, {**row, "heads": 4}]  # as many as by default
    drawing(pd.concat([table, pd.DataFrame(several)]))
    with pytest.raises(ValueError, match="draws a single heads, got 4, 8"):
        drawing(pd.concat([table, pd.DataFrame([row, {**row, "heads": 8}])]))


def test_other_architectures_are_refused(table):
    other = pd.DataFrame([{"call": "simulate_deep", "architecture": "mamba", "alpha": 2.0}])
    with pytest.raises(ValueError, match=r"figures\.deep_errors draws architecture .* got mamba"):
        figures.deep_errors(pd.concat([table, other]))
