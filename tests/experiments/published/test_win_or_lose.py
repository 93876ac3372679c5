"""The experiment on where attention wins: its units, and the differences it maps."""

import pandas as pd
import pytest

from needlescope.experiments.published import win_or_lose
from needlescope.experiments.units.unit import canonical


def row(model: str, error: float, alpha0: float = 1.0, **more: object) -> dict[str, object]:
    """A finished prediction."""
    found = {"call": "predict", "model": model, "test_error": error, "training.alpha0": alpha0}
    return {**found, **more}


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_every_attention_has_its_pooling(full):
    units = win_or_lose.units(full)
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
    assert win_or_lose.difference(table).loc[2.0, 0.9] == pytest.approx(-0.2)


def test_trained_queries_are_held_against_pooling_on_all_data():
    step = {"training.eta_q": 10.0}
    table = pd.DataFrame(
        [row("pooled", 0.3), row("pooled", 0.25, data="all"), row("attention", 0.1, **step)]
    )
    assert win_or_lose.difference(table, trained=True).loc[10.0, 1.0] == pytest.approx(-0.15)
    assert win_or_lose.difference(table).empty


def test_what_failed_is_left_out():
    table = pd.DataFrame([row("pooled", 0.3), row("attention", float("nan"))])
    assert win_or_lose.difference(table).empty


def test_simulated_differences_are_means_at_the_largest_dimension():
    given = {"call": "simulate", "query.kappa": 2.0, "query.cosine": 0.9}
    rows = [row("pooled", error, call="simulate", d=20) for error in (0.2, 0.4)]
    rows += [row("attention", error, **given, d=20) for error in (0.1, 0.14)]
    rows += [row("attention", 0.9, **given, d=10), row("pooled", 0.9, call="simulate", d=10)]
    found = win_or_lose.difference(pd.DataFrame(rows), call="simulate")
    assert found.loc[2.0, 0.9] == pytest.approx(0.12 - 0.3)


def test_nothing_is_compared_without_numbers():
    assert win_or_lose.scores(pd.DataFrame()).empty
    assert win_or_lose.scores(pd.DataFrame([row("pooled", float("nan"))])).empty


@pytest.mark.parametrize("full", [False, True])
def test_every_simulated_point_is_on_the_map(full):
    known, drawn = set(), set()
    for unit in win_or_lose.units(full):
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
    found = win_or_lose.scores(pd.DataFrame(rows))
    assert found.theory.tolist() == pytest.approx([0.3, 0.25, 0.1, 0.15])
    assert found.simulation.tolist() == pytest.approx([0.3, 0.25, 0.1, 0.15])
    assert found.group.tolist() == ["test_error, pooled"] * 2 + ["test_error, attention"] * 2
