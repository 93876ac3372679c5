"""Bags written to a folder atomically; nothing else in the folder is touched.

Arrays go to files of new names, which nobody reads until the manifest ``bags.json`` names them. The
manifest is replaced in one step; then the arrays that it named before are deleted. A process that
is killed at any moment leaves the old bags or the new ones, and perhaps arrays without a manifest.
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
    """Writes the rows of a ``.npy`` file in any order, a block at a time.

    By ordinary writes: the pages of a memory map would stay in memory.
    """

    def __init__(self, path: Path, shape: tuple[int, ...], dtype: Any) -> None:
        """Write the header."""
        self.dtype, self.shape = np.dtype(dtype), shape
        self.file = path.open("wb")
        header = {"descr": np.lib.format.dtype_to_descr(self.dtype), "fortran_order": False}
        np.lib.format.write_array_header_2_0(self.file, {**header, "shape": shape})
        self.first, self.next = self.file.tell(), 0

    def append(self, block: Any) -> None:
        """Write rows after the last ones."""
        self.put(np.arange(self.next, self.next + len(block)), block)
        self.next += len(block)

    def put(self, places: Any, block: Any) -> None:
        """Write rows to their places; neighbours are written together."""
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
    """Bags that are being written to a folder, and not yet in its manifest."""

    def __init__(self, folder: Path) -> None:
        """Choose file names that no other draft has."""
        self.folder, self.token = folder, uuid4().hex
        self.manifest: dict[str, Any] | None = None
        self.written: dict[str, str] = {}

    def path(self, part: str) -> Path:
        """Return the path of an array."""
        self.written[part] = f"{part}-{self.token}.npy"
        return self.folder / self.written[part]

    def scratch(self, part: str) -> Path:
        """Return the path of a temporary array."""
        return self.folder / f"{part}-{self.token}.part"

    def rows(self, shape: tuple[int, ...], dtype: Any) -> RowWriter:
        """Open the file of the instances."""
        return RowWriter(self.path("instances"), shape, dtype)

    def describe(self, parts: Parts, shape: tuple[int, ...], source: Any = None) -> None:
        """Write all arrays but the instances; ``source`` says which files they are from."""
        arrays = {"starts": np.asarray(parts.starts, np.int64)}
        if parts.ids is not None:
            arrays["ids"] = storable("ids", parts.ids)
        for k, (name, values) in enumerate(parts.metadata.items()):
            arrays[f"metadata{k}"] = storable(f"metadata {name!r}", values)
        for part, values in arrays.items():
            np.save(self.path(part), values, allow_pickle=False)
        self.manifest = {
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
        """Replace the manifest, in one step, and delete the arrays that it named before."""
        if self.manifest is None:
            raise ValueError("bags must be described before they are published")
        hidden = self.scratch("bags")
        hidden.write_text(json.dumps(self.manifest, indent=1) + "\n", encoding="utf-8")
        replaced = (self.folder / MANIFEST).is_file()
        before = files_of(read_manifest(self.folder)) if replaced else {}
        hidden.replace(self.folder / MANIFEST)
        self.written = {}
        for name in before.values():
            with suppress(OSError):  # some systems cannot delete a mapped file
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
    """Yield a draft in a folder, and publish it at the end; ``overwrite`` replaces saved bags."""
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
    """Make a folder and its parents; return the new ones, the innermost first."""
    missing = [item for item in (folder, *folder.parents) if not item.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def check_free(folder: Path, overwrite: bool) -> None:
    """Refuse a folder with other files, and one with bags unless ``overwrite``."""
    if not folder.exists():
        return
    names = [item.name for item in folder.iterdir()] if folder.is_dir() else [folder.name]
    if all(OWN_FILE.fullmatch(name) for name in names):  # empty, or left by a killed process
        return
    if not (folder / MANIFEST).is_file():
        raise ValueError(f"{folder} exists and holds no bags, so it is not replaced; name another")
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
    """Write bags to a folder, instances block by block."""
    with writing(path, overwrite) as draft:
        with draft.rows(shape, dtype) as rows:
            for block in blocks:
                rows.append(block)
        draft.describe(parts, shape)
