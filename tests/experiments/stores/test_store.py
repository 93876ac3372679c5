"""The store: what is kept, under which key, and how it comes out as a table."""

from __future__ import annotations

import csv
import math
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import make_dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from needlescope.experiments.engine import local, run_units
from needlescope.experiments.experiment import trials
from needlescope.experiments.stores import store as store_module
from needlescope.experiments.stores.store import LAYOUT, Store, StoreError
from needlescope.experiments.units.calls import code_of, flatten
from needlescope.experiments.units.unit import Unit

TASK = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
WRONG = Unit("oracle", {"task": TASK | {"R": 11}, "model": "pooled"})
TRIAL = Unit(
    "simulate",
    {
        "task": TASK,
        "training": {"alpha0": 2.0, "alpha1": 2.0},
        "model": "attention",
        "d": 60,
        "trials": 1,
        "seed": [0, 3],
    },
)


def cheap(count: int) -> list[Unit]:
    tasks = [TASK | {"theta": 1.0 + place / 50} for place in range(count)]
    return [Unit("oracle", {"task": task, "model": "pooled"}) for task in tasks]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "new" / "folder" / "results.sqlite") as made:
        yield made


# ---------------------------------------------------------------- keys

CHANGES = [
    ("task", TASK | {"theta": 5.0000000000000009}),
    ("task", TASK | {"L": 11}),
    ("task", TASK | {"positions": "first"}),
    ("training", {"alpha0": 2.0, "alpha1": 2.0, "loss": "square"}),
    ("model", "pooled"),
    ("d", 61),
    ("trials", 2),
    ("seed", [0, 4]),
    ("seed", [1, 3]),
    ("reuse", False),
]


@pytest.mark.parametrize(("name", "value"), CHANGES)
def test_the_key_changes_with_any_argument(name: str, value: object) -> None:
    assert Unit(TRIAL.call, {**TRIAL.arguments, name: value}).key != TRIAL.key


@pytest.mark.parametrize("name", sorted(TRIAL.arguments))
def test_the_key_changes_when_an_argument_is_left_out(name: str) -> None:
    rest = {key: value for key, value in TRIAL.arguments.items() if key != name}
    assert Unit(TRIAL.call, rest).key != TRIAL.key


def test_the_key_changes_with_the_call() -> None:
    rest = {key: value for key, value in TRIAL.arguments.items() if key != "model"}
    assert Unit("simulate_alignment", rest).key != Unit("simulate", rest).key


def test_the_key_changes_with_the_code_that_answers_and_seeds_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    oracle, trial = cheap(1)[0].key, TRIAL.key
    seeds = [unit.arguments["seed"] for unit in trials("simulate", TRIAL.arguments, 2)]
    monkeypatch.setattr(
        "needlescope.experiments.units.unit.code_of",
        lambda call: "changed" if call == "oracle" else code_of(call),
    )
    assert cheap(1)[0].key != oracle
    assert TRIAL.key == trial
    monkeypatch.setattr("needlescope.experiments.units.unit.code_of", lambda call: "changed")
    assert TRIAL.key != trial
    assert [unit.arguments["seed"] for unit in trials("simulate", TRIAL.arguments, 2)] == seeds


def test_the_key_does_not_depend_on_order_or_containers() -> None:
    turned = {key: TRIAL.arguments[key] for key in reversed(list(TRIAL.arguments))}
    turned |= {"task": dict(reversed(TASK.items())), "seed": (0, 3)}
    assert Unit("simulate", turned).key == TRIAL.key


def test_a_unit_does_not_follow_later_changes_of_its_arguments() -> None:
    task = dict(TASK)
    unit = Unit("oracle", {"task": task, "model": "pooled"})
    key = unit.key
    task["L"] = 99
    assert (unit.key, unit.arguments["task"]["L"]) == (key, 10)


@pytest.mark.parametrize("value", [math.nan, 1j, np.array([1j]), object(), {1, 2}])
def test_arguments_that_are_not_plain_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="arguments must be numbers, words, lists and dicts"):
        Unit("oracle", {"task": TASK, "model": value})


def test_a_call_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match=r"call must be one of 'align', 'asymptote.*got 'eval'"):
        Unit("eval", {})


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
    found = store.get(TRIAL).numbers
    assert {name: found[name] for name in numbers} == numbers
    assert found["tiny"] == 5e-324 and math.copysign(1.0, found["minus"]) == -1.0


def test_nan_and_infinity_among_numbers(store: Store) -> None:
    numbers = {"none": math.nan, "much": math.inf, "little": -math.inf, "some": 1.0}
    store.put(TRIAL, numbers, seconds=0.0)
    found = store.get(TRIAL).numbers
    assert math.isnan(found.pop("none"))
    assert found == {"much": math.inf, "little": -math.inf, "some": 1.0}
    table = store.to_pandas()
    assert np.isnan(table.none[0]) and table.much[0] == math.inf


def test_a_call_leaves_nan_out() -> None:
    found = TRIAL.run()
    assert found and not any(
        isinstance(value, float) and math.isnan(value) for value in found.values()
    )
    one = make_dataclass("One", ["a", "b", "c"])
    assert flatten(one(math.nan, 1, math.inf)) == {"b": 1.0, "c": math.inf}


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


def test_a_failing_unit_is_kept_and_the_others_go_on(store: Store) -> None:
    units = [*cheap(3), WRONG, *cheap(6)]
    assert run_units(units, store, engine=local(1))[:3] == (7, 0, 1)
    row = store.get(WRONG)
    assert (row.numbers, row.error) == (
        None,
        "ValueError: R must be an integer in 1..L, got 11 with L=10",
    )
    assert run_units(units, store, engine=local(1)) == (0, 7, 1, (row.error,))


def test_retry_runs_just_those_that_failed(store: Store) -> None:
    run_units([*cheap(5), WRONG], store, engine=local(1))
    ran: list[Unit] = []

    def engine(units, each, progress) -> None:
        ran.extend(units)
        local(1)(units, each, progress)

    assert run_units([*cheap(6), WRONG], store, engine=engine, retry=True)[:3] == (2, 5, 1)
    assert ran == [cheap(6)[5], WRONG]


def test_plain_lines_count_the_units_that_failed(
    store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    run_units([*cheap(3), WRONG], store, engine=local(1), progress=True)
    assert capfd.readouterr().err.endswith(" s left, 1 failed\n")
    run_units(cheap(5), store, engine=local(1), progress=True)
    assert capfd.readouterr().err.endswith("/s, 0 s left\n")


def test_workers_are_checked_before_any_work() -> None:
    with pytest.raises(ValueError, match=r"workers must be an integer in 1\..*, got -1"):
        local(-1)


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
    found = pd.read_parquet(tmp_path / "table.parquet")
    assert found.error.tolist()[1:5] == store.to_pandas(units).error.tolist()[1:5]


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
