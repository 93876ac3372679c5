"""Folders of HDF5 files, one for each bag, with a table of labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from needlescope.estimators import read_hdf5

h5py = pytest.importorskip("h5py")
SIZES = {"TCGA-1.a": 3, "007": 5, "s2": 2}


def slide(path, size, d=4, seed=0, flat=True, dtype=np.float32, **other):
    rng = np.random.default_rng(seed)
    arrays = {
        "features": rng.standard_normal((size, d)).astype(dtype),
        "coords": rng.integers(1000, size=(size, 2)),
        **other,
    }
    with h5py.File(path, "w") as file:
        for name, values in arrays.items():
            if values is not None:
                file[name] = values if flat else values[None]
    return arrays


@pytest.fixture
def folder(tmp_path):
    for seed, (name, size) in enumerate(SIZES.items()):
        slide(tmp_path / f"{name}.h5", size, seed=seed)
    (tmp_path / "README.txt").write_text("not a slide")
    return tmp_path


@pytest.fixture
def table(folder):
    frame = pd.DataFrame(
        {
            "case_id": ["p1", "p2", "p1"],
            "slide_id": ["s2", "TCGA-1.a", "007"],
            "label": ["tumour", "normal", "tumour"],
        }
    )
    frame.to_csv(folder / "labels.csv", index=False)
    frame.to_csv(folder / "labels.tsv", index=False, sep="\t")
    return frame


def test_slides_are_in_the_order_of_the_table(folder, table):
    for labels in (folder / "labels.csv", str(folder / "labels.tsv"), table):
        bags, y, patients = read_hdf5(folder, labels, groups="case_id")
        assert bags.ids.tolist() == ["s2", "TCGA-1.a", "007"]
        assert y.tolist() == ["tumour", "normal", "tumour"]
        assert patients.tolist() == ["p1", "p2", "p1"]
    assert bags.lengths.tolist() == [2, 3, 5] and bags.instances.dtype == np.float32
    with h5py.File(folder / "007.h5") as file:
        np.testing.assert_array_equal(bags[2], file["features"])
        np.testing.assert_array_equal(bags[[2]].metadata["coords"], file["coords"])
    assert len(read_hdf5(folder, table)) == 2


def test_without_a_table_all_files_are_bags(folder):
    bags = read_hdf5(folder)
    assert bags.ids.tolist() == sorted(SIZES)


def test_numbers_of_a_table_stay_numbers_and_names_stay_words(folder, table):
    table.assign(label=[1, 0, 1]).to_csv(folder / "labels.csv", index=False)
    bags, y = read_hdf5(folder, folder / "labels.csv")
    assert y.tolist() == [1, 0, 1] and y.dtype.kind == "i" and "007" in bags.ids.tolist()


@pytest.mark.parametrize(
    ("dtype", "wanted"), [("f2", "f4"), ("f4", "f4"), ("f8", "f8"), (">f4", "f4"), ("i2", "f8")]
)
@pytest.mark.parametrize("flat", [True, False])
def test_arrays_of_all_kinds(tmp_path, dtype, wanted, flat):
    made = [slide(tmp_path / f"{k}.h5", 3 + k, seed=k, flat=flat, dtype=dtype) for k in range(2)]
    for cache in (None, tmp_path / "cache"):
        bags = read_hdf5(tmp_path, cache=cache)
        assert bags.instances.dtype == np.dtype(wanted)
        np.testing.assert_array_equal(
            bags.instances, np.concatenate([item["features"] for item in made])
        )
        np.testing.assert_array_equal(
            bags.metadata["coords"], np.concatenate([item["coords"] for item in made])
        )


def test_compressed_and_chunked_files_are_read(tmp_path):
    wanted = np.random.default_rng(0).standard_normal((50, 3))
    with h5py.File(tmp_path / "s.hdf5", "w") as file:
        file.create_dataset("features", data=wanted, chunks=(7, 2), compression="gzip")
    bags = read_hdf5(tmp_path)
    np.testing.assert_array_equal(bags[0], wanted)
    assert bags.metadata == {}


def test_slides_or_labels_too_many_are_named_or_left_out(folder, table):
    more = pd.concat([table, pd.DataFrame({"slide_id": ["gone"], "label": ["normal"]})])
    with pytest.raises(ValueError, match=r"'gone' .* has no file .*gone.h5; .*unmatched="):
        read_hdf5(folder, more)
    with pytest.raises(ValueError, match=r"007.h5 \(1 in all\) has no row in the table; add it"):
        read_hdf5(folder, table[:2])
    bags, y = read_hdf5(folder, more[1:], unmatched="drop")
    assert bags.ids.tolist() == ["TCGA-1.a", "007"] and y.tolist() == ["normal", "tumour"]


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        ({"features": None}, r"bad.h5 must have a dataset 'features', got 'coords'$"),
        ({"features": np.zeros((2, 5))}, r"bad.h5 has 5 features, but .*TCGA-1.a.h5 has 4: were"),
        ({"features": np.zeros(4)}, r"bad.h5 must have features of instances, .* got shape \(4,\)"),
        ({"features": np.zeros((2, 3, 4))}, r"bad.h5 must have features .* got shape \(2, 3, 4\)"),
        ({"features": np.zeros((0, 4))}, r"bad.h5 has no instances; leave it out, or pass un"),
        ({"features": np.array([[b"a"]])}, r"bad.h5 must have features of instances.*S1"),
        ({"coords": np.zeros((3, 2))}, r"bad.h5 has 2 instances, but 'coords' has shape \(3, 2\)"),
        ({"coords": None}, r"bad.h5 has no 'coords', and 3 other files have; pass coords=None"),
        ({"features": np.full((2, 4), np.inf)}, r"bad.h5, 'features' has a inf in row 0"),
    ],
)
def test_bad_files_are_named(folder, spoil, sentence):
    slide(folder / "bad.h5", 2, **spoil)
    slides = [*SIZES, "bad"]
    with pytest.raises(ValueError, match=sentence):
        read_hdf5(folder, pd.DataFrame({"slide_id": slides, "label": [0, 1, 0, 1]}))


def test_a_file_that_is_no_hdf5_is_named(folder):
    (folder / "cut.h5").write_bytes(b"\x89HDF")
    with pytest.raises(ValueError, match=r"cut.h5 cannot be read as HDF5"):
        read_hdf5(folder)


@pytest.mark.parametrize(
    ("change", "given", "sentence"),
    [
        (
            {"label": ["a", None, "b"]},
            {},
            "^'TCGA-1.a' has no label in the table; fill",
        ),
        (
            {"slide_id": ["s2", "s2", "007"]},
            {},
            "^the table must name each file once, got 's2' 2",
        ),
        (
            {"slide_id": ["s2", None, "007"]},
            {},
            "^slide_id must name the id of each row, got none",
        ),
        (
            {"slide_id": ["x", "y", "z"]},
            {},
            r"no row of the table has a file in .*\['x'\], the",
        ),
        (
            {},
            {"label": "Label"},
            "^table must have a column 'Label', got case_id, slide_id, l",
        ),
        ({}, {"groups": "patient"}, "^table must have a column 'patient'"),
        ({}, {"unmatched": "skip"}, "^unmatched must be one of 'raise', 'drop', got 'skip'"),
    ],
)
def test_bad_tables_are_refused(folder, table, change, given, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_hdf5(folder, table.assign(**change), **given)


def test_a_table_in_a_file_is_named(folder, table):
    with pytest.raises(ValueError, match=r"labels.csv must have a column 'stage', got case_id, sl"):
        read_hdf5(folder, folder / "labels.csv", label="stage")
    (folder / "labels.csv").write_bytes(b"")
    with pytest.raises(ValueError, match=r"labels.csv cannot be read as CSV"):
        read_hdf5(folder, folder / "labels.csv")
    with pytest.raises(FileNotFoundError, match=r"there is no file .*none.csv"):
        read_hdf5(folder, folder / "none.csv")
    with pytest.raises(ValueError, match="groups='case_id' is a column of a table: pass table"):
        read_hdf5(folder, groups="case_id")


def test_folders_that_hold_none(tmp_path):
    with pytest.raises(ValueError, match=r"has no files that end in .h5 or .hdf5$"):
        read_hdf5(tmp_path)
    (tmp_path / "h5_files").mkdir()
    slide(tmp_path / "h5_files" / "a.h5", 2)
    with pytest.raises(ValueError, match=r"; there are some in its folders h5_files$"):
        read_hdf5(tmp_path)
    with pytest.raises(ValueError, match=r"folder must be one of .h5 files, got the file"):
        read_hdf5(tmp_path / "h5_files" / "a.h5")
    slide(tmp_path / "h5_files" / "a.hdf5", 2)
    with pytest.raises(ValueError, match=r"a.hdf5 and a.h5 have the same name"):
        read_hdf5(tmp_path / "h5_files")
