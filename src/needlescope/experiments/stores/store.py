"""Results on disk: an SQLite file, one row for each finished unit of work.

Rows are written one transaction each under write-ahead logging: a process that dies at any moment
loses what it had under way and nothing else, and several processes may write to one store. A row
carries the unit's call and arguments, its numbers, its error if it failed, its duration, the
versions it was made with and the time. Beside it stand its settings: the arguments with the
defaults that held then. Rows of a store from before that are there too.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ...errors import shortened
from ..units.unit import Unit
from .export import check_parquet, write_table
from .file import COLUMNS, check_is_store, check_path, problem_sentence, size_at_rest, writable
from .file import StoreError as StoreError
from .row import Row as Row
from .row import check_units, from_fields, to_fields, to_record

if TYPE_CHECKING:
    import pandas as pd

LAYOUT = 1
WAIT = 60.0  # seconds to wait for another writer
RESULTS = """
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
SETTINGS = "CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, settings TEXT) WITHOUT ROWID"
"""A table of its own, so that versions from before it can go on with a store."""


class Store:
    """A file of results, a row for each finished unit of work; made if it is not there.

    Several processes may use one store at once. What is finished stays finished, whatever happens
    to a run. Close it at the end, or use it in a ``with`` statement.

    Parameters
    ----------
    path : str or Path
        The file, an SQLite database, commonly ``*.sqlite``; its folder is made too. A file that
        is no store is refused and left as it is.

    Raises
    ------
    StoreError
        If the file is no store, is damaged, or cannot be opened.
    ValueError
        If ``path`` is no path.

    Examples
    --------
    >>> import tempfile
    >>> import needlescope as ns
    >>> task = {"L": 10, "R": 1, "theta": [2.0, 5.0], "pi": 0.5}
    >>> units = ns.Sweep("oracle", {"task": task}, {"model": "pooled"}).units()
    >>> folder = tempfile.TemporaryDirectory()
    >>> with ns.Store(folder.name + "/results.sqlite") as store:
    ...     summary = ns.run_units(units, store)
    ...     table = store.to_pandas(units)
    >>> table[["task.theta", "tol", "error"]].round(4).values.tolist()
    [[2.0, 0.0001, 0.3759], [5.0, 0.0001, 0.2146]]
    >>> folder.cleanup()
    """

    def __init__(self, path: str | Path) -> None:
        self.path = check_path(path)
        check_is_store(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            size = size_at_rest(self.path)
            address = self.path.absolute().as_uri()
            if size and not writable(self.path.parent):
                address += "?immutable=1"  # SQLite would want to make its log there
            self._base = sqlite3.connect(address, timeout=WAIT, isolation_level=None, uri=True)
        except (sqlite3.Error, OSError) as problem:
            raise StoreError(problem_sentence(self.path, problem)) from None
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
            raise StoreError(problem_sentence(self.path, damage))
        if layout == 0:
            tables = {name for (name,) in self._select("SELECT name FROM sqlite_master")}
            if tables - {"results", "settings"}:
                problem = sqlite3.DatabaseError("not a database of ours")
                raise StoreError(problem_sentence(self.path, problem))
            self._log_ahead()
            with self._writing() as base:
                base.execute(RESULTS)
                base.execute(SETTINGS)
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
            raise StoreError(problem_sentence(self.path, problem, WAIT)) from None

    def put(
        self,
        unit: Unit,
        numbers: dict[str, Any] | None,
        *,
        seconds: float,
        error: str | None = None,
    ) -> None:
        """Keep a finished unit; a later one replaces an earlier one, but no error a result.

        Parameters
        ----------
        unit : Unit
            What was done.
        numbers : dict or None
            Its numbers and words by name; None if it failed.
        seconds : float
            How long it took.
        error : str, optional
            What it ended in, if it failed.

        Raises
        ------
        StoreError
            If the store is closed, or its file cannot be written.
        """
        *row, settings_text = to_fields(unit, numbers, seconds, error)
        with self._writing() as base:
            if error is None:
                base.execute("DELETE FROM results WHERE key = ?", row[:1])
            else:
                base.execute("DELETE FROM results WHERE key = ? AND error IS NOT NULL", row[:1])
            base.execute("INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            base.execute(SETTINGS)
            base.execute("INSERT OR IGNORE INTO settings VALUES (?, ?)", (row[0], settings_text))

    def get(self, unit: Unit) -> Row | None:
        """Return the row of a unit, if it is finished."""
        return next(self.rows([unit]), None)

    def rows(self, units: Iterable[Unit] | None = None) -> Iterator[Row]:
        """Go through the rows of some units, in their order, or through all rows."""
        names = {name for (name,) in self._select("SELECT name FROM sqlite_master")}
        source, more = "results", "NULL"
        if "settings" in names:
            source, more = "results LEFT JOIN settings USING (key)", "settings"
        select = f"SELECT key, {', '.join(COLUMNS[1:])}, {more} FROM {source}"
        if units is None:
            for result in self._select(f"{select} ORDER BY finished, key"):
                yield self._row(result)
            return
        for unit in check_units(units):
            for result in self._select(f"{select} WHERE key = ?", (unit.key,)):
                yield self._row(result)

    def _row(self, result: tuple[Any, ...]) -> Row:
        try:
            return from_fields(result)
        except ValueError as problem:  # the file is sound, what it says is not
            damage = sqlite3.DatabaseError(f"malformed row: {shortened(str(problem))}")
            raise StoreError(problem_sentence(self.path, damage)) from None

    def missing(self, units: Iterable[Unit], *, retry: bool = False) -> list[Unit]:
        """List the units that are still to be done: no row yet, or with ``retry`` an error."""
        where = "WHERE error IS NULL" if retry else ""
        done = {key for (key,) in self._select(f"SELECT key FROM results {where}")}
        todo = {unit.key: unit for unit in check_units(units)}
        return [unit for key, unit in todo.items() if key not in done]

    def to_pandas(
        self, units: Iterable[Unit] | None = None, *, summary: bool = False
    ) -> pd.DataFrame:
        """Return a table, a row for each finished unit: arguments, numbers, and where from.

        Arguments are columns named after their path (``task.L``), those left to their defaults
        included.

        Parameters
        ----------
        units : iterable of Unit, optional
            Whose rows, in their order; those that are not finished have none. All rows by default.
        summary : bool, default False
            Whether the trials of a point are pooled into one row: each number is its mean over
            them, and beside it, as in ``test_error_se``, stands its standard error; ``trials`` says
            how many there are (0 for theory) and ``failed`` how many units failed.

        Returns
        -------
        pandas.DataFrame

        Examples
        --------
        >>> import tempfile
        >>> import needlescope as ns
        >>> from needlescope.experiments.engine import local
        >>> tables = {"task": ns.Task(L=4, R=1, theta=4.0, pi=0.5),
        ...           "training": {"alpha0": 1.0, "alpha1": [1.0, 2.0]}}
        >>> units = ns.Sweep("simulate", tables, {"model": "pooled", "d": 20}, trials=3).units()
        >>> folder = tempfile.TemporaryDirectory()
        >>> with ns.Store(folder.name + "/results.sqlite") as store:
        ...     summary = ns.run_units(units, store, engine=local(1))
        ...     table, points = store.to_pandas(units), store.to_pandas(units, summary=True)
        >>> len(table), points[["training.alpha1", "trials", "failed"]].values.tolist()
        (6, [[1.0, 3.0, 0.0], [2.0, 3.0, 0.0]])
        >>> folder.cleanup()
        """
        import pandas as pd

        from .summary import summary as summarise

        if not isinstance(summary, bool):
            raise ValueError(f"summary must be True or False, got {summary!r:.80}")
        if summary:
            return summarise(self.rows(units))
        return pd.DataFrame([to_record(row) for row in self.rows(units)])

    def to_csv(
        self, path: str | Path, units: Iterable[Unit] | None = None, *, summary: bool = False
    ) -> None:
        """Write the table as CSV."""
        write_table(path, "CSV", lambda: self.to_pandas(units, summary=summary))

    def to_parquet(
        self, path: str | Path, units: Iterable[Unit] | None = None, *, summary: bool = False
    ) -> None:
        """Write the table as Parquet; needs the extra ``needlescope[parquet]``."""
        check_parquet()
        write_table(path, "Parquet", lambda: self.to_pandas(units, summary=summary))

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
            if isinstance(problem, sqlite3.ProgrammingError):  # closed, or of another thread
                raise StoreError(problem_sentence(self.path, problem)) from None
            if self._base.in_transaction:  # a full disk has ended it already
                self._base.execute("ROLLBACK")
            if isinstance(problem, sqlite3.Error):
                raise StoreError(problem_sentence(self.path, problem, WAIT)) from None
            raise
