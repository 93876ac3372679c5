"""A folder of HDF5 files, one for each slide, as TRIDENT and CLAM write them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....grid import choice
from ..files import MEMORY, memory_bound
from .h5 import H5, opened
from .slides import Reader, Slide, Table, look, match, of_bags
from .source import answer, check_cache, fingerprint, needs, read

ENDINGS = (".h5", ".hdf5")


def read_hdf5(
    folder: Any,
    table: Any = None,
    cache: Any = None,
    *,
    file: str = "slide_id",
    label: str = "label",
    bag: str | None = None,
    groups: str | None = None,
    features: str = "features",
    coords: str | None = "coords",
    unmatched: str = "raise",
    memory: int = MEMORY,
    external: bool = False,
) -> Any:
    """Read a folder of HDF5 files, one for each slide, and their labels from a table.

    The file ``abc.h5`` is the slide ``abc``, also if the table names its picture, ``abc.svs``. It
    has datasets of features (n × d, or 1 × n × d) and of coordinates (n × 2), as TRIDENT and CLAM
    write them. Half and single precision become single.

    Parameters
    ----------
    folder : path
        Where the files are, ``.h5`` or ``.hdf5``.
    table : path or DataFrame, optional
        CSV (or TSV), with a row for each slide. Bags are in its order; without one all
        files are bags, in the order of their names.
    cache : path, optional
        A folder, made if it is not there, that takes the features of all files, one after the
        other; from 256 MB on they are read from there when they are needed, and never all at
        once. Later calls use it again unless a file has changed. Without one all are read into
        memory.
    file, label : str, default "slide_id" and "label"
        The columns of the table that name the file of each slide, and the label of its bag.
    bag : str, optional
        A column of the table that says which slides make one bag, as "case_id" for a bag of each
        patient; the slide of each instance is kept in ``bags.metadata`` under the name of its
        column. By default every slide is a bag.
    groups : str, optional
        A column of the table that says which bags belong together, as "case_id".
    features : str, default "features"
        The dataset of the instances.
    coords : str or None, default "coords"
        The dataset of their coordinates, kept as ``bags.metadata["coords"]`` if files have it.
    unmatched : "raise" or "drop", default "raise"
        What becomes of slides without a file, a label or an instance, and of files without a row
        in the table.
    memory : int, default 1 GiB
        Bytes that may be read into memory; what needs more is refused before it is read. With a
        cache the features need not fit.
    external : bool, default False
        Whether to follow external links, external storage and virtual datasets, by which a file
        can have any other file read. They are refused otherwise, and go without a cache.

    Returns
    -------
    bags : Bags
        Their ``ids`` are the slides, or what ``bag`` calls them.
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
    bound = memory_bound(memory)
    check_cache(cache, external)
    slides = match(folder, ENDINGS, Table(table, file, label, bag, groups), unmatched)

    def inspect(path: Path) -> Slide:
        with opened(path, bound, external) as file:
            return _inspect(file, features, coords)

    def rows(path: Path, size: int) -> Iterator[tuple[int, Any]]:
        with opened(path, bound, external) as file:
            yield from _rows(file.find(features), size)

    reader = Reader(features, inspect, rows)
    how = {"slides": slides.slides, "bags": slides.bags, "features": features, "coords": coords}
    source = fingerprint(slides.files, **how, unmatched=unmatched)
    drop = unmatched == "drop"
    bags = read(lambda: look(slides, reader, coords, drop, bound), cache, source, folder, bound)
    return answer(bags, of_bags(slides.y, bags.ids), of_bags(slides.groups, bags.ids))


def _inspect(file: H5, features: str, coords: str | None) -> Slide:
    dataset = file.find(features)
    if not hasattr(dataset, "shape"):
        known = ", ".join(repr(item) for item in file.file) or "nothing"
        raise ValueError(f"{file.path} must have a dataset {features!r}, got {known}")
    shape: tuple[int, ...] = dataset.shape or ()
    flat = shape[1:] if len(shape) == 3 and shape[0] == 1 else shape
    if len(flat) != 2 or dataset.dtype.kind not in "fiub" or not flat[1]:
        raise ValueError(
            f"{file.path} must have features of instances, n × d or 1 × n × d, in {features!r}, "
            f"got shape {shape} of {dataset.dtype}"
        )
    places = None if coords is None else file.find(coords)
    result = None if places is None else file.array(coords or "", places)
    if result is not None and result.ndim == 3 and len(result) == 1:
        result = result[0]
    return Slide(int(flat[0]), int(flat[1]), dataset.dtype, result)


def _rows(dataset: Any, size: int) -> Iterator[tuple[int, Any]]:
    """Go through the rows of a dataset, so many at a time."""
    flat = len(dataset.shape) == 2
    for first in range(0, dataset.shape[0 if flat else 1], size):
        part = slice(first, first + size)
        yield first, dataset[part] if flat else dataset[0, part]
