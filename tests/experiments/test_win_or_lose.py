"""The experiment on where attention wins: its units, and the differences it maps."""

import pandas as pd
import pytest

from needlescope.experiments import win_or_lose


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


def test_nothing_is_compared():
    assert win_or_lose.scores(pd.DataFrame()).empty
