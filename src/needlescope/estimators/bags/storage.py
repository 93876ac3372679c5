"""Bags on disk: a folder of ``.npy`` files, which can be memory-mapped, and a small JSON file.

Nothing is pickled, so that a folder from elsewhere runs no code. A folder is written under another
name and then renamed: it is there whole, or not at all.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import numpy as np

from .making.joined import Parts
from .tables import writable

FORMAT, VERSION = "bags of needlescope", 1
ABOUT = "bags.json"
MAPPED = 1 << 28  # bytes from which a file is memory-mapped rather than read


def save_parts(
    path: Any,
    parts: Parts,
    shape: tuple[int, int],
    dtype: Any,
    blocks: Iterable[Any],
    overwrite: bool = False,
) -> None:
    """Write bags to a folder, their instances block by block."""
    with writing(path, overwrite) as folder:
        with NewRows(folder / "instances.npy", shape, dtype) as rows:
            for block in blocks:
                rows.append(block)
        describe(folder, parts, shape)


def describe(folder: Path, parts: Parts, shape: tuple[int, ...], source: Any = None) -> None:
    """Write all but the instances, of that shape; ``source`` says what they were made from."""
    np.save(folder / "starts.npy", np.asarray(parts.starts, np.int64), allow_pickle=False)
    if parts.ids is not None:
        np.save(folder / "ids.npy", writable("ids", parts.ids), allow_pickle=False)
    for k, (name, values) in enumerate(parts.metadata.items()):
        kept = writable(f"metadata {name!r}", values)
        np.save(folder / f"metadata{k}.npy", kept, allow_pickle=False)
    about = {
        "format": FORMAT,
        "version": VERSION,
        "shape": [len(parts.starts) - 1, *shape],
        "names": parts.names,
        "ids": parts.ids is not None,
        "metadata": list(parts.metadata),
        "source": source,
    }
    (folder / ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def load_parts(path: Any, mapped: Any = "auto") -> tuple[Parts, bool]:
    """Return what a folder holds, and whether its instances are memory-mapped."""
    if not isinstance(mapped, bool) and not (isinstance(mapped, str) and mapped == "auto"):
        raise ValueError(f'mapped must be True, False or "auto", got {mapped!r}')
    folder = as_path(path)
    about = read_about(folder)
    n, N, d = about["shape"]
    file = folder / "instances.npy"
    size = file.stat().st_size if file.is_file() else 0
    on_disk = size >= MAPPED if mapped == "auto" else bool(mapped)
    instances = _read(file, on_disk)
    starts = _read(folder / "starts.npy", False)
    ids = _read(folder / "ids.npy", False) if about["ids"] else None
    metadata = {
        name: _read(folder / f"metadata{k}.npy", on_disk)
        for k, name in enumerate(about["metadata"])
    }
    if instances.shape != (N, d) or starts.shape != (n + 1,):
        raise ValueError(
            f"{folder} holds {N} instances of {d} features in {n} bags by its {ABOUT}, but its "
            f"arrays have shapes {instances.shape} and {starts.shape}; save the bags again"
        )
    return Parts(instances, starts, about["names"], ids, metadata), on_disk


def read_about(folder: Path) -> dict[str, Any]:
    """Return what the JSON file of a folder says, or refuse the folder."""
    if not (folder / ABOUT).is_file():
        raise FileNotFoundError(f"no bags are saved in {folder}: it has no file {ABOUT}")
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        good = about["format"] == FORMAT and {"ids", "metadata", "names"} <= set(about)
        good = good and len(about["shape"]) == 3
    except (ValueError, TypeError, KeyError):
        good = False
    if not good:
        raise ValueError(f"{folder / ABOUT} is not what Bags.save writes")
    if about["version"] != VERSION:
        raise ValueError(
            f"{folder} was saved by another needlescope, as version {about['version']} of the "
            f"format; this one reads version {VERSION}"
        )
    return dict(about)


def _read(file: Path, mapped: bool) -> Any:
    try:
        return np.load(file, mmap_mode="r" if mapped else None, allow_pickle=False)
    except FileNotFoundError:
        raise ValueError(f"{file} is missing; save the bags again") from None
    except (ValueError, OSError, EOFError) as problem:
        raise ValueError(f"{file} cannot be read: {problem}; save the bags again") from None


def as_path(path: Any) -> Path:
    """Return a path, or refuse what is none."""
    if not isinstance(path, str | os.PathLike) or not str(path) or "\0" in str(path):
        raise ValueError(f"path must be that of a file or folder, got {path!r:.80}")
    return Path(path)


@contextmanager
def writing(path: Any, overwrite: bool = False) -> Iterator[Path]:
    """Give a folder to write to, which takes the name ``path`` when all has been written.

    Bags of that name are replaced if ``overwrite`` says so; anything else of that name is not.
    """
    wanted = as_path(path).absolute()
    _check_free(wanted, overwrite)
    hidden = wanted.with_name(f".{wanted.name}-{uuid4().hex}")
    old = hidden.with_name(f"{hidden.name}-old")
    try:
        hidden.mkdir(parents=True)
        yield hidden
        _check_free(wanted, overwrite)
        if wanted.exists():
            wanted.rename(old)
        hidden.rename(wanted)
    except OSError as problem:
        if old.exists() and not wanted.exists():
            old.rename(wanted)
        reason = os.strerror(problem.errno) if problem.errno else problem
        raise ValueError(f"bags cannot be written to {wanted}: {reason}") from None
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _check_free(path: Path, overwrite: bool) -> None:
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return
    if not (path / ABOUT).is_file():
        raise ValueError(f"{path} is there and holds no bags, so it is not replaced; name another")
    if not overwrite:
        raise ValueError(f"bags are saved in {path} already; pass overwrite=True to replace them")


class NewRows:
    """A ``.npy`` file of so many rows, written in any order, a block at a time.

    Ordinary writes, not a memory map, so that what was written does not stay in memory.
    """

    def __init__(self, path: Path, shape: tuple[int, ...], dtype: Any) -> None:
        """Write the header."""
        self.dtype, self.shape = np.dtype(dtype), shape
        self.file = path.open("wb")
        header = {"descr": np.lib.format.dtype_to_descr(self.dtype), "fortran_order": False}
        np.lib.format.write_array_header_2_0(self.file, {**header, "shape": shape})
        self.first, self.next = self.file.tell(), 0

    def append(self, block: Any) -> None:
        """Write rows behind those before."""
        self.put(np.arange(self.next, self.next + len(block)), block)
        self.next += len(block)

    def put(self, places: Any, block: Any) -> None:
        """Write rows to their places; neighbours go together."""
        order = np.argsort(places, kind="stable")
        places = places[order]
        block = np.ascontiguousarray(block[order], self.dtype)
        row = self.dtype.itemsize * int(np.prod(self.shape[1:], dtype=int))
        for run in np.split(np.arange(len(places)), np.flatnonzero(np.diff(places) != 1) + 1):
            self.file.seek(self.first + int(places[run[0]]) * row)
            self.file.write(block[run[0] : run[-1] + 1].data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
