"""A folder of HDF5 files, one for each bag, as TRIDENT and CLAM write them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....arrays import MEMORY
from ..files import check_memory
from .bag_files import FileFormat, FileSummary, features_shape, read_folder
from .content import check_cache, require
from .hdf5_file import HDF5File, open_hdf5
from .label_table import LabelTable


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
    """Read a folder of HDF5 files, one for each bag, and their labels from a table.

    The file of a row is ``abc.h5`` if the table names ``abc``, or the slide image ``abc.svs``. It
    has datasets of features (n × d, or 1 × n × d) and of coordinates (n × 2), as TRIDENT and CLAM
    write them. Half and single precision become single.

    Parameters
    ----------
    folder : path
        The folder of the files, ``.h5`` or ``.hdf5``.
    table : path or DataFrame, optional
        CSV (or TSV), with a row for each file. Bags are in its order. By default all files are
        bags, in the order of their names.
    cache : path, optional
        A folder for the features of all files, made if it does not exist. Later calls use it again
        unless a file has changed. From 256 MB on, features are read from there when they are
        needed, and never all at once. By default all are read into memory.
    file, label : str, default "slide_id" and "label"
        The columns of the table that name the file of each row, and the label of its bag.
    bag : str, optional
        A column of the table that says which files make one bag, as "case_id" for a bag of each
        patient; ``bags.metadata`` then keeps the file name of each instance under the name of its
        column. By default every file is a bag.
    groups : str, optional
        A column of the table that says which bags belong together, as "case_id".
    features : str, default "features"
        The dataset of the instances.
    coords : str or None, default "coords"
        The dataset of their coordinates, kept as ``bags.metadata["coords"]`` if files have it.
    unmatched : "raise" or "drop", default "raise"
        What to do with rows without a file, a label or an instance, and with files without a row.
    memory : int, default 1 GiB
        Bytes that may be read into memory; what needs more is refused before it is read. With a
        cache the features need not fit.
    external : bool, default False
        Whether to follow external links, external storage and virtual datasets, by which a file
        can have any other file read. They are refused otherwise, and go without a cache.

    Returns
    -------
    bags : Bags
        Their ``ids`` are the file names, or the values of ``bag``.
    y : array
        The label of each bag, if there is a table.
    groups : array
        The group of each bag, if ``groups`` is given.

    Raises
    ------
    ValueError
        If a file or the table lacks something, or features differ in width or are not finite.
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
    require("h5py", "HDF5", "h5")
    bound = check_memory(memory)
    check_cache(cache, external)

    def inspect(path: Path) -> FileSummary:
        with open_hdf5(path, bound, external) as file:
            return _inspect(file, features, coords)

    def rows(path: Path, size: int) -> Iterator[tuple[int, Any]]:
        with open_hdf5(path, bound, external) as file:
            dataset = file.find(features)
            flat = len(dataset.shape) == 2
            for first in range(0, dataset.shape[0 if flat else 1], size):
                part = slice(first, first + size)
                yield first, dataset[part] if flat else dataset[0, part]

    form = FileFormat((".h5", ".hdf5"), features, coords, inspect, rows)
    labels = LabelTable(table, file, label, bag, groups)
    return read_folder(folder, form, labels, cache, unmatched, bound)


def _inspect(file: HDF5File, features: str, coords: str | None) -> FileSummary:
    dataset = file.find(features)
    if not hasattr(dataset, "shape"):
        names = ", ".join(repr(item) for item in file.file) or "nothing"
        raise ValueError(f"{file.path} must have a dataset {features!r}, got {names}")
    size = features_shape(file.path, features, dataset.shape or (), dataset.dtype)
    places = None if coords is None else file.find(coords)
    result = None if places is None else file.array(coords or "", places)
    return FileSummary(*size, dataset.dtype, result)
