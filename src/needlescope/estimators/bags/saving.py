"""Bags written to a folder: whole, or not at all, and nothing else in the folder is touched.

Arrays go to files of new names, which nobody reads until ``bags.json`` names them. That file is
replaced in one step; then the arrays that it named before are deleted, and nothing else. A process
that is killed at any moment leaves the bags of before or those of after, and perhaps arrays that
no ``bags.json`` names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import numpy as np

from .conversion.metadata import storable
from .conversion.parts import Parts
from .files import as_path
from .storage import FORMAT, MANIFEST, OWN_FILE, VERSION, files_of, read_manifest


class RowWriter:
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


class Draft:
    """Bags that are being written to a folder, and not yet named there."""

    def __init__(self, folder: Path) -> None:
        """Choose names that no other draft has."""
        self.folder, self.token = folder, uuid4().hex
        self.about: dict[str, Any] | None = None
        self.written: dict[str, str] = {}

    def path(self, part: str) -> Path:
        """Return where an array goes."""
        self.written[part] = f"{part}-{self.token}.npy"
        return self.folder / self.written[part]

    def scratch(self, part: str) -> Path:
        """Return where an array goes that is needed on the way only."""
        return self.folder / f"{part}-{self.token}.part"

    def rows(self, shape: tuple[int, ...], dtype: Any) -> RowWriter:
        """Open the file of the instances."""
        return RowWriter(self.path("instances"), shape, dtype)

    def describe(self, parts: Parts, shape: tuple[int, ...], source: Any = None) -> None:
        """Write all but the instances, of that shape; ``source`` says what they were made from."""
        arrays = {"starts": np.asarray(parts.starts, np.int64)}
        if parts.ids is not None:
            arrays["ids"] = storable("ids", parts.ids)
        for k, (name, values) in enumerate(parts.metadata.items()):
            arrays[f"metadata{k}"] = storable(f"metadata {name!r}", values)
        for part, values in arrays.items():
            np.save(self.path(part), values, allow_pickle=False)
        self.about = {
            "format": FORMAT,
            "version": VERSION,
            "shape": [len(parts.starts) - 1, *shape],
            "names": parts.names,
            "ids": parts.ids is not None,
            "metadata": list(parts.metadata),
            "source": source,
            "files": self.written,
        }

    def publish(self) -> None:
        """Name the arrays in ``bags.json``, in one step, and delete those it named before."""
        if self.about is None:
            raise ValueError("bags must be described before they are published")
        hidden = self.scratch("bags")
        hidden.write_text(json.dumps(self.about, indent=1) + "\n", encoding="utf-8")
        there = (self.folder / MANIFEST).is_file()
        before = files_of(read_manifest(self.folder)) if there else {}
        hidden.replace(self.folder / MANIFEST)
        self.written = {}
        for name in before.values():
            with suppress(OSError):  # one that is mapped cannot be deleted everywhere
                (self.folder / name).unlink()

    def discard(self) -> None:
        """Delete what was written and not published."""
        for path in (
            *(self.folder / name for name in self.written.values()),
            *self.folder.glob(f"*-{self.token}.part"),
        ):
            with suppress(OSError):
                path.unlink()


@contextmanager
def writing(path: Any, overwrite: bool = False) -> Iterator[Draft]:
    """Give a draft in a folder, made if it is not there; it is published when all is written.

    Bags that are there are replaced if ``overwrite`` says so; all else in the folder stays.
    """
    folder = as_path(path).absolute()
    check_free(folder, overwrite)
    draft = Draft(folder)
    made: list[Path] = []
    try:
        made = _make(folder)
        yield draft
        check_free(folder, overwrite)
        draft.publish()
    except OSError as problem:
        reason = os.strerror(problem.errno) if problem.errno else problem
        raise ValueError(f"bags cannot be written to {folder}: {reason}") from None
    finally:
        draft.discard()
        for item in made:
            with suppress(OSError):  # it holds the bags
                item.rmdir()


def _make(folder: Path) -> list[Path]:
    """Make a folder and those it is in; return which were made, the innermost first."""
    missing = [item for item in (folder, *folder.parents) if not item.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def check_free(folder: Path, overwrite: bool) -> None:
    """Refuse a folder that holds something else, and one with bags unless they may be replaced."""
    if not folder.exists():
        return
    there = [item.name for item in folder.iterdir()] if folder.is_dir() else [folder.name]
    if all(OWN_FILE.fullmatch(name) for name in there):  # empty, or left by one that was killed
        return
    if not (folder / MANIFEST).is_file():
        raise ValueError(
            f"{folder} is there and holds no bags, so it is not replaced; name another"
        )
    read_manifest(folder)
    if not overwrite:
        raise ValueError(f"bags are saved in {folder} already; pass overwrite=True to replace them")


def save_parts(
    path: Any,
    parts: Parts,
    shape: tuple[int, int],
    dtype: Any,
    blocks: Iterable[Any],
    overwrite: bool = False,
) -> None:
    """Write bags to a folder, their instances block by block."""
    with writing(path, overwrite) as draft:
        with draft.rows(shape, dtype) as rows:
            for block in blocks:
                rows.append(block)
        draft.describe(parts, shape)
