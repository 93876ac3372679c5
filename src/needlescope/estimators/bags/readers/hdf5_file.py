"""Untrusted HDF5 files: only what is in the file itself, of a size that is checked first.

HDF5 can keep the bytes of a dataset in any other file (external storage), link to objects of other
files (external links), and assemble a dataset from others (virtual datasets), whose gaps and
missing sources read as zeros. None of these is followed without ``external``: a file could turn
whatever its user may read into features. Every step of a path is checked, also of soft links, which
stay in the file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..files import check_fits, reading, regular_file

MOST_LINKS = 16  # soft links that a path may lead through
STRINGS_AT_ONCE = 64  # at least; each may be as long as the file


@contextmanager
def open_hdf5(path: Path, memory: int, external: bool = False) -> Iterator[HDF5File]:
    """Open an HDF5 file; errors name it."""
    import h5py

    with reading(path, "HDF5"), h5py.File(regular_file(path), "r") as file:
        yield HDF5File(path, file, memory, external)


class HDF5File:
    """An open HDF5 file, whose objects are found by checked steps and read within ``memory``."""

    def __init__(self, path: Path, file: Any, memory: int, external: bool) -> None:
        """Keep the file and what is allowed."""
        self.path, self.file, self.memory, self.external = path, file, memory, external

    def find(self, name: str, group: Any = None) -> Any:
        """Return the group or dataset of a path, or None; refuse what is not in the file itself."""
        import h5py

        here = self.file if group is None else group
        waiting, followed = name, 0
        while waiting:
            here = self.file if waiting.startswith("/") else here
            step, _, waiting = waiting.lstrip("/").partition("/")
            if step in ("", "."):
                continue
            key = step.encode()
            if not isinstance(here, h5py.Group) or not here.id.links.exists(key):
                return None
            kind = here.id.links.get_info(key).type
            if kind == h5py.h5l.TYPE_SOFT:
                followed += 1
                if followed > MOST_LINKS:
                    raise ValueError(f"{self.path}, {name!r} leads through too many links")
                waiting = f"{here.id.links.get_val(key).decode()}/{waiting}"
                continue
            if kind != h5py.h5l.TYPE_HARD:
                self._other_file(name, "an external link", here.id.links.get_val(key)[0])
            here = here[step]
        if isinstance(here, h5py.Dataset):
            self._check(name, here)
        return here if isinstance(here, h5py.Dataset | h5py.Group) else None

    def _check(self, name: str, dataset: Any) -> None:
        """Refuse a dataset whose values are elsewhere, or were never written."""
        import h5py

        layout = dataset.id.get_create_plist()
        for k in range(layout.get_external_count()):
            self._other_file(name, "external storage", layout.get_external(k)[0])
        if layout.get_layout() == h5py.h5d.VIRTUAL:
            sources = {item.file_name for item in dataset.virtual_sources()} or {"."}
            for source in sources:
                self._other_file(name, "a virtual dataset", source)
        filters = [layout.get_filter(k)[0] for k in range(layout.get_nfilters())]
        if len(set(filters)) < len(filters):
            raise ValueError(f"{self.path}, {name!r} is compressed twice by the same filter")
        what = f"a chunk of {self.path}, {name!r}"
        check_fits(what, math.prod(dataset.chunks or ()) * dataset.dtype.itemsize, self.memory)
        empty = dataset.shape is None or 0 in dataset.shape
        outside = layout.get_external_count() or layout.get_layout() == h5py.h5d.VIRTUAL
        if not empty and not outside and dataset.id.get_storage_size() == 0:
            raise ValueError(
                f"{self.path}, {name!r} has shape {dataset.shape}, but nothing was ever written to "
                "it; write it, or leave the file out"
            )

    def _other_file(self, name: str, how: str, target: Any) -> None:
        """Refuse what is in another file, unless ``external`` and the file exists."""
        other = target.decode(errors="replace") if isinstance(target, bytes) else str(target)
        if not self.external:
            raise ValueError(
                f"{self.path}, {name!r} is {how}, whose numbers are in {other!r}: this could be "
                "any file of yours; pass external=True if you trust it, or copy the numbers into "
                "the file itself"
            )
        places = [self.path.parent / other, Path(other)]
        if other != "." and not any(place.is_file() for place in places):
            raise ValueError(f"{self.path}, {name!r} is {how}, and there is no file {other!r}")

    def array(self, name: str, dataset: Any) -> Any:
        """Return a dataset as an array: numbers as they are, strings as words."""
        import h5py

        if not isinstance(dataset, h5py.Dataset) or dataset.shape is None:
            raise ValueError(f"{self.path} must have an array in {name!r}")
        what = f"{self.path}, {name!r}"
        count = math.prod(dataset.shape)
        if dataset.dtype.kind not in "OS":
            check_fits(what, count * dataset.dtype.itemsize, self.memory)
            return dataset[()]
        if h5py.check_string_dtype(dataset.dtype) is None or len(dataset.shape) != 1:
            raise ValueError(f"{what} must be a list of numbers or words, got {dataset.dtype}")
        check_fits(what, count * max(8, 4 * dataset.dtype.itemsize), self.memory)
        return self._words(what, dataset, count)

    def _words(self, what: str, dataset: Any, count: int) -> Any:
        """Return strings, some at a time unless their lengths are known.

        A small file may refer to one long string many times.
        """
        step = max(STRINGS_AT_ONCE, self.memory // max(1, self.path.stat().st_size))
        longest = self._longest(dataset, count)
        if longest is not None:
            step = count
            check_fits(what, 4 * count * longest, self.memory)
        words: list[str] = []
        longest = 1
        for first in range(0, count, step):
            part = dataset.asstr()[first : first + step].tolist()
            longest = max(longest, *map(len, part))
            check_fits(what, 4 * count * longest, self.memory)
            words += part
        return np.array(words, dtype=np.str_)

    def _longest(self, dataset: Any, count: int) -> int | None:
        """Return the declared length of the longest string, if it can be read by itself.

        The dataset has the length and the address of each string of variable length.
        """
        if dataset.dtype.kind == "S":
            return int(dataset.dtype.itemsize)
        offset = dataset.id.get_offset()
        if offset is None or not count or dataset.external:
            return None
        address = self.file.id.get_create_plist().get_sizes()[0]
        record = np.dtype([("length", "<u4"), ("address", f"V{address}"), ("place", "<u4")])
        return int(np.fromfile(self.path, record, count, offset=offset)["length"].max())

    def attribute(self, group: Any, name: str) -> Any:
        """Return a small attribute, a string or a few numbers, or None."""
        import h5py

        if name not in group.attrs:
            return None
        result = group.attrs.get_id(name)
        if result.shape is None or math.prod(result.shape) > 4:
            raise ValueError(f"{self.path} has an attribute {name!r} of shape {result.shape}")
        value = group.attrs[name]
        return value if not isinstance(value, h5py.Empty) else None
