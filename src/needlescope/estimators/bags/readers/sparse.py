"""Untrusted sparse matrices, checked entry by entry before anything is computed with them.

SciPy does not check indices, and one outside of the matrix reads or writes outside of its memory.
Here pointers and indices are checked, and rows are filled by NumPy, which checks them again. Two
entries at the same place are refused; the order of indices within a row does not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..files import check_fits


def check_pointers(where: str, pointers: Any, count: int, stored: int) -> Any:
    """Return where each row (or column) begins, as int64, if these are in order."""
    if pointers.dtype.kind not in "iu" or pointers.shape != (count + 1,):
        raise ValueError(
            f"{where} must have {count + 1} whole numbers as pointers (indptr), got shape "
            f"{pointers.shape} of {pointers.dtype}"
        )
    up = pointers[0] == 0 and pointers[-1] == stored and (pointers[1:] >= pointers[:-1]).all()
    if not up:
        raise ValueError(
            f"{where} has pointers (indptr) that do not go up from 0 to its {stored} entries; it "
            "is damaged"
        )
    return pointers.astype(np.int64)


def check_indices(where: str, indices: Any, count: int) -> Any:
    """Return indices as int64 if all are within 0 and ``count - 1``."""
    if indices.ndim != 1 or indices.dtype.kind not in "iu":
        raise ValueError(f"{where} must have whole numbers as indices, got {indices.dtype}")
    if len(indices) and not (indices.min() >= 0 and indices.max() < count):
        odd = indices[(indices < 0) | (indices >= count)][0]
        raise ValueError(
            f"{where} has an index of {odd}, beyond the {count} there are; it is damaged"
        )
    return indices.astype(np.int64)


class SparseRows:
    """The entries of a sparse matrix by rows, some of which are made dense at a time.

    ``pointers`` (rows + 1,) say where each row begins; ``columns`` and ``values`` are functions
    from a slice to the columns and values of its entries; ``where`` is what errors call it.

    Examples
    --------
    >>> columns, values = np.array([1, 0]), np.array([5.0, 7.0])
    >>> get = columns.__getitem__, values.__getitem__
    >>> SparseRows("X", (2, 2), np.array([0, 1, 2]), *get).rows(slice(0, 2))
    array([[0., 5.],
           [7., 0.]])
    """

    def __init__(
        self,
        where: str,
        shape: tuple[int, int],
        pointers: Any,
        columns: Callable[[slice], Any],
        values: Callable[[slice], Any],
    ) -> None:
        self.where, self.shape, self.pointers = where, shape, pointers
        self.columns, self.values = columns, values

    def rows(self, part: slice) -> Any:
        """Return some rows, dense."""
        ends = self.pointers[part.start : part.stop + 1]
        used = slice(int(ends[0]), int(ends[-1]))
        if (np.diff(ends) > self.shape[1]).any():
            raise ValueError(
                f"{self.where} has a row with more entries than its {self.shape[1]} columns; it is "
                "damaged"
            )
        columns = check_indices(self.where, self.columns(used), self.shape[1])
        values = self.values(used)
        if columns.shape != (used.stop - used.start,) or values.shape != columns.shape:
            raise ValueError(f"{self.where} has fewer entries than its pointers say; it is damaged")
        row = np.repeat(np.arange(part.stop - part.start), np.diff(ends))
        place = row * self.shape[1] + columns
        if not (place[1:] > place[:-1]).all():
            ordered = np.sort(place)
            twice = np.flatnonzero(ordered[1:] == ordered[:-1])
            if len(twice):
                at = int(ordered[twice[0]])
                raise ValueError(
                    f"{self.where} has two entries in row {part.start + at // self.shape[1]}, "
                    f"column {at % self.shape[1]}; add them up first, as sum_duplicates() does"
                )
        result = np.zeros((part.stop - part.start, self.shape[1]), values.dtype)
        result[row, columns] = values
        return result


def sparse_rows(
    where: str,
    kind: str,
    shape: tuple[int, int],
    data: Any,
    indices: Any,
    pointers: Any,
    memory: int,
) -> SparseRows:
    """Return the entries of a CSR or CSC matrix by rows; CSC is converted in memory.

    ``data``, ``indices`` and ``pointers`` are arrays, or datasets.
    """
    by_rows = kind == "csr"
    stored = len(data)
    if len(indices) != stored:
        raise ValueError(f"{where} has {stored} entries and {len(indices)} indices; it is damaged")
    check_fits(f"{where}: pointers (indptr)", 16 * len(pointers), memory)
    begins = check_pointers(where, np.asarray(pointers[:]), shape[0 if by_rows else 1], stored)
    if by_rows:
        return SparseRows(where, shape, begins, indices.__getitem__, data.__getitem__)
    check_fits(f"{where}: its columns", 40 * stored, memory, "write it by rows (CSR)")
    row = check_indices(where, np.asarray(indices[:]), shape[0])
    column = np.repeat(np.arange(shape[1]), np.diff(begins))
    order = np.argsort(row, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=shape[0]))])
    values = np.asarray(data[:])
    return SparseRows(where, shape, starts, column[order].__getitem__, values[order].__getitem__)
