"""The file of a store, looked at before it is touched, and what is wrong with it in a sentence."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

MAGIC = b"SQLite format 3\0"
COLUMNS = ("key", "call", "arguments", "numbers", "error", "seconds", "versions", "finished")
LONGEST_STORE_NAME = 255 - len("-journal")  # bytes of a name: SQLite adds that to it


class StoreError(RuntimeError):
    """The file of a store cannot be used."""


def check_path(path: Any) -> Path:
    """Return the path of a store, or refuse one that cannot be one's."""
    if not isinstance(path, str | os.PathLike) or not str(path):
        raise ValueError(f"a store is named by the path of its file, got {path!r:.80}")
    result = Path(path)
    size = len(os.fsencode(result.name))
    if size > LONGEST_STORE_NAME:
        raise StoreError(
            f"the store {result.name:.20}… has a name of {size} bytes, above {LONGEST_STORE_NAME}; "
            "shorten it"
        )
    if "\0" in str(result):
        raise StoreError(f"the store {str(result)!r} has a zero byte in its name; leave that out")
    try:
        if result.is_dir():
            raise StoreError(
                f"the store {path} is a folder; name a file, such as {result / 'store.sqlite'}"
            )
        if result.exists() and not result.is_file():
            raise StoreError(f"the store {path} is no ordinary file; name one that is")
    except OSError as problem:
        raise StoreError(problem_sentence(result, problem)) from None
    return result


def check_is_store(path: Path) -> None:
    """Refuse a file that is plainly no store, and leave it as it is: not a byte of it changes.

    A file that is not there, or empty, may become a store. One that cannot be read, because it is
    damaged or just being made, is left to SQLite, which has the locks to find out.
    """
    log = path.with_name(path.name + "-wal")
    try:
        busy = log.exists() and log.stat().st_size > 0
        if not path.exists() or path.stat().st_size == 0:
            return
        with path.open("rb") as file:
            known = file.read(len(MAGIC)) == MAGIC
    except OSError as problem:
        raise StoreError(problem_sentence(path, problem)) from None
    reason = "not a database of ours" if known else "file is not a database"
    with suppress(sqlite3.Error):
        # Without a log the file is all there is, and SQLite may take it as unchanging: else
        # it would make files beside it.
        known = known and _is_store(path, "mode=ro" if busy else "immutable=1")
    if not known:
        raise StoreError(problem_sentence(path, sqlite3.DatabaseError(reason)))


def _is_store(path: Path, how: str) -> bool:
    """Whether a database has our table, or nothing at all."""
    address = f"{path.absolute().as_uri()}?{how}"
    with closing(sqlite3.connect(address, uri=True, timeout=0.0)) as base:
        names = {name for (name,) in base.execute("SELECT name FROM sqlite_master")}
        marked = base.execute("PRAGMA application_id").fetchone()[0]
        if not names:
            return not marked
        columns = tuple(row[1] for row in base.execute("PRAGMA table_info(results)"))
    return columns[: len(COLUMNS)] == COLUMNS and not marked


def writable(folder: Path) -> bool:
    """Whether files can be made in a folder."""
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def size_at_rest(path: Path) -> int:
    """Return the size of a store's file; zero if there is none or a run is not closed."""
    log = path.with_name(path.name + "-wal")
    return path.stat().st_size if path.is_file() and not log.exists() else 0


def problem_sentence(path: Path, problem: Exception, waited: float = 0.0) -> str:
    """Say what is wrong with a store's file and what to do."""
    text = str(problem)
    if "not a database" in text or "malformed" in text:
        return f"{path} is not a needlescope store or is damaged ({text}); move it away and rerun"
    if "closed database" in text:
        return f"the store {path} is closed; open it again with Store({str(path)!r})"
    if "same thread" in text:
        return f"the store {path} was opened in another thread; open it again in this one"
    if "readonly" in text or isinstance(problem, PermissionError):
        return f"the store {path} cannot be written ({text}); choose a place that can"
    if "full" in text or "disk I/O" in text:
        return f"no room left for the store {path} ({text}); finished results are safe, rerun later"
    if "unable to open" in text or isinstance(problem, OSError):
        return f"the store {path} cannot be opened ({text}); check that its folder can be written"
    if "locked" in text:
        return f"another run has held the store {path} for {waited:g} s ({text}); wait for it"
    return f"the store {path} cannot be used: {text}"
