"""AnnData files, written here by their layout, as anndata 0.8 and later do."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from needlescope.estimators import read_h5ad
from needlescope.estimators.bags.readers import content

COVERS = ("cells",)
h5py = pytest.importorskip("h5py")
RNG = np.random.default_rng(0)
DONORS = np.array(["d2", "d1", "d3"])[RNG.permutation(np.arange(60) % 3)]
SICK = np.isin(DONORS, ["d1", "d3"])
CELLS = RNG.poisson(0.5, (60, 7)).astype(np.float32)
WORDS = h5py.string_dtype()


def categorical(obs, name, values):
    group = obs.create_group(name)
    group.attrs["encoding-type"] = "categorical"
    seen = sorted({value for value in values if value is not None})
    codes = [-1 if value is None else seen.index(value) for value in values]
    group["codes"] = np.array(codes, np.int8)
    group.create_dataset("categories", data=seen, dtype=WORDS if isinstance(seen[0], str) else None)


def nullable(obs, name, values, mask):
    group = obs.create_group(name)
    group.attrs["encoding-type"] = "nullable-integer"
    group["values"], group["mask"] = values, mask


def matrix(file, name, values, kind):
    if kind == "dense":
        file[name] = values
        return
    held = (sparse.csr_matrix if kind == "csr_matrix" else sparse.csc_matrix)(values)
    group = file.create_group(name)
    group.attrs["encoding-type"], group.attrs["shape"] = kind, values.shape
    group["data"], group["indices"], group["indptr"] = held.data, held.indices, held.indptr


def write(path, kind="dense"):
    with h5py.File(path, "w") as file:
        matrix(file, "X", CELLS, kind)
        obs = file.create_group("obs")
        categorical(obs, "donor", DONORS.tolist())
        categorical(obs, "gap", [None, *DONORS[1:].tolist()])
        obs["sick"] = SICK
        obs.create_dataset("type", data=["T", "B"] * 30, dtype=WORDS)
        nullable(obs, "site", np.where(DONORS == "d2", 5, 6), np.zeros(60, bool))
        nullable(obs, "lost", np.zeros(60, int), np.arange(60) == 4)
        var = file.create_group("var")
        var.attrs["_index"] = "gene"
        var.create_dataset("gene", data=[f"g{k}" for k in range(7)], dtype=WORDS)
        file["obsm/X_pca"] = CELLS[:, :2].astype(float)
        file["obsm/spatial"] = np.arange(120).reshape(60, 2)
    return path


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "cells.h5ad")


@pytest.mark.parametrize("kind", ["dense", "csr_matrix", "csc_matrix"])
@pytest.mark.parametrize("size", [1 << 22, 7 * 4])
def test_cells_of_a_donor_are_a_bag(tmp_path, kind, size, monkeypatch):
    monkeypatch.setattr(content, "CHUNK", size)
    path = write(tmp_path / "cells.h5ad", kind)
    for cache in (None, tmp_path / "cache"):
        bags, y, sites = read_h5ad(
            path, "donor", "sick", cache, metadata=["type", "spatial"], groups="site"
        )
        assert bags.ids.tolist() == list(dict.fromkeys(DONORS.tolist()))
        assert bags.names == [f"g{k}" for k in range(7)] and bags.instances.dtype == np.float32
        for k, donor in enumerate(bags.ids):
            np.testing.assert_array_equal(bags[k], CELLS[donor == DONORS])
            assert y[k] == (donor != "d2") and sites[k] == (5 if donor == "d2" else 6)
            beside = bags[[k]].metadata
            np.testing.assert_array_equal(
                beside["spatial"], np.arange(120).reshape(60, 2)[donor == DONORS]
            )
            np.testing.assert_array_equal(
                beside["type"], np.array(["T", "B"] * 30)[donor == DONORS]
            )


def test_features_of_obsm(path):
    bags = read_h5ad(path, "donor", features="X_pca", metadata="type")
    assert bags.d == 2 and bags.names is None and bags.instances.dtype == np.float64
    assert list(bags.metadata) == ["type"]


def test_what_anndata_writes_is_read(tmp_path):
    anndata = pytest.importorskip("anndata")
    obs = pd.DataFrame(
        {"donor": pd.Categorical(DONORS), "sick": SICK}, index=[f"c{k}" for k in range(60)]
    )
    for X in (CELLS, sparse.csr_matrix(CELLS), sparse.csc_matrix(CELLS)):
        cells = anndata.AnnData(X, obs=obs, layers={"counts": 2 * X})
        with anndata.settings.override(allow_write_nullable_strings=True):  # those of pandas 3
            cells.write_h5ad(tmp_path / "cells.h5ad")
        bags, y = read_h5ad(tmp_path / "cells.h5ad", "donor", "sick")
        np.testing.assert_array_equal(bags[0], CELLS[bags.ids[0] == DONORS])
        for given in (cells, tmp_path / "cells.h5ad"):
            twice = read_h5ad(given, "donor", layer="counts")
            np.testing.assert_array_equal(twice.instances, 2 * bags.instances)
        assert y[0] == (bags.ids[0] != "d2") and bags.names == [str(k) for k in range(7)]


def in_memory(X):
    """Cells in memory, with what read_h5ad asks of an AnnData."""
    obs = pd.DataFrame({"donor": pd.Categorical(DONORS), "sick": SICK, "type": ["T", "B"] * 30})
    held = {"obsm": {"X_pca": CELLS[:, :2]}, "layers": {"counts": 2 * CELLS}}
    return SimpleNamespace(X=X, obs=obs, var_names=[f"g{k}" for k in range(7)], **held)


@pytest.mark.parametrize(
    "make", [np.asarray, sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array, sparse.csc_array]
)
def test_cells_in_memory(make):
    cells = in_memory(make(CELLS))
    bags, y = read_h5ad(cells, "donor", "sick", metadata=["type", "X_pca"])
    assert bags.names == [f"g{k}" for k in range(7)]
    for k, donor in enumerate(bags.ids):
        np.testing.assert_array_equal(bags[k], CELLS[donor == DONORS])
        assert y[k] == (donor != "d2")
    assert bags.metadata["X_pca"].shape == (60, 2) and set(bags.metadata["type"]) == {"T", "B"}
    twice = read_h5ad(cells, "donor", layer="counts")
    np.testing.assert_array_equal(twice.instances, 2 * bags.instances)
    assert read_h5ad(cells, "donor", features="X_pca").names is None


def test_cells_in_memory_that_are_refused():
    cells = in_memory(sparse.coo_matrix(CELLS))
    for given, sentence in (
        ({}, "^the AnnData, 'X' is coo_matrix; pass it with X.tocsr"),
        ({"layer": "raw"}, "^the AnnData has no features 'raw'; there are .'counts'.$"),
        ({"layer": "counts", "features": "X_pca"}, "layer must go with features='X', got layer="),
        ({"layer": "counts", "cache": "x"}, "^cache must go with a file: an AnnData in memory ne"),
        ({"layer": "counts", "label": "age"}, "^the AnnData has no column 'age' of obs; there ar"),
        ({"layer": "counts", "memory": 100}, "^the AnnData: features needs .* above memory=100 "),
    ):
        with pytest.raises(ValueError, match=sentence):
            read_h5ad(cells, "donor", **given)
    cells.X, cells.isbacked, cells.filename = None, True, "c.h5ad"
    with pytest.raises(ValueError, match=r"the AnnData reads from c.h5ad: pass that path, or"):
        read_h5ad(cells, "donor")


@pytest.mark.parametrize("kind", ["dense", "csr_matrix", "csc_matrix"])
def test_layers(tmp_path, kind):
    with h5py.File(write(tmp_path / "a.h5ad"), "a") as file:
        matrix(file, "layers/counts", 2 * CELLS, kind)
    bags = read_h5ad(tmp_path / "a.h5ad", "donor", layer="counts")
    np.testing.assert_array_equal(bags[0], 2 * CELLS[bags.ids[0] == DONORS])
    assert bags.names == [f"g{k}" for k in range(7)]
    with pytest.raises(ValueError, match=r"no features 'raw'; there are 'X', .*, layer='counts'$"):
        read_h5ad(tmp_path / "a.h5ad", "donor", layer="raw")


def test_columns_that_are_damaged(tmp_path):
    with h5py.File(write(tmp_path / "a.h5ad"), "a") as file:
        file["obs/donor/codes"][3] = 9
        file["obs/site/mask"][...] = False
        del file["obs/lost/mask"]
        file["obs/lost/mask"] = np.zeros(3, bool)
    for name, sentence in (
        ("donor", "a.h5ad, 'obs/donor' has codes beyond its 3 categories; it is damaged"),
        ("lost", "a.h5ad, 'obs/lost' has a mask of shape .3,."),
    ):
        with pytest.raises(ValueError, match=sentence):
            read_h5ad(tmp_path / "a.h5ad", name)


def test_genes_may_be_words_with_a_mask(path):
    with h5py.File(path, "a") as file:
        del file["var/gene"]
        file["var/gene/values"] = [f"h{k}" for k in range(7)]
        file["var/gene/mask"] = np.zeros(7, bool)
    assert read_h5ad(path, "donor").names == [f"h{k}" for k in range(7)]


def test_a_width_that_var_does_not_have_is_refused(tmp_path):
    with h5py.File(write(tmp_path / "a.h5ad", "csr_matrix"), "a") as file:
        file["X"].attrs["shape"] = (60, 1000)
    with pytest.raises(ValueError, match=r"a.h5ad, 'X' has 1000 features, but var has 7 of them"):
        read_h5ad(tmp_path / "a.h5ad", "donor")


def test_metadata_is_read_once(path):
    wanted = (name for name in ("type", "spatial"))
    assert list(read_h5ad(path, "donor", metadata=wanted).metadata) == ["type", "spatial"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"bag": "patient"}, "cells.h5ad has no column 'patient' of obs; there are donor, gap, l"),
        ({"bag": "donor", "label": "Sick"}, "cells.h5ad has no column 'Sick' of obs"),
        ({"bag": "gap"}, "cells.h5ad, 'gap' must name the bag of each row, got none in row 0"),
        ({"bag": "donor", "label": "lost"}, "cells.h5ad, 'lost' must name the label .* in row 4"),
        ({"bag": "donor", "label": "type"}, "cells.h5ad, 'type' must be the same for all rows of"),
        ({"bag": "donor", "features": "X_umap"}, "no features 'X_umap'; there are 'X', 'X_pca', '"),
        ({"bag": "donor", "metadata": ["age"]}, "cells.h5ad has no column 'age' of obs"),
    ],
)
def test_what_is_not_there_is_named(path, given, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_h5ad(path, **given)


def test_layouts_that_are_not_read_are_named(tmp_path):
    with h5py.File(write(tmp_path / "a.h5ad", "csr_matrix"), "a") as file:
        file["X"].attrs["encoding-type"] = "coo_matrix"
    with pytest.raises(ValueError, match=r"'X' is coo_matrix, which is not read here; write it d"):
        read_h5ad(tmp_path / "a.h5ad", "donor")
    with h5py.File(tmp_path / "old.h5ad", "w") as file:
        file["X"], file["obs"] = CELLS, np.zeros(60, [("donor", int)])
    with pytest.raises(ValueError, match=r"no column 'donor' of obs; .* written by an old anndata"):
        read_h5ad(tmp_path / "old.h5ad", "donor")
    with h5py.File(tmp_path / "odd.h5ad", "w") as file:
        file["X"], file["obs/donor"] = CELLS, np.zeros(50, int)
        file["obs/odd/else"] = 3
    with pytest.raises(ValueError, match=r"has 60 cells, but 'donor' of obs has shape \(50,\)"):
        read_h5ad(tmp_path / "odd.h5ad", "donor")
    with pytest.raises(ValueError, match="'obs/odd' in a form that is not known here"):
        read_h5ad(tmp_path / "odd.h5ad", "odd")
    with h5py.File(tmp_path / "flat.h5ad", "w") as file:
        file["X"], file["obs/donor"] = np.zeros(60), np.zeros(60, int)
    with pytest.raises(ValueError, match=r"'X' must have numbers, cells × features, got shape"):
        read_h5ad(tmp_path / "flat.h5ad", "donor")
    with h5py.File(write(tmp_path / "nan.h5ad"), "a") as file:
        file["X"][11, 3] = np.nan
    with pytest.raises(ValueError, match=r"nan.h5ad, 'X' has a nan in row 11"):
        read_h5ad(tmp_path / "nan.h5ad", "donor")
