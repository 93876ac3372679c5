"""From files to bags, block by block: in memory, or once and for all into a folder on disk.

With ``cache`` the instances go to a folder as `Bags.save` writes it, one block at a time, and the
bags returned read them from there. The folder remembers its files (names, sizes, times) and how
they were read, and is used again as long as these are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..bags import CHUNK, Bags
from ..making.joined import Parts
from ..storage import ABOUT, NewRows, as_path, describe, read_about, writing
from ..tables import LARGEST_NUMBER

Blocks = Iterator[tuple[Any, Any]]  # where rows go, and the rows


class Content(NamedTuple):
    """What files hold: all that is small, and how to go through the instances."""

    shape: tuple[int, int]
    dtype: Any
    starts: Any
    names: list[str] | None
    ids: Any
    metadata: Any
    blocks: Callable[[Path | None], Blocks]  # of a folder for what is needed on the way


def read(look: Callable[[], Content], cache: Any, source: dict[str, Any]) -> Bags:
    """Return the bags of some files: those in the cache if it was made from these files.

    ``source`` says which files and how they are read, in words of JSON; ``look`` looks into them.
    """
    if cache is None:
        found = look()
        instances = np.empty(found.shape, found.dtype)
        for places, block in found.blocks(None):
            instances[places] = block
        return Bags(
            instances, found.starts, names=found.names, ids=found.ids, metadata=found.metadata
        )
    folder = as_path(cache)
    if _made_from(folder) != source:
        found = look()
        with writing(folder, overwrite=True) as hidden:
            with NewRows(hidden / "instances.npy", found.shape, found.dtype) as rows:
                for places, block in found.blocks(hidden):
                    rows.put(places, block)
            parts = Parts(None, found.starts, found.names, found.ids, found.metadata)
            describe(hidden, parts, found.shape, source)
    return Bags.load(folder)


def _made_from(folder: Path) -> Any:
    """Return what the bags of a folder were made from; refuse bags that were saved by hand."""
    if not (folder / ABOUT).is_file():
        return None
    source = read_about(folder)["source"]
    if source is None:
        raise ValueError(
            f"cache must be a folder of its own, and {folder} holds bags that were saved there; "
            "name another, or read those by Bags.load"
        )
    return source


def fingerprint(files: list[Path], **how: Any) -> dict[str, Any]:
    """Say which files there are, and how they are read, such that JSON keeps it as it is."""
    stats = [(str(file.absolute()), file.stat()) for file in files]
    listed = [[name, stat.st_size, stat.st_mtime_ns] for name, stat in stats]
    return {"files": listed, "how": {name: repr(value) for name, value in how.items()}}


def rows_at_once(width: int) -> int:
    """Return how many rows are read in one go."""
    return max(1, CHUNK // max(width, 1))


def precision(dtypes: list[Any]) -> Any:
    """Return the precision that holds all of these: single if none needs more."""
    small = all(dtype.kind == "f" and dtype.itemsize <= 4 for dtype in dtypes)
    return np.dtype(np.float32 if small else np.float64)


def checked(block: Any, dtype: Any, where: str, first: int) -> Any:
    """Return a block in its precision, or refuse what is not finite, naming file and row."""
    found = np.asarray(block, dtype)
    largest = LARGEST_NUMBER[found.dtype]
    if found.size and not (-largest <= found.min() and found.max() <= largest):
        bad = ~(np.abs(found) <= largest)
        row = int(np.flatnonzero(bad.any(axis=1))[0])
        value = found[row][bad[row]][0]
        what = f"a number of size {abs(value):.0e}" if np.isfinite(value) else f"a {value}"
        raise ValueError(
            f"{where} has {what} in row {first + row}, where numbers must be finite and at most "
            f"{largest:.0e}; mend the file, or leave it out"
        )
    return found


def needs(package: str, kind: str, extra: str) -> Any:
    """Import a package that only a reader needs, or say how to install it."""
    try:
        return import_module(package)
    except ImportError:
        raise ImportError(
            f"{kind} needs {package.partition('.')[0]}: pip install 'needlescope[{extra}]'"
        ) from None


def existing(path: Any) -> Path:
    """Return the path of a file that is there."""
    found = as_path(path)
    if not found.exists():
        raise FileNotFoundError(f"there is no file {found}")
    return found


def answer(bags: Bags, *others: Any) -> Any:
    """Return bags alone, or with what is known of them."""
    known = [one for one in others if one is not None]
    return (bags, *known) if known else bags
