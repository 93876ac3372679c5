"""From the content of files to bags, block by block: in memory, or in a cache on disk.

The cache is a folder as `Bags.save` writes it. It keeps a fingerprint of the files (resolved paths,
sizes, times) and of how they were read, and is used again while that is the same. Without a cache,
what would take more than ``memory`` is refused before it is read.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....grid import yes_or_no
from ..bags import CHUNK, Bags
from ..conversion.numeric import LARGEST_NUMBER
from ..conversion.parts import Parts
from ..files import as_path, check_fits
from ..saving import check_free, writing
from ..storage import MANIFEST, read_manifest

Blocks = Iterator[tuple[Any, Any]]  # the places of rows, and the rows


class Content(NamedTuple):
    """The content of files: all that is small, and how to iterate over the instances."""

    shape: tuple[int, int]
    dtype: Any
    starts: Any
    names: list[str] | None
    ids: Any
    metadata: Any
    # takes a function that makes paths of temporary files; None: in memory
    blocks: Callable[[Callable[[str], Path] | None], Blocks]


def read_bags(
    inspect: Callable[[], Content], cache: Any, source: dict[str, Any], where: Any, memory: int
) -> Bags:
    """Return the bags of some files, from the cache if its fingerprint is ``source``.

    ``where`` is what errors call the files.
    """
    if cache is None:
        result = inspect()
        check_fits(f"{where}: features", _size(result), memory, "pass cache= to keep them on disk")
        instances = np.empty(result.shape, result.dtype)
        for places, block in result.blocks(None):
            instances[places] = block
        return Bags(
            instances, result.starts, names=result.names, ids=result.ids, metadata=result.metadata
        )
    folder = as_path(cache)
    if _cached_source(folder) != source:
        check_free(folder.absolute(), overwrite=True)
        result = inspect()
        check_fits(f"{where}: a row of features", 8 * result.shape[1], memory)
        with writing(folder, overwrite=True) as draft:
            _check_space(draft.folder, where, _size(result))
            with draft.rows(result.shape, result.dtype) as rows:
                for places, block in result.blocks(draft.scratch):
                    rows.put(places, block)
            parts = Parts(None, result.starts, result.names, result.ids, result.metadata)
            draft.describe(parts, result.shape, source)
    large = math.prod(read_manifest(folder)["shape"][1:]) * 8 > memory
    return Bags.load(folder, mapped=True if large else "auto", memory=memory)


def check_cache(cache: Any, external: Any) -> None:
    """Refuse a cache of files that refer to others, whose changes would go unnoticed."""
    if yes_or_no("external", external) and cache is not None:
        raise ValueError(
            "cache must go without external=True, as a change in another file is not seen; leave "
            "one of them out"
        )


def _size(result: Content) -> int:
    return math.prod(result.shape) * int(result.dtype.itemsize)


def _check_space(folder: Path, where: Any, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise ValueError(
            f"{where}: features need {needed} bytes of disk, and {folder} has {free} free; name "
            "another folder for the cache"
        )


def _cached_source(folder: Path) -> Any:
    """Return the fingerprint of a cache; refuse bags that were saved by hand."""
    if not (folder / MANIFEST).is_file():
        return None
    source = read_manifest(folder)["source"]
    if source is None:
        raise ValueError(
            f"cache must be a folder of its own, and {folder} holds bags that were saved there; "
            "name another, or read those by Bags.load"
        )
    return source


def fingerprint(files: list[Path], **how: Any) -> dict[str, Any]:
    """Return what identifies files and how they are read, in types of JSON.

    A file that was replaced, or a link that leads elsewhere, differs at least in time or path.
    """
    stats = [(str(file.resolve()), file.stat()) for file in files]
    listed = [[name, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns] for name, stat in stats]
    return {"files": listed, "how": {name: repr(value) for name, value in how.items()}}


def column_names(what: str, given: Any, least: int = 0) -> list[str] | None:
    """Return names of columns as a list; None if none are given."""
    if given is None:
        return None
    words = [given] if isinstance(given, str) else given
    result = (
        list(words) if isinstance(words, Iterable) and not isinstance(words, bytes) else [words]
    )
    if len(result) < least:
        raise ValueError(
            f"{what} must name at least one column, got none; leave it out for the default"
        )
    odd = [item for item in result if not isinstance(item, str)]
    if odd:
        raise ValueError(f"{what} must be names of columns, got {odd[0]!r:.80}")
    twice = [item for k, item in enumerate(result) if item in result[:k]]
    if twice:
        raise ValueError(f"{what} must name each column once, got {twice[0]!r} twice")
    return [str(item) for item in result]


def rows_at_once(width: int) -> int:
    """Return how many rows are read at once."""
    return max(1, CHUNK // max(width, 1))


def precision(dtypes: list[Any]) -> Any:
    """Return single precision if it holds all of these types, else double."""
    small = all(dtype.kind == "f" and dtype.itemsize <= 4 for dtype in dtypes)
    return np.dtype(np.float32 if small else np.float64)


def check_block(block: Any, dtype: Any, where: str, first: int, names: Any = None) -> Any:
    """Return a block in the wanted precision; refuse values that are not finite."""
    with np.errstate(over="ignore"):  # too long a double becomes infinite, and is refused here
        result = np.asarray(block, dtype)
    largest = LARGEST_NUMBER[result.dtype]
    if result.size and not (-largest <= result.min() and result.max() <= largest):
        row, column = np.argwhere(~(np.abs(result) <= largest))[0].tolist()
        value = result[row, column]
        what = f"a number of size {abs(value):.0e}" if np.isfinite(value) else f"a {value}"
        raise ValueError(
            f"{where} has {what} in row {first + row}, column "
            f"{column if names is None else repr(names[column])}, where numbers must be finite and "
            f"at most {largest:.0e}; mend the file, or leave it out"
        )
    return result


def require(package: str, kind: str, extra: str) -> Any:
    """Import an optional package, or say how to install it."""
    try:
        return import_module(package)
    except ImportError:
        raise ImportError(
            f"{kind} needs {package.partition('.')[0]}: pip install 'needlescope[{extra}]'"
        ) from None


def with_labels(bags: Bags, *others: Any) -> Any:
    """Return bags alone, or with labels and groups."""
    given = [other for other in others if other is not None]
    return (bags, *given) if given else bags
