"""The experiment on separation: its units, its scores, and the growth laws of the thresholds."""

import math

import pandas as pd
import pytest

from needlescope.experiments.experiment import verdict
from needlescope.experiments.published import separation


@pytest.mark.parametrize("full", [False, True])
def test_units_cover_every_law_and_length_once(full):
    units = separation.units(full)
    assert len({unit.key for unit in units}) == len(units)
    tasks = [unit.arguments["task"] for unit in units]
    assert {task["L"] for task in tasks} >= {10, 100_000}


def test_every_oracle_row_is_found_along_its_law():
    units = [unit for unit in separation.units(False) if unit.call == "oracle"]
    rows = [
        {"call": "oracle", "model": unit.arguments["model"], "error": 0.1}
        | {f"task.{key}": value for key, value in unit.arguments["task"].items()}
        for unit in units
    ]
    table = pd.DataFrame(rows)
    for law, factors in separation.LAWS.items():
        for c in factors:
            found = separation.along(table, law, c)
            counts = found.groupby("model").size()
            assert counts.to_dict() == dict.fromkeys(
                separation.MODELS, len(separation.LENGTHS)
            )  # fmt: skip


def test_growth_recovers_both_laws():
    rows = []
    for L in separation.LENGTHS:
        for model, theta in (("pooled", 3.0 * L**0.5), ("bayes", 1.2 * math.sqrt(2 * math.log(L)))):
            rows.append({"call": "oracle_threshold", "model": model, "task.L": L}
                        | {"theta": theta})  # fmt: skip
    found = separation.growth(pd.DataFrame(rows)).set_index("model")
    assert found.slope["pooled"] == pytest.approx(0.5)
    assert found.ratio["bayes"] == pytest.approx(1.2)
    assert 0.0 < found.slope["bayes"] < 0.1


def test_growth_leaves_out_what_failed():
    row = {"call": "oracle_threshold", "model": "pooled"}
    table = pd.DataFrame([{**row, "task.L": 10_000, "theta": None}])
    assert separation.growth(table).empty


def test_nothing_is_compared_without_numbers():
    assert separation.scores(pd.DataFrame()).empty
    assert separation.scores(pd.DataFrame({"call": ["oracle"], "model": ["pooled"]})).empty


@pytest.mark.parametrize("full", [False, True])
def test_every_simulated_point_has_its_theory(full):
    units = separation.units(full)
    known, drawn = (
        {(unit.arguments["model"], *sorted(unit.arguments["task"].items()))
         for unit in units if unit.call == call}
        for call in ("oracle", "simulate_oracle")
    )  # fmt: skip
    assert drawn < known
    assert {place[0] for place in drawn} == set(separation.MODELS)


@pytest.fixture(scope="module")
def table():
    """The units at L = 10, run."""
    units = [unit for unit in separation.units(False) if unit.arguments["task"]["L"] == 10]
    rows = []
    for unit in units:
        if unit.call != "oracle_threshold":
            task = {f"task.{key}": value for key, value in unit.arguments["task"].items()}
            rows.append({"call": unit.call, **task, **unit.run()})
    return pd.DataFrame(rows)


def test_theory_agrees(table):
    found = separation.scores(table)
    assert len(found) == 6 + 5 + 5  # without the strongest signal, but for pooling
    assert verdict(found) == "agree"


@pytest.mark.parametrize("factor", [0.9, 1.1])
@pytest.mark.parametrize("model", separation.MODELS)
def test_a_theory_wrong_by_a_tenth_disagrees(table, model, factor):
    wrong = table.copy()
    wrong.loc[(wrong.call == "oracle") & (wrong.model == model), "error"] *= factor
    assert verdict(separation.scores(wrong)) == "disagree"


def test_rare_mistakes_are_scored_only_where_one_side_has_many():
    row = {"model": "attention", "task.L": 10, "task.theta": 5.0}
    drawn = [{**row, "call": "simulate_oracle", "error": error} for error in (1e-4, 2e-4, 0.0)]
    for error, count in ((1e-4, 0), (0.1, 1)):
        table = pd.DataFrame([{**row, "call": "oracle", "error": error}, *drawn])
        assert len(separation.scores(table)) == count
