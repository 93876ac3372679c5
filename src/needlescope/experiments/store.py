"""Results on disk: an SQLite file, one row for each finished unit of work.

Rows are written one transaction each under write-ahead logging: a process that dies at any moment
loses what it had under way and nothing else, and several processes may write to one store. A row
carries the unit's call and arguments, its numbers, its error if it failed, its duration, the
versions it was made with and the time.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from .unit import Unit, canonical

if TYPE_CHECKING:
    import pandas as pd

LAYOUT = 1
WAIT = 60.0  # seconds to wait for another writer
SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
    key TEXT PRIMARY KEY,
    call TEXT NOT NULL,
    arguments TEXT NOT NULL,
    numbers TEXT,
    error TEXT,
    seconds REAL NOT NULL,
    versions TEXT NOT NULL,
    finished TEXT NOT NULL
) WITHOUT ROWID
"""


class Row(NamedTuple):
    """A finished unit: its numbers, or the error it ended in."""

    unit: Unit
    numbers: dict[str, Any] | None
    error: str | None
    seconds: float
    versions: dict[str, str]
    finished: str


class StoreError(RuntimeError):
    """The file of a store cannot be used."""


class Store:
    """A file of results; made if it is not there.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = Store(Path(folder.name) / "results.sqlite")
    >>> task = {"L": 10, "R": 1, "theta": 5.0, "pi": 0.5}
    >>> unit = Unit("oracle", {"task": task, "model": "pooled"})
    >>> store.put(unit, unit.run(), seconds=0.01)
    >>> round(store.get(unit).numbers["error"], 3), len(store)
    (0.215, 1)
    >>> store.close(); folder.cleanup()
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise StoreError(
                f"the store {path} is a folder; name a file, such as {self.path / 'store.sqlite'}"
            )
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            size = _size_at_rest(self.path)
            address = self.path.absolute().as_uri()
            if size and not _writable(self.path.parent):
                address += "?immutable=1"  # SQLite would want to make its log there
            self._base = sqlite3.connect(address, timeout=WAIT, isolation_level=None, uri=True)
        except (sqlite3.Error, OSError) as problem:
            raise StoreError(_sentence(self.path, problem)) from None
        try:
            self._prepare(size)
        except BaseException:
            self._base.close()
            raise

    def _prepare(self, size: int) -> None:
        """Look at what is there before anything is written: it may be damaged, or not ours."""
        layout = self._select("PRAGMA user_version")[0][0]
        if layout not in (0, LAYOUT):
            raise StoreError(
                f"the store {self.path} has layout {layout}, this version reads {LAYOUT}; "
                "use another file, or the version that made it"
            )
        state = self._select("PRAGMA quick_check(1)")[0][0]
        if size % self._select("PRAGMA page_size")[0][0]:
            state = "its end is missing"  # which SQLite takes for zeros
        if state != "ok":
            damage = sqlite3.DatabaseError(f"malformed: {state.splitlines()[-1]}")
            raise StoreError(_sentence(self.path, damage))
        if layout == 0:
            tables = {name for (name,) in self._select("SELECT name FROM sqlite_master")}
            if tables - {"results"}:
                problem = sqlite3.DatabaseError("not a database of ours")
                raise StoreError(_sentence(self.path, problem))
            self._log_ahead()
            with self._writing() as base:
                base.execute(SCHEMA)
                base.execute(f"PRAGMA user_version = {LAYOUT}")
        self._select("PRAGMA synchronous = NORMAL")

    def _log_ahead(self) -> None:
        """Switch to write-ahead logging; SQLite itself does not wait for another who does."""
        end = time.monotonic() + WAIT
        while True:
            try:
                self._select("PRAGMA journal_mode = WAL")
                return
            except StoreError as problem:
                if "database is locked" not in str(problem) or time.monotonic() > end:
                    raise
            time.sleep(0.01)

    def _select(self, command: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._base.execute(command, values).fetchall()
        except sqlite3.Error as problem:
            raise StoreError(_sentence(self.path, problem)) from None

    def put(
        self,
        unit: Unit,
        numbers: dict[str, Any] | None,
        *,
        seconds: float,
        error: str | None = None,
    ) -> None:
        """Keep a finished unit; a later one replaces an earlier one, but no error a result."""
        row = (
            unit.key,
            unit.call,
            canonical(unit.arguments),
            None if numbers is None else json.dumps(numbers, sort_keys=True),
            error,
            seconds,
            canonical(_versions()),
            time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        )
        with self._writing() as base:
            if error is None:
                base.execute("DELETE FROM results WHERE key = ?", row[:1])
            else:
                base.execute("DELETE FROM results WHERE key = ? AND error IS NOT NULL", row[:1])
            base.execute("INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def get(self, unit: Unit) -> Row | None:
        """Return the row of a unit, if it is finished."""
        return next(self.rows([unit]), None)

    def rows(self, units: Iterable[Unit] | None = None) -> Iterator[Row]:
        """Go through the rows of some units, in their order, or through all rows."""
        select = "SELECT call, arguments, numbers, error, seconds, versions, finished FROM results"
        if units is None:
            for found in self._select(f"{select} ORDER BY finished, key"):
                yield self._row(found)
            return
        for unit in units:
            for found in self._select(f"{select} WHERE key = ?", (unit.key,)):
                yield self._row(found)

    def _row(self, found: tuple[Any, ...]) -> Row:
        call, arguments, numbers, error, seconds, versions, finished = found
        try:
            unit = Unit(call, json.loads(arguments))
            values = None if numbers is None else json.loads(numbers)
            return Row(unit, values, error, seconds, json.loads(versions), finished)
        except (TypeError, ValueError) as problem:  # the file is sound, what it says is not
            damage = sqlite3.DatabaseError(f"malformed row: {problem}")
            raise StoreError(_sentence(self.path, damage)) from None

    def missing(self, units: Iterable[Unit], *, retry: bool = False) -> list[Unit]:
        """List the units that are still to be done: no row yet, or with ``retry`` an error."""
        where = "WHERE error IS NULL" if retry else ""
        done = {key for (key,) in self._select(f"SELECT key FROM results {where}")}
        todo = {unit.key: unit for unit in units}
        return [unit for key, unit in todo.items() if key not in done]

    def to_pandas(self, units: Iterable[Unit] | None = None) -> pd.DataFrame:
        """Return a table, a row for each finished unit: arguments, numbers, and where from.

        Arguments are columns named after their path (``task.L``).
        """
        import pandas as pd

        return pd.DataFrame([_flat(row) for row in self.rows(units)])

    def to_csv(self, path: str | Path, units: Iterable[Unit] | None = None) -> None:
        """Write the table as CSV."""
        self.to_pandas(units).to_csv(path, index=False)

    def to_parquet(self, path: str | Path, units: Iterable[Unit] | None = None) -> None:
        """Write the table as Parquet; needs the extra ``needlescope[parquet]``."""
        check_parquet()
        self.to_pandas(units).to_parquet(path, index=False)

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def __len__(self) -> int:
        """Count the rows."""
        return int(self._select("SELECT COUNT(*) FROM results")[0][0])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it reaches the disk, or nothing."""
        try:
            self._base.execute("BEGIN IMMEDIATE")
            yield self._base
            self._base.execute("COMMIT")
        except BaseException as problem:
            if self._base.in_transaction:  # a full disk has ended it already
                self._base.execute("ROLLBACK")
            if isinstance(problem, sqlite3.Error):
                raise StoreError(_sentence(self.path, problem)) from None
            raise


def check_parquet() -> None:
    """Refuse to go on without what writes Parquet."""
    if find_spec("pyarrow") is None:
        raise ImportError("Parquet needs pyarrow: pip install 'needlescope[parquet]', or write CSV")


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _size_at_rest(path: Path) -> int:
    """Return the size of a store's file; zero if there is none or a run is not closed."""
    log = path.with_name(path.name + "-wal")
    return path.stat().st_size if path.is_file() and not log.exists() else 0


def _flat(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {"call": row.unit.call}
    for name, value in row.unit.arguments.items():
        if isinstance(value, dict):
            found |= {f"{name}.{key}": inner for key, inner in value.items()}
        else:
            found[name] = value
    return (
        found
        | {**(row.numbers or {})}
        | {
            "error_message": row.error,
            "seconds": row.seconds,
            "finished": row.finished,
            **{f"version.{name}": value for name, value in row.versions.items()},
        }
    )


@cache
def _versions() -> dict[str, str]:
    names = ("needlescope", "numpy", "scipy")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def _sentence(path: Path, problem: Exception) -> str:
    """Say what is wrong with a store's file and what to do."""
    text = str(problem)
    if "not a database" in text or "malformed" in text:
        return f"{path} is not a needlescope store or is damaged ({text}); move it away and rerun"
    if "readonly" in text or isinstance(problem, PermissionError):
        return f"the store {path} cannot be written ({text}); choose a place that can"
    if "full" in text or "disk I/O" in text:
        return f"no room left for the store {path} ({text}); finished results are safe, rerun later"
    if "unable to open" in text or isinstance(problem, OSError):
        return f"the store {path} cannot be opened ({text}); check that its folder can be written"
    if "locked" in text:
        return f"another run has held the store {path} for {WAIT:g} s ({text}); wait for it"
    return f"the store {path} cannot be used: {text}"
