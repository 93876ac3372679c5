"""The experiment "length": its units, and simulation against theory on a small run."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import needlescope as ns
from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores.store import Store
from needlescope.gallery.paper.length import KAPPAS, L, length
from needlescope.gallery.registry import published

FIGURE = published("length")


def place(unit):
    result = unit.arguments
    return result["model"], result.get("query", {}).get("kappa"), result["test_task"]["L"]


@pytest.mark.parametrize("full", [False, True])
def test_units_are_distinct_and_each_dot_has_its_line(full):
    units = FIGURE.units(full)
    assert len({unit.key for unit in units}) == len(units)
    lines = {place(unit) for unit in units if unit.call == "predict"}
    dots = {place(unit) for unit in units if unit.call == "simulate"}
    assert dots <= lines
    assert {length for _, _, length in dots} >= {L // 4, L, 64 * L}
    assert {kappa for _, kappa, _ in dots} == {*KAPPAS, None}
    assert all(unit.arguments["task"]["L"] == L for unit in units)


@pytest.mark.slow
def test_simulation_agrees_with_theory_at_another_length(tmp_path):
    wanted = [("attention", 2.0, 4 * L), ("pooled", None, 4 * L)]
    units = [unit for unit in FIGURE.units(False) if place(unit) in wanted]
    with Store(tmp_path / "results.sqlite") as store:
        assert run_units(units, store, engine=local(1), progress=False).failed == 0
        scores = FIGURE.scores(store.to_pandas(units))
    assert len(scores) == 2  # pooling has no κ, and is compared all the same
    assert scores["z"].abs().max() < 5.0


def test_nothing_to_compare_in_an_empty_store(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        assert len(FIGURE.scores(store.to_pandas([]))) == 0


@pytest.fixture
def table():
    rows = []
    for model, kappa in (("attention", 1.0), ("attention", 4.0), ("pooled", float("nan"))):
        for tokens in (4, 16, 64):
            shared = {"model": model, "query.kappa": kappa, "task.L": 16, "test_task.L": tokens}
            error = 0.002 * tokens + (0.1 if model == "pooled" else 0.01)
            rows.append({"call": "predict", **shared, "test_error": error})
            for shift in (-0.002, 0.002):
                rows.append({"call": "simulate", "d": 9, **shared, "test_error": error + shift})
    yield pd.DataFrame(rows)
    plt.close("all")


def test_a_line_and_dots_for_each_query_and_pooling(table):
    ax = length(table).axes[0]
    names = [text.get_text() for text in ax.texts]
    assert sum("attention" in name for name in names) == 2 and "mean pooling" in names
    assert len(ax.containers) == 3
    dots = ax.containers[0].lines[0].get_ydata()
    assert dots == pytest.approx([0.018, 0.042, 0.138])


def test_draws_into_given_axes_and_without_dots(table):
    figure, ax = plt.subplots()
    assert length(table[table.call == "predict"], ax=ax) is figure
    assert not ax.containers and len(figure.axes) == 1


def test_a_trained_query_has_its_line_and_carriers_are_counted(table):
    trained = table[table["query.kappa"] != 1.0].drop(columns="query.kappa")
    ax = length(trained.assign(**{"task.R": 2})).axes[0]
    assert {"attention", "mean pooling"} <= {text.get_text() for text in ax.texts}
    assert len(ax.containers) == 2 and ax.get_xlabel().endswith("(2 carry the signal)")


def test_another_strength_in_the_test_is_not_mixed_with_the_same_one():
    task = ns.Task(L=10, R=1, theta=5.0, pi=0.5)
    test = task.replace(L=[5, 10, 20], theta=[[3.0], [5.0]])
    result = ns.predict(task, ns.Training(alpha1=1.0), "pooled", test_task=test)
    with pytest.raises(ValueError, match=r"draws a single test_task\.theta, got 3\.0, 5\.0"):
        length(result.to_pandas())


def test_hard_attention_is_drawn():
    task, query = ns.Task(L=10, R=1, theta=5.0, pi=0.5), ns.Query([[1.0], [float("inf")]], 0.9)
    test = task.replace(L=[10, 20])
    result = ns.predict(task, ns.Training(alpha1=1.0), query=query, test_task=test, tol=1e-2)
    texts = [text.get_text() for text in length(result.to_pandas()).axes[0].texts]
    assert any("inf" in text for text in texts)
