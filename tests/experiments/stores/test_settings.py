"""Rows say all that their numbers rest on, defaults included, and keys do not change for it."""

from __future__ import annotations

import sqlite3

import pytest

import needlescope as ns
from needlescope.experiments.engine import local
from needlescope.experiments.stores.settings import columns, settings
from needlescope.experiments.units.calls import CALLS, parameters
from needlescope.experiments.units.plain_data import plain
from needlescope.experiments.units.unit import Unit

TASK = {"L": 4, "R": 1, "theta": 2.0, "pi": 0.5}
TRAINING = {"alpha0": 1.0, "alpha1": 2.0}
UNIT = Unit("predict", {"task": TASK, "training": TRAINING, "model": "pooled"})


@pytest.mark.parametrize("call", CALLS)
def test_every_argument_of_a_call_is_there_unless_it_is_none(call):
    given = {"task": TASK} if "task" in parameters(call) else {}
    result = settings(Unit(call, given))
    for name, parameter in parameters(call).items():
        if name not in ("task", "noise") and parameter.default not in (None, parameter.empty):
            assert result[name] == plain(parameter.default)
    assert not given or result["task"] == TASK | {"positions": "uniform"}
    assert ("noise" in result) == ("noise" in parameters(call))


def test_a_table_has_the_defaults(tmp_path):
    trial = Unit("simulate", {**UNIT.arguments, "d": 10, "trials": 1, "seed": [0, 1]})
    with ns.Store(tmp_path / "a.sqlite") as store:
        ns.run_units([UNIT, trial], store, engine=local(1))
        first, second = store.to_pandas([UNIT, trial]).to_dict("records")
    assert (first["training.ridge"], first["training.beta"], first["training.eta_q"]) == (
        0.01,
        1.0,
        10.0,
    )
    assert (first["training.loss"], first["training.first_step"]) == ("logistic", "joint")
    assert (first["task.positions"], first["data"], first["tol"]) == ("uniform", "D1", "auto")
    assert (second["sampler"], second["reuse"], second["starts"]) == ("auto", "none", 0)
    assert (second["noise.entries"], second["noise.token_correlation"]) == ("gaussian", 0.0)
    assert second["seed"] == [0, 1]


def test_the_key_is_of_the_arguments_as_given():
    written_out = Unit("predict", settings(UNIT))
    assert written_out.key != UNIT.key and written_out.run() == UNIT.run()


def test_what_is_given_wins_over_the_default():
    item = Unit("simulate", {**UNIT.arguments, "noise": {"covariance_decay": 0.5}, "query": None})
    result = settings(item)
    assert result["noise"] == {
        "entries": "gaussian",
        "token_correlation": 0.0,
        "covariance_decay": 0.5,
    }
    assert "query" not in result


def test_a_store_from_before_has_the_defaults_of_the_same_code_only(tmp_path):
    path = tmp_path / "a.sqlite"
    with ns.Store(path) as store:
        store.put(UNIT, {"test_error": 0.1}, seconds=0.0)
    base = sqlite3.connect(path)
    base.execute("DROP TABLE settings")
    base.execute(
        "INSERT INTO results SELECT 'other', call, arguments, numbers, error, seconds, "
        "versions, 'z' FROM results"
    )
    base.commit()
    base.close()
    with ns.Store(path) as store:
        result = store.to_pandas()
        assert result["training.ridge"].isna().tolist() == [
            False,
            True,
        ]  # of unknown code: as given
        assert result["training.alpha1"].tolist() == [2.0, 2.0]
        assert ns.run_units([UNIT], store) == (0, 1, 0, ())
        other = Unit("oracle", {"task": TASK, "model": "pooled"})
        ns.run_units([other], store, engine=local(1))
        assert store.get(other).settings["tol"] == 1e-4


def test_an_older_version_can_go_on_with_a_store(tmp_path):
    path = tmp_path / "a.sqlite"
    ns.Store(path).close()
    base = sqlite3.connect(path)  # as version 0.1.0 writes a row
    base.execute(
        "INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ("k", "gone", '{"a": 1}', '{"b": Infinity, "c": NaN}', None, 0.5, "{}", "now"),
    )
    base.commit()
    assert base.execute("PRAGMA user_version").fetchone() == (1,)
    base.close()
    with ns.Store(path) as store:
        (row,) = store.rows()
        assert row.unit.call == "gone" and row.numbers["b"] == float("inf")
        assert store.to_pandas().a.tolist() == [1]


def test_tables_inside_tables_are_columns():
    loss = {"name": "steep", "class": "Steep", "parameters": {"slope": 2.0}, "code": "0"}
    assert columns({"training": {"loss": loss}}) == {
        "training.loss": "steep",
        "training.loss.class": "Steep",
        "training.loss.parameters.slope": 2.0,
        "training.loss.code": "0",
    }
