"""Results on disk: an SQLite file, one row for each finished unit of work.

Rows are written one transaction each under write-ahead logging: a process that dies at any moment
loses what it had under way and nothing else, and several processes may write to one store. A row
carries the unit's call and arguments, its numbers, its error if it failed, its duration, the
versions it was made with and the time.
"""

from __future__ import annotations

import json
import platform
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)
            self._prepare()
        except (sqlite3.Error, OSError) as problem:
            raise StoreError(_sentence(self.path, problem)) from None

    def _prepare(self) -> None:
        self._base.execute(f"PRAGMA busy_timeout = {int(1000 * WAIT)}")
        self._base.execute("PRAGMA journal_mode = WAL")
        self._base.execute("PRAGMA synchronous = NORMAL")
        layout = self._base.execute("PRAGMA user_version").fetchone()[0]
        if layout not in (0, LAYOUT):
            raise StoreError(
                f"the store {self.path} has layout {layout}, this version reads {LAYOUT}; "
                "use another file, or the version that made it"
            )
        self._base.execute(SCHEMA)
        self._base.execute(f"PRAGMA user_version = {LAYOUT}")

    def put(
        self,
        unit: Unit,
        numbers: dict[str, Any] | None,
        *,
        seconds: float,
        error: str | None = None,
    ) -> None:
        """Keep a finished unit; a result replaces an error, and a later result an earlier one."""
        row = (
            unit.key,
            unit.call,
            canonical(unit.arguments),
            None if numbers is None else canonical(numbers),
            error,
            seconds,
            canonical(_versions()),
            time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        )
        with self._writing() as base:
            base.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def get(self, unit: Unit) -> Row | None:
        """Return the row of a unit, if it is finished."""
        return next(self.rows([unit]), None)

    def rows(self, units: Iterable[Unit] | None = None) -> Iterator[Row]:
        """Go through the rows of some units, in their order, or through all rows."""
        select = "SELECT call, arguments, numbers, error, seconds, versions, finished FROM results"
        if units is None:
            for found in self._base.execute(f"{select} ORDER BY finished, key").fetchall():
                yield _row(found)
            return
        for unit in units:
            found = self._base.execute(f"{select} WHERE key = ?", (unit.key,)).fetchone()
            if found is not None:
                yield _row(found)

    def missing(self, units: Iterable[Unit], *, retry: bool = False) -> list[Unit]:
        """List the units that are still to be done: no row yet, or with ``retry`` an error."""
        where = "WHERE error IS NULL" if retry else ""
        done = {key for (key,) in self._base.execute(f"SELECT key FROM results {where}")}
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
        try:
            self.to_pandas(units).to_parquet(path, index=False)
        except ImportError:
            raise ImportError(
                "Parquet needs pyarrow: pip install 'needlescope[parquet]', or write CSV"
            ) from None

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def __len__(self) -> int:
        """Count the rows."""
        return int(self._base.execute("SELECT COUNT(*) FROM results").fetchone()[0])

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it reaches the disk, or nothing."""
        try:
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield self._base
            except BaseException:
                self._base.execute("ROLLBACK")
                raise
            self._base.execute("COMMIT")
        except sqlite3.Error as problem:
            raise StoreError(_sentence(self.path, problem)) from None


def _row(found: tuple[Any, ...]) -> Row:
    call, arguments, numbers, error, seconds, versions, finished = found
    unit = Unit(call, json.loads(arguments))
    values = None if numbers is None else json.loads(numbers)
    return Row(unit, values, error, seconds, json.loads(versions), finished)


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
    if "full" in text:
        return f"no room left for the store {path} ({text}); finished results are safe, rerun later"
    if "locked" in text:
        return f"another run has held the store {path} for {WAIT:g} s ({text}); wait for it"
    return f"the store {path} cannot be used: {text}"
