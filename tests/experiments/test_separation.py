"""The experiment on separation: its units, and the growth laws fitted to the thresholds."""

import math

import pandas as pd
import pytest

from needlescope.experiments import separation


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
            rows.append({"call": "detection_threshold", "model": model, "task.L": L}
                        | {"theta": theta})  # fmt: skip
    found = separation.growth(pd.DataFrame(rows)).set_index("model")
    assert found.slope["pooled"] == pytest.approx(0.5)
    assert found.ratio["bayes"] == pytest.approx(1.2)
    assert 0.0 < found.slope["bayes"] < 0.1


def test_growth_leaves_out_what_failed():
    row = {"call": "detection_threshold", "model": "pooled"}
    table = pd.DataFrame([{**row, "task.L": 10_000, "theta": None}])
    assert separation.growth(table).empty


def test_nothing_is_compared():
    assert separation.scores(pd.DataFrame()).empty
