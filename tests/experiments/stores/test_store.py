"""The store: what is kept, under which key, and how it comes out as a table."""

from __future__ import annotations

import csv
import math
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from needlescope.experiments.engine import local, run_units
from needlescope.experiments.stores import store as store_module
from needlescope.experiments.stores.store import LAYOUT, Store, StoreError
from tests.experiments.some_units import TRIAL, WRONG, cheap

COVERS = ("row",)


# ---------------------------------------------------------------- rows


def test_a_row_says_where_it_is_from(store: Store) -> None:
    numbers = TRIAL.run()
    store.put(TRIAL, numbers, seconds=0.25)
    row = store.get(TRIAL)
    assert row is not None
    assert (row.unit, row.numbers, row.error, row.seconds) == (TRIAL, numbers, None, 0.25)
    assert {"python", "needlescope", "numpy", "scipy"} <= set(row.versions)
    assert pd.Timestamp(row.finished) > pd.Timestamp("2020-01-01", tz="UTC")
    assert row.numbers["provenance"] == "simulation"


def test_every_bit_of_a_number_is_kept(store: Store) -> None:
    values = np.random.default_rng(0).standard_normal(200) * 10.0 ** np.arange(-100, 100)
    numbers = {f"n{place}": float(value) for place, value in enumerate(values)}
    store.put(TRIAL, numbers | {"tiny": 5e-324, "minus": -0.0}, seconds=0.0)
    result = store.get(TRIAL).numbers
    assert {name: result[name] for name in numbers} == numbers
    assert result["tiny"] == 5e-324 and math.copysign(1.0, result["minus"]) == -1.0


def test_nan_and_infinity_among_numbers(store: Store) -> None:
    numbers = {"none": math.nan, "much": math.inf, "little": -math.inf, "some": 1.0}
    store.put(TRIAL, numbers, seconds=0.0)
    result = store.get(TRIAL).numbers
    assert math.isnan(result.pop("none"))
    assert result == {"much": math.inf, "little": -math.inf, "some": 1.0}
    table = store.to_pandas()
    assert np.isnan(table.none[0]) and table.much[0] == math.inf


def test_rows_come_in_the_order_asked_for(store: Store) -> None:
    units = cheap(5)
    for unit in units[:4]:
        store.put(unit, {"error": 0.1}, seconds=0.0)
    asked = [units[3], units[4], units[0]]
    assert [row.unit for row in store.rows(asked)] == [units[3], units[0]]
    assert len(list(store.rows())) == len(store) == 4
    assert store.get(units[4]) is None


def test_missing_lists_each_unit_once(store: Store) -> None:
    units = cheap(3)
    store.put(units[0], {"error": 0.1}, seconds=0.0)
    store.put(units[1], None, seconds=0.0, error="ValueError: no")
    assert store.missing([*units, *units]) == [units[2]]
    assert store.missing([*units, *units], retry=True) == [units[1], units[2]]


def test_a_result_replaces_an_error_but_not_the_other_way_round(store: Store) -> None:
    unit = cheap(1)[0]
    store.put(unit, None, seconds=0.0, error="MemoryError: first")
    store.put(unit, None, seconds=0.0, error="MemoryError: second")
    assert store.get(unit).error == "MemoryError: second"
    store.put(unit, {"error": 0.2}, seconds=0.0)
    store.put(unit, {"error": 0.1}, seconds=0.0)
    store.put(unit, None, seconds=0.0, error="MemoryError: third")
    assert (store.get(unit).numbers, store.get(unit).error) == ({"error": 0.1}, None)
    assert len(store) == 1


# ---------------------------------------------------------------- tables


def test_to_pandas(store: Store) -> None:
    units = [TRIAL, WRONG, *cheap(2)]
    run_units(units, store, engine=local(1))
    table = store.to_pandas(units)
    assert table.call.tolist() == ["simulate", "oracle", "oracle", "oracle"]
    assert table["task.L"].tolist() == [10] * 4 and table["task.theta"][3] == 1.02
    assert table["training.alpha1"][0] == 2.0 and table.seed[0] == [0, 3]
    assert table.test_error[0] == TRIAL.run()["test_error"]
    assert table.error[2] == units[2].run()["error"] and np.isnan(table.error[1])
    assert table.error_message[1].startswith("ValueError: R must be")
    assert table.error_message[[0, 2, 3]].isna().all()
    assert (table.seconds > 0.0).all()
    assert {"version.needlescope", "version.numpy", "finished"} <= set(table)
    assert len(store.to_pandas()) == 4
    assert len(store.to_pandas([])) == 0


def test_to_csv_reads_back_bit_for_bit(store: Store, tmp_path: Path) -> None:
    units = [*cheap(4), WRONG]
    run_units(units, store, engine=local(1))
    store.to_csv(tmp_path / "table.csv", units)
    with (tmp_path / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["error"]) for row in rows[:4]] == [unit.run()["error"] for unit in units[:4]]
    assert rows[4]["error"] == "" and rows[4]["error_message"].startswith("ValueError")


def test_to_parquet_without_pyarrow(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "fastparquet", None)
    run_units(cheap(2), store, engine=local(1))
    with pytest.raises(ImportError, match=r"Parquet needs pyarrow: pip install 'needlescope\[pa"):
        store.to_parquet(tmp_path / "table.parquet")
    assert not (tmp_path / "table.parquet").exists()


def test_to_parquet_reads_back(store: Store, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    units = [TRIAL, *cheap(4), WRONG]
    run_units(units, store, engine=local(1))
    store.to_parquet(tmp_path / "table.parquet", units)
    result = pd.read_parquet(tmp_path / "table.parquet")
    assert result.error.tolist()[1:5] == store.to_pandas(units).error.tolist()[1:5]


# ---------------------------------------------------------------- the file


def test_a_store_is_there_again_when_opened_again(tmp_path: Path) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        run_units(cheap(3), store, engine=local(1))
        before = list(store.rows())
    assert [path.name for path in tmp_path.iterdir()] == ["a.sqlite"]
    with Store(str(tmp_path / "a.sqlite")) as store:
        assert list(store.rows()) == before


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "a.sqlite").touch()
    with Store(tmp_path / "a.sqlite") as store:
        assert len(store) == 0


def test_another_layout_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    Store(path).close()
    base = sqlite3.connect(path)
    base.execute(f"PRAGMA user_version = {LAYOUT + 1}")
    base.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=f"has layout {LAYOUT + 1}, this version reads {LAYOUT};"):
        Store(path)
    assert path.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.sqlite"]


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE bookmarks (url TEXT)")
    base.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is not a needlescope store or is damaged"):
        Store(path)
    assert path.read_bytes() == before


def test_a_row_that_makes_no_sense_is_said(store: Store) -> None:
    store.put(TRIAL, {"error": 0.1}, seconds=0.0)
    store._base.execute("UPDATE results SET numbers = '{'")
    with pytest.raises(StoreError, match=r"damaged .malformed row: .*; move it away and rerun"):
        store.get(TRIAL)


def test_a_busy_store_is_waited_for_and_then_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "WAIT", 0.2)
    with Store(tmp_path / "a.sqlite") as store, Store(tmp_path / "a.sqlite") as other:
        other._base.execute("BEGIN IMMEDIATE")
        assert len(store) == 0  # reading goes on
        with pytest.raises(StoreError, match=r"another run has held the store .* for 0.2 s"):
            store.put(TRIAL, {"error": 0.1}, seconds=0.0)
        other._base.execute("ROLLBACK")
        store.put(TRIAL, {"error": 0.1}, seconds=0.0)
        assert len(other) == 1


def test_an_interrupt_in_a_transaction_leaves_the_store_usable(store: Store) -> None:
    with pytest.raises(KeyboardInterrupt), store._writing() as base:
        base.execute("DELETE FROM results")
        raise KeyboardInterrupt
    store.put(TRIAL, {"error": 0.5}, seconds=0.0)
    assert len(store) == 1
