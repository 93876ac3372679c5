"""AnnData files (``.h5ad``): cells of many donors, one bag for each.

They are HDF5, and are read as that, a block of cells at a time: h5py is all that is needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from ..making.rows import grouping, label_of_each_bag
from ..tables import Metadata
from .hdf5 import opened
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


def read_h5ad(
    path: Any,
    bag: str,
    label: str | None = None,
    cache: Any = None,
    *,
    features: str = "X",
    metadata: Any = None,
    groups: str | None = None,
) -> Any:
    """Read bags of cells from an AnnData file, ``.h5ad``.

    Parameters
    ----------
    path : path
        The file.
    bag : str
        The column of ``obs`` that says which bag a cell is in, as "donor".
    label : str, optional
        The column of ``obs`` with the label of the bag, the same for all its cells.
    cache : path, optional
        A folder that takes the features, a block of cells at a time; from 256 MB on they are read
        from there when they are needed, and never all at once. Later calls use it again unless
        the file has changed. Without one all are read into memory.
    features : str, default "X"
        "X", or a key of ``obsm``, as "X_pca". A sparse X (by rows, CSR) becomes dense: where
        genes are tens of thousands, "X_pca" is the better choice.
    metadata : str or list of str, optional
        Columns of ``obs`` or keys of ``obsm`` to keep with each cell, as ["cell_type", "spatial"].
    groups : str, optional
        A column of ``obs`` that says which bags belong together.

    Returns
    -------
    bags : Bags
        In the order in which they first appear; ``names`` are the genes if X is read.
    y : array
        The label of each, if a column is named.
    groups : array
        If asked for.

    Raises
    ------
    ValueError
        If the file lacks something, labels differ within a bag, or numbers are not finite; the
        sentence names the file.
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
    needs("h5py", "AnnData", "anndata")
    path = existing(path)
    with opened(path) as file:
        shape, dtype = _shape(path, file, features)
        rows = grouping(_column(path, file, bag, shape[0]), shape[0], f"{path}, {bag!r}")
        y = belongs = None
        if label is not None:
            y = label_of_each_bag(rows, _column(path, file, label, shape[0]), f"{path}, {label!r}")
        if groups is not None:
            belongs = label_of_each_bag(
                rows, _column(path, file, groups, shape[0]), f"{path}, {groups!r}"
            )

    def look() -> Content:
        order = rows.order
        with opened(path) as file:
            names = _names(file, shape[1]) if features == "X" else None
            beside = Metadata(_metadata(path, file, metadata, shape[0]), shape[0])
        if order is not None:
            beside = beside.rows(order)
        return Content(shape, dtype, rows.starts, names, rows.ids, beside, blocks)

    def blocks(_: Path | None) -> Blocks:
        places = rows.places
        with opened(path) as file:
            size = rows_at_once(shape[1])
            for first in range(0, shape[0], size):
                part = slice(first, min(first + size, shape[0]))
                block = _rows(_matrix(path, file, features), part, shape[1])
                yield places[part], checked(block, dtype, f"{path}, {features!r}", first)

    source = fingerprint([path], bag=bag, features=features, metadata=metadata)
    return answer(read(look, cache, source), y, belongs)


def _matrix(path: Path, file: Any, features: str) -> Any:
    where = "X" if features == "X" else f"obsm/{features}"
    if where not in file:
        known = ", ".join(["'X'", *(repr(one) for one in file.get("obsm", ()))])
        raise ValueError(f"{path} has no features {features!r}; there are {known}")
    return file[where]


def _shape(path: Path, file: Any, features: str) -> tuple[tuple[int, int], Any]:
    """Return how many cells and features there are, and their precision."""
    matrix = _matrix(path, file, features)
    if hasattr(matrix, "shape"):
        shape, dtype = matrix.shape, matrix.dtype
    else:
        kind = matrix.attrs.get("encoding-type", "something else")
        if kind != "csr_matrix":
            raise ValueError(
                f"{path} has {features!r} as {kind}, which is not read by rows; write it dense or, "
                "if it is sparse, after adata.X = adata.X.tocsr()"
            )
        shape, dtype = tuple(matrix.attrs["shape"]), matrix["data"].dtype
    if len(shape) != 2 or 0 in shape or dtype.kind not in "fiub":
        raise ValueError(
            f"{path} must have numbers, cells × features, in {features!r}, got shape {shape} of "
            f"{dtype}"
        )
    return (int(shape[0]), int(shape[1])), precision([dtype])


def _rows(matrix: Any, part: slice, width: int) -> Any:
    if hasattr(matrix, "shape"):
        return matrix[part]
    ends = matrix["indptr"][part.start : part.stop + 1]
    used = slice(int(ends[0]), int(ends[-1]))
    held = (matrix["data"][used], matrix["indices"][used], ends - ends[0])
    return sparse.csr_array(held, shape=(part.stop - part.start, width)).toarray()


def _column(path: Path, file: Any, name: str, count: int) -> Any:
    """Return a column of obs: plain, categorical, or with a mask; missing ones are None."""
    obs = file.get("obs")
    if obs is None or hasattr(obs, "dtype") or name not in obs:
        known = "" if obs is None or hasattr(obs, "dtype") else ", ".join(obs)
        old = "; it was written by an old anndata: read and write it with a newer one"
        raise ValueError(
            f"{path} has no column {name!r} of obs; "
            f"{f'there are {known}' if known else 'there are none' + old}"
        )
    found = _decoded(path, obs[name], name)
    if found.shape != (count,):
        raise ValueError(f"{path} has {count} cells, but {name!r} of obs has shape {found.shape}")
    return found


def _decoded(path: Path, column: Any, name: str) -> Any:
    if hasattr(column, "shape"):
        return _words(column)
    if "codes" in column and "categories" in column:
        codes, values = column["codes"][()], _words(column["categories"])
        return _gaps(values[np.maximum(codes, 0)], codes < 0)
    if "values" in column and "mask" in column:
        return _gaps(_words(column["values"]), column["mask"][()])
    raise ValueError(f"{path} has {name!r} of obs in a form that is not known here")


def _gaps(values: Any, lost: Any) -> Any:
    """Return values with None where there is none."""
    if not lost.any():
        return values
    found = values.astype(object)
    found[lost] = None
    return found


def _words(dataset: Any) -> Any:
    found = dataset.asstr()[()] if dataset.dtype.kind in "OS" else dataset[()]
    return np.array(found.tolist()) if found.dtype == object else found


def _names(file: Any, count: int) -> list[str] | None:
    """Return what genes are called."""
    var = file.get("var")
    if var is None or hasattr(var, "dtype"):
        return None
    index = var.attrs.get("_index", "_index")
    found = _words(var[index]).tolist() if index in var else []
    return [str(one) for one in found] if len(found) == count else None


def _metadata(path: Path, file: Any, names: Any, count: int) -> dict[str, Any]:
    listed = [] if names is None else [names] if isinstance(names, str) else list(names)
    spread = file.get("obsm", {})
    return {
        name: spread[name][()]
        if name in spread and hasattr(spread[name], "shape")
        else _column(path, file, name, count)
        for name in listed
    }
