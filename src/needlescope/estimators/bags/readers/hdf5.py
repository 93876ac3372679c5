"""A folder of HDF5 files, one for each bag, as TRIDENT and CLAM write them for slides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ....grid import choice
from ..tables import as_given, first_missing, value_of_each_row
from .source import (
    Blocks,
    Content,
    answer,
    checked,
    existing,
    fingerprint,
    needs,
    precision,
    read,
    rows_at_once,
)

ENDINGS = (".h5", ".hdf5")


def read_hdf5(
    folder: Any,
    labels: Any = None,
    cache: Any = None,
    *,
    slide: str = "slide_id",
    label: str = "label",
    groups: str | None = None,
    features: str = "features",
    coords: str | None = "coords",
    unmatched: str = "raise",
) -> Any:
    """Read a folder of HDF5 files, one for each slide, and their labels from a table.

    The file ``abc.h5`` is the slide ``abc``, with datasets of features (n × d, or 1 × n × d) and of
    coordinates (n × 2), as TRIDENT and CLAM write them. Half and single precision become single.

    Parameters
    ----------
    folder : path
        Where the files are, ``.h5`` or ``.hdf5``.
    labels : path or DataFrame, optional
        A table, CSV (or TSV), with a row for each slide. Bags are in its order; without one all
        files are bags, in the order of their names.
    cache : path, optional
        A folder, made if it is not there, that takes the features of all files, one after the
        other; from 256 MB on they are read from there when they are needed, and never all at
        once. Later calls use it again unless a file has changed. Without one all are read into
        memory.
    slide, label : str, default "slide_id" and "label"
        Columns of the table.
    groups : str, optional
        A column of the table that says which slides belong together, as "case_id".
    features : str, default "features"
        The dataset of the instances.
    coords : str or None, default "coords"
        The dataset of their coordinates, kept as ``bags.metadata["coords"]`` if files have it.
    unmatched : "raise" or "drop", default "raise"
        What becomes of slides without a file and files without a row in the table.

    Returns
    -------
    bags : Bags
        Their ``ids`` are the slides.
    y : array
        The label of each, if there is a table.
    groups : array
        If asked for.

    Raises
    ------
    ValueError
        If a file or the table lacks something, or features differ in width or are not finite; the
        sentence names the file.
    ImportError
        Without h5py, which the extra ``needlescope[h5]`` installs.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import h5py
    >>> import numpy as np
    >>> import pandas as pd
    >>> from needlescope.estimators import read_hdf5
    >>> table = pd.DataFrame({"slide_id": ["s2", "s1"], "label": ["tumour", "normal"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, size in (("s1", 5), ("s2", 3)):
    ...         with h5py.File(Path(folder, name + ".h5"), "w") as file:
    ...             file["features"] = np.zeros((size, 4), np.float32)
    ...             file["coords"] = np.zeros((size, 2), int)
    ...     bags, y = read_hdf5(folder, table, cache=Path(folder, "cache"))
    >>> bags, y.tolist(), bags.ids.tolist(), bags.metadata["coords"].shape
    (<2 bags of 3 to 5 instances, 4 features, float32>, ['tumour', 'normal'], ['s2', 's1'], (8, 2))
    """
    needs("h5py", "HDF5", "h5")
    choice("unmatched", unmatched, ("raise", "drop"))
    found = _files(existing(folder))
    y = belongs = None
    if labels is not None:
        table = _table(labels, [slide, label, *([] if groups is None else [groups])], slide)
        slides = [str(one) for one in value_of_each_row(slide, table[slide], len(table), "the id")]
        rows = _matched(Path(folder), slides, found, unmatched)
        slides = [slides[row] for row in rows]
        y = _of_slides(table[label], label, slides, rows)
        belongs = None if groups is None else _of_slides(table[groups], groups, slides, rows)
    elif groups is not None:
        raise ValueError(f"groups={groups!r} is a column of a table: pass labels, too")
    else:
        slides = list(found)
    files = [found[one] for one in slides]
    source = fingerprint(files, ids=slides, features=features, coords=coords)
    bags = read(lambda: _look(files, slides, features, coords), cache, source)
    return answer(bags, y, belongs)


def _files(folder: Path) -> dict[str, Path]:
    """Return the HDF5 files of a folder by the slide they are of."""
    if not folder.is_dir():
        raise ValueError(f"folder must be one of HDF5 files, got the file {folder}")
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in ENDINGS)
    if not files:
        below = sorted({path.parent.name for path in folder.glob("*/*.h5")})
        hint = f"; there are some in its folders {', '.join(below[:5])}" if below else ""
        raise ValueError(f"{folder} has no files that end in .h5 or .hdf5{hint}")
    found: dict[str, Path] = {}
    for path in files:
        if path.stem in found:
            raise ValueError(f"{path} and {found[path.stem].name} are of the same slide")
        found[path.stem] = path
    return found


def _table(labels: Any, columns: list[str], slide: str) -> Any:
    """Return the table of labels, of slides' names as words: 007 is not 7."""
    import pandas as pd

    where = "labels"
    if not hasattr(labels, "columns"):
        path = existing(labels)
        where = str(path)
        tabs = "\t" if path.suffix.lower() == ".tsv" else ","
        try:
            labels = pd.read_csv(path, sep=tabs, dtype={slide: str})
        except (ValueError, OSError) as problem:
            raise ValueError(f"{path} cannot be read as CSV: {problem}") from None
    for one in columns:
        if one not in labels.columns:
            raise ValueError(
                f"{where} must have a column {one!r}, got {', '.join(map(str, labels.columns))}"
            )
    return labels


def _matched(folder: Path, slides: list[str], files: dict[str, Path], unmatched: str) -> list[int]:
    """Return the rows of slides that have a file, or refuse the first that has none."""
    name, times = Counter(slides).most_common(1)[0] if slides else ("", 0)
    if times > 1:
        raise ValueError(f"the table must name each slide once, got {name!r} {times} times")
    rows = [row for row, one in enumerate(slides) if one in files]
    drop = 'or pass unmatched="drop" to leave such out'
    if not rows:
        raise ValueError(
            f"no slide of the table has a file in {folder}: the table has {slides[:1]}, the folder "
            f"{next(iter(files.values())).name!r}"
        )
    if unmatched == "raise":
        lost = [one for one in slides if one not in files]
        if lost:
            raise ValueError(
                f"slide {lost[0]!r} of the table ({len(lost)} in all) has no file "
                f"{folder / lost[0]}.h5; add it, {drop}"
            )
        spare = [files[one] for one in files if one not in set(slides)]
        if spare:
            raise ValueError(
                f"{spare[0]} ({len(spare)} in all) has no row in the table; add it, {drop}"
            )
    return rows


def _of_slides(column: Any, name: str, slides: list[str], rows: list[int]) -> Any:
    """Return what a column says of some slides; none may be missing."""
    values = as_given(column)[rows]
    lost = first_missing(values)
    if lost is not None:
        raise ValueError(
            f"slide {slides[lost]!r} has no {name} in the table; fill it in, or drop the row"
        )
    return value_of_each_row(name, values, len(slides), "what there is")


def _look(files: list[Path], slides: list[str], features: str, coords: str | None) -> Content:
    """Look into every file: how many instances it has, and where they are."""
    shapes, dtypes, places, without = [], [], [], []
    for path in files:
        with opened(path) as file:
            shape, dtype = _shape(path, file, features)
            shapes.append(shape)
            dtypes.append(dtype)
            if coords is not None and coords in file:
                places.append(_coords(path, file[coords], coords, shape[0]))
            else:
                without.append(path)
        if shapes[-1][1] != shapes[0][1]:
            raise ValueError(
                f"{path} has {shapes[-1][1]} features, but {files[0]} has {shapes[0][1]}: were "
                "they made by the same encoder?"
            )
    if 0 < len(places) < len(files):
        raise ValueError(
            f"{without[0]} has no {coords!r}, and {len(places)} other files have; pass coords=None "
            "to do without"
        )
    starts = np.concatenate([[0], np.cumsum([shape[0] for shape in shapes])])
    dtype, d = precision(dtypes), shapes[0][1]
    metadata = {} if coords is None or not places else {coords: np.concatenate(places)}

    def blocks(_: Path | None) -> Blocks:
        for path, start in zip(files, starts[:-1], strict=True):
            with opened(path) as file:
                for first, rows in _rows(file[features], rows_at_once(d)):
                    block = checked(rows, dtype, f"{path}, {features!r}", first)
                    yield start + first + np.arange(len(block)), block

    return Content((int(starts[-1]), d), dtype, starts, None, np.array(slides), metadata, blocks)


def _shape(path: Path, file: Any, name: str) -> tuple[tuple[int, int], Any]:
    if name not in file or not hasattr(file[name], "shape"):
        known = ", ".join(repr(one) for one in file) or "nothing"
        raise ValueError(f"{path} must have a dataset {name!r}, got {known}")
    shape, dtype = file[name].shape, file[name].dtype
    flat = shape[1:] if len(shape) == 3 and shape[0] == 1 else shape
    if len(flat) != 2 or dtype.kind not in "fiub":
        raise ValueError(
            f"{path} must have features of instances, n × d or 1 × n × d, in {name!r}, got shape "
            f"{shape} of {dtype}"
        )
    if 0 in flat:
        raise ValueError(f"{path} has no instances: {name!r} has shape {shape}; leave it out")
    return (int(flat[0]), int(flat[1])), dtype


def _coords(path: Path, dataset: Any, name: str, count: int) -> Any:
    found = dataset[()]
    found = found[0] if found.ndim == 3 and len(found) == 1 else found
    if found.ndim < 1 or len(found) != count:
        raise ValueError(
            f"{path} has {count} instances, but {name!r} has shape {dataset.shape}; pass "
            "coords=None to do without"
        )
    return found


def _rows(dataset: Any, size: int) -> Iterator[tuple[int, Any]]:
    """Go through the rows of a dataset, so many at a time."""
    flat = len(dataset.shape) == 2
    for first in range(0, dataset.shape[0 if flat else 1], size):
        part = slice(first, first + size)
        yield first, dataset[part] if flat else dataset[0, part]


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open an HDF5 file; say which one it is if it cannot be read."""
    import h5py

    try:
        with h5py.File(path, "r") as file:
            yield file
    except OSError as problem:
        raise ValueError(f"{path} cannot be read as HDF5: {problem}") from None
