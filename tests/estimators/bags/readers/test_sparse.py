"""Sparse matrices with wrong pointers or indices are refused before anything is computed."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from needlescope.estimators import read_h5ad
from needlescope.estimators.bags.readers.sparse import check_pointers, sparse_rows

h5py = pytest.importorskip("h5py")
RNG = np.random.default_rng(0)
CELLS = RNG.poisson(0.7, (12, 5)).astype(np.float32)
DONORS = np.repeat(["a", "b", "c"], 4)
# what is done to data, indices and indptr of a matrix with 12 rows or 5 columns
SPOILT = {
    "an index too large": (lambda d, i, p: (d, _put(i, 0, 99), p), "an index of 99, beyond the"),
    "a negative index": (lambda d, i, p: (d, _put(i, 0, -1), p), "an index of -1, beyond the"),
    "a huge index": (lambda d, i, p: (d, _put(i, 0, 2**31 - 1), p), "an index of 2147483647"),
    "fewer indices": (lambda d, i, p: (d, i[:-1], p), "entries and .* indices; it is damaged"),
    "fewer data": (lambda d, i, p: (d[:-1], i, p), "entries and .* indices; it is damaged"),
    "pointers beyond": (lambda d, i, p: (d, i, _put(p, -1, 10**9)), "pointers .* do not go up"),
    "pointers that fall": (lambda d, i, p: (d, i, _put(p, 2, 10**6)), "pointers .* do not go up"),
    "negative pointers": (lambda d, i, p: (d, i, _put(p, 1, -5)), "pointers .* do not go up"),
    "a first pointer": (lambda d, i, p: (d, i, _put(p, 0, 1)), "pointers .* do not go up"),
    "few pointers": (lambda d, i, p: (d, i, p[:-1]), "whole numbers as pointers"),
    "pointers of floats": (lambda d, i, p: (d, i, p.astype(float)), "whole numbers as pointers"),
    "indices of floats": (lambda d, i, p: (d, i.astype(float), p), "whole numbers as indices"),
    "an entry twice": (lambda d, i, p: (d, _put(i, 1, i[0]), p), "two entries in row .*, column"),
}


def _put(values, place, value):
    result = values.astype(np.int64)
    result[place] = value
    return result


def parts(kind):
    held = (sparse.csr_matrix if kind == "csr" else sparse.csc_matrix)(
        np.maximum(CELLS, [1, 1, 0, 0, 0])
    )
    return held.data, held.indices, held.indptr


def write(path, kind, arrays):
    with h5py.File(path, "w") as file:
        group = file.create_group("X")
        group.attrs["encoding-type"], group.attrs["shape"] = f"{kind}_matrix", CELLS.shape
        for name, values in zip(("data", "indices", "indptr"), arrays, strict=True):
            group[name] = values
        file["obs/donor"] = DONORS.tolist()
    return path


def in_memory(kind, arrays):
    """An AnnData with a matrix whose parts were set behind SciPy's back."""
    held = (sparse.csr_matrix if kind == "csr" else sparse.csc_matrix)(CELLS)
    held.data, held.indices, held.indptr = arrays
    obs = pd.DataFrame({"donor": DONORS})
    return SimpleNamespace(X=held, obs=obs, obsm={}, layers={}, var_names=list("uvwxy"))


@pytest.mark.parametrize("kind", ["csr", "csc"])
@pytest.mark.parametrize("how", SPOILT)
def test_a_damaged_matrix_is_refused_by_name(tmp_path, kind, how):
    spoil, sentence = SPOILT[how]
    arrays = spoil(*parts(kind))
    path = write(tmp_path / "c.h5ad", kind, arrays)
    for cache in (None, tmp_path / "cache"):
        with pytest.raises(ValueError, match=rf"c.h5ad, 'X' .*{sentence}"):
            read_h5ad(path, "donor", cache=cache)
    with pytest.raises(ValueError, match=rf"the AnnData, 'X' .*{sentence}"):
        read_h5ad(in_memory(kind, arrays), "donor")


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_the_order_of_indices_does_not_matter(tmp_path, kind):
    data, indices, pointers = parts(kind)
    for first, end in pairwise(pointers):
        data[first:end], indices[first:end] = data[first:end][::-1], indices[first:end][::-1]
    wanted = np.maximum(CELLS, [1, 1, 0, 0, 0])
    for given in (
        write(tmp_path / "c.h5ad", kind, (data, indices, pointers)),
        in_memory(kind, (data, indices, pointers)),
    ):
        np.testing.assert_array_equal(read_h5ad(given, "donor").instances, wanted)


def test_pointers_of_any_type_and_rows_that_are_too_full():
    wide = np.array([0, 2, 2**64 - 1], np.uint64)
    with pytest.raises(ValueError, match="do not go up"):
        check_pointers("X", wide, 2, 5)
    result = check_pointers("X", np.array([0, 2, 5], np.uint8), 2, 5)
    assert result.dtype == np.int64
    full = sparse_rows(
        "X", "csr", (1, 2), np.ones(3), np.array([0, 1, 1]), np.array([0, 3]), 1 << 20
    )
    with pytest.raises(ValueError, match="X has a row with more entries than its 2 columns"):
        full.rows(slice(0, 1))
    with pytest.raises(ValueError, match=r"X: its columns needs .*; write it by rows \(CSR\), or"):
        sparse_rows("X", "csc", (1, 2), np.ones(3), np.zeros(3, int), np.array([0, 3, 3]), 100)
