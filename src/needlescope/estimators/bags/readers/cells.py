"""Cells of an AnnData: features, columns and metadata, from a file or an object.

A ``.h5ad`` file is read as HDF5. Both classes have the same interface; errors begin with ``where``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..conversion.numeric import check_dense
from ..conversion.values import as_array
from ..files import check_fits
from .content import precision
from .hdf5_file import HDF5File
from .sparse import SparseRows, sparse_rows


def matrix_path(features: str, layer: str | None) -> str:
    """Return the path of the features: X, a layer, or a key of obsm."""
    if layer is None:
        return "X" if features == "X" else f"obsm/{features}"
    if features != "X":
        raise ValueError(f"layer must go with features='X', got layer={layer!r} of {features!r}")
    return f"layers/{layer}"


def check_shape(where: str, shape: Any, dtype: Any) -> tuple[tuple[int, int], Any]:
    """Return the numbers of cells and features, and their precision."""
    result = tuple(int(item) for item in np.ravel(np.asarray(shape)))
    if len(result) != 2 or min(result) < 1 or dtype.kind not in "fiub":
        raise ValueError(
            f"{where} must have numbers, cells × features, got shape {result} of {dtype}"
        )
    return (result[0], result[1]), precision([dtype])


class FileCells:
    """Cells in an open file."""

    def __init__(self, file: HDF5File, features: str, layer: str | None) -> None:
        """Find the features."""
        self.file, self.called = file, matrix_path(features, layer)
        self.where = f"{file.path}, {self.called!r}"
        self.matrix = file.find(self.called)
        if self.matrix is None:
            known = [f"layer={key!r}" for key in self._keys("layers")]
            known = ["'X'", *map(repr, self._keys("obsm")), *known]
            raise ValueError(
                f"{file.path} has no features {layer or features!r}; there are {', '.join(known)}"
            )
        self.rows: Any = None
        if hasattr(self.matrix, "shape"):
            self.shape, self.dtype = check_shape(
                self.where, self.matrix.shape or (), self.matrix.dtype
            )
            self.rows = self.matrix.__getitem__
        else:
            result = self._entries()
            self.shape, self.rows = result.shape, result.rows

    def _keys(self, name: str) -> Sequence[str]:
        result = self.file.find(name)
        return [] if result is None or hasattr(result, "shape") else list(result)

    def _entries(self) -> SparseRows:
        """Return a sparse matrix by its rows."""
        kind = str(self.file.attribute(self.matrix, "encoding-type") or "something else")
        parts = [self.file.find(item, self.matrix) for item in ("data", "indices", "indptr")]
        flat = all(len(getattr(part, "shape", None) or ()) == 1 for part in parts)
        if kind not in ("csr_matrix", "csc_matrix") or not flat:
            raise ValueError(
                f"{self.where} is {kind}, which is not read here; write it dense, or sparse by "
                "rows (CSR)"
            )
        shape = self.file.attribute(self.matrix, "shape")
        size, self.dtype = check_shape(self.where, () if shape is None else shape, parts[0].dtype)
        data, indices, pointers = parts
        return sparse_rows(self.where, kind[:3], size, data, indices, pointers, self.file.memory)

    def column(self, name: str) -> Any:
        """Return a column of obs: plain, categorical, or masked; missing values are None."""
        obs = self.file.find("obs")
        known = self._keys("obs")
        column = self.file.find(name, obs) if name in known else None
        if column is None:
            old = "none; it was written by an old anndata: read and write it with a newer one"
            raise ValueError(
                f"{self.file.path} has no column {name!r} of obs; there are "
                f"{', '.join(known) or old}"
            )
        result = self._decoded(f"obs/{name}", column)
        if result.shape != (self.shape[0],):
            raise ValueError(
                f"{self.file.path} has {self.shape[0]} cells, but {name!r} of obs has shape "
                f"{result.shape}"
            )
        return result

    def _decoded(self, name: str, column: Any) -> Any:
        if hasattr(column, "shape"):
            return self.file.array(name, column)
        codes, categories, values, mask = (
            self.file.find(item, column) for item in ("codes", "categories", "values", "mask")
        )
        if codes is not None and categories is not None:
            return self._categorical(
                name, self.file.array(name, codes), self.file.array(name, categories)
            )
        if values is not None and mask is not None:
            result, lost = self.file.array(name, values), self.file.array(name, mask)
            if lost.dtype != bool or lost.shape != result.shape:
                raise ValueError(f"{self.file.path}, {name!r} has a mask of shape {lost.shape}")
            return _gaps(result, lost)
        raise ValueError(f"{self.file.path} has {name!r} in a form that is not known here")

    def _categorical(self, name: str, codes: Any, values: Any) -> Any:
        good = codes.dtype.kind in "iu" and codes.ndim == values.ndim == 1
        if not good or (len(codes) and codes.max() >= len(values)):
            raise ValueError(
                f"{self.file.path}, {name!r} has codes beyond its {len(values)} categories; it is "
                "damaged"
            )
        check_fits(
            f"{self.file.path}, {name!r}", len(codes) * values.dtype.itemsize, self.file.memory
        )
        if not len(values):
            return np.full(len(codes), None, object)
        return _gaps(values[np.maximum(codes, 0)], codes < 0)

    def names(self) -> list[str] | None:
        """Return the names of the genes, if X or a layer is read."""
        if self.called.startswith("obsm/"):
            return None
        var = self.file.find("var")
        if var is None or hasattr(var, "shape"):
            return None
        index = self.file.attribute(var, "_index")
        index = "_index" if index is None else str(index)
        column = self.file.find(index, var) if index in list(var) else None
        if column is None:
            return None
        result = self._decoded(f"var/{index}", column)
        if result.shape != (self.shape[1],):
            raise ValueError(
                f"{self.where} has {self.shape[1]} features, but var has {result.size} of them; it "
                "is damaged"
            )
        return [str(item) for item in result.tolist()]

    def metadata(self, name: str) -> Any:
        """Return metadata of each cell: a key of obsm, or a column of obs."""
        if name in self._keys("obsm"):
            result = self.file.find(f"obsm/{name}")
            if hasattr(result, "shape"):
                return self.file.array(f"obsm/{name}", result)
        return self.column(name)


def _gaps(values: Any, lost: Any) -> Any:
    """Return values with None where they are missing."""
    if not lost.any():
        return values
    result = values.astype(object)
    result[lost] = None
    return result


class ObjectCells:
    """Cells of an AnnData in memory, or of an object with its attributes."""

    def __init__(self, given: Any, features: str, layer: str | None, memory: int) -> None:
        """Find the features."""
        if getattr(given, "isbacked", False):
            raise ValueError(
                f"the AnnData reads from {given.filename}: pass that path, or X.to_memory()"
            )
        self.given, self.where = given, "the AnnData"
        self.called = matrix_path(features, layer)
        held = {"X": given.X} if layer is None else given.layers
        held = given.obsm if self.called.startswith("obsm/") else held
        key = layer or features
        if key not in held or held[key] is None:
            raise ValueError(f"the AnnData has no features {key!r}; there are {sorted(held)}")
        matrix = held[key]
        where = f"the AnnData, {self.called!r}"
        if hasattr(matrix, "tocsr"):
            kind = str(getattr(matrix, "format", ""))
            if kind not in ("csr", "csc"):
                raise ValueError(f"{where} is {type(matrix).__name__}; pass it with X.tocsr()")
            self.shape, self.dtype = check_shape(where, matrix.shape, matrix.dtype)
            held = sparse_rows(
                where, kind, self.shape, matrix.data, matrix.indices, matrix.indptr, memory
            )
            self.rows: Any = held.rows
            return
        dense = np.asarray(check_dense(matrix))
        self.shape, self.dtype = check_shape(where, dense.shape, dense.dtype)
        self.rows = dense.__getitem__

    def column(self, name: str) -> Any:
        """Return a column of obs."""
        obs = self.given.obs
        if name not in obs.columns:
            raise ValueError(
                f"the AnnData has no column {name!r} of obs; there are "
                f"{', '.join(map(str, obs.columns))}"
            )
        return as_array(obs[name])

    def names(self) -> list[str] | None:
        """Return the names of the genes, if X or a layer is read."""
        if self.called.startswith("obsm/"):
            return None
        return [str(var_name) for var_name in self.given.var_names]

    def metadata(self, name: str) -> Any:
        """Return metadata of each cell: a key of obsm, or a column of obs."""
        return np.asarray(self.given.obsm[name]) if name in self.given.obsm else self.column(name)


def is_anndata(given: Any) -> bool:
    """Tell whether this is an AnnData rather than a path."""
    return all(hasattr(given, name) for name in ("X", "obs", "obsm", "layers", "var_names"))
