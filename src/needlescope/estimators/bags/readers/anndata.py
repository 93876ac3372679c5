"""AnnData: cells of many donors, one bag for each, from a ``.h5ad`` file or an object in memory.

Files are HDF5, and are read as that, a block of cells at a time: h5py is all that is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ....arrays import MEMORY
from ..conversion.grouping import group_rows
from ..conversion.metadata import Metadata
from ..files import check_memory, existing_path, reading
from .cells import FileCells, ObjectCells, is_anndata
from .content import (
    Blocks,
    Content,
    check_block,
    check_cache,
    column_names,
    fingerprint,
    read_bags,
    require,
    rows_at_once,
    with_labels,
)
from .hdf5_file import open_hdf5


def read_h5ad(
    path: Any,
    bag: str,
    label: str | None = None,
    cache: Any = None,
    *,
    features: str = "X",
    layer: str | None = None,
    metadata: Any = None,
    groups: str | None = None,
    memory: int = MEMORY,
    external: bool = False,
) -> Any:
    """Read bags of cells from an AnnData file, ``.h5ad``, or from an AnnData object.

    Parameters
    ----------
    path : path or AnnData
        The file, or an object in memory.
    bag : str
        The column of ``obs`` with the bag of each cell, as "donor".
    label : str, optional
        The column of ``obs`` with the label of the bag, the same for all its cells.
    cache, memory, external : optional
        As in `read_hdf5`; the cache takes a block of cells at a time.
    features : str, default "X"
        "X", or a key of ``obsm``, as "X_pca". A sparse X (CSR or CSC) becomes dense: with tens of
        thousands of genes, "X_pca" is the better choice.
    layer : str, optional
        The layer to read instead of X, as "counts".
    metadata : str or list of str, optional
        Columns of ``obs`` or keys of ``obsm`` to keep with each cell, as ["cell_type", "spatial"].
    groups : str, optional
        A column of ``obs`` that says which bags belong together.

    Returns
    -------
    bags : Bags
        In the order in which they first appear; ``names`` are the genes if X is read.
    y, groups : array
        The label and the group of each bag, if these columns are named.

    Raises
    ------
    ValueError
        If the file lacks something, labels differ within a bag, or numbers are not finite.
    ImportError
        Without h5py, which the extra ``needlescope[anndata]`` installs.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import h5py
    >>> import numpy as np
    >>> from needlescope.estimators import read_h5ad
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "cells.h5ad")
    ...     with h5py.File(path, "w") as file:  # as anndata writes it, in brief
    ...         file["X"] = np.zeros((5, 3), np.float32)
    ...         file["obs/donor"] = ["b", "a", "b", "a", "b"]
    ...         file["obs/sick"] = [True, False, True, False, True]
    ...     bags, y = read_h5ad(path, bag="donor", label="sick")
    >>> bags, bags.ids.tolist(), y.tolist()
    (<2 bags of 2 to 3 instances, 3 features, float32>, ['b', 'a'], [True, False])
    """
    bound, beside = check_memory(memory), column_names("metadata", metadata) or []
    check_cache(cache, external)
    cells = _Cells(path, features, layer, bound, external)
    if cells.given is not None and cache is not None:
        raise ValueError("cache must go with a file: an AnnData in memory needs none")
    with cells.opened() as result:
        shape, dtype = result.shape, result.dtype
        rows, y, belongs = group_rows(result.column, shape[0], cells.where, bag, label, groups)

    def inspect() -> Content:
        with cells.opened() as result:
            names = result.names()
            kept = Metadata({name: result.metadata(name) for name in beside}, shape[0])
        content = (shape, dtype, rows.starts, names, rows.ids, rows.arranged(kept))
        return Content(*content, lambda _: cells.blocks(rows.places, shape, dtype, names))

    how = {"bag": bag, "features": features, "layer": layer, "metadata": beside}
    source = fingerprint([] if cells.given is not None else [cells.where], **how)
    return with_labels(read_bags(inspect, cache, source, cells.where, bound), y, belongs)


class _Cells:
    """The cells of a file or of an object, opened each time that they are read."""

    def __init__(
        self, path: Any, features: str, layer: str | None, memory: int, external: bool
    ) -> None:
        self.given: Any = path if is_anndata(path) else None
        self.where = Path("the AnnData")
        self.features, self.layer, self.memory, self.external = features, layer, memory, external
        if self.given is None:
            require("h5py", "AnnData", "anndata")
            self.where = existing_path(path)

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """Open the file, if there is one."""
        if self.given is not None:
            with reading(self.where, "one"):
                yield ObjectCells(self.given, self.features, self.layer, self.memory)
        else:
            with open_hdf5(self.where, self.memory, self.external) as file:
                yield FileCells(file, self.features, self.layer)

    def blocks(self, places: Any, shape: tuple[int, int], dtype: Any, names: Any) -> Blocks:
        """Yield the cells block by block, and where they go."""
        size = rows_at_once(shape[1])
        with self.opened() as result:
            for first in range(0, shape[0], size):
                part = slice(first, min(first + size, shape[0]))
                block = check_block(result.rows(part), dtype, result.where, first, names)
                if block.shape != (part.stop - part.start, shape[1]):
                    raise ValueError(f"{self.where} changed while it was read")
                yield places[part], block
