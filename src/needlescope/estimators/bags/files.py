"""Untrusted files: regular ones only, of a bounded size, with errors that name them.

The size that a file declares is compared with ``memory`` before anything of that size is allocated.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...arrays import in_bytes
from ...grid import whole


def as_path(path: Any) -> Path:
    """Return a path, or refuse what is none."""
    if not isinstance(path, str | os.PathLike) or not str(path) or "\0" in str(path):
        raise ValueError(f"path must be that of a file or folder, got {path!r:.80}")
    return Path(path)


def existing_path(path: Any) -> Path:
    """Return the path of a file or folder that is there."""
    result = as_path(path)
    if not result.exists():
        raise FileNotFoundError(f"there is no file {result}")
    return result


def regular_file(path: Any) -> Path:
    """Return the path of a regular file; a pipe would be waited for, a device has no end."""
    result = existing_path(path)
    if not stat.S_ISREG(result.stat().st_mode):
        raise ValueError(f"{result} is not a regular file, and is not read")
    return result


def check_memory(memory: Any) -> int:
    """Return the number of bytes that may be read into memory, if it is one."""
    return whole("memory", memory, 1, 1 << 50)


def check_fits(what: str, needed: int, memory: int, remedy: str = "") -> None:
    """Refuse what needs more bytes than ``memory``, before they are allocated.

    Examples
    --------
    >>> check_fits("x.h5, 'features'", 1 << 40, 1 << 30, "pass cache= to keep them on disk")
    Traceback (most recent call last):
    ValueError: x.h5, 'features' needs 1.02e+03 GiB, above memory=1073741824 (1 GiB); pass cache= to
    keep them on disk, or pass memory=1099511627776 if the file is to be trusted
    """
    if needed > memory:
        first = f"{remedy}, or " if remedy else ""
        raise ValueError(
            f"{what} needs {in_bytes(needed)}, above memory={memory} ({in_bytes(memory)}); "
            f"{first}pass memory={needed} if the file is to be trusted"
        )


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Turn any error while a file is read into a ValueError that names the file.

    Libraries raise errors of any class for damaged files.
    """
    try:
        yield
    except (ImportError, FileNotFoundError):
        raise
    except MemoryError:
        raise ValueError(
            f"{path} cannot be read as {kind}: it asks for more memory than there is"
        ) from None
    except Exception as problem:
        if isinstance(problem, ValueError) and str(path) in str(problem):
            raise
        clear = isinstance(problem, ValueError | OSError)
        reason = f"{problem}" if clear else f"{type(problem).__name__}: {problem}"
        raise ValueError(f"{path} cannot be read as {kind}: {reason:.300}") from problem
