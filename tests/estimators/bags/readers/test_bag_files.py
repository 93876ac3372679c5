"""Which file is which row of the table: endings, gaps, and several files of a patient."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from needlescope.estimators import read_hdf5

COVERS = ("label_table",)

h5py = pytest.importorskip("h5py")


def write(folder, sizes):
    for k, (name, size) in enumerate(sizes.items()):
        with h5py.File(folder / name, "w") as file:
            file["features"] = np.full((size, 2), float(k))
            file["coords"] = np.full((size, 2), k)
    return folder


@pytest.mark.parametrize(
    ("files", "named"),
    [
        (["a.h5", "b.h5"], ["a.svs", "b.svs"]),
        (["a.h5", "b.h5"], ["a.h5", "b.h5"]),
        (["a.svs.h5", "b.ndpi.h5"], ["a", "b"]),
        (["a.tiff.h5", "b.h5"], ["a.svs", "b.TIF"]),
        (["TCGA-1.a.h5", "TCGA-1.b.h5"], ["TCGA-1.a.svs", "TCGA-1.b"]),
        (["a.svs.h5", "a.h5"], ["a.svs", "a"]),  # each is the name of a file
    ],
)
def test_slides_named_by_their_pictures(tmp_path, files, named):
    write(tmp_path, dict.fromkeys(files, 3))
    table = pd.DataFrame({"slide_id": named, "label": [0, 1]})
    bags, y = read_hdf5(tmp_path, table)
    assert bags.ids.tolist() == named and y.tolist() == [0, 1]
    assert [bag[0, 0] for bag in bags] == [0.0, 1.0]


def test_names_that_may_be_either_are_refused(tmp_path):
    write(tmp_path, {"a.svs.h5": 2, "a.tif.h5": 2})
    with pytest.raises(ValueError, match=r"'a' of the table may be 'a.svs' or 'a.tif' of"):
        read_hdf5(tmp_path, pd.DataFrame({"slide_id": ["a"], "label": [0]}))
    write(tmp_path, {"b.h5": 2})
    with pytest.raises(ValueError, match=r"must name each file once, got 'b' 2 times"):
        read_hdf5(tmp_path, pd.DataFrame({"slide_id": ["b", "b.svs"], "label": [0, 0]}))


@pytest.mark.parametrize("cached", [False, True])
def test_slides_without_a_label_or_an_instance_are_dropped_too(tmp_path, cached):
    write(tmp_path, {"a.h5": 2, "b.h5": 0, "c.h5": 3, "d.h5": 1, "e.h5": 1})
    table = pd.DataFrame({"slide_id": [*"xdcba"], "label": ["n", None, "y", "n", "n"]})
    with pytest.raises(ValueError, match=r"'x' of the table"):
        read_hdf5(tmp_path, table)
    both = pd.concat([table[1:], pd.DataFrame({"slide_id": ["e"], "label": ["n"]})])
    with pytest.raises(ValueError, match=r"'d' has no label in the table; fill it in, or pas"):
        read_hdf5(tmp_path, both)
    for _ in range(2):
        cache = tmp_path / "cache" if cached else None
        bags, y = read_hdf5(tmp_path, table, cache, unmatched="drop")
        assert bags.ids.tolist() == ["c", "a"] and y.tolist() == ["y", "n"]
    with pytest.raises(ValueError, match="no row of the table has a label"):
        read_hdf5(tmp_path, table.assign(label=None), unmatched="drop")


def test_slides_of_a_patient_make_one_bag(tmp_path):
    write(tmp_path, {"a.h5": 2, "b.h5": 3, "c.h5": 1, "d.h5": 0})
    table = pd.DataFrame(
        {
            "slide_id": ["a", "b", "c", "d"],
            "case": ["p1", "p2", "p1", "p3"],
            "label": [1, 0, 1, 0],
            "site": ["x", "y", "x", "y"],
        }
    )
    bags, y, sites = read_hdf5(tmp_path, table, bag="case", groups="site", unmatched="drop")
    assert bags.ids.tolist() == ["p1", "p2"] and bags.lengths.tolist() == [3, 3]
    assert y.tolist() == [1, 0] and sites.tolist() == ["x", "y"]
    assert bags[0][:, 0].tolist() == [0, 0, 2] == bags[[0]].metadata["coords"][:, 0].tolist()
    assert bags.metadata["slide_id"].tolist() == ["a", "a", "c", "b", "b", "b"]
    cached = [read_hdf5(tmp_path, table[:3], tmp_path / "c", bag="case", unmatched="drop")[0]] * 2
    assert [item.ids.tolist() for item in cached] == [["p1", "p2"]] * 2
    with pytest.raises(
        ValueError, match=r"label must be the same for all rows of a bag, got 1 .* 0"
    ):
        read_hdf5(tmp_path, table.assign(label=[1, 0, 0, 0]), bag="case", unmatched="drop")
    with pytest.raises(ValueError, match="bag='case' is a column of a table: pass table, too"):
        read_hdf5(tmp_path, bag="case")


def test_a_compressed_table_is_not_unpacked(tmp_path):
    write(tmp_path, {"a.h5": 2})
    pd.DataFrame({"slide_id": ["a"], "label": [0]}).to_csv(tmp_path / "labels.csv.gz")
    with pytest.raises(ValueError, match=r"table must be a DataFrame or a file of CSV or TSV, got"):
        read_hdf5(tmp_path, tmp_path / "labels.csv.gz")


def test_coordinates_must_be_alike(tmp_path):
    write(tmp_path, {"a.h5": 2, "b.h5": 2})
    with h5py.File(tmp_path / "b.h5", "a") as file:
        del file["coords"]
        file["coords"] = np.zeros((2, 3))
    with pytest.raises(ValueError, match=r"b.h5 has 'coords' of shape \(2, 3\) .* unlike .*a.h5"):
        read_hdf5(tmp_path)
