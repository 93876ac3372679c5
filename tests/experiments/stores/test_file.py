"""Files that are no stores: refused, and not a byte of them or beside them is changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from needlescope.experiments.stores.store import Store, StoreError

TABLE = "CREATE TABLE bookmarks (url TEXT)"


def database(*commands: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with closing(sqlite3.connect(path)) as base:
            for command in commands:
                base.execute(command)
            base.commit()

    return make


def in_use(path: Path) -> None:
    """A database whose only table is in its log still, as a program leaves it that is killed."""
    with closing(sqlite3.connect(path.with_name("b.sqlite"))) as base:
        base.execute("PRAGMA journal_mode = WAL")
        base.execute(TABLE)
        base.commit()
        for end in ("", "-wal", "-shm"):
            copy = path.with_name(path.name + end)
            copy.write_bytes(path.with_name("b.sqlite" + end).read_bytes())
    path.with_name("b.sqlite").unlink()


FOREIGN = {
    "table": database(TABLE),
    "log": database("PRAGMA journal_mode = WAL", TABLE),
    "our number": database("PRAGMA user_version = 1", TABLE),
    "our number, log": database("PRAGMA journal_mode = WAL", "PRAGMA user_version = 1", TABLE),
    "our table's name": database("CREATE TABLE results (key TEXT, value REAL)"),
    "another's number": database("PRAGMA user_version = 7", TABLE),
    "another's mark": database("PRAGMA application_id = 42"),
    "view": database("CREATE VIEW results AS SELECT 1 AS key"),
    "in use": in_use,
    "words": lambda path: path.write_text("call = 'oracle'\n" * 1000),
    "one byte": lambda path: path.write_bytes(b"\0"),
    "its first words": lambda path: path.write_bytes(b"SQLite format 3\0"),
}


def seen(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder; SQLite's shared memory is scratch paper, its presence counts."""
    return {
        path.name: b"" if path.name.endswith("-shm") else path.read_bytes()
        for path in folder.iterdir()
    }


@pytest.mark.parametrize("kind", FOREIGN)
def test_it_is_refused_and_left_as_it_is(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    FOREIGN[kind](path)
    before = seen(tmp_path)
    for _ in range(2):
        with pytest.raises(StoreError, match="is not a needlescope store or is damaged"):
            Store(path)
        assert seen(tmp_path) == before


@pytest.mark.parametrize("kind", ["empty file", "empty database"])
def test_what_holds_nothing_may_become_a_store(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.touch() if kind == "empty file" else database("VACUUM")(path)
    with Store(path) as store:
        assert len(store) == 0


def test_a_store_that_was_killed_while_it_was_made_is_one(tmp_path: Path) -> None:
    """Its tables are in the log alone."""
    with Store(tmp_path / "a.sqlite"):
        for end in ("", "-wal"):
            copy = tmp_path / f"b.sqlite{end}"
            copy.write_bytes((tmp_path / f"a.sqlite{end}").read_bytes())
    with Store(tmp_path / "b.sqlite") as store:
        assert len(store) == 0
