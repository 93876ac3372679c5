"""The experiment on where attention wins: its units, and the differences it maps."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from needlescope.experiments.units.unit import canonical
from needlescope.gallery.paper import win_or_lose as module
from needlescope.gallery.paper.win_or_lose import win_or_lose


def row(model: str, error: float, alpha0: float = 1.0, **more: object) -> dict[str, object]:
    """A finished prediction."""
    result = {"call": "predict", "model": model, "test_error": error, "training.alpha0": alpha0}
    return {**result, **more}


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_every_attention_has_its_pooling(full):
    units = module.units(full)
    assert len({unit.key for unit in units}) == len(units)
    places = {"attention": set(), "pooled": set()}
    for unit in units:
        if unit.call == "predict":
            arguments = unit.arguments
            trained = "eta_q" in arguments["training"] or arguments.get("data") == "all"
            places[arguments["model"]].add((arguments["training"]["alpha0"], trained))
    assert places["attention"] == places["pooled"]


def test_given_queries_are_held_against_pooling_on_the_same_data():
    given = {"query.kappa": 2.0, "query.cosine": 0.9}
    table = pd.DataFrame(
        [row("pooled", 0.3), row("pooled", 0.25, data="all"), row("attention", 0.1, **given)]
    )
    assert module.difference(table).loc[2.0, 0.9] == pytest.approx(-0.2)


def test_trained_queries_are_held_against_pooling_on_all_data():
    step = {"training.eta_q": 10.0}
    table = pd.DataFrame(
        [row("pooled", 0.3), row("pooled", 0.25, data="all"), row("attention", 0.1, **step)]
    )
    assert module.difference(table, trained=True).loc[10.0, 1.0] == pytest.approx(-0.15)
    assert module.difference(table).empty


def test_what_failed_is_left_out():
    table = pd.DataFrame([row("pooled", 0.3), row("attention", float("nan"))])
    assert module.difference(table).empty


def test_simulated_differences_are_means_at_the_largest_dimension():
    given = {"call": "simulate", "query.kappa": 2.0, "query.cosine": 0.9}
    rows = [row("pooled", error, call="simulate", d=20) for error in (0.2, 0.4)]
    rows += [row("attention", error, **given, d=20) for error in (0.1, 0.14)]
    rows += [row("attention", 0.9, **given, d=10), row("pooled", 0.9, call="simulate", d=10)]
    result = module.difference(pd.DataFrame(rows), call="simulate")
    assert result.loc[2.0, 0.9] == pytest.approx(0.12 - 0.3)


def test_nothing_is_compared_without_numbers():
    assert module.scores(pd.DataFrame()).empty
    assert module.scores(pd.DataFrame([row("pooled", float("nan"))])).empty


@pytest.mark.parametrize("full", [False, True])
def test_every_simulated_point_is_on_the_map(full):
    known, drawn = set(), set()
    for unit in module.units(full):
        if unit.call != "crossover":
            kept = ("task", "training", "model", "query", "data")
            point = {key: unit.arguments[key] for key in kept if key in unit.arguments}
            (known if unit.call == "predict" else drawn).add(canonical(point))
    assert drawn < known
    assert len(drawn) == 1 + 12 + 3 + 12


def test_each_kind_is_compared_with_its_own_theory():
    points = [
        row("pooled", 0.3),
        row("pooled", 0.25, data="all"),
        row("attention", 0.1, **{"query.kappa": 2.0, "query.cosine": 0.9}),
        row("attention", 0.15, **{"training.eta_q": 10.0}),
    ]
    rows = list(points)
    for point in points:
        for size, bias in ((20, 0.01), (10, 0.02)):
            for noise in (-0.001, 0.001):
                error = point["test_error"] + bias + noise
                rows.append({**point, "call": "simulate", "d": size, "test_error": error})
    result = module.scores(pd.DataFrame(rows))
    assert result.theory.tolist() == pytest.approx([0.3, 0.25, 0.1, 0.15])
    assert result.simulation.tolist() == pytest.approx([0.3, 0.25, 0.1, 0.15])
    assert result.group.tolist() == ["test_error, pooled"] * 2 + ["test_error, attention"] * 2


@pytest.fixture
def table():
    base = {"call": "predict", "training.alpha0": 1.0}
    rows = [{**base, "model": "pooled", "test_error": 0.25}]
    for kappa in (0.1, 1.0):
        for cosine in (0.0, 1.0):
            error = 0.25 - kappa * (cosine - 0.4) / 4.0
            rows.append({**base, "model": "attention", "test_error": error}
                        | {"query.kappa": kappa, "query.cosine": cosine})  # fmt: skip
        for alpha1 in (4.0, None):
            rows.append({"call": "crossover", "kappa": kappa, "cosine": 0.4}
                        | {"training.alpha1": alpha1})  # fmt: skip
    for alpha0 in (1.0, 2.0):
        point = {"call": "predict", "training.alpha0": alpha0}
        rows.append({**point, "model": "pooled", "data": "all", "test_error": 0.2})
        for step in (1.0, 10.0):
            rows.append({**point, "model": "attention", "training.eta_q": step}
                        | {"test_error": 0.3 / alpha0})  # fmt: skip
    yield pd.DataFrame(rows)
    plt.close("all")


def test_colours_are_differences_and_lines_the_crossover(table):
    given = win_or_lose(table).axes[0]
    values = given.collections[0].get_array()
    assert values.ravel().tolist() == pytest.approx([0.01, -0.015, 0.1, -0.15])
    after, limit = given.lines
    assert list(after.get_xdata()) == list(limit.get_xdata()) == [0.4, 0.4]


def test_colours_are_symmetric_around_no_difference(table):
    low, high = win_or_lose(table).axes[0].collections[0].get_clim()
    assert low == pytest.approx(-0.15)
    assert high == pytest.approx(0.15)


def test_trained_queries(table):
    values = win_or_lose(table).axes[1].collections[0].get_array()
    assert values.ravel().tolist() == pytest.approx([0.1, -0.05, 0.1, -0.05])


def test_rings_have_the_colour_of_what_was_simulated(table):
    drawn = {"call": "simulate", "training.alpha0": 1.0, "d": 20}
    given = {"query.kappa": 1.0, "query.cosine": 1.0, "model": "attention"}
    rows = [{**drawn, "model": "pooled", "test_error": error} for error in (0.2, 0.3)]
    rows += [{**drawn, **given, "test_error": error} for error in (0.12, 0.14)]
    rows += [{**drawn, "model": "pooled", "data": "all", "test_error": 0.2}]
    rows += [{**drawn, "model": "attention", "training.eta_q": 10.0, "test_error": 0.5}]
    both = pd.concat([table, pd.DataFrame(rows)])
    left, right = win_or_lose(both).axes[:2]
    for panel, place, value in ((left, [1.0, 1.0], -0.12), (right, [1.0, 10.0], 0.3)):
        mesh, rings = panel.collections[0], panel.collections[-1]
        assert rings.get_offsets().tolist() == [place]
        assert rings.get_array().tolist() == pytest.approx([value])
        assert rings.get_clim() == mesh.get_clim() == pytest.approx((-0.3, 0.3))
    _, ax = plt.subplots()
    win_or_lose(both, ax=ax)
    assert ax.collections[-1].get_offsets().tolist() == [[1.0, 1.0]]


def test_only_the_main_panel_on_given_axes(table):
    figure, ax = plt.subplots()
    assert win_or_lose(table, ax=ax) is figure
    assert figure.axes == [ax]
