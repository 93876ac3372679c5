"""What a file cannot hold is said in a sentence, however the store came to hold it."""

from __future__ import annotations

from pathlib import Path

import pytest

from needlescope.experiments.stores.file import StoreError
from needlescope.experiments.stores.store import Store
from tests.experiments.some_units import TRIAL, cheap


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "a.sqlite") as result:
        for unit in (TRIAL, *cheap(3)):
            result.put(unit, {"error": 0.1}, seconds=1.0)
        yield result


def tamper(store: Store, column: str, path: str, value: str) -> None:
    """Change a value in the first row, as an editor of the file would."""
    table = "settings" if column == "settings" else "results"
    store._base.execute(
        f"UPDATE {table} SET {column} = json_set({column}, '{path}', json(?)) "
        f"WHERE key = (SELECT min(key) FROM {table})",
        (value,),
    )


@pytest.mark.parametrize("summary", [False, True])
@pytest.mark.parametrize(
    "column, path, value",
    [("numbers", "$.error", '"a word"'), ("settings", "$.task.L", '"a word"'),
     ("settings", "$.task.L", "[1, 2]"), ("settings", "$.task.L", str(10**40))],
)  # fmt: skip
def test_a_column_of_several_kinds_is_no_parquet(
    store: Store, tmp_path: Path, column: str, path: str, value: str, summary: bool
) -> None:
    pytest.importorskip("pyarrow")
    tamper(store, column, path, value)
    with pytest.raises(ValueError, match=r"cannot be written to .*t.parquet: .*; write it as CSV"):
        store.to_parquet(tmp_path / "t.parquet", summary=summary)
    store.to_csv(tmp_path / "t.csv", summary=summary)


@pytest.mark.parametrize("column", ["numbers", "settings"])
def test_half_a_character_makes_a_row_unreadable(store: Store, tmp_path: Path, column: str) -> None:
    tamper(store, column, "$.strange", '"\\ud800"')
    for write in (store.to_csv, store.to_parquet):
        with pytest.raises(StoreError, match=r"malformed row: .*surrogates not allowed"):
            write(tmp_path / "table")


def test_an_error_with_half_a_character_is_kept(store: Store) -> None:
    store.put(cheap(9)[8], None, seconds=1.0, error="no \ud800 \U0001f600")
    assert store.get(cheap(9)[8]).error == "no ? \U0001f600"


def test_units_that_are_none_are_refused_as_such(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"units must be of needlescope.Unit, got 3"):
        store.to_csv(tmp_path / "t.csv", [3])  # type: ignore[list-item]


def test_a_megabyte_in_a_row_is_not_in_its_error(store: Store) -> None:
    store._base.execute("UPDATE results SET seconds = ?", ("A" * 10**6,))
    with pytest.raises(StoreError, match="malformed row: could not convert") as stop:
        store.to_pandas()
    assert len(str(stop.value)) < 1000
